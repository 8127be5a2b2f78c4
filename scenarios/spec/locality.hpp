// Where cached entries lie and which of them a token picks, as a scenario states it: tables, reading, and what would
// have no effect. Leaves out what picks and places are (sim/plan/locality.hpp).
#pragma once

#include <array>
#include <string_view>

#include "sim/config/table.hpp"
#include "sim/plan/locality.hpp"

namespace kvtraffic::scenarios {

extern const sim::Table selection_table;

inline constexpr sim::Field selection_field{
    .name = "selection",
    .type = sim::Type::map,
    .help =
        "Which entries the tokens of sparse layers pick. Row hits and L2 hits depend on it; bytes asked for do not.",
    .table = &selection_table};

inline constexpr std::array<std::string_view, 3> page_orders{"sequential", "shuffled", "aged"};
inline constexpr sim::Field pages_field{
    .name = "pages",
    .type = sim::Type::choice,
    .help =
        "Cycle only. In which order a sequence's pages lie in memory: as they are counted, anywhere, or in runs of a "
        "few "
        "of which each lies anywhere (a pool that requests have come to and gone from).",
    .fallback = "sequential",
    .choices = page_orders};

// Reads the fields of a checked `workload`.
[[nodiscard]] sim::Locality locality_of(const sim::View& workload);

// A value without effect would be taken for a result: those that another `model` reads are faults, and those that the
// fidelity or the phase does not look at.
void check_locality(const sim::View& workload, std::string_view fidelity, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
