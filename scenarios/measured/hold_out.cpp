// The search starts from half of what is stated, so that it does not begin at a fit to the rows that are left out.
// Leaves out errors of the fitted factors themselves.
#include "scenarios/measured/hold_out.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "scenarios/run/setup.hpp"

namespace kvtraffic::scenarios {
namespace {

constexpr std::array tried{0.0, 0.25, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 1.7, 2.0};
constexpr int rounds = 3;
constexpr Factors half{.start = 0.5, .soft = 0.5, .bubble = 0.5, .exposed = 0.5};

void scale(sim::Duration& time, double factor) { time = sim::Duration::of_seconds(time.seconds() * factor); }

struct Case {
  MeasuredRow row;
  std::shared_ptr<const Setup> setup;

  [[nodiscard]] Scored scored(const Factors& factors) const {
    auto changed = std::make_shared<Setup>(*setup);
    for (sim::KernelClass& its : changed->engine.plan.classes) {
      scale(its.start, factors.start);
      scale(its.group, factors.start);
      scale(its.soft, factors.soft);
      scale(its.piece, factors.soft);
      scale(its.combine, factors.soft);
      scale(its.bubble, factors.bubble);
      its.exposed *= factors.exposed;
    }
    return score(row, changed);
  }
};

using Cases = std::vector<const Case*>;

double mean_error(const Cases& cases, const Factors& factors) {
  double sum = 0;
  for (const Case* one : cases) sum += one->scored(factors).error;
  return sum / static_cast<double>(cases.size());
}

Factors fitted(const Cases& cases) {
  Factors best = half;
  double least = mean_error(cases, best);
  for (int round = 0; round < rounds; ++round) {
    for (double Factors::*const factor : {&Factors::start, &Factors::soft, &Factors::bubble, &Factors::exposed}) {
      Factors changed = best;
      for (const double value : tried) {
        changed.*factor = value;
        const double error = mean_error(cases, changed);
        if (error >= least) continue;
        least = error;
        best = changed;
      }
    }
  }
  return best;
}

Spread spread(const std::string& name, const Cases& cases, const Factors& factors) {
  std::vector<Scored> rows;
  for (const Case* one : cases) rows.push_back(one->scored(factors));
  std::vector<const Scored*> pointers;
  for (const Scored& row : rows) pointers.push_back(&row);
  return spread_of(name, pointers);
}

HoldOut without(const std::string& family, const std::string& device, const std::vector<Case>& cases) {
  Cases left_out, others;
  for (const Case& one : cases) {
    if (one.row.family == family && one.row.device() == device) left_out.push_back(&one);
  }
  const auto architecture = left_out.front()->setup->hardware.device.architecture;
  for (const Case& one : cases) {
    const bool is_other = one.row.family == family && one.row.device() != device;
    if (is_other && one.setup->hardware.device.architecture == architecture) others.push_back(&one);
  }
  HoldOut result{family, device, others.size(), {}, spread(family, left_out, {}), {}};
  if (others.empty()) return result;
  result.factors = fitted(others);
  result.fitted_again = spread(family, left_out, result.factors);
  return result;
}

}  // namespace

std::vector<HoldOut> hold_out(const std::vector<MeasuredRow>& rows, const std::string& engine, const Catalog& catalog) {
  std::vector<Case> cases;
  std::map<std::pair<std::string, std::string>, bool> groups;
  for (const MeasuredRow& row : rows) {
    cases.push_back({row, setup_of(row, {engine, "flow"}, catalog)});
    groups[{row.family, row.device()}] = true;
  }
  std::vector<HoldOut> result;
  for (const auto& [group, present] : groups) result.push_back(without(group.first, group.second, cases));
  return result;
}

}  // namespace kvtraffic::scenarios
