// A row is a scenario with one point; what it was timed over decides what is left of the simulated time.
// Leaves out clocks of the benchmarks themselves.
#include "scenarios/measured/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>

#include "scenarios/run/setup.hpp"
#include "scenarios/spec/scenario.hpp"

namespace kvtraffic::scenarios {
namespace {

[[noreturn]] void refuse(const MeasuredRow& row, const std::string& why) {
  sim::Diagnostics faults;
  faults.error({}, row.id, why);
  throw sim::ConfigError(faults);
}

// The value below which `share` of the sorted values lie, of a few the next one up.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = std::ceil(share * static_cast<double>(sorted.size())) - 1;
  return sorted[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(sorted.size() - 1)))];
}

template <class Key>
std::vector<Spread> grouped(const std::vector<Scored>& rows, Key key) {
  std::map<std::string, std::vector<const Scored*>> groups;
  for (const Scored& row : rows) groups[key(row.row)].push_back(&row);
  std::vector<Spread> result;
  for (const auto& [name, members] : groups) result.push_back(spread_of(name, members));
  return result;
}

}  // namespace

std::shared_ptr<const Setup> setup_of(const MeasuredRow& row, const ScoreOptions& options, const Catalog& catalog) {
  const sim::Node node = scenario_of(row, options.engine, options.fidelity);
  sim::Diagnostics faults;
  check(node, table_for(node), faults);
  const Scenario scenario = read_scenario(node, faults);
  std::shared_ptr<const Setup> setup;
  if (!faults.has_errors()) setup = build_setup(scenario, catalog, "", faults);
  if (!setup) throw sim::ConfigError(faults);
  return setup;
}

Scored score(const MeasuredRow& row, const ScoreOptions& options, const Catalog& catalog) {
  return score(row, setup_of(row, options, catalog));
}

Scored score(const MeasuredRow& row, const std::shared_ptr<const Setup>& setup) {
  Evaluator evaluator(setup);
  const sim::PointResult result = evaluator.evaluate(setup->scenario.batch, setup->scenario.context, {});
  if (!result.time) refuse(row, result.reason);
  Scored scored{row, result.time->seconds, 0, std::string(sim::name_of(evaluator.outcome().bound_by))};
  // A bound has no gap between kernels.
  if (row.kernel_time && setup->scenario.fidelity != Fidelity::roofline) {
    scored.seconds -= setup->hardware.device.launch_gap.seconds();
  }
  scored.seconds = std::max(scored.seconds, 0.0) * static_cast<double>(row.repeat);
  scored.error = scored.seconds > 0 ? std::abs(std::log(scored.seconds / row.seconds)) : HUGE_VAL;
  return scored;
}

Spread spread_of(std::string name, const std::vector<const Scored*>& rows) {
  std::vector<double> errors;
  for (const Scored* row : rows) errors.push_back(row->error);
  std::ranges::sort(errors);
  if (errors.empty()) return {std::move(name)};
  return {std::move(name), errors.size(), quantile(errors, 0.5), quantile(errors, 0.9), errors.back()};
}

std::vector<Spread> by_family(const std::vector<Scored>& rows) {
  return grouped(rows, [](const MeasuredRow& row) { return row.family; });
}

std::vector<Spread> by_hardware(const std::vector<Scored>& rows) {
  std::vector<Scored> fitted;
  std::ranges::copy_if(rows, std::back_inserter(fitted), [](const Scored& row) { return !row.row.predicted; });
  return grouped(fitted, [](const MeasuredRow& row) { return row.device(); });
}

}  // namespace kvtraffic::scenarios
