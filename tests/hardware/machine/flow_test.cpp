// The event-driven machine against closed forms: launch, latency, servers, waves, overlap.
#include "hardware/machine/flow.hpp"

#include <gtest/gtest.h>

#include "tests/hardware/machine/step.hpp"
#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::hardware::testing {
namespace {

using sim::Bound;
using sim::Duration;

constexpr double us = 1e-6;
constexpr double stream_rate = 0.8e12;                   // of the round device
constexpr double head = 1.3 * us + 1.0 * us + 0.5 * us;  // gap, start, first load
constexpr double drain = 0.2 * us;
constexpr double few_ticks = 1e-13;

double seconds_of(Step& step, const Device& device = round_device()) {
  Hardware hardware;
  hardware.device = device;
  FlowMachine machine(hardware, sim::test::round_plan());
  return step.run_on(machine).total.seconds();
}

double span_of(const sim::VertexTime& time) { return (time.end - time.start).seconds(); }

TEST(Flow, StreamsAtTheRateOfTheMemoryAfterOneLatency) {
  for (const std::int64_t bytes : {8 * mega, 80 * mega, 800 * mega}) {
    Step step;
    step.add({reads("a", bytes)});
    EXPECT_NEAR(seconds_of(step), head + static_cast<double>(bytes) / stream_rate, few_ticks) << bytes;
  }
}

TEST(Flow, WritesAfterItReadsWithinOneWave) {
  Step step;  // 62 tiles: one wave
  step.add({reads("a", mega), writes("b", mega)});
  EXPECT_NEAR(seconds_of(step), head + 2e6 / stream_rate + drain, few_ticks);
}

TEST(Flow, OverlapsStoresWithLoadsOfLaterWaves) {
  Step step;
  step.add({reads("a", 200 * mega), writes("b", 200 * mega)});
  const double wave = 100 * 32768.0 / stream_rate;
  EXPECT_NEAR(seconds_of(step), head + 400e6 / stream_rate, 2 * wave);
}

TEST(Flow, AnEmptyKernelCostsWhatTheSmallestUsefulOneDoes) {
  Device h200 = round_device();  // gap, start and latency of the catalog's h200-sxm
  h200.launch_gap = nanoseconds(1260);
  h200.kernel_start = nanoseconds(1000);
  h200.memory_latency = nanoseconds(330);
  Step step;
  for (std::uint32_t v = 0; v < 100; ++v) {
    step.add({});
    if (v > 0) step.after(v - 1, v);
  }
  const double each = seconds_of(step, h200) / 100;
  EXPECT_GT(each, 2.3 * us);
  EXPECT_LT(each, 3.5 * us);
}

TEST(Flow, ComputesWithAllSmsAtTheSustainedRate) {
  Step step;
  step.add_gemm(100, 80e9);  // one tile for each SM; 80 GFLOP at 80 TFLOPS: 1 ms
  EXPECT_NEAR(seconds_of(step), head + 1000 * us, 1e-12);
}

TEST(Flow, OneTileTooManyTakesASecondWave) {
  const auto seconds = [](std::int64_t tiles) {
    Step step;
    step.add_gemm(tiles, 0.8e9 * static_cast<double>(tiles));  // 1 ms per tile
    return seconds_of(step) - head;
  };
  EXPECT_NEAR(seconds(100), 1e-3, 1e-12);
  EXPECT_NEAR(seconds(101), 2e-3, 1e-12);
  EXPECT_NEAR(seconds(200), 2e-3, 1e-12);
  EXPECT_NEAR(seconds(201), 3e-3, 1e-12);
}

TEST(Flow, BundlingManyWavesKeepsTheirNumber) {
  Step step;  // 1001 waves; in groups of 32 tiles an SM: 31 groups of 32 waves and one of 9
  step.add_gemm(100'001, 0.8e9 * 100'001);
  EXPECT_NEAR(seconds_of(step), head + 1.001, 1e-11);
}

TEST(Flow, FewTilesLoadNoFasterThanTheirSms) {
  Step step;  // 4 tiles on 4 SMs at 100 GB/s each
  step.add_gemm(4, 0, {reads("a", 4 * mega)});
  EXPECT_NEAR(seconds_of(step), head + 10 * us, few_ticks);
}

TEST(Flow, LaterWavesLoadNoFasterThanTheFirst) {
  Device device = round_device();
  device.sms = 4;
  Step step;  // three waves of 4 MB at 400 GB/s
  step.add_gemm(12, 0, {reads("a", 12 * mega)});
  EXPECT_NEAR(seconds_of(step, device), head + 30 * us, few_ticks);
}

TEST(Flow, OverlapsArithmeticWithItsLoads) {
  Step step;  // 100 us of loads, 100 us of arithmetic
  step.add_gemm(1000, 8e9, {reads("a", 80 * mega)});
  const double wave = 10 * us;
  EXPECT_NEAR(seconds_of(step), head + 100 * us, wave);
}

TEST(Flow, IndependentKernelsRunAtTheSameTimeAndShareTheMemory) {
  const auto two = [](bool ordered) {
    Step step;
    const std::uint32_t a = step.add_gemm(40, 0, {reads("a", 8 * mega)});
    const std::uint32_t b = step.add_gemm(40, 0, {reads("b", 8 * mega)});
    if (ordered) step.after(a, b);
    return seconds_of(step);
  };
  // Alone each is limited by its 40 SMs (2 us per MB at 4 TB/s): 40 SMs x 100 GB/s exceed 800 GB/s, so HBM decides.
  EXPECT_NEAR(two(false), head + 16e6 / stream_rate, 1.4 * us);  // the second launch is hidden
  EXPECT_NEAR(two(true), 2 * head + 16e6 / stream_rate, few_ticks);
}

TEST(Flow, KernelsThatTogetherExceedTheSmsRunInTheOrderOfLaunch) {
  Step step;
  step.add_gemm(60, 0.8e9 * 60);  // 1 ms on 60 SMs
  step.add_gemm(60, 0.8e9 * 60);  // 40 SMs are free at once; the other 20 tiles follow
  EXPECT_NEAR(seconds_of(step), head + 2e-3, 3 * us);
  Hardware hardware = round_hardware();
  FlowMachine machine(hardware, sim::test::round_plan());
  const sim::Outcome outcome = step.run_on(machine);
  EXPECT_LT(outcome.vertices[0].end, outcome.vertices[1].end);
}

TEST(Flow, TilesThatDoNotFitWaitForTheFirstFreeSms) {
  Step step;
  step.add_gemm(98, 0.08e9 * 98);  // 0.1 ms on 98 SMs
  step.add_gemm(10, 0.8e9 * 10);  // 1 ms each: two at once, eight when the other kernel ends, none behind the first two
  EXPECT_NEAR(seconds_of(step), head + 1.1e-3, 3 * us);
}

TEST(Flow, AMessageTakesItsFloorAndTheTimeOfItsBytes) {
  for (const auto kind : {sim::Collective::Kind::all_reduce, sim::Collective::Kind::dispatch}) {
    Step step;
    step.add_message(kind, 32 * mega);  // at 320 GB/s: 100 us
    const double floor = kind == sim::Collective::Kind::all_reduce ? 5 * us : 12 * us;
    EXPECT_NEAR(seconds_of(step), floor + 100 * us, few_ticks);
  }
}

TEST(Flow, HostMemoryIsALink) {
  Step step;  // 0.4 MB at 40 GB/s: 10 us, 2 us away
  step.add({on_host(reads("table", 400'000))});
  EXPECT_NEAR(seconds_of(step), 2.3 * us + 2 * us + 10 * us, few_ticks);
}

TEST(Flow, MemoryOfAnotherNodeIsBehindTheLink) {
  Step step;  // 3.2 MB at 320 GB/s: 10 us, as far away as the smallest exchange: 12 us with launch and start
  step.add({in_another_node(reads("table", 3'200'000))});
  EXPECT_NEAR(seconds_of(step), 12 * us + 10 * us, few_ticks);
}

TEST(Flow, HitsAreServedByL2Alone) {
  Step step;
  const std::uint32_t a = step.add({reads("a", 4 * mega)});
  step.after(a, step.add({reads("a", 4 * mega)}));
  Hardware hardware = round_hardware();
  FlowMachine machine(hardware, sim::test::round_plan());
  const sim::Outcome outcome = step.run_on(machine);
  EXPECT_EQ(outcome.dram, (std::vector<std::int64_t>{4 * mega, 0}));
  EXPECT_NEAR(span_of(outcome.vertices[0]), head + 4e6 / stream_rate, few_ticks);
  EXPECT_NEAR(span_of(outcome.vertices[1]), head + 4e6 / 4e12, 1 * us);  // two waves at L2's rate
  EXPECT_NEAR(busy_of(outcome, Bound::hbm), 4e6 / stream_rate / outcome.total.seconds(), 1e-9);
  EXPECT_NEAR(busy_of(outcome, Bound::l2), 8e6 / 4e12 / outcome.total.seconds(), 1e-9);
}

TEST(Flow, LaunchesOneAfterAnother) {
  Step step;
  for (int i = 0; i < 10; ++i) step.add_gemm(1, 0);
  EXPECT_NEAR(seconds_of(step), 9 * 1.3 * us + head, few_ticks);
}

TEST(Flow, NamesWhatAKernelSpentItsTimeOn) {
  Step step;
  step.add({reads("a", 80 * mega)});
  step.add_gemm(100, 80e9);
  step.add_message(sim::Collective::Kind::all_reduce, 32 * mega);
  step.add({on_host(reads("table", 4 * mega))});
  step.add({reads("small", 1000)});
  for (std::uint32_t v = 1; v < 5; ++v) step.after(v - 1, v);
  Hardware hardware = round_hardware();
  FlowMachine machine(hardware, sim::test::round_plan());
  const sim::Outcome outcome = step.run_on(machine);
  const std::array<Bound, 5> expected{Bound::hbm, Bound::compute, Bound::link, Bound::host, Bound::latency};
  for (std::size_t v = 0; v < 5; ++v) EXPECT_EQ(outcome.vertices[v].bound_by, expected[v]) << v;
  EXPECT_EQ(outcome.bound_by, Bound::compute);  // 1 ms of it
}

TEST(Flow, IsBoundByLatencyWhenLaunchesAreAllThereIs) {
  Step step;
  for (std::uint32_t v = 0; v < 20; ++v) {
    step.add({reads("a" + std::to_string(v), 100'000)});
    if (v > 0) step.after(v - 1, v);
  }
  Hardware hardware = round_hardware();
  FlowMachine machine(hardware, sim::test::round_plan());
  EXPECT_EQ(step.run_on(machine).bound_by, Bound::latency);
}

TEST(Flow, ManyKernelsWaitForAPlace) {
  Step step;  // more than can be resident, each with one long tile
  for (int i = 0; i < 400; ++i) step.add_gemm(1, 0.8e9);
  // 100 SMs, 1 ms each, four rounds; launches are hidden.
  EXPECT_NEAR(seconds_of(step), 4e-3, 0.2e-3);
}

TEST(Flow, AStepOfNothingTakesNoTime) {
  Step step;
  EXPECT_EQ(seconds_of(step), 0);
}

TEST(Flow, AnswersTheSameAgain) {
  Step step;
  const std::uint32_t a = step.add({reads("a", 20 * mega), writes("b", mega)});
  step.add_gemm(333, 1e9, {reads("c", 9 * mega)});
  step.after(a, step.add({reads("b", mega)}));
  Hardware hardware = round_hardware();
  FlowMachine machine(hardware, sim::test::round_plan());
  const sim::Outcome first = step.run_on(machine);
  Step other;
  other.add({reads("x", 100 * mega)});
  (void)other.run_on(machine);
  const sim::Outcome again = step.run_on(machine);
  EXPECT_EQ(first.total, again.total);
  EXPECT_EQ(first.busy, again.busy);
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
