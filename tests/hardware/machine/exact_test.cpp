// Every DRAM command against what windows tell: bytes are the same, time is inside the stated error, and that error is
// honest. Leaves out the windows themselves (dram_rates_test.cpp) and controllers (tests/hardware/hbm).
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hardware/machine/cycle.hpp"
#include "tests/hardware/hbm/parts.hpp"
#include "tests/hardware/machine/step.hpp"
#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::hardware::testing {
namespace {

using Random = std::mt19937_64;

// The round device with the pins of a part: 1 TB/s would otherwise bound it.
Hardware device_on(const hbm::Part& part) {
  Hardware hardware = round_hardware();
  hardware.device.bus_bits = 8;
  hardware.device.pin_bits_per_second = part.peak().per_second();
  hardware.device.l2_bandwidth = sim::Bandwidth::per_second(20e12);
  return hardware;
}

struct Pair {
  sim::Outcome sampled;
  sim::Outcome exact;
  [[nodiscard]] double off() const { return sampled.total.seconds() / exact.total.seconds() - 1; }
  // Half a percent is what a bound may always be off.
  [[nodiscard]] bool is_inside() const { return std::abs(off()) <= std::max(0.005, sampled.sampling_error); }
};

Pair run_both(Step& step, const hbm::Part& part) {
  CycleMachine sampled(device_on(part), part, sim::test::round_plan());
  CycleMachine exact(device_on(part), part, sim::test::round_plan(), {}, {}, true);
  return {step.run_on(sampled), step.run_on(exact)};
}

// Between 2^10 and 2^(10 + octaves), small values as likely as large ones.
std::int64_t draw(Random& random, std::uint64_t octaves) {
  const std::uint64_t low = std::uint64_t{1024} << (random() % octaves);
  return static_cast<std::int64_t>(low + random() % low);
}

Use random_use(Random& random, int number) {
  const std::string region = "region" + std::to_string(number);
  const std::uint64_t choice = random() % 4;
  if (choice == 0) return writes(region, draw(random, 14));
  if (choice == 1) {
    const auto row = static_cast<std::int64_t>(32 * (1 + random() % 40));
    return picks(region, std::max<std::int64_t>(1, draw(random, 14) / row), row);
  }
  return reads(region, draw(random, 15));
}

Step random_step(std::uint64_t seed) {
  Random random(seed);
  Step step;
  const auto kernels = static_cast<std::uint32_t>(1 + random() % 6);
  int region = 0;
  for (std::uint32_t v = 0; v < kernels; ++v) {
    std::vector<Use> uses;
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n) uses.push_back(random_use(random, region++));
    step.add_gemm(static_cast<std::int64_t>(1 + random() % 3000), static_cast<double>(random() % 1'000'000'000), uses);
    if (v > 0) step.after(v > 1 && random() % 4 == 0 ? v - 2 : v - 1, v);
  }
  step.finish();
  return step;
}

// How many of the steps from..to - 1 take the time that was stated, more or less the stated error; bytes are the same
// in all of them.
int honest(std::uint64_t from, std::uint64_t to, const hbm::Part& part) {
  int inside = 0;
  for (std::uint64_t seed = from; seed < to; ++seed) {
    Step step = random_step(seed);
    const Pair pair = run_both(step, part);
    EXPECT_EQ(pair.sampled.dram, pair.exact.dram) << seed;
    EXPECT_EQ(pair.exact.sampling_error, 0) << seed;
    inside += pair.is_inside() ? 1 : 0;
  }
  return inside;
}

TEST(Exact, IsWhatWindowsTell) { EXPECT_GE(honest(0, 20, hbm::part_named("hbm3-h100")), 19); }

TEST(ExactSlow, IsInsideTheStatedErrorInNineteenOfTwentySteps) {
  EXPECT_GE(honest(0, 100, hbm::part_named("hbm3-h100")) + honest(0, 100, hbm::part_named("hbm3e-h200")), 190);
}

// A stream alone has nothing to draw lots about.
TEST(Exact, AgreesOnAStream) {
  for (const char* name : {"hbm3-h100", "hbm3e-h200", "hbm2e-a100"}) {
    Step step;
    step.add_gemm(1000, 0, {reads("a", 60 * mega)});
    EXPECT_NEAR(run_both(step, hbm::part_named(name)).off(), 0, 0.015) << name;
  }
}

TEST(Exact, DoesNotDependOnWhatRanBefore) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  CycleMachine machine(device_on(part), part, sim::test::round_plan(), {}, {}, true);
  Step step = random_step(3);
  const sim::Duration first = step.run_on(machine).total;
  Step other = random_step(4);
  static_cast<void>(other.run_on(machine));
  EXPECT_EQ(step.run_on(machine).total, first);
}

// Seconds of one kernel that gathers rows of 32 bytes.
double gather_seconds(const sim::Locality& locality, bool exact) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  Step step;
  step.add_gemm(1000, 0, {picks("entries", 10 * mega / 32, 32)});
  CycleMachine machine(device_on(part), part, sim::test::round_plan(), {}, locality, exact);
  return step.run_on(machine).total.seconds();
}

// Neighbours fill the grain of a channel, whose row is opened once for all of them; both ways of telling time see it,
// and to about the same degree.
TEST(Exact, NeighboursAreReadFaster) {
  sim::Locality runs;
  runs.selection = {.model = sim::Selection::Model::clustered, .run = 64};
  for (const bool exact : {false, true}) EXPECT_LT(gather_seconds(runs, exact), 0.9 * gather_seconds({}, exact));
  const double sampled = gather_seconds(runs, false) / gather_seconds({}, false);
  const double simulated = gather_seconds(runs, true) / gather_seconds({}, true);
  EXPECT_NEAR(sampled, simulated, 0.06);
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
