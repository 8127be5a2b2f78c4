// Histogram, counters and the splitting of bus time. Leaves out who counts when (controller_test.cpp).
#include "hardware/hbm/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hardware/hbm/split_mix.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

// The value of a sorted vector at which `share` of all are not above it.
Tick plain_quantile(std::vector<Tick> values, double share) {
  std::ranges::sort(values);
  const auto count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(count, 1) - 1];
}

TEST(LatencyHistogram, IsExactToAClockBelow2048HalfClocks) {
  SplitMix64 random(1);
  std::vector<Tick> values;
  LatencyHistogram histogram;
  for (int i = 0; i < 5000; ++i) {
    values.push_back(static_cast<Tick>(random.below(2047)));
    histogram.add(values.back());
  }
  for (const double share : {0.0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    EXPECT_EQ(histogram.quantile(share), plain_quantile(values, share) / 2 * 2) << share;
  }
}

TEST(LatencyHistogram, IsExactToThreePercentAbove) {
  SplitMix64 random(2);
  std::vector<Tick> values;
  LatencyHistogram histogram;
  for (int i = 0; i < 5000; ++i) {
    values.push_back(static_cast<Tick>(random.below(std::uint64_t{1} << (1 + random.below(40)))));
    histogram.add(values.back());
  }
  for (const double share : {0.1, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999, 1.0}) {
    const auto plain = static_cast<double>(plain_quantile(values, share));
    const auto told = static_cast<double>(histogram.quantile(share));
    EXPECT_GE(told, plain - 1) << share << ": the upper end of its bucket";
    EXPECT_LE(told, plain * (1 + 1.0 / 32) + 2) << share;
  }
}

TEST(LatencyHistogram, OfNothingIsZeroAndOfOneIsIt) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.quantile(0.99), 0);
  histogram.add(100);
  for (const double share : {0.0, 0.5, 1.0}) EXPECT_EQ(histogram.quantile(share), 100);
}

