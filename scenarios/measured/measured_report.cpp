// One line a row, then one a family and one a device: errors are |ln(simulated / measured)|.
// Leaves out colours: the table is for files as much as for people.
#include "scenarios/measured/measured_report.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace kvtraffic::scenarios {
namespace {

using nlohmann::ordered_json;

constexpr double per_second = 1e6;  // microseconds

std::string spreads_text(const char* title, const std::vector<Spread>& spreads) {
  std::string text = fmt::format("\n{:<12} {:>5} {:>8} {:>8} {:>8}\n", title, "rows", "median", "p90", "worst");
  for (const Spread& s : spreads) {
    text += fmt::format("{:<12} {:>5} {:>7.1f}% {:>7.1f}% {:>7.1f}%\n", s.name, s.rows, 100 * s.median, 100 * s.p90,
                        100 * s.worst);
  }
  return text;
}

Spread whole(const std::vector<Scored>& rows) {
  std::vector<const Scored*> all;
  for (const Scored& row : rows) {
    if (!row.row.predicted) all.push_back(&row);
  }
  return spread_of("all", all);
}

ordered_json json_of(const std::vector<Spread>& spreads) {
  ordered_json list = ordered_json::array();
  for (const Spread& s : spreads) {
    list.push_back({{"name", s.name}, {"rows", s.rows}, {"median", s.median}, {"p90", s.p90}, {"worst", s.worst}});
  }
  return list;
}

}  // namespace

std::string measured_table(const std::vector<Scored>& rows) {
  std::string text = fmt::format("{:<10} {:<9} {:<10} {:>10} {:>10} {:>7} {:<8} {}\n", "row", "hardware", "engine",
                                 "measured", "simulated", "ratio", "bound", "kernel");
  for (const Scored& row : rows) {
    text += fmt::format("{:<10} {:<9} {:<10} {:>10.2f} {:>10.2f} {:>7.3f} {:<8} {}\n", row.row.id, row.row.hardware,
                        row.row.engine, row.row.seconds * per_second, row.seconds * per_second,
                        row.seconds / row.row.seconds, row.bound_by, row.row.kernel);
  }
  text += "\nTimes in us. Errors: |ln(simulated / measured)|.\n";
  std::vector<Scored> fitted, predicted;
  for (const Scored& row : rows) (row.row.predicted ? predicted : fitted).push_back(row);
  std::vector<Spread> families = by_family(fitted);
  families.push_back(whole(fitted));
  if (!fitted.empty()) text += spreads_text("family", families) + spreads_text("hardware", by_hardware(fitted));
  if (!predicted.empty())
    text += spreads_text("predicted", by_family(predicted)) +
            "Fitted on these: prefill_soft (KPRE), and top-k of sglang-topk-v1 and trtllm (KTOPK).\n";
  return text;
}

std::string measured_json(const std::vector<Scored>& rows) {
  ordered_json list = ordered_json::array();
  for (const Scored& row : rows) {
    list.push_back({{"id", row.row.id},
                    {"family", row.row.family},
                    {"hardware", row.row.hardware},
                    {"engine", row.row.engine},
                    {"kernel", row.row.kernel},
                    {"measured_seconds", row.row.seconds},
                    {"simulated_seconds", row.seconds},
                    {"error", row.error},
                    {"predicted", row.row.predicted},
                    {"bound_by", row.bound_by},
                    {"source", row.row.source}});
  }
  const ordered_json document{{"schema", "kvtraffic.measured/1"},
                              {"rows", std::move(list)},
                              {"families", json_of(by_family(rows))},
                              {"hardware", json_of(by_hardware(rows))},
                              {"all", json_of({whole(rows)}).front()}};
  return document.dump(2) + "\n";
}

std::string hold_out_table(const HoldOut& result) {
  const auto pair = [](const Spread& s) { return fmt::format("{:.1f}% / {:.1f}%", 100 * s.median, 100 * s.p90); };
  std::string text =
      fmt::format("{:<10} {:<8} {:>5} {:>16} {:>18}\n", "left out", "family", "rows", "as stated", "fitted on others");
  for (const HoldOutGroup& g : result.groups) {
    text += fmt::format("{:<10} {:<8} {:>5} {:>16} {:>18}\n", g.hardware, g.family, g.stated.rows, pair(g.stated),
                        pair(g.fitted));
  }
  text +=
      "\nErrors: median / p90, in flow. Fitted again on the rows of all other devices: every constant of a kernel\n"
      "class whose source are these rows. Not fitted again: tiles, split rules, kernels that an engine counts,\n"
      "passes of top-k, and what devices state.\n";
  for (const HoldOutDevice& d : result.devices) {
    text += fmt::format("\n{}: {} constants fitted on {} rows of others, which are then {} off\n", d.hardware,
                        d.constants, d.fitted_on, pair(d.fit));
    for (const Unknown& u : d.unknown) {
      text += u.stands_in.empty() ? fmt::format("  no other row tells of {}: it counts for nothing\n", u.name)
                                  : fmt::format("  no other row tells of {}: as {}\n", u.name, u.stands_in);
    }
  }
  return text;
}

std::string hold_out_json(const HoldOut& result) {
  ordered_json groups = ordered_json::array(), devices = ordered_json::array();
  for (const HoldOutGroup& g : result.groups) {
    groups.push_back({{"family", g.family},
                      {"left_out", g.hardware},
                      {"rows", g.stated.rows},
                      {"median", g.stated.median},
                      {"p90", g.stated.p90},
                      {"fitted_median", g.fitted.median},
                      {"fitted_p90", g.fitted.p90}});
  }
  for (const HoldOutDevice& d : result.devices) {
    ordered_json unknown = ordered_json::array();
    for (const Unknown& u : d.unknown) {
      unknown.push_back(
          {{"kernels", u.name}, {"as", u.stands_in.empty() ? ordered_json() : ordered_json(u.stands_in)}});
    }
    devices.push_back({{"left_out", d.hardware},
                       {"fitted_on", d.fitted_on},
                       {"constants", d.constants},
                       {"unknown", std::move(unknown)}});
  }
  const ordered_json document{
      {"schema", "kvtraffic.hold-out/1"}, {"groups", std::move(groups)}, {"devices", std::move(devices)}};
  return document.dump(2) + "\n";
}

std::string measured_csv(const std::vector<Scored>& rows) {
  std::string text = "id,family,hardware,engine,measured_us,simulated_us,error,bound_by\n";
  for (const Scored& row : rows) {
    text +=
        fmt::format("{},{},{},{},{:.3f},{:.3f},{:.5f},{}\n", row.row.id, row.row.family, row.row.hardware,
                    row.row.engine, row.row.seconds * per_second, row.seconds * per_second, row.error, row.bound_by);
  }
  return text;
}

}  // namespace kvtraffic::scenarios
