// Scored rows as a table, JSON or comma-separated values.
// Leaves out scoring (score.hpp).
#pragma once

#include <string>
#include <vector>

#include "scenarios/measured/hold_out.hpp"
#include "scenarios/measured/score.hpp"

namespace kvtraffic::scenarios {

[[nodiscard]] std::string measured_table(const std::vector<Scored>& rows);
[[nodiscard]] std::string measured_json(const std::vector<Scored>& rows);
// What hold-outs fitted and what came of it; the table also says what was not fitted.
[[nodiscard]] std::string hold_out_table(const HoldOut& result);
[[nodiscard]] std::string hold_out_json(const HoldOut& result);
[[nodiscard]] std::string measured_csv(const std::vector<Scored>& rows);

}  // namespace kvtraffic::scenarios
