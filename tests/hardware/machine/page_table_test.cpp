// Where pages lie: each page in a place of its own, and as many neighbours together as the order says.
#include "hardware/machine/page_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/hardware/machine/draws.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::PageOrder;

std::vector<std::uint64_t> places(const PageTable& table) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t page = 0; page < table.pages(); ++page) all.push_back(table.place_of(page));
  return all;
}

// Lengths of the runs of pages that lie side by side in their order.
std::vector<std::int64_t> runs_of(const std::vector<std::uint64_t>& all) {
  std::vector<std::int64_t> runs{1};
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] == all[i - 1] + 1) {
      ++runs.back();
    } else {
      runs.push_back(1);
    }
  }
  return runs;
}

class EveryOrder : public testing::TestWithParam<PageOrder> {};

TEST_P(EveryOrder, HasAPlaceOfItsOwnForEachPage) {
  std::vector<std::uint64_t> sizes{1000, 1023, 1024, 1025, 65536, 100003};
  for (std::uint64_t size = 1; size <= 100; ++size) sizes.push_back(size);
  for (const std::uint64_t size : sizes) {
    for (const std::uint64_t seed : {1U, 2U}) {
      std::vector<std::uint64_t> all = places({GetParam(), size, seed});
      std::ranges::sort(all);
      for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(all[i], i) << size;
    }
  }
}

TEST_P(EveryOrder, StaysInALargePool) {
  const std::uint64_t pages = (1ULL << 40U) + 12345;
  const PageTable table(GetParam(), pages, 1);
  for (std::uint64_t page = pages - 1000; page < pages; ++page) EXPECT_LT(table.place_of(page), pages);
}

INSTANTIATE_TEST_SUITE_P(PageTable, EveryOrder,
                         testing::Values(PageOrder::sequential, PageOrder::shuffled, PageOrder::aged));

TEST(PageTable, InSequenceIsTheIdentity) {
  const PageTable table(PageOrder::sequential, 1000, 1);
  for (std::uint64_t page = 0; page < 1000; ++page) EXPECT_EQ(table.place_of(page), page);
}

TEST(PageTable, OfAnotherSeedIsAnother) {
  for (const PageOrder order : {PageOrder::shuffled, PageOrder::aged}) {
    EXPECT_NE(places({order, 1024, 1}), places({order, 1024, 2}));
    EXPECT_EQ(places({order, 1024, 1}), places({order, 1024, 1}));
  }
}

// In a random order a page follows its neighbour once in so many pages: one pair on average, whatever the size.
TEST(PageTable, ShuffledKeepsHardlyAnyNeighbours) {
  for (const std::uint64_t size : {64U, 100U, 1000U, 1024U, 1500U, 65536U}) {
    test::Mean kept;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const auto runs = runs_of(places({PageOrder::shuffled, size, seed}));
      kept.add(static_cast<double>(size) - static_cast<double>(runs.size()));
    }
    EXPECT_NEAR(kept.value(), 1, kept.bound()) << size;
  }
}

// Pages 0 and 1 lie anywhere, in any distance of each other.
TEST(PageTable, ShuffledSpreadsPagesEvenly) {
  test::Tallies places_of_a_page, distances;
  for (std::uint64_t seed = 0; seed < 13000; ++seed) {
    const PageTable table(PageOrder::shuffled, 1300, seed);
    const std::uint64_t one = table.place_of(77), next = table.place_of(78);
    ++places_of_a_page[{static_cast<std::int64_t>(one / 100)}];
    ++distances[{static_cast<std::int64_t>((next + 1299 - one) % 1300 / 100)}];
  }
  test::expect_even(places_of_a_page, 13, 13000);
  EXPECT_EQ(distances.size(), 13U);
  for (const auto& [distance, times] : distances) EXPECT_NEAR(times, 1000, 5 * std::sqrt(1000.0)) << distance.front();
}

// Of 16 pages in a block, one neighbour is cut inside and one at its end.
TEST(PageTable, AgedKeepsSevenOfEightNeighbours) {
  for (const std::uint64_t blocks : {64U, 1024U, 4096U}) {
    const auto runs = runs_of(places({PageOrder::aged, 16 * blocks, 1}));
    EXPECT_NEAR(static_cast<double>(runs.size()), static_cast<double>(2 * blocks), 8) << "some meet by chance";
  }
}

TEST(PageTable, AgedHasRunsOfManyLengths) {
  const auto runs = runs_of(places({PageOrder::aged, 16 * 10000, 1}));
  test::Mean length;
  std::vector<int> times(17);
  for (const std::int64_t run : runs) {
    length.add(static_cast<double>(run));
    if (run < 17) ++times[static_cast<std::size_t>(run)];
  }
  EXPECT_NEAR(length.value(), 8, length.bound());
  // 20,000 runs over lengths of 1 to 15; those of a pair of blocks come in fours of two lengths.
  for (int run = 1; run < 16; ++run)
    EXPECT_NEAR(times[static_cast<std::size_t>(run)], 20000 / 15.0, 5 * std::sqrt(4 * 20000 / 15.0)) << run;
}

// The two runs of a block are no nearer than any two.
TEST(PageTable, AgedHasRunsAnywhere) {
  const std::uint64_t pages = 16 * 1000;
  test::Mean distance;
  const PageTable table(PageOrder::aged, pages, 1);
  for (std::uint64_t block = 0; block < 1000; ++block) {
    const auto front = static_cast<double>(table.place_of(16 * block)),
               back = static_cast<double>(table.place_of(16 * block + 15));
    distance.add(std::abs(front - back));
  }
  EXPECT_NEAR(distance.value(), static_cast<double>(pages) / 3, 2 * distance.bound());  // of two points on a line
}

}  // namespace
}  // namespace kvtraffic::hardware
