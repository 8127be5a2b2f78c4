// Reading the entries a scenario names, through the catalog and the rooms they belong to.
// Leaves out points: an entry does not depend on batch or context.
#include "scenarios/run/entries.hpp"

#include <fmt/format.h>

#include <utility>

#include "hardware/spec/memory.hpp"
#include "models/lower/spans.hpp"
#include "models/spec/weight_set.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Node;

// Reads the entry with `read` when it could be resolved; its faults are appended either way.
template <class Entry, class Read>
void read_into(Entry& entry, CatalogKind kind, const Node& reference, const Catalog& catalog, const std::string& beside,
               Diagnostics& diagnostics, Read read) {
  Diagnostics faults;
  const Node node = catalog.resolve(kind, reference, beside, faults);
  if (!faults.has_errors()) entry = read(node, faults);
  if (faults.has_errors()) entry = Entry{};
  diagnostics.append(faults);
}

// The model's entry, stored as the scenario's weight set says where it names one.
Node stored_as_asked(const Node& model, const Scenario& scenario, const Catalog& catalog, const std::string& beside,
                     Diagnostics& faults) {
  if (scenario.weights.is_null()) return model;
  const Node set = catalog.resolve(CatalogKind::weights, scenario.weights, beside, faults);
  if (!faults.has_errors()) check(set, models::weight_set_table(), faults);
  if (!faults.has_errors()) check(model, models::model_table(), faults);
  return faults.has_errors() ? model : models::with_weights(model, set);
}

// Only what simulates DRAM commands needs the part, and it needs one.
void read_memory_part(Entries& entries, const Scenario& scenario, const Catalog& catalog, const std::string& beside,
                      Diagnostics& diagnostics) {
  const hardware::Hardware& hardware = entries.hardware;
  if (hardware.name.empty() || scenario.fidelity != Fidelity::cycle) return;
  if (const std::string reason = beyond_cycle(hardware); !reason.empty()) {
    if (scenario.fidelity_is_asked) diagnostics.error(scenario.fidelity_mark, "fidelity", reason, "flow or roofline");
    return;
  }
  Diagnostics faults;
  const Node part = Node::scalar(hardware.device.memory_part);
  const Node node = catalog.resolve(CatalogKind::memory, part, beside, faults);
  if (!faults.has_errors()) entries.memory = hardware::read_memory(node, faults).part;
  if (faults.has_errors()) entries.memory.reset();
  diagnostics.append(faults);
}

// What model or hardware make of a placement that is right by itself.
void check_placement(const Entries& entries, const Scenario& scenario, Diagnostics& faults) {
  const sim::Placement& placement = scenario.placement;
  const models::Model& model = entries.model;
  if (placement.host_layers > model.main_layers) {
    faults.error(scenario.placement_mark, "placement.host_layers",
                 fmt::format("'{}' has {} layers, not {}", model.name, model.main_layers, placement.host_layers),
                 fmt::format("0 to {}", model.main_layers));
  }
  if (placement.tables == sim::Place::remote && entries.hardware.device.link_bandwidth.is_zero()) {
    faults.error(scenario.placement_mark, "placement.engram",
                 fmt::format("'{}' has no link over which another node could be read", entries.hardware.name),
                 "host or device");
  }
}

// Experts are drawn one by one.
void check_routing(const Entries& entries, const Scenario& scenario, Diagnostics& faults) {
  if (!scenario.routing.is_drawn) return;
  for (const models::Layer& layer : entries.model.layers) {
    const models::Experts& its = layer.experts;
    if (its.routed == 0 || sim::can_draw({its.routed, its.active})) continue;
    faults.error(
        scenario.routing_mark, "workload.routing",
        fmt::format("{} of {} experts of '{}' are too many to draw", its.active, its.routed, entries.model.name),
        fmt::format("even, or at most {} experts x (chosen ones + 1)", sim::largest_draw));
    return;
  }
}

}  // namespace

std::string beyond_cycle(const hardware::Hardware& hardware) {
  if (hardware.device.memory_part.empty()) {
    return fmt::format("'{}' names no DRAM part (memory.part) whose commands could be simulated", hardware.name);
  }
  if (hardware.device.l2_levels == 1) return {};
  return fmt::format("'{}' has {} shared caches before its memory (l2.levels), and cycle knows one", hardware.name,
                     hardware.device.l2_levels);
}

sim::Placement placement_on(const hardware::Hardware& hardware, const sim::Placement& asked) {
  if (!hardware.device.unified_memory) return asked;
  return {asked.tables == sim::Place::remote ? sim::Place::remote : sim::Place::device, 0, 0};
}

Entries read_entries(const Scenario& scenario, const Catalog& catalog, const std::string& beside, Parts parts,
                     Diagnostics& diagnostics) {
  Entries entries;
  if (parts.model) {
    read_into(entries.model, CatalogKind::model, scenario.model, catalog, beside, diagnostics,
              [&](const Node& node, Diagnostics& faults) {
                const Node stored = stored_as_asked(node, scenario, catalog, beside, faults);
                return faults.has_errors() ? models::Model{} : models::read_model(stored, scenario.draft, faults);
              });
  }
  if (parts.format) {
    read_into(entries.format, CatalogKind::format, scenario.format, catalog, beside, diagnostics, models::read_format);
  }
  if (parts.engine) {
    read_into(entries.engine, CatalogKind::engine, scenario.engine, catalog, beside, diagnostics, models::read_engine);
  }
  if (parts.hardware) {
    read_into(entries.hardware, CatalogKind::hardware, scenario.hardware, catalog, beside, diagnostics,
              hardware::read_hardware);
    read_memory_part(entries, scenario, catalog, beside, diagnostics);
  }
  return entries;
}

std::optional<sim::Deployment> fit_together(const Entries& entries, const Scenario& scenario, const sim::Mark& parallel,
                                            Diagnostics& diagnostics) {
  Diagnostics faults;
  models::check_family(entries.format, entries.model,
                       scenario.format.mark().file ? scenario.format.mark() : scenario.model.mark(), faults);
  auto deployment = sim::lay_out(entries.hardware.count, scenario.parallel, entries.model.has_experts(),
                                 scenario.phase == Phase::prefill);
  if (scenario.phase == Phase::prefill && scenario.encoder_option && !models::has_encoder(entries.model)) {
    faults.error(
        *scenario.encoder_option, "workload",
        fmt::format("'{}' has no encoder side: replay and source_layer do not apply to it", entries.model.name),
        "no such keys");
  }
  check_placement(entries, scenario, faults);
  check_routing(entries, scenario, faults);
  if (!deployment) faults.error(parallel, "parallel", deployment.error());
  diagnostics.append(faults);
  if (faults.has_errors()) return std::nullopt;
  return *deployment;
}

}  // namespace kvtraffic::scenarios
