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

DramRate rate_of(DramRates& rates, const DramMix& mix) { return rates.rate_of(rates.mix_of(mix)); }

double rate(const hbm::Part& part, const DramMix& mix) {
  DramRates rates(part);
  return rate_of(rates, mix).rate.per_second();
}

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

// A piece of 256 B at a random place touches 1 + 7/8 grains of 256 B, so a channel's share of n pieces is a sum of
// 1.875 n / C cuts of 256 / 1.875 B, more or less the root of their number. The largest of C normal deviates is
// about 2.5.
TEST(DramRates, PiecesLoadChannelsUnevenly) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  const double channels = part.geometry.all_channels();
  DramRates rates(part);
  const DramRate gather = rate_of(rates, {{false, 576, plenty}});
  const double seconds = 20e-6;
  const double bytes = gather.rate.per_second() * seconds / channels;  // of a channel
  const double cut = 576.0 / 3;
  const double expected = 2.5 * std::sqrt(bytes / cut) * cut / (gather.rate.per_second() / channels);
  EXPECT_NEAR(rates.lag(gather, seconds) / expected, 1, 0.03);
  EXPECT_EQ(rates.lag(rate_of(rates, stream()), seconds), 0);
}

// Half of the bytes in flight of one mix, half of another: as if they were one mix.
TEST(DramRates, MixesTogetherAreOneMix) {
  DramRates rates(hbm::part_named("hbm3-h100"));
  const std::uint32_t loads = rates.mix_of(stream());
  const std::uint32_t stores = rates.mix_of({{true, 0, mega}});
  const double together = rates.together(std::vector<MixWeight>{{loads, 3}, {stores, 3}}).rate.per_second();
  EXPECT_EQ(together, rate_of(rates, {{false, 0, mega}, {true, 0, mega}}).rate.per_second());
  EXPECT_EQ(rates.together(std::vector<MixWeight>{{loads, 7}}).rate.per_second(),
            rate_of(rates, stream()).rate.per_second());
}

TEST(DramRates, MixesOfTheSameSharesAreSampledOnce) {
  DramRates rates(hbm::part_named("hbm3-h100"));
  const double small = rate_of(rates, {{false, 0, 3 * mega}, {true, 0, mega}}).rate.per_second();
  const double large = rate_of(rates, {{true, 0, 100 * mega}, {false, 0, 300 * mega}}).rate.per_second();
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

// How often the rate of many more windows, after those that were sampled, lies inside the stated error.
double honest_share(int cases) {
  const hbm::Part part = hbm::part_named("hbm3e-h200");
  hbm::SplitMix64 random(7);
  int inside = 0;
  for (int i = 0; i < cases; ++i) {
    const DramMix mix = random_mix(random);
    DramRates windows(part);
    DramRates many(part, {.warm_up = 60 * 6144, .window = 6144, .windows = 160, .most_windows = 160});
    const DramRate sampled = rate_of(windows, mix);
    const DramRate truth = rate_of(many, mix);
    const double off = std::abs(sampled.rate.per_second() / truth.rate.per_second() - 1);
    inside += off <= sampled.error ? 1 : 0;
  }
  return static_cast<double>(inside) / cases;
}

// One byte in 64 written: writes wait until there are enough of them to be worth a turn of the bus. Over 300 windows a
// 64th of writes costs 2.1 %, a tenth of that 1.1 %; eight windows know it to about one percent.
TEST(DramRates, AFewWritesCostLittle) {
  DramRates rates(hbm::part_named("hbm3e-h200"));
  const auto with = [&](std::int64_t writes) {
    return rate_of(rates, {{false, 0, 64'000'000 - writes}, {true, 0, writes}}).rate.per_second();
  };
  const double pure = rate_of(rates, {{false, 0, 64'000'000}}).rate.per_second();
  EXPECT_GT(with(1'000'000), 0.965 * pure);
  EXPECT_GT(with(100'000), 0.975 * pure);
}

TEST(DramRates, StateAnErrorThatHolds) { EXPECT_GE(honest_share(8), 0.95); }

TEST(DramRatesSlow, StateAnErrorThatHoldsInNineteenOfTwentyCases) { EXPECT_GE(honest_share(200), 0.95); }

}  // namespace
}  // namespace kvtraffic::hardware
