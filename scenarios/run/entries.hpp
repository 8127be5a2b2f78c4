// The catalog entries that a scenario names, read; and the rules between them. Used to check a plan before
// anything runs, and to build a Setup. Leaves out building.
#pragma once

#include <optional>
#include <string>

#include "hardware/hbm/part.hpp"
#include "hardware/spec/hardware.hpp"
#include "models/spec/engine.hpp"
#include "models/spec/format.hpp"
#include "models/spec/model.hpp"
#include "scenarios/spec/catalog.hpp"
#include "scenarios/spec/scenario.hpp"

namespace kvtraffic::scenarios {

struct Entries {
  models::Model model;
  models::CacheFormat format;
  models::Engine engine;
  hardware::Hardware hardware;
  std::optional<hardware::hbm::Part> memory;  // the DRAM part of the device, where its entry names one
};

// Which entries to read: all, or those that a value touches.
struct Parts {
  bool model = true;
  bool format = true;
  bool engine = true;
  bool hardware = true;
};

// Faults go to `diagnostics`; an entry that has any, or that was not asked for, stays as constructed.
[[nodiscard]] Entries read_entries(const Scenario& scenario, const Catalog& catalog, const std::string& beside,
                                   Parts parts, sim::Diagnostics& diagnostics);

// Why cycle cannot simulate this hardware; empty: it can.
[[nodiscard]] std::string beyond_cycle(const hardware::Hardware& hardware);

// Where tensors lie on this hardware: as asked for, and with unified memory on the device what was asked for on the
// host.
[[nodiscard]] sim::Placement placement_on(const hardware::Hardware& hardware, const sim::Placement& asked);

// How the model lies on the hardware, and whether the format knows its caches. Faults go to `diagnostics` (then
// nothing); those of the layout are told at `parallel`.
[[nodiscard]] std::optional<sim::Deployment> fit_together(const Entries& entries, const Scenario& scenario,
                                                          const sim::Mark& parallel, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
