// Least squares with Eigen, the only place that knows it.
// Leaves out error bars.
#include "reports/fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace kvtraffic::reports {
namespace {

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

Eigen::VectorXd vector_of(std::span<const double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace

std::optional<StraightLine> fit_line(std::span<const double> x, std::span<const double> y) {
  assert(x.size() == y.size());
  if (x.size() < 3 || !all_finite(x) || !all_finite(y)) return std::nullopt;
  const Eigen::VectorXd xs = vector_of(x);
  const Eigen::VectorXd ys = vector_of(y);
  // Centred and scaled, the columns are orthogonal and of like size: contexts of a million do not spoil the digits.
  const double mean = xs.mean();
  const Eigen::VectorXd centred = xs.array() - mean;
  const double scale = centred.cwiseAbs().maxCoeff();
  if (scale <= 0) return std::nullopt;
  Eigen::MatrixXd design(xs.size(), 2);
  design.col(0).setOnes();
  design.col(1) = centred / scale;
  const Eigen::VectorXd solution = design.colPivHouseholderQr().solve(ys);
  const double slope = solution(1) / scale;
  const double total = (ys.array() - ys.mean()).square().sum();
  const double rest = (ys - design * solution).squaredNorm();
  // Equal values may differ from their own mean by rounding; that is no variance.
  const bool varies = total > 1e-24 * ys.squaredNorm();
  return StraightLine{solution(0) - slope * mean, slope, varies ? 1 - rest / total : 0};
}

std::vector<double> fit_columns(const std::vector<std::vector<double>>& columns, std::span<const double> target,
                                std::span<const double> weights, double ridge) {
  const auto count = static_cast<Eigen::Index>(columns.size());
  const auto rows = static_cast<Eigen::Index>(target.size());
  Eigen::MatrixXd design(rows, count);
  for (Eigen::Index c = 0; c < count; ++c) design.col(c) = vector_of(columns[static_cast<std::size_t>(c)]);
  const Eigen::MatrixXd weighted = vector_of(weights).asDiagonal() * design;
  const Eigen::MatrixXd normal = design.transpose() * weighted + ridge * Eigen::MatrixXd::Identity(count, count);
  const Eigen::VectorXd solution = normal.ldlt().solve(weighted.transpose() * vector_of(target));
  return {solution.data(), solution.data() + solution.size()};
}

}  // namespace kvtraffic::reports
