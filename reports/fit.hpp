// Least squares: a straight line through points, which tells how a result depends on the one thing that was swept, and
// weights of columns. Leaves out any other shape; the caller judges by R squared, or by what is left.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace kvtraffic::reports {

struct StraightLine {
  double intercept = 0;
  double slope = 0;
  double r_squared = 0;  // share of the variance explained; 0 where y does not vary at all
};

// y ~ intercept + slope * x. Nothing with fewer than three points, when all x are equal, or when a value is not finite.
[[nodiscard]] std::optional<StraightLine> fit_line(std::span<const double> x, std::span<const double> y);

// Of each column the factor with which all together come nearest to `target`; `weights` count the rows, and `ridge`
// holds factors near zero that the rows do not determine. `columns` are as long as `target`; `ridge` is above zero.
[[nodiscard]] std::vector<double> fit_columns(const std::vector<std::vector<double>>& columns,
                                              std::span<const double> target, std::span<const double> weights,
                                              double ridge);

}  // namespace kvtraffic::reports
