// Building what points share, and evaluating one point: storage first, then the bound, then the machine of the
// fidelity. Leaves out sweeps: a Setup knows one combination of everything but batch and context.
#include "scenarios/run/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hardware/machine/cycle.hpp"
#include "hardware/machine/flow.hpp"
#include "hardware/machine/roofline.hpp"
#include "scenarios/run/entries.hpp"
#include "sim/units/format.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

std::string beyond_text(std::int64_t context, std::int64_t most) {
  return fmt::format("context {} is beyond the model's {} positions", sim::with_commas(context),
                     sim::with_commas(most));
}

std::string uncached_text(std::int64_t cached, std::int64_t context) {
  return fmt::format("cached {} leaves nothing of a prompt of {} tokens to compute", sim::with_commas(cached),
                     sim::with_commas(context));
}

struct Lowering {
  models::Lowered main;
  std::optional<models::Lowered> dense;
};

Lowering lower(const Scenario& scenario, const Entries& entries, const sim::Deployment& deployment) {
  const auto& [model, format, engine, hardware, memory] = entries;
  const sim::Placement placement = placement_on(hardware, scenario.placement);
  if (scenario.phase == Phase::decode) {
    return {models::lower_decode(model, format, engine.plan, deployment, placement), {}};
  }
  models::PrefillForm form{
      .bounded = scenario.bounded_replay, .source_in_full = scenario.source_in_full, .dense = false};
  Lowering lowering{models::lower_prefill(model, format, engine.plan, deployment, form, placement), {}};
  form.dense = true;
  if (models::longest_dense_prefill(model) > 0) {
    lowering.dense = models::lower_prefill(model, format, engine.plan, deployment, form, placement);
  }
  return lowering;
}

sim::MemoryLimits limits_of(const Setup& setup) {
  return {.capacity_per_device = setup.hardware.device.capacity.count(),
          .reserve = setup.scenario.reserve,
          .max_positions = setup.model.max_positions,
          .host_capacity = setup.hardware.host_memory_capacity.count()};
}

// Cycle is the default, where the device is one that it can simulate.
Scenario as_simulated(Scenario scenario, const Entries& entries) {
  if (scenario.fidelity == Fidelity::cycle && !entries.memory) scenario.fidelity = Fidelity::flow;
  return scenario;
}

// What a scenario asks of cycle is lost where flow stands in.
std::string dropped_text(const Scenario& scenario) {
  const hardware::Mechanisms& all = scenario.mechanisms;
  const bool is_asked = scenario.exact || !all.refresh || !all.dram_commands || !all.gather ||
                        scenario.locality.pages != sim::PageOrder::sequential;
  return is_asked ? "; what it asks of DRAM (exact, pages, ablations of it) has no effect" : "";
}

// A part that is put into another device keeps its own stacks.
std::optional<std::string> mismatch_text(const Setup& setup) {
  if (!setup.memory || setup.scenario.fidelity != Fidelity::cycle) return std::nullopt;
  const double pins = setup.hardware.device.pin_bandwidth().per_second();
  const double part = setup.memory->peak().per_second();
  if (std::abs(part / pins - 1) < 0.1) return std::nullopt;
  return fmt::format(
      "memory.part '{}' carries {:.3g} TB/s, the pins of '{}' {:.3g} TB/s: cycle serves DRAM as the part does",
      setup.memory->name, part / 1e12, setup.hardware.name, pins / 1e12);
}

std::unique_ptr<sim::Machine> machine_for(const Setup& setup) {
  if (setup.scenario.fidelity == Fidelity::roofline) return nullptr;
  const hardware::Mechanisms& mechanisms = setup.scenario.mechanisms;
  const sim::Locality& locality = setup.scenario.locality;
  if (setup.scenario.fidelity == Fidelity::cycle) {
    return std::make_unique<hardware::CycleMachine>(setup.hardware, *setup.memory, setup.engine.plan, mechanisms,
                                                    locality, setup.scenario.exact, setup.windows);
  }
  return std::make_unique<hardware::FlowMachine>(setup.hardware, setup.engine.plan, mechanisms, locality);
}

