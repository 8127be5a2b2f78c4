// What a controller does when, as a data sheet would draw it: rows, hits, writes, pages.
// Leaves out refresh and bounds on waiting (controller_refresh_test.cpp), and legality (legality_test.cpp).
#include "hardware/hbm/controller.hpp"

#include <gtest/gtest.h>

#include <set>

#include "hardware/hbm/split_mix.hpp"
#include "tests/hardware/hbm/parts.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

using enum Timing;
using enum Command;

// HBM3 without refresh and without bounds on waiting.
Part quiet() {
  Part part = channel_of("hbm3-h100");
  part.controller.refresh = Refresh::none;
  part.controller.starvation = part.controller.write_age = sim::Duration{};
  return part;
}

Place at(int bank, std::uint32_t row, int column = 0) {
  return {.row = row, .bank = static_cast<std::uint8_t>(bank), .column = static_cast<std::uint16_t>(column)};
}

// A bank with an open row, and nothing to do, long after everything.
void open_row(Bench& bench, int bank, std::uint32_t row) {
  bench.read(at(bank, row));
  bench.drain();
  bench.run_to(bench.now() + 1000);
  bench.run_to(bench.now() | 1);
  bench.log.clear();
}

// ---- one request ----

TEST(ClosedBank, IsOpenedOnTheFirstEdgeAndReadAfterTRCD) {
  Bench bench(quiet());
  const std::uint64_t tag = bench.read(at(3, 5));
  bench.drain();
  ASSERT_EQ(bench.log.names(), "ACT RD");
  EXPECT_EQ(bench.log.commands[0].tick, 1);
  const Tick read = rising_from(1 + bench.delay(activate, Command::read, {tRCDRD}));
  EXPECT_EQ(bench.log.commands[1].tick, read);
  EXPECT_EQ(bench.log.commands[1].row, 5);
  EXPECT_EQ(bench.log.commands[1].bank, 3);
  EXPECT_EQ(bench.log.answer(tag).done, read + half_clocks(bench.part, {tCL, tBL}));
  EXPECT_EQ(bench.controller.counters().row_misses, 1U);
}

TEST(ClosedBank, IsWrittenAfterTRCDOfWrites) {
  Bench bench(quiet());
  const std::uint64_t tag = bench.write(at(3, 5));
  bench.drain();
  ASSERT_EQ(bench.log.names(), "ACT WR");
  const Tick write = rising_from(1 + bench.delay(activate, Command::write, {tRCDWR}));
  EXPECT_EQ(bench.log.commands[1].tick, write);
  EXPECT_EQ(bench.log.answer(tag).done, write) << "posted: done when issued";
}

TEST(OpenRow, IsReadOnTheNextRisingEdge) {
  Bench bench(quiet());
  open_row(bench, 3, 5);
  const Tick asked = bench.now();
  bench.read(at(3, 5, 7));
  bench.drain();
  ASSERT_EQ(bench.log.names(), "RD");
  EXPECT_EQ(bench.log.commands[0].tick, rising_from(asked + 1));
  EXPECT_EQ(bench.controller.counters().row_hits, 1U);
}

TEST(OtherRow, CostsPrechargeActivateAndRead) {
  Bench bench(quiet());
  open_row(bench, 3, 5);
  const Tick asked = bench.now();
  bench.read(at(3, 6));
  bench.drain();
  ASSERT_EQ(bench.log.names(), "PRE ACT RD");
  const Tick closes = asked + 1;  // a falling edge will do
  const Tick opens = rising_from(closes + bench.delay(precharge, activate, {tRP}));
  EXPECT_EQ(bench.log.commands[0].tick, closes);
  EXPECT_EQ(bench.log.commands[1].tick, opens);
  EXPECT_EQ(bench.log.commands[2].tick, rising_from(opens + bench.delay(activate, Command::read, {tRCDRD})));
  EXPECT_EQ(bench.controller.counters().row_conflicts, 1U);
}

