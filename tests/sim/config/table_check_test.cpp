// Every fault that check() knows, word for word, at its place.
// Leaves out what units say about themselves (parse_test.cpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/config/table.hpp"
#include "tests/sim/config/tables.hpp"
#include "tests/sim/config/trees.hpp"

namespace kvtraffic::sim {
namespace {

using testing::every_type_table;
using testing::faults_against;
using testing::part_table;
using testing::scenario_table;
using testing::worded_table;

constexpr std::string_view kWork = "workload: {batch: 1, context: 1}\n";

// The faults of a scenario whose workload is right.
std::string faults_beside_work(const std::string& text) {
  return faults_against(std::string(kWork) + text, scenario_table());
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(Check, AcceptsWhatTheTableSays) {
  EXPECT_EQ(faults_against("name: decode-128k\n"
                           "fidelity: flow\n"
                           "workload: {batch: 64, context: 128K, share: 0.5}\n"
                           "layers: [{kind: csa, page: 4 KiB}]\n"
                           "tags: [a, 1, true]\n"
                           "limits: {hbm: 4.8 TB/s, link: 400 Gbit/s}\n",
                           scenario_table()),
            "");
}

TEST(Check, UnknownKeyOffersTheNearest) {
  EXPECT_EQ(faults_against("workload: {batch: 1, contxt: 4, context: 1}\n", scenario_table()),
            "s.yaml:1:22: error: workload.contxt: unknown key\n"
            "workload: {batch: 1, contxt: 4, context: 1}\n"
            "                     ^\n"
            "  expected: one of batch, context, share\n"
            "  did you mean 'context'?\n");
}

TEST(Check, MissingKeyIsMarkedAtItsMap) {
  EXPECT_EQ(faults_against("workload:\n  context: 4K\n", scenario_table()),
            "s.yaml:2:3: error: workload: missing key 'batch'\n"
            "  context: 4K\n"
            "  ^\n"
            "  expected: batch: a whole number (sequences in the whole deployment)\n");
}

TEST(Check, TellsEveryFaultAtOnce) {
  const std::string faults = faults_against(
      "fidelity: flw\nworkload: {batch: 0, contxt: 1}\nlimits: {hbm: 4.8}\nlayers: [{kind: a}, {kind: b, count: x}]\n",
      scenario_table());
  EXPECT_EQ(faults,
            "s.yaml:1:11: error: fidelity: 'flw' is not one of cycle, flow, roofline\n"
            "fidelity: flw\n"
            "          ^\n"
            "  did you mean 'flow'?\n"
            "s.yaml:2:11: error: workload: missing key 'context'\n"
            "workload: {batch: 0, contxt: 1}\n"
            "          ^\n"
            "  expected: context: a number of tokens\n"
            "s.yaml:2:19: error: workload.batch: must be between 1 and 4096\n"
            "workload: {batch: 0, contxt: 1}\n"
            "                  ^\n"
            "s.yaml:2:22: error: workload.contxt: unknown key\n"
            "workload: {batch: 0, contxt: 1}\n"
            "                     ^\n"
            "  expected: one of batch, context, share\n"
            "  did you mean 'context'?\n"
            "s.yaml:3:15: error: limits.hbm: '4.8' needs a unit\n"
            "limits: {hbm: 4.8}\n"
            "              ^\n"
            "  expected: a bandwidth such as 4.8 TB/s (B/s, kB/s, KB/s, MB/s, GB/s, TB/s, PB/s, KiB/s, MiB/s, GiB/s, "
            "TiB/s, PiB/s, bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s, b/s, kb/s, Mb/s, Gb/s, Tb/s)\n"
            "s.yaml:4:38: error: layers[1].count: 'x' is not a number\n"
            "layers: [{kind: a}, {kind: b, count: x}]\n"
            "                                     ^\n"
            "  expected: a whole number in decimal digits, such as 64\n");
}

TEST(Check, RangesAreToldInTheirUnit) {
  EXPECT_EQ(first_line(faults_beside_work("layers: [{kind: a, count: 0}]\n")),
            "s.yaml:2:27: error: layers[0].count: must be at least 1");
  EXPECT_EQ(first_line(faults_beside_work("layers: [{kind: a, page: 0 B}]\n")),
            "s.yaml:2:26: error: layers[0].page: must be at least 1 B");
  EXPECT_EQ(first_line(faults_beside_work("timeout: 0\n")), "s.yaml:2:10: error: timeout: must be above zero");
  EXPECT_EQ(first_line(faults_against("workload: {batch: 5000, context: 1}\n", scenario_table())),
            "s.yaml:1:19: error: workload.batch: must be between 1 and 4096");
}

TEST(Check, RangesHoldAtTheirEnds) {
  for (const auto& [batch, is_right] : {std::pair{0, false}, {1, true}, {4096, true}, {4097, false}}) {
    const std::string text = fmt::format("workload: {{batch: {}, context: 1}}\n", batch);
    EXPECT_EQ(faults_against(text, scenario_table()).empty(), is_right) << batch;
  }
}

TEST(Check, ExcludingFieldsAreMarkedAtTheSecond) {
  EXPECT_EQ(faults_beside_work("budget: 1 GB\ncount: 1\n"),
            "s.yaml:3:1: error: 'budget' and 'count' exclude each other\ncount: 1\n^\n");
  EXPECT_EQ(faults_beside_work("budget: 1 GB\n"), "");
}

TEST(Check, OneOfAGroupMayBeRequired) {
  static constexpr std::string_view names[] = {"a", "b"};
  static constexpr Field fields[] = {{.name = "a"}, {.name = "b"}};
  static constexpr Exclusive groups[] = {{.names = names, .one_required = true}};
  const Table table = {.name = "t", .help = "", .fields = fields, .exclusive = groups};
  EXPECT_EQ(faults_against("{}\n", table), "s.yaml:1:1: error: missing key: one of 'a' or 'b'\n{}\n^\n");
  EXPECT_EQ(faults_against("b: 1\n", table), "");
}

TEST(Check, AValueThatIsMissingIsMarkedAtItsKey) {
  EXPECT_EQ(faults_against("workload:\n  batch:\n  context: 1\n", scenario_table()),
            "s.yaml:2:3: error: workload.batch: has no value\n  batch:\n  ^\n  expected: a whole number\n");
  EXPECT_EQ(first_line(faults_beside_work("tags: [a, ~]\n")), "s.yaml:2:7: error: tags[1]: has no value");
}

TEST(Check, SaysWhatStandsInTheWrongPlace) {
  EXPECT_EQ(first_line(faults_beside_work("timeout: [1]\n")),
            "s.yaml:2:10: error: timeout: expected a number, found a list");
  EXPECT_EQ(first_line(faults_beside_work("fidelity: {a: 1}\n")),
            "s.yaml:2:11: error: fidelity: expected one of cycle, flow, roofline, found a map");
  EXPECT_EQ(first_line(faults_beside_work("tags: one\n")), "s.yaml:2:7: error: tags: expected a list, found 'one'");
  EXPECT_EQ(first_line(faults_beside_work("limits: 4\n")), "s.yaml:2:9: error: limits: expected a map, found '4'");
  EXPECT_EQ(first_line(faults_against("workload: 4\n", scenario_table())),
            "s.yaml:1:11: error: workload: expected a map, found '4'");
  EXPECT_EQ(first_line(faults_against("[1]\n", scenario_table())), "s.yaml:1:1: error: expected a map, found a list");
}

TEST(Check, AWordMayStandInPlaceOfAMap) {
  EXPECT_EQ(faults_against("routing: even\n", worded_table()), "");
  EXPECT_EQ(faults_against("routing: {window: 2K}\n", worded_table()), "");
  EXPECT_EQ(faults_against("routing: evn\n", worded_table()),
            "s.yaml:1:10: error: routing: expected even or a map, found 'evn'\n"
            "routing: evn\n"
            "         ^\n"
            "  expected: even, or a map with the keys window, exact\n"
            "  did you mean 'even'?\n");
  EXPECT_EQ(first_line(faults_against("routing: [even]\n", worded_table())),
            "s.yaml:1:10: error: routing: expected even or a map, found a list");
  EXPECT_EQ(first_line(faults_against("routing: {even: 1}\n", worded_table())),
            "s.yaml:1:11: error: routing.even: unknown key");
}

TEST(Check, NamesAreChecked) {
  EXPECT_EQ(faults_beside_work("name: a b\n"),
            "s.yaml:2:7: error: name: 'a b' is not a name\nname: a b\n      ^\n"
            "  expected: letters, digits, '-', '_' and '.', beginning with a letter or digit\n");
}

TEST(Check, ThePrefixStandsBeforeEveryPath) {
  Diagnostics diagnostics;
  check(testing::read_or_fail("x: 1\n"), every_type_table(), diagnostics, "parts[2]");
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].path, "parts[2].x");
}

// For each type: a text that it takes, and one that it refuses.
struct Sample {
  std::string_view field;
  std::string_view right;
  std::string_view wrong;  // "" when the type takes everything
};
constexpr Sample kSamples[] = {
    {"text", "any: thing", "[a]"},
    {"name", "h200-sxm", "-x"},
    {"flag", "true", "yes"},
    {"integer", "-3", "1.5"},
    {"number", "1e3", "nan"},
    {"tokens", "128K", "128 KB"},
    {"bytes", "80 GB", "80"},
    {"duration", "1.5 us", "1.5"},
    {"bandwidth", "4.8 TB/s", "4.8 TB"},
    {"frequency", "1.83 GHz", "1.83"},
    {"flop_rate", "989 TFLOPS", "989"},
    {"ratio", "93%", "93 %%"},
    {"choice", "flow", "flows"},
    {"map", "{window: 1K}", "{windo: 1K}"},
    {"list", "[1, 2]", "[1, x]"},
    {"dictionary", "{a: 1}", "{a: x}"},
    {"reference", "{extends: x}", "[x]"},
    {"any", "[{a: ~}]", ""},
};

TEST(Check, EveryTypeTakesTheRightAndRefusesTheWrong) {
  ASSERT_EQ(std::size(kSamples), every_type_table().fields.size());
  for (const Sample& sample : kSamples) {
    const bool needs_quotes = sample.field == "text";
    const std::string quote = needs_quotes ? "'" : "";
    EXPECT_EQ(faults_against(fmt::format("{}: {}{}{}\n", sample.field, quote, sample.right, quote), every_type_table()),
              "");
    if (!sample.wrong.empty()) {
      const std::string faults =
          faults_against(fmt::format("{}: {}\n", sample.field, sample.wrong), every_type_table());
      EXPECT_NE(faults.find(fmt::format("error: {}", sample.field)), std::string::npos) << sample.field << faults;
    }
  }
}

TEST(CheckSourced, TakesProvenanceOnEveryLevel) {
  EXPECT_EQ(faults_against("source: sheet\n"
                           "capacity: {value: 141 GB, source: sheet, certainty: spec}\n"
                           "memory:\n"
                           "  certainty: assumed, scaled from H100\n"
                           "  bandwidth: {value: 4.8 TB/s, certainty: measured}\n"
                           "  ports: {value: [1, 2], source: sheet}\n"
                           "modes: {certainty: spec, fast: {source: s, bandwidth: 1 TB/s}}\n"
                           "sources: {sheet: 'H200 data sheet'}\n",
                           part_table()),
            "");
}

TEST(CheckSourced, LooksIntoTheWrappedValue) {
  const std::string faults = faults_against("capacity: {value: 141, sourc: sheet, certainty: guess}\n", part_table());
  EXPECT_EQ(
      faults,
      "s.yaml:1:19: error: capacity: '141' needs a unit\n"
      "capacity: {value: 141, sourc: sheet, certainty: guess}\n"
      "                  ^\n"
      "  expected: a size such as 80 GB (B, kB, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB)\n"
      "s.yaml:1:24: error: capacity.sourc: unknown key\n"
      "capacity: {value: 141, sourc: sheet, certainty: guess}\n"
      "                       ^\n"
      "  expected: one of value, source, certainty\n"
      "  did you mean 'source'?\n"
      "s.yaml:1:49: error: capacity.certainty: 'guess' does not begin with one of spec, measured, published, assumed\n"
      "capacity: {value: 141, sourc: sheet, certainty: guess}\n"
      "                                                ^\n");
}

TEST(CheckSourced, AMapWithoutValueIsNoScalar) {
  EXPECT_EQ(faults_against("capacity: {source: sheet}\n", part_table()),
            "s.yaml:1:11: error: capacity: expected a size, found a map\n"
            "capacity: {source: sheet}\n"
            "          ^\n"
            "  expected: a plain value, or {value: ..., source: ..., certainty: ...}\n");
}

TEST(CheckSourced, OnlySourcedTablesTakeProvenance) {
  EXPECT_EQ(first_line(faults_beside_work("source: x\n")), "s.yaml:2:1: error: source: unknown key");
  EXPECT_EQ(first_line(faults_beside_work("timeout: {value: 1}\n")),
            "s.yaml:2:10: error: timeout: expected a number, found a map");
}

}  // namespace
}  // namespace kvtraffic::sim