TEST(LatencyHistogram, AddsOthersAndDifferencesTimesOver) {
  LatencyHistogram earlier, later, sum, expected;
  for (const Tick value : {10, 20, 5000}) earlier.add(value);
  later = earlier;
  for (const Tick value : {20, 700'000}) later.add(value);
  sum.add(earlier, 2);
  sum.add_difference(later, earlier, 3);
  for (int i = 0; i < 2; ++i) {
    for (const Tick value : {10, 20, 5000}) expected.add(value);
  }
  for (int i = 0; i < 3; ++i) {
    for (const Tick value : {20, 700'000}) expected.add(value);
  }
  EXPECT_EQ(sum, expected);
  expected.add(4);
  EXPECT_NE(sum, expected);
}

// Every field another number.
Counters numbered(std::uint64_t first) {
  Counters counters;
  for (std::uint64_t* field :
       {&counters.reads, &counters.writes, &counters.forwarded, &counters.coalesced, &counters.row_hits,
        &counters.row_misses, &counters.row_conflicts, &counters.latency_ticks}) {
    *field = first += 3;
  }
  for (std::uint64_t& count : counters.commands) count = first += 3;
  for (std::int64_t& ticks : counters.ticks) ticks = static_cast<std::int64_t>(first += 3);
  return counters;
}

TEST(Counters, AreAddedFieldByField) {
  Counters sum = numbered(1000);
  sum.add(numbered(10), 5);
  const Counters expected = [] {
    Counters counters = numbered(1000);
    for (int i = 0; i < 5; ++i) counters.add(numbered(10));
    return counters;
  }();
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(sum.reads, 1003U + 5 * 13U);
  EXPECT_EQ(sum.latency_ticks, 1024U + 5 * 34U);
  EXPECT_EQ(sum.commands.back(), 1000 + 3 * 17 + 5 * (10 + 3 * 17U));
  EXPECT_EQ(sum.ticks.back(), 1000 + 3 * 26 + 5 * (10 + 3 * 26));
}

TEST(Counters, SinceIsWhatAddTakesBack) {
  Counters later = numbered(1000);
  later.add(numbered(10));
  EXPECT_EQ(later.since(numbered(1000)), numbered(10));
  EXPECT_EQ(numbered(7).since(numbered(7)), Counters{});
}

// ---- bus time ----

constexpr Tick burst = 4;

Tick told(const Counters& counters, Cause cause) { return counters.ticks[static_cast<std::size_t>(cause)]; }
Tick all_told(const Counters& counters) {
  return std::accumulate(counters.ticks.begin(), counters.ticks.end(), Tick{0});
}

TEST(BusTime, BelongsToTheRuleThatLetTheCommandGo) {
  BusTime bus(burst);
  Counters counters;
  bus.column(0, 100, {.gate = Stamp(99, Cause::tCCDL), .arrival = 0}, counters);
  EXPECT_EQ(told(counters, Cause::tCCDL), 100);
  EXPECT_EQ(told(counters, Cause::data_bus), burst);
  bus.column(0, 104, {.gate = Stamp(104, Cause::data_bus), .arrival = 0}, counters);
  EXPECT_EQ(told(counters, Cause::data_bus), 2 * burst) << "back to back";
  EXPECT_EQ(all_told(counters), 108);
}

TEST(BusTime, BelongsToTheFeedWhenNobodyHadAsked) {
  BusTime bus(burst);
  Counters counters;
  bus.column(0, 51, {.gate = Stamp(10, Cause::tCCDL), .arrival = 50, .held_by = Cause::feed}, counters);
  bus.column(1, 51, {.gate = Stamp(10, Cause::tCCDL), .arrival = 50, .held_by = Cause::queue}, counters);
  EXPECT_EQ(told(counters, Cause::feed), 51);
  EXPECT_EQ(told(counters, Cause::queue), 51);
}

TEST(BusTime, BelongsToWhatItLostToOnceItCouldHaveGone) {
  BusTime bus(burst);
  Counters counters;
  bus.column(0, 51, {.gate = Stamp(10, Cause::tCCDL), .arrival = 20, .lost_to = Cause::refresh}, counters);
  EXPECT_EQ(told(counters, Cause::feed), 20) << "until it came";
  EXPECT_EQ(told(counters, Cause::refresh), 31);
}

TEST(BusTime, OfAnOpeningRowIsSplitAtItsActivate) {
  BusTime bus(burst);
  Counters counters;
  const BusTime::Reason reason{
      .gate = Stamp(150, Cause::row_cycle), .arrival = 0, .opened = 100, .opened_by = Cause::tFAW};
  bus.column(0, 151, reason, counters);
  EXPECT_EQ(told(counters, Cause::tFAW), 100) << "what had held the ACT up";
  EXPECT_EQ(told(counters, Cause::row_cycle), 51) << "tRCD";
}

TEST(BusTime, OfAnOpeningRowIsTheFeedsUntilSomebodyAsked) {
  BusTime bus(burst);
  Counters counters;
  bus.column(0, 151,
             {.gate = Stamp(150, Cause::row_cycle),
              .arrival = 80,
              .held_by = Cause::feed,
              .opened = 100,
              .opened_by = Cause::command_bus},
             counters);
  EXPECT_EQ(told(counters, Cause::feed), 80);
  EXPECT_EQ(told(counters, Cause::command_bus), 20) << "its ACT lost its turns";
  EXPECT_EQ(told(counters, Cause::row_cycle), 51);
}

TEST(BusTime, OfARowThatWasOpenedBehindOtherDataBelongsToWhatHeldItsActivate) {
  BusTime bus(burst);
  Counters counters;
  bus.column(0, 121, {.gate = Stamp(121, Cause::tCCDL), .arrival = 0}, counters);
  bus.column(0, 151, {.gate = Stamp(150, Cause::row_cycle), .opened = 100, .opened_by = Cause::tFAW}, counters);
  EXPECT_EQ(told(counters, Cause::tFAW), 151 - 121 - burst);
}

TEST(BusTime, AddsUpToTheEndOnEveryBus) {
  BusTime bus(burst);
  Counters counters;
  SplitMix64 random(3);
  std::array<Tick, 2> now{};
  for (int i = 0; i < 200; ++i) {
    const auto pc = static_cast<std::size_t>(random.below(2));
    now.at(pc) += burst + static_cast<Tick>(random.below(50));
    const Tick opened = now.at(pc) - static_cast<Tick>(random.below(80));
    bus.column(static_cast<int>(pc), now.at(pc),
               {.gate = Stamp(now.at(pc) - static_cast<Tick>(random.below(4)), static_cast<Cause>(random.below(7))),
                .arrival = now.at(pc) - static_cast<Tick>(random.below(9)),
                .opened = opened},
               counters);
  }
  const Tick end = std::max(now[0], now[1]) + 100;
  bus.finish(2, end, counters);
  EXPECT_EQ(all_told(counters), 2 * end);
}

TEST(Cause, OfACommandIsItsGateItsArrivalOrWhatItLostTo) {
  const Stamp gate(98, Cause::tFAW);
  EXPECT_EQ(cause_of(99, gate, 10, Cause::feed, Cause::refresh), Cause::tFAW) << "an edge had to be awaited";
  EXPECT_EQ(cause_of(101, gate, 10, Cause::feed, Cause::refresh), Cause::refresh) << "it could have gone before";
  EXPECT_EQ(cause_of(101, gate, 100, Cause::feed, Cause::refresh), Cause::feed);
  EXPECT_EQ(cause_of(101, gate, 100, Cause::queue, Cause::refresh), Cause::queue);
}

TEST(Stamp, OrdersByTickAndKeepsItsCause) {
  const Stamp early(10, Cause::feed), late(11, Cause::data_bus);
  EXPECT_TRUE(early < late);
  EXPECT_EQ(later(early, late), late);
  EXPECT_EQ(late.tick(), 11);
  EXPECT_EQ(early.cause(), Cause::feed);
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
