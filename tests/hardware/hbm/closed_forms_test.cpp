// What pencil and paper say about a part against what its channels do: idle latency, streams, random accesses, one
// bank. Leaves out numbers that no formula gives (the comparison with other simulators).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/hardware/hbm/parts.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

using enum Timing;

constexpr std::int64_t MiB = 1024 * 1024;

Part one_stack(const std::string& name, Refresh refresh) {
  Part part = part_named(name);
  part.geometry.stacks = 1;
  part.controller.refresh = refresh;
  part.controller.starvation = part.controller.write_age = sim::Duration{};
  return part;
}

Part one_channel(const std::string& name, Refresh refresh) {
  Part part = one_stack(name, refresh);
  part.geometry.channels = 1;
  return part;
}

double clocks(const Part& part, Timing timing) { return static_cast<double>(part.timings.cycles(timing)); }

// True of every run: nothing is told twice, and data moves for as long as it takes.
void expect_time_adds_up(const MemoryResult& result) {
  const std::int64_t told =
      std::accumulate(result.counters.ticks.begin(), result.counters.ticks.end(), std::int64_t{0});
  EXPECT_EQ(told, result.ticks * result.data_buses);
  double shares = 0;
  for (std::size_t cause = 0; cause < cause_count; ++cause) shares += result.bound_by(static_cast<Cause>(cause));
  EXPECT_NEAR(shares, 1, 1e-9);
  // The data of a posted write may still move when its controller has answered: two clocks after the end.
  EXPECT_NEAR(result.bound_by(Cause::data_bus), result.peak_fraction(), 4.0 / static_cast<double>(result.ticks) + 1e-9);
}

// The cause that kept the data buses waiting longest.
Cause main_cause(const MemoryResult& result) {
  std::size_t main = 1;
  for (std::size_t cause = 2; cause < cause_count; ++cause) {
    if (result.counters.ticks[cause] > result.counters.ticks[main]) main = cause;
  }
  return static_cast<Cause>(main);
}

class ClosedForms : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Parts, ClosedForms, testing::ValuesIn(part_names()),
                         [](const auto& name) { return test_name(name.param); });

// PRE on the next edge it may take (1 or 2 half clocks), then tRP, tRCDRD, CL and BL. Commands longer than one edge
// move ACT and RD by less than a clock, and both wait for a rising edge.
TEST_P(ClosedForms, IdleLatencyOfAConflictIsPrechargeActivateReadAndBurst) {
  const Part part = one_channel(GetParam(), Refresh::none);
  constexpr int count = 100;
  ListSource source(rows_of_one_bank(part, count));
  RunSettings settings;
  settings.feed = Feed::rate;  // far enough apart for tRAS and tRC to have passed
  const double clocks_apart = 3 * clocks(part, tRC);
  settings.rate =
      sim::Bandwidth::per_second(part.geometry.transaction_bytes * part.clock_rate().per_second() / clocks_apart);
  const MemoryResult result = run_memory(part, source, settings);
  ASSERT_EQ(result.counters.row_conflicts, count - 1U);
  const Tick first = 1 + half_clocks(part, {tRCDRD, tCL, tBL});  // of a closed bank, to within a clock
  const Tick conflict = half_clocks(part, {tRP, tRCDRD, tCL, tBL});
  const auto latency = static_cast<Tick>(result.counters.latency_ticks);
  EXPECT_GE(latency, first + (count - 1) * conflict);
  EXPECT_LE(latency, first + 2 + (count - 1) * (conflict + 4));
  expect_time_adds_up(result);
}

// Everything stops for a refresh: the last read's tRTP, tRP, tRFC, and the first activate's tRCD.
double stream_fraction(const Part& part) {
  const double lost = clocks(part, tRTP) + clocks(part, tRP) + clocks(part, tRFCab) + clocks(part, tRCDRD);
  return 1 - lost / clocks(part, tREFI);
}

TEST_P(ClosedForms, StreamIsThePeakLessRefresh) {
  for (const char* map : {"map-B", "i256"}) {
    Part part = one_stack(GetParam(), Refresh::all_bank);
    part.map = map;
    part.controller.read_queue = 128;
    const auto count = static_cast<std::uint64_t>(MiB / 8 * part.geometry.all_channels());
    const MemoryResult result = run_stream(part, {0, count, false}, {});
    EXPECT_NEAR(result.peak_fraction() / stream_fraction(part), 1, 0.015) << map;
    EXPECT_EQ(main_cause(result), Cause::refresh) << map;
    expect_time_adds_up(result);
  }
}

TEST_P(ClosedForms, StreamWithoutRefreshIsThePeak) {
  Part part = one_channel(GetParam(), Refresh::none);
  part.map = "map-B";
  const MemoryResult result = run_stream(part, {0, 1U << 17U, false}, {});
  EXPECT_GT(result.peak_fraction(), 0.998);
  EXPECT_EQ(result.counters.ticks[static_cast<std::size_t>(Cause::refresh)], 0);
  expect_time_adds_up(result);
}

