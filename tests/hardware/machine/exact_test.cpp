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
    if (v > 0 && random() % 2 == 0) step.after(v - 1, v);
  }
  step.finish();
  return step;
}

TEST(StudySlow, All) {
  for (const char* name : {"hbm3-h100", "hbm3e-h200"}) {
    const hbm::Part part = hbm::part_named(name);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Step step = random_step(seed);
      const Pair pair = run_both(step, part);
      std::int64_t bytes = 0;
      for (const std::int64_t b : pair.exact.dram) bytes += b;
      for (const auto& op : step.graph.operations()) {
        printf("   tiles %lld:", (long long)op.shape.columns / 128);
        for (size_t i = 0; i < op.accesses.size(); ++i) {
          const auto& a = op.accesses[i];
          printf(" %s%s", a.direction == sim::Direction::write ? "W" : "R",
                 a.pattern == sim::Pattern::gather ? ("g" + std::to_string(step.graph.layouts()[a.layout].row)).c_str()
                                                   : "");
        }
        printf("\n");
      }
      for (size_t i = 0; i < pair.exact.dram.size(); ++i) printf(" %.3f", (double)pair.exact.dram[i] / 1e6);
      for (size_t i = 0; i < pair.exact.vertices.size(); ++i)
        printf(" | %.2f-%.2f %.2f-%.2f", pair.sampled.vertices[i].start.seconds() * 1e6,
               pair.sampled.vertices[i].end.seconds() * 1e6, pair.exact.vertices[i].start.seconds() * 1e6,
               pair.exact.vertices[i].end.seconds() * 1e6);
      printf("\n");
      printf("%s %llu total %.2f us, exact %.2f us, off %.2f%% = %.3f us, bound %.2f%% %s bytes %.2f MB kernels %zu\n",
             name, (unsigned long long)seed, pair.sampled.total.seconds() * 1e6, pair.exact.total.seconds() * 1e6,
             100 * pair.off(), 1e6 * (pair.sampled.total.seconds() - pair.exact.total.seconds()),
             100 * pair.sampled.sampling_error, pair.is_inside() ? "in" : "OUT", (double)bytes / 1e6,
             pair.exact.vertices.size());
    }
  }
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
