// What people read, word for word, on the console and as Markdown.
// Leaves out pixels: how a terminal or GitHub shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "reports/display.hpp"
#include "sim/units/format.hpp"
#include "tests/reports/sample.hpp"
#include "tests/reports/written.hpp"

namespace kvtraffic::reports::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string console(const std::vector<sim::PointResult>& points, Style style = {}) {
  return written(Format::table, sample_head(), points, style);
}

std::string markdown(const std::vector<sim::PointResult>& points, Style style = {}) {
  return written(Format::md, sample_head(), points, style);
}

TEST(Console, OnePointReadsAsInTheGoldenFile) { expect_golden("point.txt", console({sample_point()})); }
TEST(Console, WhatDoesNotFitReadsAsInTheGoldenFile) { expect_golden("infeasible.txt", console({infeasible_point()})); }
TEST(Console, WhatFailedReadsAsInTheGoldenFile) { expect_golden("failed.txt", console({failed_point()})); }
TEST(Console, SweepReadsAsInTheGoldenFile) { expect_golden("sweep.txt", console(context_sweep())); }
TEST(Console, SweepWithFailuresReadsAsInTheGoldenFile) { expect_golden("mixed.txt", console(mixed_sweep())); }
TEST(Markdown, OnePointReadsAsInTheGoldenFile) { expect_golden("point.md", markdown({sample_point()})); }
TEST(Markdown, SweepReadsAsInTheGoldenFile) { expect_golden("sweep.md", markdown(context_sweep())); }
TEST(Markdown, SweepWithFailuresReadsAsInTheGoldenFile) { expect_golden("mixed.md", markdown(mixed_sweep())); }

TEST(Console, OnePointFitsOneScreen) {
  const std::vector<std::string> lines = lines_of(console({sample_point(1048576)}));
  EXPECT_LE(lines.size(), 46U);
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 100U) << line;
}

TEST(Console, NoLineEndsInABlank) {
  for (const std::string& line : lines_of(console({sample_point()}) + console(mixed_sweep()))) {
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Console, CacheReadsPerTokenAreExact) {
  const std::string text = console({sample_point()});
  for (const std::int64_t bytes : {sample_main_read(131072), sample_local_read(131072), sample_index_read(131072),
                                   sample_main_read(131072) + sample_local_read(131072) + sample_index_read(131072)}) {
    EXPECT_THAT(text, HasSubstr(sim::with_commas(bytes)));
  }
}

TEST(Console, ColourOnlyWhenAsked) {
  EXPECT_THAT(console({infeasible_point()}), Not(HasSubstr("\033")));
  EXPECT_THAT(console({infeasible_point()}, {true, false, false}), HasSubstr("\033[31mdoes not fit: "));
}

TEST(Console, HiddenTerminalEscapesAreDisarmed) {
  sim::PointResult point = failed_point();
  point.reason = "\033[2Jgone";
  point.warnings = {"bell\a"};
  EXPECT_THAT(console({point}), Not(HasSubstr("\033")));
  EXPECT_THAT(console({point}), Not(HasSubstr("\a")));
}

TEST(Console, LayersOneByOneAndOperationsWhenAsked) {
  EXPECT_THAT(console({sample_point()}), Not(HasSubstr("Every layer")));
  const std::string text = console({sample_point()}, {false, true, true});
  EXPECT_THAT(text, HasSubstr("Every layer"));
  EXPECT_THAT(text, HasSubstr("Bytes of every layer"));
  EXPECT_THAT(text, HasSubstr("index_scores"));
  EXPECT_EQ(lines_of(text).size() - lines_of(console({sample_point()})).size(), 2 * (40U + 4U) + 2U + 4U);
}

// The line of a layer in a table, as words.
std::vector<std::string> row_of_layer(const std::string& text, std::string_view title, std::int64_t layer) {
  std::istringstream lines(text.substr(text.find(title)));
  std::vector<std::string> words;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    words.assign(std::istream_iterator<std::string>(cells), {});
    if (!words.empty() && words.front() == std::to_string(layer)) return words;
  }
  return {};
}

