// The machine with DRAM commands against the one without: what is shared, what differs, and what each switch does.
// Leaves out the rates themselves (dram_rates_test.cpp).
#include "hardware/machine/cycle.hpp"

#include <gtest/gtest.h>

#include "hardware/machine/flow.hpp"
#include "hardware/machine/roofline.hpp"
#include "tests/hardware/hbm/parts.hpp"
#include "tests/hardware/machine/step.hpp"
#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::hardware::testing {
namespace {

// The round device with pins that are those of the part: 1 TB/s of 3.35 would otherwise bound it.
Hardware device_on(const hbm::Part& part) {
  Hardware hardware = round_hardware();
  hardware.device.bus_bits = 8;
  hardware.device.pin_bits_per_second = part.peak().per_second();
  hardware.device.l2_bandwidth = sim::Bandwidth::per_second(20e12);
  hardware.device.sm_load_rate = sim::Bandwidth::per_second(200e9);
  return hardware;
}

double on_cycle(Step& step, const hbm::Part& part, const Mechanisms& mechanisms = {}) {
  CycleMachine machine(device_on(part), part, sim::test::round_plan(), mechanisms);
  return step.run_on(machine).total.seconds();
}

double on_flow(Step& step, const hbm::Part& part) {
  FlowMachine machine(device_on(part), sim::test::round_plan());
  return step.run_on(machine).total.seconds();
}

double on_roofline(Step& step, const hbm::Part& part) {
  RooflineMachine machine(device_on(part));
  return step.run_on(machine).total.seconds();
}

TEST(Cycle, ServesAStreamAtTheRateOfThePart) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  Step small;
  small.add({reads("a", 800 * mega)});
  Step large;
  large.add({reads("a", 1600 * mega)});
  const double more = on_cycle(large, part) - on_cycle(small, part);
  const hbm::MemoryResult alone = hbm::run_stream(part, {.first = 0, .count = 80 * 200'000}, {});
  EXPECT_NEAR(800e6 / more / alone.bandwidth(), 1, 0.01);
}

TEST(Cycle, EqualsFlowWithIdealMemory) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  Step step;
  step.add({reads("a", 200 * mega), writes("b", 50 * mega)});
  step.add({reads("b", 50 * mega), reads("c", 10 * mega)});
  step.after(0, 1);
  Mechanisms ideal;
  ideal.dram_commands = false;
  EXPECT_EQ(on_cycle(step, part, ideal), on_flow(step, part));
}

TEST(Cycle, MovesTheBytesThatFlowMoves) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  Step step;
  step.add({reads("a", 200 * mega), writes("b", 5 * mega)});
  step.add({reads("b", 5 * mega)});
  step.after(0, 1);
  CycleMachine cycle(device_on(part), part, sim::test::round_plan());
  FlowMachine flow(device_on(part), sim::test::round_plan());
  const std::vector<std::int64_t> commanded = step.run_on(cycle).dram;
  EXPECT_EQ(commanded, step.run_on(flow).dram);
}

TEST(Cycle, IsNeverBelowTheRoofline) {
  for (const std::string& name : hbm::part_names()) {
    const hbm::Part part = hbm::part_named(name);
    for (const std::int64_t bytes : {mega, 300 * mega}) {
      Step step;
      step.add({reads("a", bytes), writes("b", bytes / 4)});
      EXPECT_LE(on_roofline(step, part), on_cycle(step, part)) << name << ' ' << bytes;
    }
  }
}

TEST(Cycle, TellsHowFarItsWindowsMayBeOff) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  Step step;
  step.add({reads("a", 300 * mega)});
  CycleMachine machine(device_on(part), part, sim::test::round_plan());
  const double error = step.run_on(machine).sampling_error;
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 0.03);
}

TEST(Cycle, TakesNoLongerWithoutAMechanism) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  Step step;
  step.add({reads("a", 300 * mega)});
  const double all = on_cycle(step, part);
  for (bool Mechanisms::*mechanism : {&Mechanisms::launch, &Mechanisms::refresh}) {
    Mechanisms without;
    without.*mechanism = false;
    EXPECT_LT(on_cycle(step, part, without), all);
  }
}

TEST(Cycle, WithoutL2ReadsAgainWhatItHeld) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  Step step;
  step.add({reads("a", mega)});
  step.add({reads("a", mega)});
  step.after(0, 1);
  Mechanisms without;
  without.l2 = false;
  CycleMachine machine(device_on(part), part, sim::test::round_plan(), without);
  const std::vector<std::int64_t> dram = step.run_on(machine).dram;
  EXPECT_EQ(dram, (std::vector<std::int64_t>{mega, mega}));
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
