// What runs tell of DRAM: causes, vertices and mixes add up to the time in which it was at work, and sampled windows
// find the causes that single commands have. Leaves out how causes are told (tests/hardware/hbm).
#include "hardware/machine/dram_told.hpp"

#include <gtest/gtest.h>

#include "hardware/machine/cycle.hpp"
#include "hardware/machine/flow.hpp"
#include "tests/hardware/hbm/parts.hpp"
#include "tests/hardware/machine/step.hpp"
#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::hardware::testing {
namespace {

Hardware device_on(const hbm::Part& part) {
  Hardware hardware = round_hardware();
  hardware.device.bus_bits = 8;
  hardware.device.pin_bits_per_second = part.peak().per_second();
  hardware.device.l2_bandwidth = sim::Bandwidth::per_second(20e12);
  return hardware;
}

sim::Outcome run(Step& step, bool exact, const Mechanisms& mechanisms = {}) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  CycleMachine machine(device_on(part), part, sim::test::round_plan(), mechanisms, {}, exact);
  return step.run_on(machine);
}

double sum_of_causes(const sim::DramTold& told) {
  double sum = 0;
  for (const auto& [name, seconds] : told.causes) sum += seconds;
  return sum;
}

double share_of(const sim::DramTold& told, std::string_view cause) {
  for (const auto& [name, seconds] : told.causes) {
    if (name == cause) return seconds / sum_of_causes(told);
  }
  return -1;
}

double row_seconds(const sim::DramTold& told) {
  const double share =
      share_of(told, "tFAW") + share_of(told, "row_cycle") + share_of(told, "turnaround") + share_of(told, "refresh");
  return share * sum_of_causes(told);
}

sim::DramSeconds sum_of_vertices(const sim::DramTold& told) {
  sim::DramSeconds sum;
  for (const sim::DramSeconds& vertex : told.vertices) sum += vertex;
  return sum;
}

// Two kernels side by side, one after them, and one that moves nothing.
Step mixed_step() {
  Step step;
  step.add_gemm(40, 0, {reads("a", 20 * mega)});
  step.add_gemm(40, 0, {picks("b", 10'000, 576), writes("c", 4 * mega)});
  step.add_gemm(200, 0, {reads("d", 10 * mega)});
  step.after(0, 2);
  step.after(1, 2);
  step.add_gemm(10, 1e9);
  step.after(2, 3);
  return step;
}

TEST(DramTold, CausesAndVerticesAddUpToTheTimeAtWork) {
  Step step = mixed_step();
  const sim::Outcome outcome = run(step, false);
  const double busy = busy_of(outcome, sim::Bound::hbm) * outcome.total.seconds();
  EXPECT_NEAR(sum_of_causes(outcome.dram_told) / busy, 1, 1e-6);
  EXPECT_NEAR(sum_of_vertices(outcome.dram_told).all / busy, 1, 1e-6);
  double of_mixes = 0;
  for (const sim::ServedMix& mix : outcome.dram_told.mixes) of_mixes += mix.seconds;
  EXPECT_NEAR(of_mixes / busy, 1, 1e-6);
}

TEST(DramTold, VerticesDivideWhatRowsTook) {
  for (const bool exact : {false, true}) {
    Step step = mixed_step();
    const sim::DramTold told = run(step, exact).dram_told;
    ASSERT_EQ(told.vertices.size(), 4U);
    EXPECT_NEAR(sum_of_vertices(told).all / sum_of_causes(told), 1, 1e-6) << exact;
    EXPECT_NEAR(sum_of_vertices(told).rows / row_seconds(told), 1, 1e-6) << exact;
    EXPECT_GT(told.vertices[1].all, 0);
    EXPECT_EQ(told.vertices[3].all, 0) << exact;
  }
}

// Of three kernels that run one by one, each has the time of its own bytes.
TEST(DramTold, AKernelHasTheTimeOfItsOwnBytes) {
  Step step;
  for (const std::int64_t bytes : {10 * mega, 20 * mega, 40 * mega}) {
    const std::uint32_t vertex = step.add_gemm(100, 0, {reads(std::to_string(bytes), bytes)});
    if (vertex > 0) step.after(vertex - 1, vertex);
  }
  for (const bool exact : {false, true}) {
    const sim::DramTold told = run(step, exact).dram_told;
    EXPECT_NEAR(told.vertices[1].all / told.vertices[0].all, 2, 0.05) << exact;
    EXPECT_NEAR(told.vertices[2].all / told.vertices[0].all, 4, 0.1) << exact;
  }
}

// `band`: of the time at work.
void expect_same_causes(const sim::Outcome& sampled, const sim::Outcome& exact, double band) {
  ASSERT_EQ(sampled.dram_told.causes.size(), exact.dram_told.causes.size());
  for (const auto& [cause, seconds] : exact.dram_told.causes) {
    EXPECT_NEAR(share_of(sampled.dram_told, cause), share_of(exact.dram_told, cause), band) << cause;
  }
}

TEST(DramTold, WindowsFindTheCausesOfAStream) {
  Step step;
  step.add_gemm(1000, 0, {reads("a", 100 * mega)});
  expect_same_causes(run(step, false), run(step, true), 0.01);
}

// What windows leave open of the time, they leave open of what it goes into.
TEST(DramTold, WindowsFindTheCausesOfAGather) {
  Step step;
  step.add_gemm(1000, 0, {picks("a", 60 * mega / 576, 576)});
  const sim::Outcome sampled = run(step, false);
  EXPECT_LT(sampled.sampling_error, 0.1);
  expect_same_causes(sampled, run(step, true), sampled.sampling_error);
}

// Nobody's time is no cause: before a kernel asks for anything, and between kernels, DRAM waits for nothing.
TEST(DramTold, TimeInWhichNobodyAsksIsLeftOut) {
  Step step;
  for (std::uint32_t v = 0; v < 4; ++v) {
    step.add_gemm(1000, 0, {reads(std::to_string(v), 10 * mega)});
    if (v > 0) step.after(v - 1, v);
  }
  const sim::Outcome exact = run(step, true);
  const double busy = busy_of(exact, sim::Bound::hbm) * exact.total.seconds();
  EXPECT_LT(busy, 0.8 * exact.total.seconds());
  EXPECT_LE(sum_of_causes(exact.dram_told), busy);
  EXPECT_GT(sum_of_causes(exact.dram_told), 0.9 * busy);  // channels do not all end at the same time
  EXPECT_LT(share_of(exact.dram_told, "command_bus"), 0.01);
}

TEST(DramTold, ErrorIsTheDistanceOfTheStepsTimes) {
  Step step = mixed_step();
  const sim::Outcome outcome = run(step, false);
  const sim::DramTold& told = outcome.dram_told;
  EXPECT_GE(told.slow, outcome.total);
  EXPECT_LE(told.fast, outcome.total);
  EXPECT_EQ(told.left_open, told.slow - told.fast);
  EXPECT_DOUBLE_EQ(outcome.sampling_error, told.left_open.seconds() / outcome.total.seconds());
  for (const sim::ServedMix& mix : told.mixes) {
    EXPECT_GE(mix.windows, 8);
    double shares = 0;
    for (const sim::ServedShare& share : mix.shares) shares += share.share;
    EXPECT_NEAR(shares, 1, 1e-12);
  }
}

TEST(DramTold, OfNoCommandsNothingIsTold) {
  Step step = mixed_step();
  Mechanisms ideal;
  ideal.dram_commands = false;
  const sim::DramTold told = run(step, false, ideal).dram_told;
  EXPECT_TRUE(told.causes.empty() && told.vertices.empty() && told.mixes.empty());
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