TEST(LateRequest, GetsNothingBeforeItCame) {
  Bench bench(quiet());
  open_row(bench, 3, 5);
  bench.run_to(123'456);  // the controller has had nothing to do since
  bench.read(at(3, 5, 9));
  bench.drain();
  EXPECT_EQ(bench.log.commands.at(0).tick, 123'457);
}

// ---- first ready, first come ----

TEST(Hit, ThatIsAsOldKeepsItsRowOpen) {
  Bench bench(quiet());
  open_row(bench, 0, 1);
  const std::uint64_t other = bench.read(at(0, 2));
  const std::uint64_t hit = bench.read(at(0, 1, 4));
  bench.drain();
  EXPECT_EQ(bench.log.names(), "RD PRE ACT RD");
  EXPECT_LT(bench.log.answer(hit).done, bench.log.answer(other).done);
}

TEST(Hit, ThatIsYoungerDoesNotKeepItsRowOpen) {
  Bench bench(quiet());
  open_row(bench, 0, 1);
  bench.read(at(0, 1, 3));
  bench.run_to(rising_from(bench.now() + 1));
  const Tick read = bench.log.commands.at(0).tick;
  const Tick closes = read + bench.delay(Command::read, precharge, {tRTP});
  ASSERT_FALSE(is_rising(closes)) << "no column command can come on this edge";
  const std::uint64_t other = bench.read(at(0, 2));
  bench.run_to(closes - 1);
  const std::uint64_t hit = bench.read(at(0, 1, 4));
  bench.drain();
  EXPECT_EQ(bench.log.names(), "RD PRE ACT RD PRE ACT RD");
  EXPECT_EQ(bench.log.commands[1].tick, closes);
  EXPECT_LT(bench.log.answer(other).done, bench.log.answer(hit).done);
}

TEST(Hits, OfOneBankFollowAtTCCDLAndOfTwoGroupsAtTheBurst) {
  Bench bench(quiet());
  open_row(bench, 0, 1);
  open_row(bench, 4, 1);  // another group
  for (int i = 0; i < 4; ++i) bench.read(at(0, 1, i));
  bench.drain();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bench.log.commands.at(i + 1U).tick - bench.log.commands.at(i).tick, half_clocks(bench.part, {tCCDL}));
  }
  bench.run_to(bench.now() + 1000);
  bench.log.clear();
  for (int i = 0; i < 4; ++i) bench.read(at(i % 2 * 4, 1, i));
  bench.drain();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bench.log.commands.at(i + 1U).tick - bench.log.commands.at(i).tick, half_clocks(bench.part, {tBL}));
  }
}

TEST(PseudoChannels, MoveDataAtOnceButShareTheColumnBus) {
  Bench bench(quiet());
  open_row(bench, 0, 1);
  Place other = at(0, 1);
  other.pseudo_channel = 1;
  bench.read(other);
  bench.drain();
  bench.run_to(bench.now() + 1000);
  bench.log.clear();
  bench.read(at(0, 1));
  bench.read(other);
  bench.drain();
  EXPECT_EQ(bench.log.commands.at(1).tick - bench.log.commands.at(0).tick, bench.part.bus.column);
}

// ---- writes ----

// Reads and writes of one open row, reads first and being served.
std::string order_of(int reads, int writes) {
  Part part = quiet();
  part.controller.write_queue = 10;  // drained above 8, until there are fewer than 2
  Bench bench(part);
  open_row(bench, 0, 1);
  for (int i = 0; i < reads; ++i) bench.read(at(0, 1, i % 32));
  bench.run_to(rising_from(bench.now() + 1));
  for (int i = 0; i < writes; ++i) bench.write(at(0, 1, 31 - i));
  bench.drain();
  std::string runs;
  for (const Recorded& one : bench.log.commands) runs += one.command == Command::read ? 'r' : 'w';
  return runs;
}

TEST(WriteDrain, WaitsUpToTheHighMark) {
  EXPECT_EQ(order_of(20, 8), std::string(20, 'r') + std::string(8, 'w')) << "not above 80 % of 10";
}

TEST(WriteDrain, GoesFromAboveTheHighMarkToBelowTheLow) {
  EXPECT_EQ(order_of(20, 9), "r" + std::string(8, 'w') + std::string(19, 'r') + "w") << "9 down to 1";
}

TEST(Read, OfAWaitingWriteIsAnsweredFromIt) {
  Bench bench(quiet());
  bench.write(at(0, 1, 5));
  const std::uint64_t tag = bench.read(at(0, 1, 5));
  bench.drain();
  EXPECT_EQ(bench.log.names(), "ACT WR");
  EXPECT_EQ(bench.log.answer(tag).done, bench.log.answer(tag).arrival + 1);
  EXPECT_EQ(bench.controller.counters().forwarded, 1U);
  EXPECT_EQ(bench.controller.counters().reads, 1U);
}

TEST(Write, ToTheSamePlaceAsAWaitingOneIsMerged) {
  Bench bench(quiet());
  bench.write(at(0, 1, 5));
  bench.write(at(0, 1, 5));
  bench.write(at(0, 1, 6));
  bench.drain();
  EXPECT_EQ(bench.log.names(), "ACT WR WR");
  EXPECT_EQ(bench.log.answers.size(), 3U);
  EXPECT_EQ(bench.controller.counters().coalesced, 1U);
  EXPECT_EQ(bench.controller.counters().writes, 3U);
}

// ---- pages ----