void fail(sim::PointResult& result, std::string reason) {
  result.status = sim::Status::failed;
  result.reason = std::move(reason);
}

constexpr std::int64_t most_chunks = 16384;  // each is a simulation of its own: 64 tokens a chunk at a million

std::string chunks_text(std::int64_t chunks) {
  return fmt::format("the prompt falls into {} chunks, more than {}", sim::with_commas(chunks),
                     sim::with_commas(most_chunks));
}

sim::PointResult failed(std::string reason) {
  sim::PointResult result;
  result.status = sim::Status::failed;
  result.reason = std::move(reason);
  return result;
}

// As the scenario has kernels launched. The gap between steps is of whole steps only.
void set_launch(const Scenario& scenario, sim::KernelPlan& plan) {
  if (scenario.launch) plan.launch = *scenario.launch;
  const bool is_step = !scenario.scope.kernel && scenario.scope.part.is_whole();
  if (!is_step || !scenario.mechanisms.launch) plan.host_gap = sim::Duration();
}

// A part that there is not is the scenario's fault.
void check_part(const Scope& scope, const sim::StepGraph& graph, sim::Diagnostics& faults) {
  if (std::ranges::any_of(graph.vertices(), [&](const sim::Vertex& v) { return scope.part.holds(graph, v); })) return;
  std::vector<std::string> names;
  for (const sim::Operation& operation : graph.operations()) names.push_back(operation.name);
  faults.error(scope.mark, "workload.scope",
               fmt::format("the step has {} layers and no such part", graph.layers().size()), "",
               sim::nearest_name(scope.part.operation, names));
}

// The scope's part of what was lowered. Short prompts may lack what long ones have: they then do nothing.
void cut_out(const Scope& scope, Lowering& lowering, sim::Diagnostics& faults) {
  if (scope.part.is_whole()) return;
  check_part(scope, lowering.main.graph, faults);
  lowering.main.graph = sim::subgraph(lowering.main.graph, scope.part);
  if (lowering.dense) lowering.dense->graph = sim::subgraph(lowering.dense->graph, scope.part);
}

models::DirtyLines dirty_lines(const hardware::Device& device) {
  const double usable = static_cast<double>(device.l2_capacity.count()) * device.l2_usable;
  return {device.l2_written_back, sim::Bytes::of(std::llround(usable * device.l2_flushed))};
}

// A kernel whose bytes leave 64 bits is the scenario's fault.
std::optional<models::Lowered> lower_bare(const Scope& scope, const hardware::Device& device,
                                          sim::Diagnostics& faults) {
  try {
    return models::lower_kernel(*scope.kernel, dirty_lines(device));
  } catch (const sim::OverflowError& fault) {
    faults.error(scope.mark, "workload.scope", fmt::format("the kernel's bytes leave 64 bits: {}", fault.what()));
    return std::nullopt;
  }
}

// One device, whatever node it stands in.
std::shared_ptr<const Setup> build_kernel(const Scenario& scenario, Entries entries, const Catalog& catalog,
                                          sim::Diagnostics& faults) {
  entries.model.name = "kernel";
  entries.model.max_positions = INT64_MAX;
  entries.hardware.count = 1;
  std::optional<models::Lowered> lowered = lower_bare(scenario.scope, entries.hardware.device, faults);
  if (!lowered) return nullptr;
  Scenario simulated = as_simulated(scenario, entries);
  return std::make_shared<const Setup>(Setup{std::move(entries.model),
                                             std::move(entries.format),
                                             std::move(entries.engine),
                                             std::move(entries.hardware),
                                             std::move(entries.memory),
                                             sim::Deployment{},
                                             std::move(*lowered),
                                             {},
                                             std::move(simulated),
                                             catalog.windows()});
}

}  // namespace

