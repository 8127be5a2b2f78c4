// Rates from windows of DRAM commands: held against what the same channel does over a time many times as long, and
// against what has to hold between mixes. Leaves out kernels (cycle_test.cpp).
#include "hardware/machine/dram_rates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hardware/hbm/split_mix.hpp"
#include "tests/hardware/hbm/parts.hpp"

namespace kvtraffic::hardware {
namespace {

constexpr std::int64_t mega = 1'000'000;
// So many pieces that the fullest channel holds hardly more than the others.
constexpr std::int64_t plenty = 1'000'000 * mega;

double rate(const hbm::Part& part, const DramMix& mix) { return DramRates(part).of(mix).rate.per_second(); }

DramMix stream(std::int64_t bytes = 100 * mega) { return {{false, 0, bytes}}; }

TEST(DramRates, AReadStreamReachesWhatTheWholePartDoes) {
  const hbm::Part part = hbm::part_named("hbm3e-h200");
  const hbm::MemoryResult whole = hbm::run_stream(part, {.first = 0, .count = 96 * 200'000}, {});
  EXPECT_NEAR(rate(part, stream()) / whole.bandwidth(), 1, 0.01);
}

TEST(DramRates, NeverExceedThePins) {
  for (const std::string& name : hbm::part_names()) {
    const hbm::Part part = hbm::part_named(name);
    EXPECT_LE(rate(part, stream()), part.peak().per_second()) << name;
    EXPECT_LE(rate(part, {{true, 0, mega}}), part.peak().per_second()) << name;
  }
}

TEST(DramRates, FallWithWritesAndWithScatteredBytes) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  const double reads = rate(part, stream());
  EXPECT_LT(rate(part, {{false, 0, mega}, {true, 0, mega}}), reads);
  const double large = rate(part, {{false, 1024, plenty}});
  const double small = rate(part, {{false, 64, plenty}});
  EXPECT_LT(large, reads);
  EXPECT_LT(small, large);
}

TEST(DramRates, WithoutRefreshAreNotLower) {
  hbm::Part part = hbm::part_named("hbm3-h100");
  const double with = rate(part, stream());
  part.controller.refresh = hbm::Refresh::none;
  EXPECT_GT(rate(part, stream()), with);
}

TEST(DramRates, GrowWithTheNumberOfStacks) {
  hbm::Part part = hbm::part_named("hbm3-h100");
  part.geometry.stacks = 1;
  const double one = rate(part, stream());
  part.geometry.stacks = 4;
  EXPECT_NEAR(rate(part, stream()) / one, 4, 1e-9);
}

// A piece of 256 B at a random place touches 1 + 7/8 grains of 256 B. With m of them a channel on average, the fullest
// has at most about m + sqrt(2 m ln C).
TEST(DramRates, AFewPiecesLoadChannelsUnevenly) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  const double channels = part.geometry.all_channels();
  const double pieces = 100 * 1.875;
  const auto bytes = static_cast<std::int64_t>(100 * channels * 256);
  DramRates rates(part);
  const double few = rates.of({{false, 256, bytes}}).rate.per_second();
  const double many = rates.of({{false, 256, plenty}}).rate.per_second();
  const double expected = 1 + std::sqrt(2 * pieces * std::log(channels)) / pieces;
  EXPECT_NEAR(many / few, expected, 0.001);
  EXPECT_EQ(rates.sampled(), 1U);
}

TEST(DramRates, MixesOfTheSameSharesAreSampledOnce) {
  DramRates rates(hbm::part_named("hbm3-h100"));
  const double small = rates.of({{false, 0, 3 * mega}, {true, 0, mega}}).rate.per_second();
  const double large = rates.of({{true, 0, 100 * mega}, {false, 0, 300 * mega}}).rate.per_second();
  EXPECT_EQ(small, large);
  EXPECT_EQ(rates.sampled(), 1U);
}

DramMix random_mix(hbm::SplitMix64& random) {
  DramMix mix;
  const std::uint64_t shares = 1 + random.below(3);
  for (std::uint64_t i = 0; i < shares; ++i) {
    const auto piece = static_cast<std::int64_t>(random.below(2) == 0 ? 0 : 32 * (1 + random.below(64)));
    const auto bytes = static_cast<std::int64_t>(1 + random.below(1000)) * mega;
    mix.push_back({random.below(4) == 0, piece, bytes});
  }
  return mix;
}

// How often the rate of twenty times as many windows, after those that were sampled, lies inside the stated error.
double honest_share(int cases) {
  const hbm::Part part = hbm::part_named("hbm3e-h200");
  hbm::SplitMix64 random(7);
  int inside = 0;
  for (int i = 0; i < cases; ++i) {
    const DramMix mix = random_mix(random);
    const DramRate sampled = DramRates(part).of(mix);
    const DramRate truth = DramRates(part, {.warm_up = 9 * 6144, .window = 6144, .windows = 160}).of(mix);
    const double off = std::abs(sampled.rate.per_second() / truth.rate.per_second() - 1);
    inside += off <= sampled.error ? 1 : 0;
  }
  return static_cast<double>(inside) / cases;
}

// A tenth of a 64th of writes costs a tenth of what a 64th does, but for a part of 65 that stands for one of 64.
// One byte in 64 written: writes wait until there are enough of them to be worth a turn of the bus.
TEST(DramRates, AFewWritesCostLittle) {
  DramRates rates(hbm::part_named("hbm3e-h200"));
  const auto rate_of = [&](std::int64_t writes) {
    return rates.of({{false, 0, 64'000'000 - writes}, {true, 0, writes}}).rate.per_second();
  };
  const double pure = rates.of({{false, 0, 64'000'000}}).rate.per_second();
  EXPECT_GT(rate_of(1'000'000), 0.98 * pure);
  EXPECT_GT(rate_of(100'000), 0.99 * pure);
}

TEST(DramRates, StateAnErrorThatHolds) { EXPECT_GE(honest_share(8), 0.95); }

TEST(DramRatesSlow, StateAnErrorThatHoldsInNineteenOfTwentyCases) { EXPECT_GE(honest_share(200), 0.95); }

}  // namespace
}  // namespace kvtraffic::hardware
