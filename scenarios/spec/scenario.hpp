// A question as the user wrote it, typed: what runs on what, at which point. Leaves out sweeps (sweep.hpp) and the
// catalogs' contents (catalog.hpp): references are kept as nodes.
#pragma once

#include <optional>
#include <string>

#include "hardware/machine/ablation.hpp"
#include "scenarios/spec/scope.hpp"
#include "sim/config/table.hpp"
#include "sim/plan/deployment.hpp"
#include "sim/plan/locality.hpp"
#include "sim/plan/placement.hpp"
#include "sim/plan/routing.hpp"

namespace kvtraffic::scenarios {

enum class Fidelity { cycle, flow, roofline };
enum class Phase { decode, prefill };
enum class Position { exact, mean };

struct Scenario {
  sim::Node model;  // a catalog name, a file, or {extends: NAME, ...}
  sim::Node hardware;
  sim::Node format;
  sim::Node engine;
  sim::Node weights;  // a weight set laid over the model's own; null: the model's
  Fidelity fidelity = Fidelity::cycle;
  bool fidelity_is_asked = false;  // else it is a default, and gives way where it cannot be had
  sim::Mark fidelity_mark;
  hardware::Mechanisms mechanisms;
  std::optional<sim::LaunchMode> launch;  // none: as the engine launches its kernels
  bool exact = false;                     // simulate every DRAM command: time is then not derived from windows
  bool enforce_capacity = true;
  double reserve = 0.1;      // share of device memory kept free for activations and the runtime
  std::int64_t draft = 0;    // draft layers that run along
  sim::Placement placement;  // as asked for; where it lies on unified memory is placement_on (scenarios/run)
  sim::Mark placement_mark;
  sim::ParallelRequest parallel;
  Phase phase = Phase::decode;
  std::int64_t batch = 1;
  std::int64_t context = 1;
  sim::Routing routing;
  sim::Mark routing_mark;
  Position position = Position::exact;
  sim::Locality locality;
  bool starts_cold = false;  // L2 is empty when the step begins; else an equal step came before
  // Prefill only.
  std::int64_t cached = 0;  // leading tokens whose cache exists
  std::int64_t chunk = 0;   // tokens of a chunk; 0: the whole prompt
  bool bounded_replay = true;
  bool source_in_full = false;
  Scope scope;
  std::optional<sim::Mark> encoder_option;  // where one is set that only models with an encoder side have
};

[[nodiscard]] const sim::Table& scenario_table();
// The table that holds for `scenario`: of a kernel by itself neither model nor phase, batch and context are asked.
[[nodiscard]] const sim::Table& table_for(const sim::Node& scenario);

// Reads a checked point (no sweep left in it). Faults (also those that span fields) go to `diagnostics`.
[[nodiscard]] Scenario read_scenario(const sim::Node& node, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
