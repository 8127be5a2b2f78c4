// One row a recorded run: theirs, ours, the difference; other simulators beside it.
// Leaves out settings that all runs of a part share: the JSON has them.
#include "scenarios/device/crosscheck_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/json_text.hpp"
#include "reports/text_table.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using reports::Align;

std::set<std::string> other_names(const std::vector<Compared>& compared) {
  std::set<std::string> names;
  for (const Compared& row : compared) {
    for (const auto& [name, cycles] : row.recorded.others) names.insert(name);
  }
  return names;
}

std::string other_cell(const Compared& row, const std::string& name) {
  for (const auto& [other, cycles] : row.recorded.others) {
    if (other == name) return sim::with_commas(cycles);
  }
  return "";
}

std::string difference_text(double difference) { return fmt::format("{:+.3f} %", difference * 100); }

std::string total_line(const std::vector<Compared>& compared) {
  const auto inside = std::ranges::count_if(compared, &Compared::is_inside);
  const auto equal = std::ranges::count_if(
      compared, [](const Compared& row) { return std::abs(row.cycles - row.recorded.cycles) <= 1; });
  double largest = 0;
  for (const Compared& row : compared) largest = std::max(largest, std::abs(row.difference()));
  return fmt::format("{} runs: {} inside the tolerance, {} outside; {} within a cycle; largest difference {:.3f} %\n",
                     compared.size(), inside, static_cast<std::int64_t>(compared.size()) - inside, equal,
                     largest * 100);
}

void add_row(reports::JsonText& json, const Compared& row) {
  json.begin_object();
  json.field("part", row.recorded.part);
  json.key("settings");
  json.begin_array();
  for (const std::string& setting : row.recorded.settings) json.text(setting);
  json.end_array();
  json.field("trace", row.recorded.trace);
  json.field("scale", row.recorded.scale);
  json.field("peer", row.recorded.peer);
  json.field("peer_cycles", row.recorded.cycles);
  json.field("cycles", row.cycles);
  json.field("difference", row.difference());
  json.field("tolerance", row.recorded.tolerance);
  json.field("verdict", row.is_inside() ? "inside" : "outside");
  json.field("span_verdict", row.is_inside_span() ? "inside" : "outside");
  json.key("other_cycles");
  json.begin_object();
  for (const auto& [name, cycles] : row.recorded.others) json.field(name, cycles);
  json.end_object();
  json.end_object();
}

}  // namespace

std::string crosscheck_table(const std::vector<Compared>& compared) {
  const std::set<std::string> others = other_names(compared);
  std::vector<reports::Column> columns{
      {"part", "", Align::left},  {"map", "", Align::left},    {"refresh", "", Align::left},
      {"trace", "", Align::left}, {"theirs", "cycles"},        {"ours", "cycles"},
      {"difference", ""},         {"inside", "", Align::left}, {"in the peers' span", "", Align::left}};
  for (const std::string& name : others) columns.push_back({name, "cycles"});
  reports::TextTable table(std::move(columns));
  for (const Compared& row : compared) {
    const Recorded& recorded = row.recorded;
    const std::string trace = recorded.scale < 1 || recorded.scale > 1
                                  ? fmt::format("{} x {}", recorded.trace, recorded.scale)
                                  : recorded.trace;
    std::vector<std::string> cells{recorded.part,
                                   recorded.map,
                                   recorded.refresh,
                                   trace,
                                   sim::with_commas(recorded.cycles),
                                   sim::with_commas(row.cycles),
                                   difference_text(row.difference()),
                                   row.is_inside() ? "yes" : "NO",
                                   row.is_inside_span() ? "yes" : "NO"};
    for (const std::string& name : others) cells.push_back(other_cell(row, name));
    table.add(std::move(cells));
  }
  return table.text(0) + "\n" + total_line(compared);
}

std::string crosscheck_json(const std::vector<Compared>& compared) {
  fmt::memory_buffer buffer;
  reports::JsonText json(buffer);
  json.begin_object();
  json.field("schema", "kvtraffic.crosscheck/1");
  json.key("runs");
  json.begin_array();
  for (const Compared& row : compared) add_row(json, row);
  json.end_array();
  json.field("inside", static_cast<std::int64_t>(std::ranges::count_if(compared, &Compared::is_inside)));
  json.end_object();
  return fmt::to_string(buffer) + "\n";
}

}  // namespace kvtraffic::scenarios
