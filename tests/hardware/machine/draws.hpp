// What tests of random draws ask: valid, and even. Bounds are five standard deviations, so that a seed chosen anew
// fails once in a million.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace kvtraffic::hardware::test {

using Entries = std::vector<std::int64_t>;
using Tallies = std::map<Entries, int>;

inline void expect_ascending_below(std::int64_t entries, const Entries& drawn) {
  EXPECT_TRUE(std::ranges::is_sorted(drawn, std::ranges::less_equal())) << "not ascending and different";
  if (drawn.empty()) return;
  EXPECT_GE(drawn.front(), 0);
  EXPECT_LT(drawn.back(), entries);
}

// Pearson's statistic of `draws` draws over `kinds` equally likely results: kinds - 1 on average, deviating by
// sqrt(2 (kinds - 1)).
inline void expect_even(const Tallies& tallies, int kinds, int draws) {
  EXPECT_EQ(tallies.size(), static_cast<std::size_t>(kinds));
  const double expected = static_cast<double>(draws) / kinds;
  double statistic = 0;
  for (const auto& [drawn, times] : tallies) statistic += (times - expected) * (times - expected) / expected;
  const double freedom = kinds - 1;
  EXPECT_LT(statistic, freedom + 5 * std::sqrt(2 * freedom));
}

// The mean of a sample, and by how much it may deviate.
class Mean {
 public:
  void add(double value) {
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  [[nodiscard]] double value() const { return sum_ / count_; }
  [[nodiscard]] double bound() const {
    const double variance = std::max(squares_ / count_ - value() * value(), 0.0);
    return 5 * std::sqrt(variance / count_) + 1e-9;
  }

 private:
  double count_ = 0, sum_ = 0, squares_ = 0;
};

}  // namespace kvtraffic::hardware::test
