// Refresh, and bounds on waiting: what goes before the oldest hit.
// Leaves out deadlines under load (legality_test.cpp checks each).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hardware/hbm/parts.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

using enum Timing;
using enum Command;

Part with_refresh(Refresh refresh, int postponed = 0) {
  Part part = channel_of("hbm3-h100");
  part.controller.refresh = refresh;
  part.controller.postponed = postponed;
  part.controller.starvation = part.controller.write_age = sim::Duration{};
  return part;
}

Place at(int bank, std::uint32_t row, int column = 0, int pseudo_channel = 0) {
  return {.row = row,
          .pseudo_channel = static_cast<std::uint8_t>(pseudo_channel),
          .bank = static_cast<std::uint8_t>(bank),
          .column = static_cast<std::uint16_t>(column)};
}

// Keeps `waiting` hits of one row in the queue until `until`.
void keep_reading(Bench& bench, int bank, std::uint32_t row, Tick until, int waiting = 8) {
  int column = 0;
  while (bench.now() < until) {
    const auto& answers = bench.log.answers;
    const auto asked = static_cast<std::size_t>(column);
    if (asked < answers.size() + static_cast<std::size_t>(waiting)) {
      bench.read(at(bank, row, column++ % 32));
    } else {
      bench.run_to(bench.controller.next());
    }
  }
}

// ---- refresh ----

TEST(AllBankRefresh, ClosesAndRefreshesOnePseudoChannelAfterTheOther) {
  Bench bench(with_refresh(Refresh::all_bank));
  bench.read(at(0, 1));
  bench.read(at(0, 1, 0, 1));
  const Tick due = half_clocks(bench.part, {tREFI});
  bench.run_to(due + 1000);
  ASSERT_EQ(bench.log.names(), "ACT ACT RD RD PREA REFab PREA REFab");
  const auto& all = bench.log.commands;
  const Tick refreshes = rising_from(due + bench.delay(precharge_all, refresh_all, {tRP}));
  const Tick closes = refreshes + bench.part.bus.refresh;  // the row bus is shared
  EXPECT_EQ(all[4].tick, due);
  EXPECT_EQ(all[5].tick, refreshes);
  EXPECT_EQ(all[5].pseudo_channel, 0);
  EXPECT_EQ(all[6].tick, closes);
  EXPECT_EQ(all[7].tick, rising_from(closes + bench.delay(precharge_all, refresh_all, {tRP})));
  EXPECT_EQ(all[7].pseudo_channel, 1);
}

TEST(AllBankRefresh, IsFollowedByAnActivateAfterTRFC) {
  Bench bench(with_refresh(Refresh::all_bank));
  const Tick due = half_clocks(bench.part, {tREFI});
  bench.run_to(due - 1);
  EXPECT_TRUE(bench.log.commands.empty());
  bench.run_to(due + 2);
  bench.read(at(0, 1));
  bench.drain();
  ASSERT_EQ(bench.log.names(), "REFab REFab ACT RD") << "nothing to close";
  EXPECT_EQ(bench.log.commands[0].tick, rising_from(due));
  EXPECT_EQ(bench.log.commands[2].tick,
            rising_from(bench.log.commands[0].tick + bench.delay(refresh_all, activate, {tRFCab})));
}

TEST(AllBankRefresh, MayBeLateByWhatIsPostponedUnderLoadOnly) {
  const Tick interval = half_clocks(with_refresh(Refresh::all_bank), {tREFI});
  Bench busy(with_refresh(Refresh::all_bank, 2));
  keep_reading(busy, 0, 1, 4 * interval);
  const std::vector<Recorded> late = busy.log.all(refresh_all);
  ASSERT_FALSE(late.empty());
  EXPECT_GE(late[0].tick, 3 * interval);
  EXPECT_LT(late[0].tick, 3 * interval + half_clocks(busy.part, {tRCDRD, tRTP, tRP}));
  Bench idle(with_refresh(Refresh::all_bank, 2));
  idle.run_to(4 * interval - 1);
  ASSERT_EQ(idle.log.all(refresh_all).size(), 2U * 3U);
  EXPECT_LE(idle.log.all(refresh_all)[0].tick, interval + 2) << "nothing waits: at once";
}

TEST(PerBankRefresh, DoesNotDelayOtherBanks) {
  Bench bench(with_refresh(Refresh::per_bank));
  keep_reading(bench, 5, 1, 4 * half_clocks(bench.part, {tREFIpb}));
  EXPECT_GE(bench.log.all(refresh_bank).size(), 6U) << "of both pseudo-channels";
  const std::vector<Recorded> reads = bench.log.all(Command::read);
  for (std::size_t i = 1; i < reads.size(); ++i) {
    EXPECT_EQ(reads[i].tick - reads[i - 1].tick, half_clocks(bench.part, {tCCDL})) << i;
  }
}

