// Sums over positions in closed form, against adding them up one by one.
#include "sim/graph/charge.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

namespace kvtraffic::sim {
namespace {

Count any_count() {
  Count count;
  count.kind = *rc::gen::element(Count::Kind::one, Count::Kind::window, Count::Kind::entries, Count::Kind::capped,
                                 Count::Kind::closes);
  count.ratio = *rc::gen::inRange<std::int64_t>(1, 9);
  count.limit = *rc::gen::inRange<std::int64_t>(0, 60);
  return count;
}

Layout any_layout() {
  Layout layout;
  layout.row = *rc::gen::inRange<std::int64_t>(1, 100);
  layout.apart = *rc::gen::inRange<std::int64_t>(0, 20);
  layout.page_entries = *rc::gen::inRange<std::int64_t>(1, 20);
  return layout;
}

RC_GTEST_PROP(ChargeProperty, EntriesOverARunAreTheirSum, ()) {
  const Count count = any_count();
  const auto first = *rc::gen::inRange<std::int64_t>(1, 200);
  const auto last = first + *rc::gen::inRange<std::int64_t>(0, 200);
  std::int64_t sum = 0;
  for (std::int64_t p = first; p <= last; ++p) sum += count.at(p);
  RC_ASSERT(entries_over(count, first, last) == sum);
}

RC_GTEST_PROP(ChargeProperty, StreamedSectorsOverARunAreTheirSum, ()) {
  const Layout layout = any_layout();
  const Count count = any_count();
  const auto first = *rc::gen::inRange<std::int64_t>(1, 200);
  const auto last = first + *rc::gen::inRange<std::int64_t>(0, 200);
  SectorBytes sum;
  std::int64_t nominal = 0;
  for (std::int64_t p = first; p <= last; ++p) {
    const SectorBytes one = layout.sectors(count.at(p), Pattern::stream);
    sum.bytes += one.bytes;
    sum.apart += one.apart;
    nominal += layout.stored(count.at(p));
  }
  const Cost cost = PageCosts(layout).over(count, Pattern::stream, first, last);
  RC_ASSERT(cost.per == 1);
  RC_ASSERT(cost.sectors == sum.bytes);
  RC_ASSERT(cost.apart == sum.apart);
  RC_ASSERT(cost.nominal == nominal);
}

RC_GTEST_PROP(ChargeProperty, AGatherOfOnePositionCostsWhatItsLayoutSays, ()) {
  const Layout layout = any_layout();
  const Count count = any_count();
  const auto at = *rc::gen::inRange<std::int64_t>(1, 400);
  const Cost cost = PageCosts(layout).over(count, Pattern::gather, at, at);
  const SectorBytes direct = layout.sectors(count.at(at), Pattern::gather);
  RC_ASSERT((cost.sectors * 2 + cost.per) / (2 * cost.per) == direct.bytes);
  RC_ASSERT((cost.apart * 2 + cost.per) / (2 * cost.per) == direct.apart);
}

// ---- what query tiles share ----

Positions any_positions() {
  Positions at;
  at.first = *rc::gen::inRange<std::int64_t>(1, 300);
  at.last = at.first + *rc::gen::inRange<std::int64_t>(0, 400);
  at.origin = *rc::gen::inRange<std::int64_t>(0, at.first);
  return at;
}

// Tile after tile: what the last position of each sees, requested once.
SectorBytes naive_tiles(const Layout& layout, std::int64_t ratio, std::int64_t queries, const Positions& at) {
  SectorBytes sum;
  for (std::int64_t first = at.first; first <= at.last; first += queries) {
    const std::int64_t last = std::min(at.last, first + queries - 1);
    sum.bytes += layout.sectors(last / ratio, Pattern::stream).bytes;
  }
  return sum;
}

RC_GTEST_PROP(ChargeProperty, TiledReadsAreTheSumOverTiles, ()) {
  const Layout layout = any_layout();
  const auto ratio = *rc::gen::inRange<std::int64_t>(1, 9);
  const auto queries = *rc::gen::inRange<std::int64_t>(1, 140);
  const Positions at = any_positions();
  const Cost cost = PageCosts(layout).shared({Count::Kind::entries, ratio, 0}, Pattern::stream, queries, at);
  RC_ASSERT(cost.sectors == naive_tiles(layout, ratio, queries, at).bytes);
  RC_ASSERT(cost.nominal == layout.stored(at.last / ratio));
  RC_ASSERT(cost.sectors - cost.again == layout.sectors(at.last / ratio, Pattern::stream).bytes);
}

// The entries that the positions' windows cover, collected one by one.
RC_GTEST_PROP(ChargeProperty, WindowsThatOverlapCoverEachEntryOnce, ()) {
  const Positions at = any_positions();
  const Count window{Count::Kind::window, 1, *rc::gen::inRange<std::int64_t>(1, 200)};
  std::set<std::int64_t> seen;
  std::int64_t asked = 0;
  for (std::int64_t p = at.first; p <= at.last; ++p) {
    for (std::int64_t entry = std::max(at.origin + 1, p - window.limit + 1); entry <= p; ++entry) {
      seen.insert(entry);
      ++asked;
    }
  }
  RC_ASSERT(distinct_over(window, at) == static_cast<std::int64_t>(seen.size()));
  RC_ASSERT(entries_over(window, at) == asked);
}

RC_GTEST_PROP(ChargeProperty, SharedReadsAskForNoMoreThanTheyRequest, ()) {
  Count count = any_count();
  if (count.kind == Count::Kind::one) count.kind = Count::Kind::fixed;
  const Pattern pattern = *rc::gen::element(Pattern::stream, Pattern::gather);
  const Positions at = any_positions();
  const Cost cost = PageCosts(any_layout()).shared(count, pattern, *rc::gen::inRange<std::int64_t>(1, 140), at);
  RC_ASSERT(cost.again >= 0);
  RC_ASSERT(cost.footprint <= cost.sectors - cost.again);
  RC_ASSERT(cost.nominal * cost.per <= cost.sectors - cost.again);
}

TEST(Charge, OneQueryAloneReadsWhatADecodeStepReads) {
  Layout layout;
  layout.row = 64;
  layout.apart = 4;
  layout.page_entries = 64;
  const PageCosts costs(layout);
  for (const Count count :
       {Count{Count::Kind::entries, 4, 0}, Count{Count::Kind::capped, 2, 512}, Count{Count::Kind::window, 1, 128}}) {
    const Cost alone = costs.shared(count, Pattern::gather, 1, {999, 999, 0});
    const Cost decode = costs.over(count, Pattern::gather, 999, 999);
    EXPECT_EQ(std::tuple(alone.nominal, alone.sectors, alone.apart, alone.again),
              std::tuple(decode.nominal, decode.sectors, decode.apart, 0));
  }
}

TEST(Charge, SelectionsOfEnoughQueriesReachEveryEntry) {
  const Count top{Count::Kind::capped, 1, 10};
  EXPECT_EQ(distinct_over(top, {1000, 1000, 0}), 10);
  EXPECT_EQ(distinct_over(top, {1000, 1049, 0}), 500);   // 50 queries of 10, all different at most
  EXPECT_EQ(distinct_over(top, {1000, 1999, 0}), 1999);  // 10,000 picks of 1,999 entries
}

TEST(Charge, AChunkLeavesTheRowsOfItsOpenBlockAndTakesUpThoseBefore) {
  const Count plain{Count::Kind::kept, 4, 0};
  const Count overlapping{Count::Kind::kept, 4, 4};                             // the block before is pooled again
  EXPECT_EQ(entries_per_sequence(Per::sequence, plain, {1, 10, 0}), 2);         // 9 and 10
  EXPECT_EQ(entries_per_sequence(Per::sequence, overlapping, {1, 10, 0}), 6);   // 5 to 10
  EXPECT_EQ(entries_per_sequence(Per::sequence, overlapping, {1, 3, 0}), 3);    // no block yet
  EXPECT_EQ(entries_per_sequence(Per::sequence, overlapping, {10, 10, 0}), 1);  // the others are there already
  EXPECT_EQ(entries_per_sequence(Per::resumed, plain, {1, 10, 0}), 0);
  EXPECT_EQ(entries_per_sequence(Per::resumed, plain, {11, 20, 0}), 2);
  EXPECT_EQ(entries_per_sequence(Per::resumed, overlapping, {9, 20, 0}), 4);  // on a boundary, still the block before
  EXPECT_EQ(entries_per_sequence(Per::resumed, plain, {11, 11, 0}), 0);       // closes no block, pools nothing
}

TEST(Charge, ALongPrefillInTilesCostsNoLoop) {
  Layout layout;
  layout.row = 32;
  const std::int64_t n = 64'000'000;  // tiles end at 2, 4, ... n
  const Cost cost = PageCosts(layout).shared({Count::Kind::entries, 1, 0}, Pattern::stream, 2, {1, n, 0});
  EXPECT_EQ(cost.sectors, 32 * (n / 2) * (n / 2 + 1));
}

TEST(Charge, ALongPrefillCostsNoLoop) {
  // 1 + 2 + ... + n entries of one sector each.
  Layout layout;
  layout.row = 32;
  const std::int64_t n = 100'000'000;
  const Cost cost = PageCosts(layout).over({Count::Kind::entries, 1, 0}, Pattern::stream, 1, n);
  EXPECT_EQ(cost.sectors, 32 * (n / 2 * (n + 1)));
}

}  // namespace
}  // namespace kvtraffic::sim
