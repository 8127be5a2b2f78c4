// Entries to bytes, against the arithmetic of pages and sectors and against counting sectors one by one.
#include "sim/graph/layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace kvtraffic::sim {
namespace {

// 576 B rows (448 values of 8 bit, 64 of 16 bit), 8 B of scales each, pages of 64 padded to a multiple of 576.
Layout v4_layout() {
  Layout layout;
  layout.name = "v4";
  layout.row = 576;
  layout.apart = 8;
  layout.page_entries = 64;
  layout.page_bytes = 65 * 576;
  return layout;
}

Layout any_layout() {
  Layout layout;
  layout.row = *rc::gen::inRange<std::int64_t>(1, 200);
  layout.apart = *rc::gen::inRange<std::int64_t>(0, 20);
  layout.page_entries = *rc::gen::inRange<std::int64_t>(1, 40);
  layout.page_bytes = layout.page_entries * layout.entry_bytes();
  return layout;
}

// The sectors of a page that its first `entries` entries lie in, found byte by byte.
std::int64_t sectors_by_counting(const Layout& layout, std::int64_t entries) {
  std::set<std::int64_t> sectors;
  for (std::int64_t b = 0; b < entries * layout.row; ++b) sectors.insert(b / sector_bytes);
  const std::int64_t scales = layout.page_entries * layout.row;
  for (std::int64_t b = 0; b < entries * layout.apart; ++b) sectors.insert((scales + b) / sector_bytes);
  return static_cast<std::int64_t>(sectors.size());
}

TEST(Layout, StoresEntriesAndAllocatesPages) {
  const Layout layout = v4_layout();
  EXPECT_EQ(layout.entry_bytes(), 576 + 8);
  EXPECT_EQ(layout.stored(65), 65 * 584);
  EXPECT_EQ(layout.allocated(64), 65 * 576);
  EXPECT_EQ(layout.allocated(65), 2 * 65 * 576) << "one entry too many opens a page";
  EXPECT_EQ(layout.allocated(0), 0);
}

TEST(Layout, AGatheredEntryCostsItsRowAndOneSectorForItsScales) {
  const SectorBytes cost = v4_layout().sectors(10, Pattern::gather);
  EXPECT_EQ(cost.bytes, 10 * (18 + 1) * 32);  // 576 / 32 = 18
  EXPECT_EQ(cost.apart, 10 * (32 - 8));
  EXPECT_EQ(cost.rounding, 0);
}

TEST(Layout, AGatheredRowThatStartsInsideASectorTouchesOneMore) {
  Layout layout;  // V3.2: 656 B rows are 20.5 sectors and start at multiples of 16: always 21
  layout.row = 656;
  layout.page_entries = 64;
  const SectorBytes cost = layout.sectors(1, Pattern::gather);
  EXPECT_EQ(cost.bytes, 21 * 32);
  EXPECT_EQ(cost.rounding, 21 * 32 - 656);
}

TEST(Layout, AStreamedWholePageLosesNothing) {
  const SectorBytes cost = v4_layout().sectors(3 * 64, Pattern::stream);
  EXPECT_EQ(cost.bytes, 3 * 64 * 584);  // 64 x 584 is a multiple of 32
  EXPECT_EQ(cost.apart + cost.rounding, 0);
}

TEST(Layout, AStreamedPartOfAPageFetchesRowsAndScalesApart) {
  const SectorBytes cost = v4_layout().sectors(64 + 5, Pattern::stream);
  EXPECT_EQ(cost.bytes, 64 * 584 + 5 * 576 + 64);  // 5 x 8 B of scales are 2 sectors
  EXPECT_EQ(cost.apart, 64 - 5 * 8);
  EXPECT_EQ(cost.rounding, 0);
}

TEST(Layout, ABlobIsRoundedUpToSectors) {
  const Layout blob = Layout::blob("weight", 100);
  EXPECT_EQ(blob.sectors(3, Pattern::stream).bytes, 3 * 128);
  EXPECT_EQ(blob.sectors(3, Pattern::stream).rounding, 3 * 28);
  EXPECT_EQ(blob.allocated(3), 3 * 128);
}

RC_GTEST_PROP(LayoutProperty, StreamingAPartOfAPageTouchesTheSectorsThatCountingFinds, ()) {
  const Layout layout = any_layout();
  const auto entries = *rc::gen::inRange<std::int64_t>(0, layout.page_entries + 1);
  RC_ASSERT(layout.sectors(entries, Pattern::stream).bytes == sectors_by_counting(layout, entries) * sector_bytes);
}

RC_GTEST_PROP(LayoutProperty, SectorsAreTheNominalBytesAndTheTwoExcuses, ()) {
  const Layout layout = any_layout();
  const auto entries = *rc::gen::inRange<std::int64_t>(0, 300);
  for (const Pattern pattern : {Pattern::stream, Pattern::gather}) {
    const SectorBytes cost = layout.sectors(entries, pattern);
    RC_ASSERT(cost.apart >= 0 && cost.rounding >= 0);
    RC_ASSERT(cost.bytes == layout.stored(entries) + cost.apart + cost.rounding);
    RC_ASSERT(cost.bytes <= layout.sectors(entries + 1, pattern).bytes);
  }
}

}  // namespace
}  // namespace kvtraffic::sim
