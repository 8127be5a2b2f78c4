// Real numbers as whole ones, up to where 64 bits end.
#include "sim/units/whole.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kvtraffic::sim {
namespace {

TEST(CheckedWhole, TakesWhatFits) {
  const double largest = std::nextafter(std::ldexp(1.0, 63), 0);
  EXPECT_EQ(checked_whole(2.75), 2);
  EXPECT_EQ(checked_whole(largest), INT64_MAX - 1023);  // a double has 53 bits
  EXPECT_EQ(checked_whole(-largest), -(INT64_MAX - 1023));
}

TEST(CheckedWhole, RefusesWhatDoesNot) {
  for (const double value : {std::ldexp(1.0, 63), 1e27, -1e27, HUGE_VAL, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(checked_whole(value)), OverflowError) << value;
  }
}

}  // namespace
}  // namespace kvtraffic::sim
