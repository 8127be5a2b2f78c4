// The points that formulas name, as scenarios; and faults of formulas told at their place.
// Leaves out evaluating points.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenarios/claims/ledger.hpp"

namespace kvtraffic::scenarios {

// The points that `formulas` name, looked up in `own`, then in `outer` from the last to the first: each as a whole
// scenario at fidelity roofline that ignores capacity. A name without a point, and a point of `own` that nobody names,
// are faults.
[[nodiscard]] std::vector<std::pair<std::string, sim::Node>> named_points(const std::vector<Formula>& formulas,
                                                                          const std::vector<sim::Node>& outer,
                                                                          const sim::Node& own, const std::string& path,
                                                                          sim::Diagnostics& diagnostics);

// Tells a fault of `formula` where it stands: at its character where the file shows it, else at its start.
void tell_fault(const Formula& formula, const ExpressionFault& fault, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
