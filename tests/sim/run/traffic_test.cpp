// Traffic adds up by level, and overflow is an error.
// Leaves out who fills it.
#include "sim/run/traffic.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

TEST(Traffic, TotalIsReadsAndWritesOfOneLevelOnly) {
  Traffic traffic;
  traffic.at(Level::dram, DataKind::weight) = {100, 1};
  traffic.at(Level::dram, DataKind::selection) = {20, 3};
  traffic.at(Level::ssd, DataKind::weight).read = 7;
  EXPECT_EQ(traffic.total(Level::dram), 100 + 1 + 20 + 3);
  EXPECT_EQ(traffic.total(Level::ssd), 7);
  EXPECT_TRUE(traffic.empty(Level::logical));
}

TEST(Traffic, AddsCellByCell) {
  Traffic left;
  left.at(Level::logical, DataKind::state) = {1, 2};
  Traffic right;
  right.at(Level::logical, DataKind::state) = {10, 20};
  right.at(Level::link, DataKind::activation).write = 5;
  left += right;
  EXPECT_EQ(left.at(Level::logical, DataKind::state), (ReadWrite{11, 22}));
  EXPECT_EQ(left.at(Level::link, DataKind::activation), (ReadWrite{0, 5}));
}

TEST(Traffic, RefusesToWrapAround) {
  Traffic traffic;
  traffic.at(Level::logical, DataKind::weight).read = std::numeric_limits<std::int64_t>::max();
  Traffic one;
  one.at(Level::logical, DataKind::weight).read = 1;
  EXPECT_THROW(traffic += one, OverflowError);
  traffic.at(Level::logical, DataKind::state).write = 1;
  EXPECT_THROW(static_cast<void>(traffic.total(Level::logical)), OverflowError);
}

}  // namespace
}  // namespace kvtraffic::sim
