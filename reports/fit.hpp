// A straight line through points by least squares: how a result depends on the one thing that was swept.
// Leaves out any other shape; the caller judges by R squared.
#pragma once

#include <optional>
#include <span>

namespace kvtraffic::reports {

struct StraightLine {
  double intercept = 0;
  double slope = 0;
  double r_squared = 0;  // share of the variance explained; 0 where y does not vary at all
};

// y ~ intercept + slope * x. Nothing with fewer than three points, when all x are equal, or when a value is not finite.
[[nodiscard]] std::optional<StraightLine> fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace kvtraffic::reports
