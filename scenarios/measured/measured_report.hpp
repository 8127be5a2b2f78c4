// Scored rows as a table, JSON or comma-separated values.
// Leaves out scoring (score.hpp).
#pragma once

#include <string>
#include <vector>

#include "scenarios/measured/score.hpp"

namespace kvtraffic::scenarios {

[[nodiscard]] std::string measured_table(const std::vector<Scored>& rows);
[[nodiscard]] std::string measured_json(const std::vector<Scored>& rows);
[[nodiscard]] std::string measured_csv(const std::vector<Scored>& rows);

}  // namespace kvtraffic::scenarios
