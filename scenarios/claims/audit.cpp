// Points evaluated once each through the scenario's own path, formulas over them, and the rule of verdicts.
// Leaves out any byte formula of its own: every number comes from a result.
#include "scenarios/claims/audit.hpp"

#include <fmt/format.h>

#include <cmath>

#include "scenarios/claims/points.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Node;

std::string key_of(const Claim& claim, const Node& point) { return claim.folder + "\n" + to_yaml(point); }

// Points that differ in these alone share a setup.
Node without_counts(Node point) {
  Node workload = *point.find("workload");
  workload.remove("batch");
  workload.remove("context");
  point.set("workload", std::move(workload));
  return point;
}

bool holds(const std::vector<Published>& published, const std::vector<double>& computed) {
  if (computed.size() != published.size()) return false;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const Published& one = published[i];
    if (computed[i] < one.low - one.room || computed[i] > one.high + one.room) return false;
  }
  return true;
}

Verdict verdict_of(const Claim& claim, const Audited& audited) {
  if (!claim.definition) return Verdict::not_checkable;
  if (holds(claim.published, audited.computed)) return Verdict::reproduced;
  if (claim.otherwise && holds(claim.published, audited.otherwise)) return Verdict::reproduced_otherwise;
  return Verdict::contradicted;
}

const Node& point_named(const Definition& definition, const std::string& name) {
  for (const auto& [point, scenario] : definition.points) {
    if (point == name) return scenario;
  }
  throw std::logic_error(fmt::format("no point '{}' here", name));
}

}  // namespace

std::optional<double> Audited::difference() const {
  if (computed.empty()) return std::nullopt;
  const Published& first = claim->published.front();
  if (computed.front() >= first.low && computed.front() <= first.high) return 0.0;
  const double near = computed.front() < first.low ? first.low : first.high;
  if (near == 0) return std::nullopt;
  return (computed.front() - near) / std::abs(near);
}

std::shared_ptr<const Setup> Auditor::setup_for(const Claim& claim, const Node& point, const Scenario& scenario,
                                                Diagnostics& diagnostics) {
  const auto [place, is_new] = setups_.try_emplace(key_of(claim, without_counts(point)), nullptr);
  if (is_new) place->second = build_setup(scenario, *catalog_, claim.folder, diagnostics);
  return place->second;
}

bool Auditor::evaluate_points(const Claim& claim, const Definition& definition, Diagnostics& diagnostics) {
  for (const auto& [name, point] : definition.points) {
    const auto [place, is_new] = figures_.try_emplace(key_of(claim, point), nullptr);
    if (is_new) {
      Diagnostics faults;
      check(point, table_for(point), faults, fmt::format("{}.points.{}", claim.path, name));
      const Scenario scenario = faults.has_errors() ? Scenario{} : read_scenario(point, faults);
      const auto setup = faults.has_errors() ? nullptr : setup_for(claim, point, scenario, faults);
      diagnostics.append(faults);
      if (setup) place->second = std::make_unique<Figures>(setup, scenario.batch, scenario.context);
    }
    if (place->second == nullptr) return false;  // its faults are told, once
  }
  return true;
}

const Figures& Auditor::figures(const Claim& claim, const Definition& definition, const std::string& point) {
  return *figures_.at(key_of(claim, point_named(definition, point)));
}

Lookup Auditor::lookup(const Claim& claim, const Definition& definition) {
  return [this, &claim, &definition](const Reference& reference) {
    return figures(claim, definition, reference.point).at(reference);
  };
}

std::vector<double> Auditor::computed(const Claim& claim, const Definition& definition, Diagnostics& diagnostics) {
  if (!evaluate_points(claim, definition, diagnostics)) return {};
  std::vector<double> values;
  for (const Formula& formula : definition.formulas) {
    const auto value = evaluate(formula.expression, lookup(claim, definition));
    if (value) {
      values.push_back(*value);
    } else {
      tell_fault(formula, value.error(), diagnostics);
    }
  }
  return values;
}

Audited Auditor::audit(const Claim& claim, Diagnostics& diagnostics) {
  Audited audited;
  audited.claim = &claim;
  if (claim.definition) audited.computed = computed(claim, *claim.definition, diagnostics);
  if (claim.otherwise) audited.otherwise = computed(claim, *claim.otherwise, diagnostics);
  audited.verdict = verdict_of(claim, audited);
  return audited;
}

std::vector<Audited> audit_all(const std::vector<const Claim*>& claims, Auditor& auditor) {
  Diagnostics faults;
  std::vector<Audited> audited;
  audited.reserve(claims.size());
  for (const Claim* claim : claims) audited.push_back(auditor.audit(*claim, faults));
  if (faults.has_errors()) throw sim::ConfigError(faults);
  return audited;
}

}  // namespace kvtraffic::scenarios