Part with_page(Page page, std::int64_t clocks = 0) {
  Part part = quiet();
  part.controller.page = page;
  part.controller.page_timeout = clocks_long(part, clocks);
  return part;
}

TEST(ClosedPage, ClosesWithTheLastHit) {
  Bench bench(with_page(Page::closed));
  for (int i = 0; i < 3; ++i) bench.read(at(0, 1, i));
  bench.drain();
  EXPECT_EQ(bench.log.names(), "ACT RD RD RDA");
  Bench writes(with_page(Page::closed));
  for (int i = 0; i < 2; ++i) writes.write(at(0, 1, i));
  writes.drain();
  EXPECT_EQ(writes.log.names(), "ACT WR WRA");
}

TEST(ClosedPage, StaysOpenForTheRequestThatOpenedIt) {
  Bench bench(with_page(Page::closed));
  const std::uint64_t read = bench.read(at(0, 1, 0));
  const std::uint64_t write = bench.write(at(0, 1, 1));  // tRCDWR is shorter: it goes first
  bench.drain();
  EXPECT_EQ(bench.log.names(), "ACT WR RDA");
  EXPECT_LT(bench.log.answer(write).done, bench.log.answer(read).done);
}

TEST(PageTimeout, ClosesARowThatNothingHasUsedForSoLong) {
  Bench bench(with_page(Page::timeout, 200));
  bench.read(at(0, 1));
  bench.run_to(5000);
  ASSERT_EQ(bench.log.names(), "ACT RD PRE");
  EXPECT_EQ(bench.log.commands[2].tick, bench.log.commands[1].tick + 2 * 200);
}

TEST(PageTimeout, BeginsAnewWithEachHit) {
  Bench bench(with_page(Page::timeout, 200));
  bench.read(at(0, 1));
  bench.run_to(401);
  bench.read(at(0, 1, 2));
  bench.run_to(5000);
  ASSERT_EQ(bench.log.names(), "ACT RD RD PRE");
  EXPECT_EQ(bench.log.commands[3].tick, bench.log.commands[2].tick + 2 * 200);
}

// ---- conservation ----

struct Sent {
  Kind kind;
  Tick asked;
};

// Random requests through queues of a size; each is answered exactly once.
void expect_conserved(int read_queue, int write_queue, Page page, std::uint64_t seed) {
  Part part = channel_of("hbm3-h100");
  part.controller.read_queue = read_queue;
  part.controller.write_queue = write_queue;
  part.controller.page = page;
  part.controller.page_timeout = clocks_long(part, 40);
  Bench bench(part);
  SplitMix64 random(seed);
  std::vector<Sent> sent;
  while (sent.size() < 1500) {
    Place place = at(static_cast<int>(random.below(32)), static_cast<std::uint32_t>(random.below(3)),
                     static_cast<int>(random.below(8)));
    place.pseudo_channel = static_cast<std::uint8_t>(random.below(2));
    const Kind kind = random.below(2) == 0 ? Kind::write : Kind::read;
    while (!bench.offer(place, kind)) bench.run_to(bench.controller.next());
    sent.push_back({kind, bench.now()});
  }
  bench.drain();
  ASSERT_EQ(bench.log.answers.size(), sent.size());
  std::set<std::uint64_t> seen;
  std::uint64_t from_queue = 0, latency = 0;
  for (const Answer& answer : bench.log.answers) {
    EXPECT_TRUE(seen.insert(answer.tag).second) << answer.tag;
    EXPECT_EQ(answer.kind, sent.at(answer.tag).kind);
    EXPECT_EQ(answer.arrival, sent.at(answer.tag).asked);
    const bool forwarded = answer.done == answer.arrival + 1 && answer.kind == Kind::read;
    from_queue += forwarded ? 1U : 0U;
    if (answer.kind == Kind::read) latency += static_cast<std::uint64_t>(answer.done - answer.arrival);
    if (answer.kind == Kind::read && !forwarded) {
      EXPECT_GT(answer.done, answer.arrival + half_clocks(part, {tCL, tBL}));
    }
  }
  const Counters& counters = bench.controller.counters();
  EXPECT_EQ(counters.forwarded, from_queue);
  EXPECT_EQ(counters.latency_ticks, latency);
  EXPECT_EQ(counters.reads + counters.writes, sent.size());
  EXPECT_EQ(counters.row_hits + counters.row_misses + counters.row_conflicts,
            sent.size() - counters.forwarded - counters.coalesced);
}

TEST(Conservation, EachRequestIsAnsweredOnceAtAnyQueueSize) {
  std::uint64_t seed = 1;
  for (const int reads : {1, 2, 16, 128}) {
    for (const int writes : {1, 3, 64}) {
      for (const Page page : {Page::open, Page::closed, Page::timeout}) expect_conserved(reads, writes, page, seed++);
    }
  }
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
