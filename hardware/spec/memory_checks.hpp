// Rules of a memory file that a table row cannot state, and the units that no table type has.
// For memory.cpp only.
#pragma once

#include <string_view>

#include "hardware/hbm/part.hpp"
#include "sim/config/table.hpp"

namespace kvtraffic::hardware {

// "909 pJ" in picojoules and "2.5 W" in watts; zero where absent. A text that is none is a fault.
[[nodiscard]] double picojoules(const sim::View& energy, std::string_view key, sim::Diagnostics& diagnostics);
[[nodiscard]] double watts(const sim::View& energy, std::string_view key, sim::Diagnostics& diagnostics);

// Refuses what no device could do; whether a number is plausible is its source's affair. Requires a `view` that its
// table accepts, and its part.
void check_memory(const hbm::Part& part, const sim::View& view, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::hardware
