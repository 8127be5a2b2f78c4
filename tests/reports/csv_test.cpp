// CSV read back with a small parser of our own: header, quoting, empty cells.
// Leaves out spreadsheets.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/reports/sample.hpp"
#include "tests/reports/written.hpp"

namespace kvtraffic::reports::testing {
namespace {

using Row = std::vector<std::string>;

// RFC 4180, without its carriage returns.
std::vector<Row> read_csv(const std::string& text) {
  std::vector<Row> rows(1, Row(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      rows.back().emplace_back();
    } else if (c == '\n' && !quoted) {
      rows.emplace_back(1);
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();  // after the last line end
  return rows;
}

std::vector<Row> table_of(const std::vector<sim::PointResult>& points) {
  return read_csv(written(Format::csv, sample_head(), points));
}

std::map<std::string, std::string> cells_of(const sim::PointResult& point) {
  const std::vector<Row> rows = table_of({point});
  std::map<std::string, std::string> cells;
  for (std::size_t c = 0; c < rows.at(0).size(); ++c) cells[rows[0][c]] = rows.at(1).at(c);
  return cells;
}

TEST(Csv, OneHeaderAndOneRowPerPointOfTheSameLength) {
  const std::vector<Row> rows = table_of(mixed_sweep());
  ASSERT_EQ(rows.size(), 1 + mixed_sweep().size());
  for (const Row& row : rows) EXPECT_EQ(row.size(), rows[0].size());
}

TEST(Csv, ParametersComeFirstInTheirOrder) {
  const Row head = table_of(mixed_sweep()).at(0);
  const Row expected{"model", "hardware",       "format",         "engine",      "fidelity", "phase",
                     "batch", "context_tokens", "workload.batch", "engine.tile", "status",   "reason"};
  EXPECT_EQ(Row(head.begin(), head.begin() + 12), expected);
}

TEST(Csv, HeaderDoesNotDependOnTheValues) {
  const Row ok = table_of({sample_point()}).at(0);
  EXPECT_EQ(table_of({failed_point()}).at(0), ok);
  EXPECT_EQ(table_of({}).at(0), ok);
}

TEST(Csv, NoNameStandsTwice) {
  Row head = table_of({sample_point()}).at(0);
  std::sort(head.begin(), head.end());
  EXPECT_EQ(std::adjacent_find(head.begin(), head.end()), head.end());
}

TEST(Csv, CellsAreTheExactNumbers) {
  const sim::PointResult point = sample_point();
  auto cells = cells_of(point);
  EXPECT_EQ(cells["logical_index_key_read"], std::to_string(sample_index_read(131072) * 64));
  EXPECT_EQ(cells["dram_weight_read"], std::to_string(point.traffic->at(sim::Level::dram, sim::DataKind::weight).read));
  EXPECT_EQ(cells["link_total"], std::to_string(point.traffic->total(sim::Level::link)));
  EXPECT_EQ(cells["ssd_total"], "0");
  EXPECT_EQ(cells["max_batch"], std::to_string(point.storage->max_batch));
  EXPECT_EQ(std::stod(cells["seconds"]), point.time->seconds);
  EXPECT_EQ(cells["bound_by"], "hbm");
  EXPECT_EQ(cells["status"], "ok");
  EXPECT_EQ(cells["reason"], "");
}

TEST(Csv, WhatDidNotRunHasEmptyCellsNotZeros) {
  auto cells = cells_of(infeasible_point());
  EXPECT_NE(cells["logical_kv_main_read"], "");
  EXPECT_NE(cells["used_bytes_per_device"], "");
  for (const char* name : {"sector_kv_main_read", "dram_weight_write", "link_total", "seconds", "tokens_per_second"}) {
    EXPECT_EQ(cells[name], "") << name;
  }
  EXPECT_EQ(cells_of(failed_point())["max_context"], "");
}

TEST(Csv, AwkwardTextSurvives) {
  for (const std::string text : {"a,b", "say \"no\"", "two\nlines", "\xE6\xB7\xB1\xE5\xBA\xA6", " edge ", "\""}) {
    EXPECT_EQ(cells_of(with_parameter(sample_point(), "model.name", text))["model.name"], text);
  }
  EXPECT_EQ(cells_of(failed_point())["reason"], failed_point().reason);
}

TEST(Csv, ParametersAreFoundByName) {
  std::vector<sim::PointResult> points = mixed_sweep();
  std::reverse(points[1].parameters.begin(), points[1].parameters.end());
  EXPECT_EQ(table_of(points), table_of(mixed_sweep()));
  points[1].parameters.clear();
  EXPECT_EQ(table_of(points).at(2).at(0), "");
}

TEST(Csv, SameResultsGiveTheSameBytes) {
  EXPECT_EQ(written(Format::csv, sample_head(), mixed_sweep()), written(Format::csv, {}, mixed_sweep()));
}

TEST(Csv, ReadsAsInTheGoldenFile) { expect_golden("sweep.csv", written(Format::csv, sample_head(), mixed_sweep())); }

}  // namespace
}  // namespace kvtraffic::reports::testing