std::shared_ptr<const Setup> build_setup(const Scenario& scenario, const Catalog& catalog, const std::string& beside,
                                         sim::Diagnostics& diagnostics) {
  sim::Diagnostics faults;
  const bool is_bare = scenario.scope.kernel.has_value();
  Entries entries = read_entries(scenario, catalog, beside, {.model = !is_bare, .format = !is_bare}, faults);
  set_launch(scenario, entries.engine.plan);
  std::optional<sim::Deployment> deployment;
  if (!faults.has_errors() && !is_bare) deployment = fit_together(entries, scenario, scenario.hardware.mark(), faults);
  diagnostics.append(faults);
  if (!faults.has_errors() && is_bare) return build_kernel(scenario, std::move(entries), catalog, diagnostics);
  if (!deployment) return nullptr;
  Lowering lowering = lower(scenario, entries, *deployment);
  sim::Diagnostics missing;
  cut_out(scenario.scope, lowering, missing);
  diagnostics.append(missing);
  if (missing.has_errors()) return nullptr;
  Scenario simulated = as_simulated(scenario, entries);
  return std::make_shared<const Setup>(Setup{std::move(entries.model), std::move(entries.format),
                                             std::move(entries.engine), std::move(entries.hardware),
                                             std::move(entries.memory), *deployment, std::move(lowering.main),
                                             std::move(lowering.dense), std::move(simulated), catalog.windows()});
}

const models::Lowered& Setup::lowered_for(std::int64_t context) const {
  return dense && context <= models::longest_dense_prefill(model) ? *dense : lowered;
}

Evaluator::Evaluator(std::shared_ptr<const Setup> setup)
    : setup_(std::move(setup)),
      roofline_(std::make_unique<hardware::RooflineMachine>(setup_->hardware)),
      machine_(machine_for(*setup_)),
      lowered_(&setup_->lowered) {}

sim::PointResult Evaluator::evaluate(std::int64_t batch, std::int64_t context, sim::Detail detail) {
  try {
    return computed(batch, context, detail);
  } catch (const sim::OverflowError& fault) {
    return failed(fault.what());
  }
}

sim::PointResult Evaluator::computed(std::int64_t batch, std::int64_t context, sim::Detail detail) {
  const Setup& setup = *setup_;
  if (setup.scenario.phase == Phase::prefill && setup.scenario.cached >= context) {
    return failed(uncached_text(setup.scenario.cached, context));
  }
  if (chunks(context) > most_chunks) return failed(chunks_text(chunks(context)));
  lowered_ = &setup.lowered_for(context);
  sim::PointResult result;
  if (setup.scenario.fidelity == Fidelity::flow && !setup.scenario.fidelity_is_asked) {
    result.warnings.push_back("fidelity flow: " + beyond_cycle(setup.hardware) + dropped_text(setup.scenario));
  }
  if (setup.scenario.routing.is_drawn && !setup.model.has_experts()) {
    result.warnings.push_back(fmt::format("workload.routing: '{}' has no routed experts", setup.model.name));
  }
  if (const auto text = mismatch_text(setup)) result.warnings.push_back(*text);
  if (context > setup.model.max_positions) result.warnings.push_back(beyond_text(context, setup.model.max_positions));
  result.storage = sim::storage_at(lowered_->demand, setup.deployment, limits_of(setup), batch, context);
  const bool is_infeasible = !sim::fits(*result.storage) && setup.scenario.enforce_capacity;
  if (is_infeasible) {
    result.status = sim::Status::infeasible;
    result.reason = sim::shortfall_text(*result.storage);
  } else if (!sim::fits(*result.storage)) {
    result.warnings.push_back(sim::shortfall_text(*result.storage));
  }
  add_work(batch, context, result);
  if (result.status == sim::Status::ok) add_time(batch, context, detail, result);
  if (setup.scenario.scope.kernel) result.storage.reset();  // a kernel by itself keeps nothing
  return result;
}

// What the step asks for. Bytes beyond 64 bits leave an infeasible point infeasible and fail any other.
void Evaluator::add_work(std::int64_t batch, std::int64_t context, sim::PointResult& result) {
  const sim::StepGraph& graph = lowered_->graph;
  try {
    tally_all(batch, context);
    result.flops = sim::logical_flops(graph, tally_);
    result.layer_positions = layer_positions();
    result.traffic = sim::logical_traffic(graph, tally_);
  } catch (const sim::OverflowError& fault) {
    if (result.status == sim::Status::ok) fail(result, fmt::format("the step's bytes leave 64 bits: {}", fault.what()));
  }
}

