// The values that one path of a sweep takes, from any of the forms a file may write.
// Leaves out how paths combine (sweep.hpp).
#pragma once

#include <string>
#include <vector>

#include "sim/config/table.hpp"

namespace kvtraffic::scenarios {

inline constexpr std::int64_t most_axis_values = 1'000'000;  // they are kept in memory, unlike points

// A list as it stands; {range}, {log2}, {linspace} and {geomspace} counted out, ends included. Generated values are
// plain numbers, or numbers with the unit that both ends have; where `field` (may be null) wants whole numbers they are
// rounded to the nearest. An end that is not reached and values that come twice are faults. Empty after a fault, which
// goes to `diagnostics` under `path`.
[[nodiscard]] std::vector<sim::Node> axis_values(const sim::Node& form, const sim::Field* field,
                                                 const std::string& path, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
