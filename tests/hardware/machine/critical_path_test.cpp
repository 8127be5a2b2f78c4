// What a whole step is bound by, given the times of its vertices and what each waited for.
#include <gtest/gtest.h>

#include "hardware/machine/flow_device.hpp"
#include "tests/hardware/machine/step.hpp"

namespace kvtraffic::hardware::testing {
namespace {

using sim::Bound;
using sim::Instant;

sim::VertexTime from_to(std::int64_t start, std::int64_t end, Bound bound) {
  return {Instant() + microseconds(start), Instant() + microseconds(end), bound};
}

TEST(BoundOfPath, SumsVerticesOfOneBound) {
  const std::vector<sim::VertexTime> times{from_to(0, 6, Bound::hbm), from_to(6, 16, Bound::link),
                                           from_to(16, 22, Bound::hbm)};
  const std::vector<Cause> causes{{}, {0, false}, {1, false}};
  EXPECT_EQ(bound_of_path(times, causes, 2), Bound::hbm);  // 12 us against 10
}

TEST(BoundOfPath, LeavesOutWhatNobodyWaitedFor) {
  const std::vector<sim::VertexTime> times{from_to(0, 30, Bound::hbm), from_to(0, 20, Bound::compute),
                                           from_to(20, 40, Bound::compute)};
  const std::vector<Cause> causes{{}, {}, {1, false}};
  EXPECT_EQ(bound_of_path(times, causes, 2), Bound::compute);
}

TEST(BoundOfPath, CountsWaitingForLaunchesAsLatency) {
  std::vector<sim::VertexTime> times;
  std::vector<Cause> causes;
  for (std::uint32_t v = 0; v < 10; ++v) {
    times.push_back(from_to(v, v + 5, Bound::hbm));
    causes.push_back(v == 0 ? Cause{} : Cause{v - 1, true});
  }
  EXPECT_EQ(bound_of_path(times, causes, 9), Bound::latency);  // nine gaps of 1 us, then 5 us of HBM
}

TEST(BoundOfPath, IsLatencyForNothing) { EXPECT_EQ(bound_of_path({}, {}, Cause::none), Bound::latency); }

}  // namespace
}  // namespace kvtraffic::hardware::testing
