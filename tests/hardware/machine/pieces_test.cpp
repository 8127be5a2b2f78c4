// Pieces that picked entries are read in: nothing is lost, doubled or outside, and what lies together is one piece.
#include "hardware/machine/pieces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/machine/picks.hpp"
#include "tests/hardware/machine/draws.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::PageOrder;
using test::Entries;
using testing::ElementsAre;

// Four entries of 576 bytes, then four times 8 bytes, padded to 32.
sim::Layout paged(std::int64_t apart = 8) {
  sim::Layout layout;
  layout.row = 576;
  layout.apart = apart;
  layout.page_entries = 4;
  layout.page_bytes = 4 * 576 + 32;
  return layout;
}

std::vector<Piece> pieces(const Entries& picks, const sim::Layout& layout, const PageTable& pages, std::uint64_t base) {
  std::vector<Piece> into;
  gather_pieces(picks, layout, pages, base, into);
  return into;
}

const PageTable& in_sequence() {
  static const PageTable pages(PageOrder::sequential, 100, 1);
  return pages;
}

TEST(Pieces, OfAnEntryAreItsRowAndWhatIsApart) {
  EXPECT_THAT(pieces({6}, paged(), in_sequence(), 10'000),
              ElementsAre(Piece{10'000 + 2336 + 2 * 576, 576}, Piece{10'000 + 2336 + 4 * 576 + 2 * 8, 8}));
  EXPECT_THAT(pieces({6}, paged(0), in_sequence(), 0), ElementsAre(Piece{2336 + 2 * 576, 576}));
}

TEST(Pieces, OfNeighboursInAPageAreOne) {
  EXPECT_THAT(pieces({1, 2, 4}, paged(), in_sequence(), 0),
              ElementsAre(Piece{576, 2 * 576}, Piece{4 * 576 + 8, 16}, Piece{2336, 576}, Piece{2336 + 4 * 576, 8}));
}

TEST(Pieces, OfNeighboursInTwoPagesAreTwo) {
  EXPECT_THAT(pieces({3, 4}, paged(0), in_sequence(), 0), ElementsAre(Piece{3 * 576, 576}, Piece{2336, 576}));
}

TEST(Pieces, LieWhereThePageLies) {
  const PageTable shuffled(PageOrder::shuffled, 100, 1);
  EXPECT_THAT(pieces({40}, paged(0), shuffled, 0), ElementsAre(Piece{shuffled.place_of(10) * 2336, 576}));
}

TEST(Pieces, AreAddedToWhatIsThere) {
  std::vector<Piece> into{{1, 2}};
  gather_pieces(Entries{0}, paged(0), in_sequence(), 0, into);
  EXPECT_THAT(into, ElementsAre(Piece{1, 2}, Piece{0, 576}));
}

TEST(Pieces, AddUpToTheEntriesAndDoNotOverlap) {
  for (const PageOrder order : {PageOrder::sequential, PageOrder::shuffled, PageOrder::aged}) {
    for (const auto model : {sim::Selection::Model::uniform, sim::Selection::Model::clustered}) {
      const sim::Layout layout = paged();
      const PageTable pages_of(order, 2500, 3);
      Entries picks;
      sim::Selection selection;
      selection.model = model;
      Picks(selection).draw(10'000, 2048, 1, picks);
      std::vector<Piece> all = pieces(picks, layout, pages_of, 4096);
      std::ranges::sort(all, {}, &Piece::address);
      std::int64_t bytes = 0;
      std::uint64_t end = 4096;
      for (const Piece& piece : all) {
        EXPECT_GE(piece.address, end);
        bytes += piece.bytes;
        end = piece.address + static_cast<std::uint64_t>(piece.bytes);
      }
      EXPECT_EQ(bytes, layout.stored(2048));
      EXPECT_LE(end, 4096 + 2500U * static_cast<std::uint64_t>(layout.page_bytes));
    }
  }
}

// All entries of a page: its rows are one piece, its scales another, whatever the order of pages.
TEST(Pieces, OfAllEntriesAreTwoAPage) {
  Entries all(400);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  EXPECT_EQ(pieces(all, paged(), PageTable(PageOrder::aged, 100, 1), 0).size(), 200U);
}

}  // namespace
}  // namespace kvtraffic::hardware
