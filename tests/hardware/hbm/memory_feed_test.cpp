// Feeds: when requests come, what that does to bandwidth and latency, and what a result says of energy.
// Leaves out what patterns ask for (patterns_test.cpp).
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "hardware/hbm/memory.hpp"
#include "tests/hardware/hbm/parts.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

using enum Timing;

constexpr std::int64_t MiB = 1024 * 1024;

Part small_part() {
  Part part = part_named("hbm3-h100");
  part.geometry.stacks = 1;
  part.geometry.channels = 4;
  return part;
}

RunSettings fed(Feed feed, sim::Bandwidth rate = {}) {
  RunSettings settings;
  settings.feed = feed;
  settings.rate = rate;
  return settings;
}

sim::Bandwidth share_of_peak(const Part& part, double share) {
  return sim::Bandwidth::per_second(part.peak().per_second() * share);
}

TEST(RateFeed, ReachesTheRateThatItAsksFor) {
  const Part part = small_part();
  for (const double share : {0.1, 0.5, 0.8}) {
    const MemoryResult result = run_pattern(part, "stream", 2 * MiB, fed(Feed::rate, share_of_peak(part, share)));
    EXPECT_NEAR(result.peak_fraction(), share, share * 0.02) << share;
  }
}

TEST(RateFeed, CountsLatencyFromWhenARequestWasAskedFor) {
  Part part = small_part();
  part.controller.refresh = Refresh::none;
  const MemoryResult easy = run_pattern(part, "stream", MiB, fed(Feed::rate, share_of_peak(part, 0.05)));
  const double clock = 1 / part.clock_rate().per_second();
  const auto clocks = [&](std::initializer_list<Timing> timings) {
    return static_cast<double>(half_clocks(part, timings)) / 2 * clock;
  };
  EXPECT_GE(easy.mean_latency_seconds(), clocks({tCL, tBL}));
  EXPECT_LE(easy.mean_latency_seconds(), clocks({tRP, tRCDRD, tCL, tBL, tCCDL, tCCDL})) << "nothing queues";
  // At twice the peak the last of N requests is asked for at half the time that all of them take.
  const MemoryResult late = run_pattern(part, "stream", MiB, fed(Feed::rate, share_of_peak(part, 2)));
  EXPECT_NEAR(late.latency_seconds(1.0), late.seconds() / 2, late.seconds() * 0.1);
  EXPECT_NEAR(late.mean_latency_seconds(), late.seconds() / 4, late.seconds() * 0.1);
}

TEST(SaturatedFeed, CountsLatencyFromWhenARequestIsFirstOffered) {
  Part part = channel_of("hbm3-h100");
  part.controller.refresh = Refresh::none;
  part.controller.read_queue = 4;
  const MemoryResult result = run_pattern(part, "stream", MiB / 4, fed(Feed::saturated));
  const double clock = 1 / part.clock_rate().per_second();
  // Of five requests that wait or are being served each moves on when one leaves; a row's opening may come in between.
  EXPECT_GE(result.mean_latency_seconds(), static_cast<double>(half_clocks(part, {tCL, tBL})) / 2 * clock);
  EXPECT_LE(result.mean_latency_seconds(), static_cast<double>(half_clocks(part, {tRC, tRC, tCL, tBL})) / 2 * clock);
}

TEST(InOrderFeed, IsNeverFasterThanTheSaturated) {
  const Part part = small_part();
  for (const char* pattern : {"stream", "streams:16", "random:64", "gather:64x656/4096", "mix:0.5", "stream:write"}) {
    const MemoryResult saturated = run_pattern(part, pattern, MiB, fed(Feed::saturated));
    const MemoryResult ordered = run_pattern(part, pattern, MiB, fed(Feed::in_order));
    // A greedy schedule may gain a little by seeing less: one blocking of a refresh at most.
    EXPECT_GE(static_cast<double>(ordered.ticks), 0.995 * static_cast<double>(saturated.ticks)) << pattern;
    EXPECT_EQ(ordered.requests, saturated.requests) << pattern;
  }
}

TEST(InOrderFeed, IsTheSaturatedWhereThereIsOneChannel) {
  const Part part = channel_of("hbm3-h100");
  for (const char* pattern : {"stream", "random:64", "mix:0.5"}) {
    const MemoryResult saturated = run_pattern(part, pattern, MiB / 2, fed(Feed::saturated));
    const MemoryResult ordered = run_pattern(part, pattern, MiB / 2, fed(Feed::in_order));
    EXPECT_EQ(ordered.ticks, saturated.ticks) << pattern;
    EXPECT_EQ(ordered.counters.commands, saturated.counters.commands) << pattern;
  }
}

TEST(InOrderFeed, LetsOneFullChannelBlockAll) {
  Part part = small_part();
  part.map = "map-A";
  part.controller.read_queue = 1;
  const MemoryResult saturated = run_pattern(part, "stream", MiB, fed(Feed::saturated));
  const MemoryResult ordered = run_pattern(part, "stream", MiB, fed(Feed::in_order));
  EXPECT_GT(static_cast<double>(ordered.ticks), 3.0 * static_cast<double>(saturated.ticks))
      << "a row of one channel after the other, one request at a time";
}

