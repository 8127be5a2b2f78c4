// What an `expect:` map may hold, checked before anything runs.
// Leaves out holding it against a result (broken_expectations in runner.hpp).
#pragma once

#include "sim/config/node.hpp"

namespace kvtraffic::scenarios {

// Reports paths that cannot be read and limits that say nothing or too much.
void check_expectations(const sim::Node& expect, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
