// Building what points share, and evaluating one point: storage first, then the bound, then the machine of the
// fidelity. Leaves out sweeps: a Setup knows one combination of everything but batch and context.
#include "scenarios/run/setup.hpp"

#include <fmt/format.h>

#include <utility>

#include "hardware/machine/flow.hpp"
#include "hardware/machine/roofline.hpp"
#include "scenarios/run/entries.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

std::string beyond_text(std::int64_t context, std::int64_t most) {
  return fmt::format("context {} is beyond the model's {} positions", sim::with_commas(context),
                     sim::with_commas(most));
}

sim::MemoryLimits limits_of(const Setup& setup) {
  return {.capacity_per_device = setup.hardware.device.capacity.count(),
          .reserve = setup.scenario.reserve,
          .max_positions = setup.model.max_positions};
}

std::unique_ptr<sim::Machine> machine_for(const Setup& setup) {
  if (setup.scenario.fidelity == Fidelity::roofline) return nullptr;
  return std::make_unique<hardware::FlowMachine>(setup.hardware, setup.engine.plan);
}

sim::PointResult failed(std::string reason) {
  sim::PointResult result;
  result.status = sim::Status::failed;
  result.reason = std::move(reason);
  return result;
}

}  // namespace

std::shared_ptr<const Setup> build_setup(const Scenario& scenario, const Catalog& catalog, const std::string& beside,
                                         sim::Diagnostics& diagnostics) {
  sim::Diagnostics faults;
  Entries entries = read_entries(scenario, catalog, beside, {}, faults);
  std::optional<sim::Deployment> deployment;
  if (!faults.has_errors()) deployment = fit_together(entries, scenario, scenario.hardware.mark(), faults);
  diagnostics.append(faults);
  if (!deployment) return nullptr;
  models::Lowered lowered = models::lower_decode(entries.model, entries.format, entries.engine.plan, *deployment);
  return std::make_shared<const Setup>(Setup{std::move(entries.model), std::move(entries.format),
                                             std::move(entries.engine), std::move(entries.hardware), *deployment,
                                             std::move(lowered), scenario});
}

Evaluator::Evaluator(std::shared_ptr<const Setup> setup)
    : setup_(std::move(setup)),
      roofline_(std::make_unique<hardware::RooflineMachine>(setup_->hardware)),
      machine_(machine_for(*setup_)) {}

sim::PointResult Evaluator::evaluate(std::int64_t batch, std::int64_t context, sim::Detail detail) {
  try {
    return computed(batch, context, detail);
  } catch (const sim::OverflowError& fault) {
    return failed(fault.what());
  }
}

sim::PointResult Evaluator::computed(std::int64_t batch, std::int64_t context, sim::Detail detail) {
  const Setup& setup = *setup_;
  const sim::StepGraph& graph = setup.lowered.graph;
  sim::PointResult result;
  if (context > setup.model.max_positions) result.warnings.push_back(beyond_text(context, setup.model.max_positions));
  result.storage = sim::storage_at(setup.lowered.demand, setup.deployment, limits_of(setup), batch, context);
  const std::int64_t period = setup.scenario.position == Position::mean ? setup.model.position_period() : 1;
  sim::tally_point(graph, setup.deployment, sim::Point::decode(batch, context, period), tally_);
  result.flops = sim::logical_flops(graph, tally_);
  if (!sim::fits(*result.storage)) {
    const std::string shortfall = sim::shortfall_text(*result.storage);
    if (setup.scenario.enforce_capacity) {
      result.status = sim::Status::infeasible;
      result.reason = shortfall;
      result.traffic = sim::logical_traffic(graph, tally_);
      return result;
    }
    result.warnings.push_back(shortfall);
  }
  execute(detail, result);
  return result;
}

void Evaluator::execute(sim::Detail detail, sim::PointResult& result) {
  const sim::StepGraph& graph = setup_->lowered.graph;
  roofline_->execute(graph, tally_, bound_);
  if (machine_) machine_->execute(graph, tally_, outcome_);
  const sim::Machine& machine = machine_ ? *machine_ : *roofline_;
  sim::tell_outcome(graph, tally_, machine_ ? outcome_ : bound_, machine, bound_.total, detail, result);
}

}  // namespace kvtraffic::scenarios
