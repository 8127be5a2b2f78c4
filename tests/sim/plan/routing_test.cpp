// Tokens of experts against every set of experts that a token can choose, and what a device makes of them.
#include "sim/plan/routing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/run/tally.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

Routing drawn(std::uint64_t seed, double skew = 0) { return {.is_drawn = true, .seed = seed, .skew = skew}; }

Deployment devices(std::int64_t tensor, std::int64_t data, std::int64_t expert) {
  Deployment d;
  d.devices = tensor * data;
  d.tensor = tensor;
  d.data = data;
  d.expert = expert;
  return d;
}

std::int64_t distinct(const std::vector<std::int64_t>& counts) {
  return static_cast<std::int64_t>(counts.size()) - std::ranges::count(counts, 0);
}

double real(std::int64_t value) { return static_cast<double>(value); }

RC_GTEST_PROP(DrawTokens, EveryTokenChoosesItsNumberOfDifferentExperts, ()) {
  const ExpertSet set{*rc::gen::inRange<std::int64_t>(8, 400), *rc::gen::inRange<std::int64_t>(1, 9)};
  const std::int64_t tokens = *rc::gen::element<std::int64_t>(0, 1, 2, 100, 5000, 1'000'000, 3'000'000'000);
  const double skew = *rc::gen::element(0.0, 0.3, 1.0, 10.0);
  const auto counts = draw_tokens(set, drawn(*rc::gen::inRange<std::uint64_t>(0, 1000), skew), {}, tokens);
  RC_ASSERT(counts.size() == static_cast<std::size_t>(set.routed));
  RC_ASSERT(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == tokens * set.active);
  RC_ASSERT(std::ranges::all_of(counts, [&](std::int64_t n) { return n >= 0 && n <= tokens; }));
  RC_ASSERT(distinct(counts) >= (tokens > 0 ? set.active : 0));
}

TEST(DrawTokens, ATokenThatTakesAllTakesEachOnce) {
  for (const std::int64_t count : draw_tokens({8, 8}, drawn(1, 1.5), {}, 77)) EXPECT_EQ(count, 77);
}

// E (1 - (1 - k/E)^T), and the same to a hundredth over many seeds.
TEST(DrawTokens, AsManyExpertsHaveTokensOnAverageAsAreExpected) {
  constexpr int seeds = 2000;
  for (const std::int64_t tokens : {1, 8, 32, 100}) {
    std::int64_t sum = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) sum += distinct(draw_tokens({256, 8}, drawn(seed), {}, tokens));
    const double expected = 256 * (1 - std::pow(1 - 8.0 / 256, tokens));
    EXPECT_NEAR(real(sum) / seeds, expected, 0.25) << tokens;  // spread below 5, so 0.11 of a mean of 2,000
    EXPECT_NEAR(real(sum) / seeds, real(expected_distinct_experts({256, 8}, tokens)), 0.75) << tokens;
  }
}

// Chances by enumeration: sets of two of four experts weigh the product of their popularities.
TEST(DrawTokens, ChoosesAsIndependentDrawsThatAreAllDifferent) {
  constexpr double skew = 1;
  constexpr std::int64_t tokens = 1'000'000;
  std::vector<double> chance(4);
  double sum = 0;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) {
      const double weight = std::pow(1.0 + real(static_cast<std::int64_t>(a)), -skew) *
                            std::pow(1.0 + real(static_cast<std::int64_t>(b)), -skew);
      chance[a] += weight;
      chance[b] += weight;
      sum += weight;
    }
  }
  auto counts = draw_tokens({4, 2}, drawn(5, skew), {}, tokens);
  std::ranges::sort(counts, std::greater<>());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(real(counts[i]) / tokens, chance[i] / sum, 4 * 0.5 / std::sqrt(tokens)) << i;
  }
}

TEST(DrawTokens, WithOneExpertATokenThePopularityIsThatOfZipf) {
  constexpr std::int64_t tokens = 10'000'000;
  auto counts = draw_tokens({16, 1}, drawn(9, 1.2), {}, tokens);
  std::ranges::sort(counts, std::greater<>());
  for (std::size_t i = 1; i < counts.size(); ++i) {
    EXPECT_NEAR(real(counts[0]) / real(counts[i]), std::pow(i + 1, 1.2), 0.02 * std::pow(i + 1, 1.2)) << i;
  }
}

TEST(DrawTokens, DependOnSeedLayerAndTokens) {
  const auto draw = [](std::uint64_t seed, DrawKey key) { return draw_tokens({256, 8}, drawn(seed, 1), key, 1000); };
  EXPECT_EQ(draw(1, {0, 0}), draw(1, {0, 0}));
  EXPECT_NE(draw(1, {0, 0}), draw(2, {0, 0}));
  EXPECT_NE(draw(1, {0, 0}), draw(1, {1, 0}));
  EXPECT_NE(draw(1, {0, 0}), draw(1, {0, 1}));
}

