// Where a number of a result comes from: formula, arithmetic, and the inputs with their sources.
#pragma once

#include <string>

#include "scenarios/run/runner.hpp"

namespace kvtraffic::scenarios {

// Explains the number at `path` of the run's document ("points[3].traffic.logical.kv_main.read"; without "points[i]."
// the first point is meant), or with "" the numbers that a reader asks for first. ConfigError for a path that no result
// has, naming those there are.
[[nodiscard]] std::string explain_text(const Plan& plan, const Catalog& catalog, const std::string& path);

}  // namespace kvtraffic::scenarios
