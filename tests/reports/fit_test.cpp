// Least squares against closed formulas.
// Leaves out the wording of trends (page_test.cpp).
#include "reports/fit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace kvtraffic::reports {
namespace {

TEST(FitLine, FindsAnExactLineThroughLongContexts) {
  std::vector<double> x;
  std::vector<double> y;
  for (double context = 4096; context <= 1048576; context *= 2) {
    x.push_back(context);
    y.push_back(7e-3 + 3.5e-10 * context);
  }
  const auto line = fit_line(x, y);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->intercept, 7e-3, 1e-12);
  EXPECT_NEAR(line->slope, 3.5e-10, 1e-18);
  EXPECT_NEAR(line->r_squared, 1, 1e-9);
}

// x = 0, 1, 2, 3 and y = 0, 1, 1, 2: slope = Sxy / Sxx = 3 / 5, R^2 = Sxy^2 / (Sxx Syy) = 9 / (5 x 2).
TEST(FitLine, AgreesWithTheClosedFormula) {
  const auto line = fit_line(std::array{0.0, 1.0, 2.0, 3.0}, std::array{0.0, 1.0, 1.0, 2.0});
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->slope, 3.0 / 5, 1e-12);
  EXPECT_NEAR(line->intercept, 1 - 3.0 / 5 * 1.5, 1e-12);
  EXPECT_NEAR(line->r_squared, 9.0 / 10, 1e-12);
}

TEST(FitLine, ConstantExplainsNothing) {
  const auto line = fit_line(std::array{1.0, 2.0, 3.0}, std::array{0.1, 0.1, 0.1});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->r_squared, 0);
}

TEST(FitLine, RefusesTwoPointsEqualXAndWhatIsNoNumber) {
  EXPECT_FALSE(fit_line(std::array{1.0, 2.0}, std::array{1.0, 2.0}));
  EXPECT_FALSE(fit_line(std::array{5.0, 5.0, 5.0}, std::array{1.0, 2.0, 3.0}));
  EXPECT_FALSE(fit_line(std::array{1.0, 2.0, 3.0}, std::array{1.0, std::numeric_limits<double>::infinity(), 3.0}));
}

TEST(FitColumns, FindsTheFactorsOfAnExactSum) {
  const std::vector<std::vector<double>> columns{{1, 0, 2}, {0, 1, 1}};
  const std::vector<double> target{3, -2, 4}, weights{1, 5, 2};  // 3 of the first and -2 of the second
  const std::vector<double> factors = fit_columns(columns, target, weights, 1e-12);
  ASSERT_EQ(factors.size(), 2U);
  EXPECT_NEAR(factors[0], 3, 1e-9);
  EXPECT_NEAR(factors[1], -2, 1e-9);
}

TEST(FitColumns, AColumnOfZerosStaysAtZero) {
  EXPECT_EQ(fit_columns({{0, 0}}, std::vector<double>{1, 2}, std::vector<double>{1, 1}, 1e-3), std::vector<double>{0});
}

}  // namespace
}  // namespace kvtraffic::reports