std::size_t favourite(const DrawKey& key) {
  const auto counts = draw_tokens({64, 2}, drawn(1, 2), key, 100'000);
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

TEST(DrawTokens, WhoIsPopularFollowsFromTheLayerAndNotFromTheTokens) {
  EXPECT_EQ(favourite({3, 0}), favourite({3, 1}));
  EXPECT_NE(favourite({3, 0}), favourite({4, 0}));
}

// The same bits on every machine: no derivation tells that, so these were drawn once and must never change.
TEST(DrawTokens, AreTheSameEverywhere) {
  EXPECT_EQ(draw_tokens({8, 2}, drawn(1), {}, 1000),
            (std::vector<std::int64_t>{233, 236, 245, 253, 265, 258, 259, 251}));
  EXPECT_EQ(draw_tokens({8, 2}, drawn(2, 1), {}, 1'000'000),
            (std::vector<std::int64_t>{172133, 587275, 210569, 145016, 125551, 110324, 270868, 378264}));
}

TEST(DrawTokens, RefusesTablesWithoutEnd) {
  EXPECT_TRUE(can_draw({384, 8}));
  EXPECT_FALSE(can_draw({1'000'000, 8}));
  EXPECT_FALSE(can_draw({8, 9}));
  EXPECT_THROW((void)draw_tokens({1'000'000, 8}, drawn(1), {}, 1), std::logic_error);
}

// ---- by device ----

// 2 groups of 4 experts; of the 8, experts 1, 3, 5 and 7 lie in host memory.
TEST(ExpertLoad, IsThatOfTheDeviceWithTheMostOfEach) {
  const std::vector<std::int64_t> tokens{1, 1, 1, 1, 0, 129, 0, 64};
  const ExpertLoad load = load_of(tokens, {8, 2, 4}, devices(1, 2, 2));
  EXPECT_EQ(load.distinct.total, 6);
  EXPECT_EQ(load.distinct.device, 4);
  EXPECT_EQ(load.in_host_memory.total, 4);
  EXPECT_EQ(load.in_host_memory.device, 2);
  EXPECT_EQ(load.in_device_memory.total, 2);
  EXPECT_EQ(load.in_device_memory.device, 2);
  EXPECT_EQ(load.pairs_device, 129 + 64);
  EXPECT_EQ(load.row_tiles_64, std::max(4, 3 + 1));
  EXPECT_EQ(load.row_tiles_128, std::max(4, 2 + 1));
}

TEST(ExpertLoad, OfATensorGroupIsThatOfTheExpertGroupsItHolds) {
  const std::vector<std::int64_t> tokens{5, 0, 0, 0, 3, 4, 0, 0};
  EXPECT_EQ(load_of(tokens, {8, 2}, devices(1, 8, 8)).pairs_rank, 5);
  EXPECT_EQ(load_of(tokens, {8, 2}, devices(2, 4, 8)).pairs_rank, 7);  // two groups each: 5, 0, 7, 0
  EXPECT_EQ(load_of(tokens, {8, 2}, devices(1, 8, 2)).pairs_rank, 7);  // four share a group: 5, 7
}

RC_GTEST_PROP(ExpertLoad, HoldsWholeExpertsInEveryDivision, ()) {
  const std::int64_t routed = *rc::gen::inRange<std::int64_t>(8, 300);
  const ExpertSet set{routed, 4, *rc::gen::inRange<std::int64_t>(0, routed + 1)};
  const Deployment where = devices(1, *rc::gen::inRange<std::int64_t>(1, 20), 1);
  Deployment divided = where;
  divided.expert = where.devices;
  const auto tokens_of =
      draw_tokens(set, drawn(*rc::gen::inRange<std::uint64_t>(0, 99)), {}, *rc::gen::inRange<std::int64_t>(0, 4000));
  const ExpertLoad whole = load_of(tokens_of, set, where), load = load_of(tokens_of, set, divided);
  const std::int64_t pairs = std::accumulate(tokens_of.begin(), tokens_of.end(), std::int64_t{0});
  RC_ASSERT(whole.pairs_device == pairs && whole.distinct.device == whole.distinct.total);
  RC_ASSERT(load.distinct.total == whole.distinct.total);
  RC_ASSERT(load.in_host_memory.total + load.in_device_memory.total == load.distinct.total);
  RC_ASSERT(load.in_host_memory.total <= set.hosted);
  RC_ASSERT(load.distinct.device <= ceil_divide(routed, divided.expert));
  RC_ASSERT(load.distinct.device * divided.expert >= load.distinct.total);
  RC_ASSERT(load.pairs_device * divided.expert >= pairs);
  RC_ASSERT(load.row_tiles_64 * 64 >= ceil_divide(pairs, divided.expert));
  RC_ASSERT(load.row_tiles_64 >= load.row_tiles_128);
}

TEST(ExpertLoad, GrowsWithTheSkewOnTheFullestDevice) {
  const auto mean_of = [](double skew) {
    std::int64_t sum = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const ExpertSet set{256, 8};
      sum += load_of(draw_tokens(set, drawn(seed, skew), {}, 4096), set, devices(1, 8, 8)).pairs_device;
    }
    return sum / 50;
  };
  const std::int64_t even = 4096 * 8 / 8;
  EXPECT_GT(mean_of(0), even);
  EXPECT_GT(mean_of(0.5), mean_of(0));
  EXPECT_GT(mean_of(1), mean_of(0.5));
}

}  // namespace
}  // namespace kvtraffic::sim
