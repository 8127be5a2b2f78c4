// From the scenario named on a command line to a plan.
// Leaves out running it.
#pragma once

#include "scenarios/cli/options.hpp"
#include "scenarios/run/runner.hpp"

namespace kvtraffic::scenarios {

// Reads the file, standard input for "-", or the library's scenario of that name. IoError, ConfigError.
[[nodiscard]] Plan load_plan(const ScenarioArguments& arguments, const Catalog& catalog);

}  // namespace kvtraffic::scenarios