// Each request finds everything done: its latency is that of a hit, a miss or a conflict, each to within two edges.
TEST(OneAtATimeFeed, HasTheLatencyOfWhatEachRequestMeets) {
  Part part = small_part();
  part.controller.refresh = Refresh::none;
  const MemoryResult result = run_pattern(part, "chase", MiB / 8, fed(Feed::one_at_a_time));
  const Counters& counters = result.counters;
  ASSERT_GT(counters.row_conflicts, 1000U);
  ASSERT_GT(counters.row_misses, 50U);
  const auto sum = static_cast<Tick>(counters.row_hits) * half_clocks(part, {tCL, tBL}) +
                   static_cast<Tick>(counters.row_misses) * half_clocks(part, {tRCDRD, tCL, tBL}) +
                   static_cast<Tick>(counters.row_conflicts) * half_clocks(part, {tRP, tRCDRD, tCL, tBL});
  const auto told = static_cast<Tick>(counters.latency_ticks);
  EXPECT_GE(told, sum);
  EXPECT_LE(told, sum + 4 * static_cast<Tick>(result.requests));
  EXPECT_EQ(result.ticks, told) << "the next is asked for when the last is answered";
}

TEST(Feeds, AnswerEachRequestOnce) {
  for (const Feed feed : {Feed::saturated, Feed::in_order, Feed::one_at_a_time, Feed::rate}) {
    const Part part = small_part();
    for (const char* pattern : {"stream", "random:64", "mix:0.5", "stream:write"}) {
      const MemoryResult result = run_pattern(part, pattern, MiB / 8, fed(feed, share_of_peak(part, 0.7)));
      EXPECT_EQ(result.counters.reads + result.counters.writes, result.requests) << pattern;
      EXPECT_EQ(result.counters.row_hits + result.counters.row_misses + result.counters.row_conflicts,
                result.requests - result.counters.forwarded - result.counters.coalesced)
          << pattern;
    }
  }
}

TEST(MemoryResult, TellsTimeInSecondsAndBytes) {
  const Part part = small_part();
  const MemoryResult result = run_pattern(part, "stream", MiB, fed(Feed::saturated));
  EXPECT_EQ(result.bytes.count(), MiB);
  EXPECT_EQ(result.requests, static_cast<std::uint64_t>(MiB / 32));
  EXPECT_EQ(result.data_buses, 4 * 2);
  EXPECT_EQ(result.cycles(), (result.ticks + 1) / 2);
  const double seconds = static_cast<double>(result.ticks) * 0.764e-9 / 2;
  EXPECT_NEAR(result.seconds(), seconds, seconds * 1e-9);
  EXPECT_NEAR(result.bandwidth(), MiB / seconds, 1e-6 * MiB / seconds);
  EXPECT_NEAR(result.peak_fraction(), MiB / seconds / part.peak().per_second(), 1e-6);
}

TEST(Run, RefusesAMapThatIsNone) {
  Part part = small_part();
  part.map = "i257";
  ListSource source({});
  EXPECT_THROW((void)run_memory(part, source, {}), std::invalid_argument);
}

TEST(Run, TellsItsProgressAndStopsWhenThatThrows) {
  std::uint64_t told = 0;
  RunSettings settings;
  settings.progress = [&](std::uint64_t requests) { told = requests; };
  const MemoryResult result = run_pattern(small_part(), "stream", 4 * MiB, settings);
  EXPECT_EQ(told, result.requests);
  settings.progress = [](std::uint64_t) { throw std::runtime_error("enough"); };
  EXPECT_THROW((void)run_pattern(small_part(), "stream", 4 * MiB, settings), std::runtime_error);
}

// ---- energy ----

TEST(Energy, IsCountsTimesEnergies) {
  Part part = small_part();
  part.geometry.stacks = 3;
  part.energy = {.activate = 1000, .read = 100, .write = 10, .refresh_bank = 7, .background_watts = 2};
  MemoryResult result;
  result.clock = part.clock_rate();
  result.ticks = 2'000'000;  // a million clocks
  const auto count = [&](Command command, std::uint64_t times) {
    result.counters.commands[static_cast<std::size_t>(command)] = times;
  };
  count(Command::activate, 5);
  count(Command::read, 20);
  count(Command::read_auto, 3);
  count(Command::write, 40);
  count(Command::write_auto, 2);
  count(Command::refresh_bank, 9);
  count(Command::refresh_all, 2);
  count(Command::precharge, 1000);  // in the activate's
  const EnergyUse use = energy_of(result, part);
  EXPECT_DOUBLE_EQ(use.activate, 5 * 1000e-12);
  EXPECT_DOUBLE_EQ(use.read, 23 * 100e-12);
  EXPECT_DOUBLE_EQ(use.write, 42 * 10e-12);
  EXPECT_DOUBLE_EQ(use.refresh, (9 + 2 * 32) * 7e-12) << "REFab: all 32 banks of a pseudo-channel";
  EXPECT_NEAR(use.background, 2 * 3 * 1e6 * 0.764e-9, 1e-12);
  EXPECT_DOUBLE_EQ(use.total(), use.activate + use.read + use.write + use.refresh + use.background);
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
