// How kernels are launched: as a replayed graph, by a host on a stream, or overlapped with the kernel before.
#include <gtest/gtest.h>

#include "hardware/machine/flow.hpp"
#include "tests/hardware/machine/step.hpp"
#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::hardware::testing {
namespace {

using sim::LaunchMode;

constexpr double us = 1e-6;
constexpr double gap = 1.3 * us, start = 1.0 * us, latency = 0.5 * us;  // of the round device
constexpr double few_ticks = 1e-12;                                     // a tick or two for each kernel
constexpr std::uint32_t many = 50;

struct Way {
  LaunchMode mode = LaunchMode::graph;
  std::int64_t stream_gap_ns = 5000;
  std::int64_t latency_ns = 500;
  std::int64_t host_gap_us = 0;
  bool launch = true;
};

sim::Outcome outcome_of(Step& step, const Way& way) {
  Hardware hardware = round_hardware();
  hardware.device.stream_gap = nanoseconds(way.stream_gap_ns);
  hardware.device.memory_latency = nanoseconds(way.latency_ns);
  sim::KernelPlan plan = sim::test::round_plan();
  plan.launch = way.mode;
  plan.host_gap = microseconds(way.host_gap_us);
  FlowMachine machine(hardware, plan, {.launch = way.launch});
  return step.run_on(machine);
}

double seconds_of(Step& step, const Way& way) { return outcome_of(step, way).total.seconds(); }

Step chain_of_empty_kernels() {
  Step step;
  for (std::uint32_t v = 0; v < many; ++v) {
    step.add({});
    if (v > 0) step.after(v - 1, v);
  }
  return step;
}

double chain_seconds(const Way& way) {
  Step step = chain_of_empty_kernels();
  return seconds_of(step, way);
}

TEST(Launch, AGraphPaysGapStartAndLatencyForEachKernel) {
  EXPECT_NEAR(chain_seconds({}), many * (gap + start + latency), few_ticks);
}

TEST(Launch, AHostThatLagsBehindSetsThePaceOfAStream) {
  EXPECT_NEAR(chain_seconds({.mode = LaunchMode::stream}), many * 5 * us + start + latency, few_ticks);
}

TEST(Launch, AFastHostRunsAheadOfTheDevice) {
  EXPECT_EQ(chain_seconds({.mode = LaunchMode::stream, .stream_gap_ns = 1000}), chain_seconds({}));
}

TEST(Launch, AHostCatchesUpWhileALongKernelRuns) {
  const auto seconds = [](LaunchMode mode) {
    Step step;  // 1 ms of arithmetic, and what the host launches meanwhile
    step.add_gemm(100, 80e9);
    for (std::uint32_t v = 1; v < 20; ++v) step.after(v - 1, step.add({}));
    return seconds_of(step, {.mode = mode});
  };
  EXPECT_NEAR(seconds(LaunchMode::stream) - seconds(LaunchMode::graph), 5 * us - gap, few_ticks);  // the first launch
}

TEST(Launch, AStepThatWaitsForItsHostIsBoundByLatency) {
  Step step;  // each loads for 1 us
  for (std::uint32_t v = 0; v < many; ++v) {
    step.add_gemm(100, 0, {reads("a" + std::to_string(v), 800'000)});
    if (v > 0) step.after(v - 1, v);
  }
  EXPECT_EQ(outcome_of(step, {.mode = LaunchMode::stream, .stream_gap_ns = 50'000}).bound_by, sim::Bound::latency);
}

// The next launch begins with the loads of the last tiles, which here are all tiles: latency passes beside it.
TEST(Launch, AnOverlappedOneHidesBehindTheLatencyOfTheKernelBefore) {
  EXPECT_NEAR(chain_seconds({.mode = LaunchMode::overlapped}),
              gap + start + latency + (many - 1) * (gap - latency + start + latency), few_ticks);
}

TEST(Launch, AnOverlappedOneCostsNothingBehindLongTiles) {
  EXPECT_NEAR(chain_seconds({.mode = LaunchMode::overlapped, .latency_ns = 9000}), gap + start + many * 9 * us,
              3 * few_ticks);
}

TEST(Launch, AKernelThatWaitsForTwoIsNotLaunchedEarly) {
  const auto seconds = [](LaunchMode mode) {
    Step step;  // equal halves of the device: both end together
    const std::uint32_t a = step.add_gemm(50, 40e9), b = step.add_gemm(50, 40e9);
    const std::uint32_t c = step.add({});
    step.after(a, c);
    step.after(b, c);
    return seconds_of(step, {.mode = mode});
  };
  EXPECT_EQ(seconds(LaunchMode::overlapped), seconds(LaunchMode::graph));
}

TEST(Launch, OverlappingDelaysNoChainAndBeatsNoLaunchAtAllNever) {
  for (std::uint64_t kind = 0; kind < 27; ++kind) {
    const auto seconds = [&](const Way& way) {
      Step step;
      std::uint64_t digits = kind;
      for (std::uint32_t v = 0; v < 6; ++v, digits = v == 3 ? kind : digits / 3) {
        const std::string name = "a" + std::to_string(v);
        if (digits % 3 == 0) step.add({});
        if (digits % 3 == 1) step.add_gemm(130, 1e9, {reads(name, 3 * mega)});
        if (digits % 3 == 2) step.add({reads(name, 20 * mega), writes("b" + name, 5 * mega)});
        if (v > 0) step.after(v - 1, v);
      }
      return seconds_of(step, way);
    };
    const double overlapped = seconds({.mode = LaunchMode::overlapped});
    EXPECT_LE(overlapped, seconds({})) << kind;
    EXPECT_LT(overlapped, seconds({}) - 2 * us) << kind;  // five launches, each behind a latency at least
    EXPECT_GE(overlapped, seconds({.launch = false})) << kind;
  }
}

TEST(Launch, WithoutLaunchesAllModesAreOne) {
  const double none = chain_seconds({.launch = false});
  EXPECT_NEAR(none, many * latency, 3 * few_ticks);
  EXPECT_EQ(chain_seconds({.mode = LaunchMode::stream, .launch = false}), none);
  EXPECT_EQ(chain_seconds({.mode = LaunchMode::overlapped, .launch = false}), none);
}

TEST(Launch, KernelsThatNoOperationStandsForAreLaunchedLikeOthers) {
  const auto seconds = [](LaunchMode mode) {
    Step step;
    sim::Operation small;
    small.kind = sim::OperationKind::small;
    small.launches = 20;
    step.add(small, {});
    return seconds_of(step, {.mode = mode});
  };
  EXPECT_NEAR(seconds(LaunchMode::graph), 20 * (gap + start + latency), few_ticks);
  EXPECT_NEAR(seconds(LaunchMode::stream), 20 * 5 * us + start + latency, few_ticks);
  EXPECT_NEAR(seconds(LaunchMode::overlapped), gap + start + latency + 19 * (gap + start), few_ticks);
}

TEST(Launch, AHostThatNeedsTimeBetweenStepsAddsItToEach) {
  EXPECT_NEAR(chain_seconds({.host_gap_us = 40}) - chain_seconds({}), 40 * us, few_ticks);
  const Way stream{.mode = LaunchMode::stream, .host_gap_us = 40};
  EXPECT_NEAR(chain_seconds(stream) - chain_seconds({.mode = LaunchMode::stream}), 40 * us, few_ticks);
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