TEST(PerBankRefresh, VisitsBankAfterBankAndHoldsTheOneItVisits) {
  Bench bench(with_refresh(Refresh::per_bank));
  const Tick interval = half_clocks(bench.part, {tREFIpb});
  const Tick first = interval / 2;  // the second pseudo-channel's turn is half an interval later
  bench.run_to(rising_from(first));
  bench.read(at(0, 1));
  bench.run_to(40 * interval);
  const std::vector<Recorded> refreshes = bench.log.all(refresh_bank);
  ASSERT_GE(refreshes.size(), 70U);
  for (std::size_t i = 0; i < refreshes.size(); ++i) {
    EXPECT_EQ(refreshes[i].pseudo_channel, static_cast<int>(i % 2));
    EXPECT_EQ(refreshes[i].bank, static_cast<int>(i / 2 % 32));
  }
  EXPECT_EQ(refreshes[0].tick, rising_from(first));
  EXPECT_EQ(bench.log.all(activate).at(0).tick,
            rising_from(refreshes[0].tick + bench.delay(refresh_bank, activate, {tRFCpb})));
}

// On a part where four tRRDS fill tFAW, activates leave no gap by themselves.
TEST(PerBankRefresh, FindsItsPlaceBetweenDenseActivates) {
  Part part = channel_of("hbm2e-a100");
  ASSERT_GE(4 * part.timings.cycles(tRRDS), part.timings.cycles(tFAW));
  Bench bench(part);
  const Tick interval = half_clocks(part, {tREFIpb});
  std::uint32_t row = 0;
  int bank = 0;
  while (bench.now() < 20 * interval) {  // a new row every time, in one pseudo-channel
    while (bench.now() < 20 * interval && !bench.offer(at(bank, row), Kind::write)) {
      bench.run_to(bench.controller.next());
    }
    bank = (bank + 4) % 32 + (bank >= 28 ? 1 : 0);
    if (bank >= 32) bank = 0;
    ++row;
  }
  const auto of_first = std::ranges::count(bench.log.all(refresh_bank), 0, &Recorded::pseudo_channel);
  EXPECT_GE(of_first, 20 - 3);
}

// ---- bounds on waiting ----

// A request for another row, behind a stream of younger hits that goes on for `length`: when its ACT came.
Tick waited_behind_hits(std::int64_t bound_clocks, Tick length) {
  Part part = with_refresh(Refresh::none);
  part.controller.starvation = clocks_long(part, bound_clocks);
  Bench bench(part);
  keep_reading(bench, 0, 1, 501);
  const Tick asked = bench.now();
  bench.read(at(0, 2));
  std::uint64_t reads = bench.log.answers.size();
  while (bench.now() < asked + length) {  // one younger hit always waits
    if (bench.log.answers.size() >= reads) {
      if (!bench.offer(at(0, 1, static_cast<int>(reads % 32)), Kind::read)) break;
      ++reads;
    } else {
      bench.run_to(bench.controller.next());
    }
  }
  bench.drain();
  for (const Recorded& one : bench.log.commands) {
    if (one.command == activate && one.row == 2) return one.tick - asked;
  }
  return never;
}

TEST(Starvation, IsBounded) {
  const Part part = with_refresh(Refresh::none);
  constexpr std::int64_t bound = 400;
  // Older hits still go; then the last younger hit, its tRTP, the row's closing, and an edge each.
  const Tick end = half_clocks(part, {tRTP, tRP}) + 8 * half_clocks(part, {tCCDL}) + 6;
  EXPECT_LE(waited_behind_hits(bound, 20'000), 2 * bound + end);
  EXPECT_GT(waited_behind_hits(bound, 20'000), 2 * bound) << "not before the bound";
  EXPECT_GE(waited_behind_hits(0, 20'000), 20'000 - 100) << "without a bound it waits for the hits to end";
}

// Three writes that wait while hits are read without end: when the first went, and how many before the reads ended.
struct Waited {
  Tick first = never;
  std::int64_t writes = 0;
};
Waited waited_behind_reads(std::int64_t age_clocks, Tick length) {
  Part part = with_refresh(Refresh::none);
  part.controller.write_age = clocks_long(part, age_clocks);
  part.controller.write_queue = 10;  // drained until there are fewer than 2
  part.controller.age_above = 0.2;   // aged writes are drained when there are more than 2
  Bench bench(part);
  keep_reading(bench, 0, 1, 501);
  const Tick asked = bench.now();
  for (int column = 0; column < 3; ++column) bench.write(at(0, 1, column));
  int column = 0;
  while (bench.now() < asked + length) {
    while (bench.log.answers.size() + 8 > bench.controller.taken()) bench.read(at(0, 1, 4 + column++ % 28));
    bench.run_to(bench.controller.next());
  }
  const std::vector<Recorded> early = bench.log.all(Command::write);
  bench.drain();
  return {bench.log.all(Command::write).at(0).tick - asked, static_cast<std::int64_t>(early.size())};
}

TEST(WriteAge, LetsWritesGoAfterReadsHaveGoneFirstForSoLong) {
  const Part part = with_refresh(Refresh::none);
  constexpr std::int64_t age = 600;
  const Tick turn = half_clocks(part, {tRTW, tCCDL}) + 6;
  const Waited bounded = waited_behind_reads(age, 20'000);
  EXPECT_LE(bounded.first, 2 * age + turn);
  EXPECT_EQ(bounded.writes, 2) << "down to the low mark; the last waits for others, or for the starvation bound";
  const Waited unbounded = waited_behind_reads(0, 20'000);
  EXPECT_GE(unbounded.first, 20'000) << "without a bound they wait for the reads to end";
  EXPECT_EQ(unbounded.writes, 0);
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