// A step that outlasts the clock keeps its storage and what it asks for.
void Evaluator::add_time(std::int64_t batch, std::int64_t context, sim::Detail detail, sim::PointResult& result) {
  try {
    execute_all(batch, context);
    const sim::Machine& machine = machine_ ? *machine_ : *roofline_;
    sim::tell_outcome(lowered_->graph, tally_, outcome(), machine, bound().total, detail, result);
  } catch (const sim::OverflowError&) {
    result.traffic = sim::logical_traffic(lowered_->graph, tally_);
    fail(result, "the step takes longer than 2.5 hours, the most that the simulated clock holds");
  }
}

std::int64_t Evaluator::chunks(std::int64_t context) const {
  const Scenario& scenario = setup_->scenario;
  if (scenario.phase == Phase::decode || scenario.chunk == 0) return 1;
  return sim::ceil_divide(context - scenario.cached, scenario.chunk);
}

sim::Point Evaluator::chunk(std::int64_t batch, std::int64_t context, std::int64_t number) const {
  sim::Point point = positions_of_chunk(batch, context, number);
  const Scenario& scenario = setup_->scenario;
  point.routing = scenario.routing;
  point.chunk = number;
  point.cold = scenario.starts_cold && !scenario.scope.kernel && number == 0;
  return point;
}

sim::Point Evaluator::positions_of_chunk(std::int64_t batch, std::int64_t context, std::int64_t number) const {
  const Scenario& scenario = setup_->scenario;
  if (scenario.phase == Phase::decode) {
    const std::int64_t period = scenario.position == Position::mean ? setup_->model.position_period() : 1;
    return sim::Point::decode(batch, context, period);
  }
  const std::int64_t length = scenario.chunk == 0 ? context - scenario.cached : scenario.chunk;
  const std::int64_t first = scenario.cached + number * length + 1;
  const std::int64_t replay = number == 0 ? std::min(scenario.cached, models::most_replayed(setup_->model)) : 0;
  return sim::Point::prefill(batch, context, first, std::min(context, first + length - 1), replay);
}

void Evaluator::tally_all(std::int64_t batch, std::int64_t context) {
  const std::int64_t count = chunks(context);
  is_chunked_ = count > 1;
  sim::tally_point(lowered_->graph, setup_->deployment, chunk(batch, context, 0), tally_);
  for (std::int64_t i = 1; i < count; ++i) {
    sim::tally_point(lowered_->graph, setup_->deployment, chunk(batch, context, i), chunk_tally_);
    sim::add_chunk(chunk_tally_, tally_);
  }
}

void Evaluator::execute_all(std::int64_t batch, std::int64_t context) {
  const sim::StepGraph& graph = lowered_->graph;
  const auto execute = [&](const sim::Tally& tally) {
    roofline_->execute(graph, tally, bound_);
    if (machine_) machine_->execute(graph, tally, outcome_);
  };
  if (!is_chunked_) return execute(tally_);
  bound_sum_.clear();
  outcome_sum_.clear();
  for (std::int64_t i = 0; i < chunks(context); ++i) {
    sim::tally_point(graph, setup_->deployment, chunk(batch, context, i), chunk_tally_);
    execute(chunk_tally_);
    bound_sum_.add(bound_);
    if (machine_) outcome_sum_.add(outcome_);
  }
}

std::int64_t Evaluator::layer_positions() const {
  std::int64_t positions = 0;
  const auto& layers = lowered_->graph.layers();
  for (std::size_t i = 0; i < static_cast<std::size_t>(setup_->model.main_layers); ++i) {
    positions = sim::checked_add(positions, tally_.spans[layers[i].span].tokens / tally_.point.batch);
  }
  return positions;
}

}  // namespace kvtraffic::scenarios