// Four activates of a pseudo-channel in tFAW, each for one transaction; an ACT and a PRE of the row bus for each.
struct RandomBound {
  double window = 0;
  double row_bus = 0;
};
RandomBound random_bound(const Part& part) {
  const double burst = clocks(part, tBL);
  const double activate = std::max(clocks(part, tFAW) / 4, clocks(part, tRRDS));
  const double bus = (part.bus.activate + part.bus.precharge) / 2.0;
  return {burst / activate, burst / (bus * part.geometry.pseudo_channels)};
}

TEST_P(ClosedForms, RandomSingleAccessesMeetTheWindowOrTheRowBus) {
  Part part = one_channel(GetParam(), Refresh::none);
  part.map = "map-B";
  part.controller.read_queue = 256;  // enough for every bank to have work
  const RandomBound bound = random_bound(part);
  const MemoryResult result = run_pattern(part, "random:32", 2 * MiB);
  const double least = std::min(bound.window, bound.row_bus);
  EXPECT_LE(result.peak_fraction(), least * 1.002) << "but for a few row hits";
  EXPECT_GE(result.peak_fraction(), least * 0.95);
  // A full row bus also delays precharges, whose tRP then counts as row cycle: no single cause is claimed for it.
  if (bound.window < bound.row_bus) {
    EXPECT_EQ(main_cause(result), Cause::tFAW);
  }
  expect_time_adds_up(result);
}

TEST(RandomBound, IsTheRowBusOfHbm2AndTheWindowOfHbm3) {
  EXPECT_LT(random_bound(part_named("xhbm2")).row_bus, random_bound(part_named("xhbm2")).window);
  EXPECT_LT(random_bound(part_named("xhbm3")).window, random_bound(part_named("xhbm3")).row_bus);
}

// ACT to ACT: tRC; or tRAS and tRP; or the read in between, which waits for a rising edge, as the next ACT does.
TEST_P(ClosedForms, RowsOfOneBankFollowAtTRC) {
  const Part part = one_channel(GetParam(), Refresh::none);
  constexpr int count = 400;
  ListSource source(rows_of_one_bank(part, count));
  const MemoryResult result = run_memory(part, source, {});
  const Tick through_read = half_clocks(part, {tRCDRD, tRTP, tRP}) + 4;
  const Tick least = std::max(half_clocks(part, {tRC}), half_clocks(part, {tRAS, tRP}));
  const Tick last = half_clocks(part, {tRCDRD, tCL, tBL});
  EXPECT_GE(result.ticks, (count - 1) * least + last);
  EXPECT_LE(result.ticks, (count - 1) * std::max(least, through_read) + last + 4);
  const double of_its_bus = result.bound_by(Cause::row_cycle) * part.geometry.pseudo_channels;
  EXPECT_GT(of_its_bus + result.bound_by(Cause::data_bus) * part.geometry.pseudo_channels, 0.98);
  EXPECT_GT(of_its_bus, 0.9);
  expect_time_adds_up(result);
}

TEST(RowCycle, OfAnH100IsExactlyTRC) {
  const Part part = one_channel("hbm3-h100", Refresh::none);
  ASSERT_EQ(part.timings.cycles(tRAS) + part.timings.cycles(tRP), part.timings.cycles(tRC));
  Recorder recorder;
  RunSettings settings;
  settings.listen = [&](int) { return &recorder; };
  ListSource source(rows_of_one_bank(part, 50));
  (void)run_memory(part, source, settings);
  const std::vector<Recorded> activates = recorder.all(Command::activate);
  ASSERT_EQ(activates.size(), 50U);
  for (std::size_t i = 1; i < activates.size(); ++i) {
    EXPECT_EQ(activates[i].tick - activates[i - 1].tick, half_clocks(part, {tRC}));
  }
}

TEST(BoundBy, NamesTheBankGroupWhereAStreamStaysInOne) {
  Part part = one_channel("xhbm3", Refresh::none);  // map-A: a row of one bank after the other
  part.geometry.pseudo_channels = 1;
  part.controller.read_queue = 16;  // sees no second row
  const MemoryResult result = run_pattern(part, "stream", 2 * MiB);
  EXPECT_EQ(main_cause(result), Cause::tCCDL);
  expect_time_adds_up(result);
}

TEST(BoundBy, NamesTheFeedAndTheTurnOfTheBus) {
  const Part part = one_channel("hbm3-h100", Refresh::none);
  RunSettings slow;
  slow.feed = Feed::rate;
  slow.rate = sim::Bandwidth::per_second(part.peak().per_second() / 20);
  const MemoryResult thin = run_pattern(part, "stream", MiB, slow);
  EXPECT_EQ(main_cause(thin), Cause::feed);
  expect_time_adds_up(thin);
  Part mixed = part;
  mixed.controller.write_queue = 16;
  const MemoryResult turns = run_pattern(mixed, "mix:0.5", 2 * MiB);
  EXPECT_EQ(main_cause(turns), Cause::turnaround);
  expect_time_adds_up(turns);
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
