// Settings at the ends of what is allowed: runs end, time counts, and nothing moves faster than the pins.
// Leaves out what a part's file refuses (tests/hardware/spec/broken_memory_test.cpp).
#include <gtest/gtest.h>

#include "hardware/hbm/memory.hpp"
#include "tests/hardware/hbm/parts.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

TEST(Extremes, ADrainMayLeaveNothing) {
  Part part = part_named("xhbm3");
  part.controller.drain_below = 0;
  const MemoryResult result = run_pattern(part, "mix:0.5", 1 << 16);
  EXPECT_EQ(result.counters.reads + result.counters.writes, result.requests);
  EXPECT_LT(result.ticks, 1'000'000);
}

// One row of one bank after the other: each costs tRP, however long that is.
TEST(Extremes, TimingsBeyondThirtyTwoBitsCount) {
  Part part = channel_of("xhbm3");
  part.controller.refresh = Refresh::none;
  set_clocks(part, Timing::tRP, 2'000'000'000);
  ListSource source(rows_of_one_bank(part, 3));
  EXPECT_GE(run_memory(part, source, {}).ticks, Tick{2} * 2 * 2'000'000'000);
}

// Many writes of the same few transactions are merged while they wait: what crosses the pins is less than what was
// asked.
TEST(Extremes, MergedWritesDoNotCountAsBandwidth) {
  const Part part = part_named("xhbm3");
  const MemoryResult result = run_pattern(part, "gather:100x33/101:write", 1 << 20);
  EXPECT_GT(result.counters.coalesced, 0U);
  EXPECT_LE(result.peak_fraction(), 1);
  EXPECT_GT(static_cast<double>(result.bytes.count()) / result.seconds(), result.bandwidth());
}

TEST(Extremes, ARateThatLeavesPausesOfMoreThanAMillisecondIsRefused) {
  const Part part = part_named("xhbm3");
  RunSettings settings;
  settings.feed = Feed::rate;
  settings.rate = sim::Bandwidth::per_second(1000);
  EXPECT_THROW(static_cast<void>(run_pattern(part, "stream", 1024, settings)), std::invalid_argument);
  settings.rate = sim::Bandwidth::per_second(32e3);
  EXPECT_NEAR(run_pattern(part, "stream", 1024, settings).seconds(), 31e-3, 1e-4);
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
