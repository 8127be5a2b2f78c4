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
  for (const Scored& row : rows) all.push_back(&row);
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
  std::vector<Spread> families = by_family(rows);
  families.push_back(whole(rows));
  return text + spreads_text("family", families) + spreads_text("hardware", by_hardware(rows));
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

std::string hold_out_table(const std::vector<HoldOut>& results) {
  std::string text =
      fmt::format("{:<8} {:<10} {:>5} {:>16} {:>9} {:>18} {:>6} {:>6} {:>7} {:>8}\n", "family", "left out", "rows",
                  "as stated", "fitted on", "fitted on others", "start", "soft", "bubble", "exposed");
  const auto pair = [](const Spread& s) { return fmt::format("{:.1f}% / {:.1f}%", 100 * s.median, 100 * s.p90); };
  for (const HoldOut& r : results) {
    text += fmt::format("{:<8} {:<10} {:>5} {:>16} {:>9} ", r.family, r.hardware, r.stated.rows, pair(r.stated),
                        r.fitted_on);
    text += r.fitted_on == 0 ? fmt::format("{:>18}\n", "-")
                             : fmt::format("{:>18} {:>6.2f} {:>6.2f} {:>7.2f} {:>8.2f}\n", pair(r.fitted_again),
                                           r.factors.start, r.factors.soft, r.factors.bubble, r.factors.exposed);
  }
  return text +
         "\nErrors: median / p90. Fitted again, on rows of the family on other devices of the architecture, in flow: "
         "one\n"
         "factor each for the times that engines state: start and group; soft, piece and combine; bubble; exposed.\n"
         "Not fitted again: their ratios between engines, tiles, split rules, load rates, efficiencies, panels, "
         "numbers of\n"
         "kernels, top-k passes, and what devices state. `-`: no other device of the architecture has rows.\n";
}

std::string hold_out_json(const std::vector<HoldOut>& results) {
  ordered_json list = ordered_json::array();
  for (const HoldOut& r : results) {
    ordered_json one{{"family", r.family},        {"left_out", r.hardware}, {"rows", r.stated.rows},
                     {"median", r.stated.median}, {"p90", r.stated.p90},    {"fitted_on", r.fitted_on}};
    if (r.fitted_on > 0) {
      one["fitted_median"] = r.fitted_again.median;
      one["fitted_p90"] = r.fitted_again.p90;
      one["factors"] = {{"start", r.factors.start},
                        {"soft", r.factors.soft},
                        {"bubble", r.factors.bubble},
                        {"exposed", r.factors.exposed}};
    }
    list.push_back(std::move(one));
  }
  return ordered_json{{"schema", "kvtraffic.hold-out/1"}, {"groups", std::move(list)}}.dump(2) + "\n";
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
