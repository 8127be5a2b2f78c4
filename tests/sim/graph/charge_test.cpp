// Sums over positions in closed form, against adding them up one by one.
#include "sim/graph/charge.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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
