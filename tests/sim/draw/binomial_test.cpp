// Binomial draws against the distribution they are drawn from.
#include "sim/draw/binomial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace kvtraffic::sim {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

double probability(std::int64_t n, double p, std::int64_t k) {
  return std::exp(std::lgamma(real(n + 1)) - std::lgamma(real(k + 1)) - std::lgamma(real(n - k + 1)) +
                  real(k) * std::log(p) + real(n - k) * std::log1p(-p));
}

// Pearson's statistic less its mean, in standard deviations; values that are seldom expected are one.
double deviation(std::int64_t n, double p) {
  constexpr int draws = 200'000;
  std::vector<int> seen(static_cast<std::size_t>(n) + 1);
  SplitMix64 random(7);
  for (int i = 0; i < draws; ++i) ++seen[static_cast<std::size_t>(binomial(random, n, p))];
  double sum = 0, freedom = -1, rest = 0, rest_seen = 0;
  const auto add = [&](double expected, double found) {
    sum += (found - expected) * (found - expected) / expected;
    freedom += 1;
  };
  for (std::int64_t k = 0; k <= n; ++k) {
    const double expected = draws * probability(n, p, k), found = seen[static_cast<std::size_t>(k)];
    if (expected >= 10) {
      add(expected, found);
    } else {
      rest += expected;
      rest_seen += found;
    }
  }
  if (rest > 5) add(rest, rest_seen);
  return (sum - freedom) / std::sqrt(2 * freedom);
}

TEST(Binomial, WithASmallMeanIsDistributedAsItSays) {
  for (const auto& [n, p] : {std::pair<std::int64_t, double>{5, 0.3}, {40, 0.1}, {19, 0.5}, {90, 0.11}, {9, 0.9}}) {
    EXPECT_LT(deviation(n, p), 4) << n << " x " << p;
  }
}

TEST(Binomial, WithALargeMeanIsDistributedAsItSays) {
  for (const auto& [n, p] :
       {std::pair<std::int64_t, double>{40, 0.3}, {100, 0.5}, {300, 0.9}, {1000, 0.02}, {4000, 0.25}}) {
    EXPECT_LT(deviation(n, p), 4) << n << " x " << p;
  }
}

TEST(Binomial, OfMillionsHasItsMeanAndSpread) {
  constexpr int draws = 20'000;
  for (const auto& [n, p] : {std::pair<std::int64_t, double>{1'000'000, 0.03}, {1'000'000'000'000, 1.0 / 256}}) {
    const double mean = real(n) * p, spread = std::sqrt(mean * (1 - p));
    SplitMix64 random(3);
    double sum = 0, squares = 0;
    for (int i = 0; i < draws; ++i) {
      const double off = (real(binomial(random, n, p)) - mean) / spread;
      sum += off;
      squares += off * off;
    }
    EXPECT_NEAR(sum / draws, 0, 4 / std::sqrt(draws));
    EXPECT_NEAR(squares / draws, 1, 4 * std::sqrt(2.0 / draws));
  }
}

TEST(Binomial, HasNoChoiceAtTheEnds) {
  SplitMix64 random(1);
  EXPECT_EQ(binomial(random, 1000, 0), 0);
  EXPECT_EQ(binomial(random, 1000, -1), 0);
  EXPECT_EQ(binomial(random, 1000, 1), 1000);
  EXPECT_EQ(binomial(random, 0, 0.5), 0);
  EXPECT_EQ(binomial(random, INT64_MAX, 1), INT64_MAX);
  for (int i = 0; i < 1000; ++i) EXPECT_NEAR(real(binomial(random, INT64_MAX, 0.5)) / real(INT64_MAX), 0.5, 1e-6);
}

}  // namespace
}  // namespace kvtraffic::sim
