// Logarithm and exponential against the C library's, and a few whose value is known.
#include "sim/draw/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kvtraffic::sim {
namespace {

TEST(PortableLog, IsTheLogarithm) {
  EXPECT_EQ(portable_log(1), 0);
  for (double x = 1e-300; x < 1e300; x *= 1.37) EXPECT_NEAR(portable_log(x) / std::log(x), 1, 1e-15) << x;
  for (double x = 0.9; x < 1.1; x += 1e-3) EXPECT_NEAR(portable_log(x), std::log(x), 1e-16) << x;
}

TEST(PortableExp, IsTheExponential) {
  EXPECT_EQ(portable_exp(0), 1);
  for (double x = -690; x < 690; x += 0.37) EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-15) << x;
}

}  // namespace
}  // namespace kvtraffic::sim