// 64 sequences: 512 entries of 288 B and one new one; 128 of 528 B (544 B in sectors, 576 B over the pins) and one new
// one; 65,536 keys of 68 B and one new one. All of a layer's bytes stand in one of the four groups.
TEST(Console, EveryLayerSplitsItsBytesAtEachLevel) {
  const sim::PointResult point = sample_point();
  const std::string text = console({point}, {false, true, false});
  const std::vector<std::string> words = row_of_layer(text, "Bytes of every layer", 2);
  std::vector<std::string> expected{"2"};
  const auto add = [&expected](std::int64_t bytes) {
    std::istringstream cell(sim::to_text(sim::Bytes::of(bytes)));
    expected.insert(expected.end(), std::istream_iterator<std::string>(cell), {});
  };
  for (int level = 0; level < 3; ++level) add(64 * (512 + 1) * 288);
  for (const std::int64_t entry : {528, 544, 576}) add(64 * (128 * entry + 528));
  for (int level = 0; level < 3; ++level) add(64 * (65'536 + 1) * 68);
  for (const sim::Level level : {sim::Level::logical, sim::Level::sector, sim::Level::dram}) {
    std::int64_t rest = point.layers[2].traffic.total(level);
    for (const auto kind : {sim::DataKind::kv_main, sim::DataKind::kv_local, sim::DataKind::index_key}) {
      rest -= point.layers[2].traffic.at(level, kind).total();
    }
    add(rest);
  }
  EXPECT_EQ(words, expected);
}

TEST(Console, EveryLayerTellsWhatBoundsItAndWhatRowsCost) {
  const sim::PointResult point = sample_point();
  const std::string text = console({point}, {false, true, false});
  const std::vector<std::string> words = row_of_layer(text, "Every layer", 0);
  ASSERT_GT(words.size(), 7U);
  EXPECT_EQ(words[3], "latency");
  EXPECT_EQ(words[4] + " " + words[5], sim::time_text(*point.layers[0].dram_seconds));
  EXPECT_EQ(words[6] + " " + words[7], sim::time_text(*point.layers[0].row_seconds));
}

TEST(Console, TellsWhatDramDid) {
  const std::string text = console({sample_point()});
  EXPECT_THAT(text, HasSubstr("dram        92.5 % moving data, 3.0 % tCCDL, 3.0 % row_cycle, 1.5 % refresh\n"));
  sim::PointResult more = sample_point();
  more.time->dram_time = {{"data_bus", 0.5}, {"row_cycle", 0.3}, {"tCCDL", 0.12},
                          {"queue", 0.04},   {"refresh", 0.03},  {"turnaround", 0.01}};
  EXPECT_THAT(console({more}),
              HasSubstr("50.0 % moving data, 30.0 % row_cycle, 12.0 % tCCDL, 4.0 % queue, 4.0 % other waits\n"));
  sim::PointResult flow = sample_point();
  flow.time->dram_time.clear();
  EXPECT_THAT(console({flow}), Not(HasSubstr("moving data")));
}

TEST(Console, SweepSaysThatLayersAreElsewhere) {
  EXPECT_THAT(console(context_sweep(), {false, true, false}), HasSubstr("json and jsonl formats only"));
}

TEST(Console, NoPoints) { EXPECT_EQ(console({}), "no points\n"); }

TEST(Console, LayoutOfTheScenarioIsNotToldWhenItIsSwept) {
  EXPECT_THAT(console({sample_point()}), HasSubstr("tensor 1, data 8, expert 8"));
  EXPECT_THAT(console({with_parameter(sample_point(), "parallel.data", "4")}), Not(HasSubstr("data 8")));
}

TEST(Console, SmallReasonsAreCounted) {
  sim::PointResult point = sample_point();
  for (int i = 1; i <= 3; ++i) {
    point.amplification.push_back(
        {sim::Level::logical, sim::Level::sector, "reason " + std::to_string(i), sim::DataKind::state, i});
  }
  const std::string text = console({point});
  EXPECT_THAT(text, HasSubstr("reason 3"));  // fifth of seven
  EXPECT_THAT(text, Not(HasSubstr("reason 2")));
  EXPECT_THAT(text, HasSubstr("and 2 smaller, each at most 2 B"));
}

TEST(Console, ModelWithoutIndexKeysHasNoSplit) {
  sim::PointResult point = sample_point();
  point.traffic->at(sim::Level::logical, sim::DataKind::index_key) = {};
  EXPECT_THAT(console({point}), Not(HasSubstr("index keys.")));
}

TEST(Console, LongListsOfFailuresAreCut) {
  std::vector<sim::PointResult> points;
  for (int i = 0; i < 25; ++i) points.push_back(with_parameter(failed_point(), "engine.tile", std::to_string(i)));
  EXPECT_THAT(console(points), HasSubstr("and 5 more that do not fit or failed"));
}

TEST(Console, TrendNeedsOneNumericAxisAndThreePoints) {
  std::vector<sim::PointResult> points = context_sweep();
  EXPECT_THAT(console(points), HasSubstr("per token of context"));
  points.resize(2);
  EXPECT_THAT(console(points), Not(HasSubstr("per token of context")));
  EXPECT_THAT(console(mixed_sweep()), Not(HasSubstr("R^2")));  // two axes
}

TEST(Console, TrendOfTimeIsTheSlopeThatWentIn) {
  std::vector<sim::PointResult> points = context_sweep();
  for (sim::PointResult& point : points) {
    point.time->seconds = 1e-3 + 0.12e-6 * std::stod(point.parameters[7].second.text());
  }
  EXPECT_THAT(console(points), HasSubstr("time grows by 120 ns per token of context (R^2 1.000)"));
}

TEST(Console, ScatterIsNoTrend) {
  std::vector<sim::PointResult> points = context_sweep();
  for (std::size_t i = 0; i < points.size(); ++i) points[i].time->seconds = i % 2 == 0 ? 1e-3 : 2e-3;
  EXPECT_THAT(console(points), Not(HasSubstr("time grows")));
}

TEST(Console, AxesWithTheSameLastNameKeepTheirPath) {
  std::vector<sim::PointResult> points;
  for (const char* value : {"1", "2"}) {
    points.push_back(with_parameter(with_parameter(sample_point(), "hardware.clock", value), "engine.clock", value));
  }
  EXPECT_THAT(console(points), HasSubstr("hardware.clock  engine.clock"));
}

TEST(Markdown, CellsAndTextAreEscaped) {
  sim::PointResult point = failed_point();
  point.parameters[0].second = sim::Node::scalar("a|b<i>*c*_d_");
  EXPECT_THAT(markdown({point}), HasSubstr("# a\\|b\\<i\\>\\*c\\*\\_d\\_ on 8x-h200-sxm"));
}

TEST(Markdown, EveryTableRowHasTheColumnsOfItsHead) {
  const std::string text = markdown({sample_point()}) + markdown(mixed_sweep());
  std::ptrdiff_t expected = 0;
  for (const std::string& line : lines_of(text)) {
    const auto bars = std::count(line.begin(), line.end(), '|');
    EXPECT_TRUE(expected == 0 || bars == 0 || bars == expected) << line;
    expected = bars;
  }
}

}  // namespace
}  // namespace kvtraffic::reports::testing
