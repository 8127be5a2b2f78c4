// The cross-check as a table for people and as JSON.
// Leaves out running it (crosscheck.hpp).
#pragma once

#include <string>
#include <vector>

#include "scenarios/device/crosscheck.hpp"

namespace kvtraffic::scenarios {

// Ends in a line that counts the rows inside and outside.
[[nodiscard]] std::string crosscheck_table(const std::vector<Compared>& compared);
// One document of schema kvtraffic.crosscheck/1.
[[nodiscard]] std::string crosscheck_json(const std::vector<Compared>& compared);

}  // namespace kvtraffic::scenarios
