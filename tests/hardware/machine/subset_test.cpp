// Subsets and the numbers they are drawn with: what is drawn is valid, nothing is left behind, all are equally likely.
#include "hardware/machine/subset.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/hardware/machine/draws.hpp"

namespace kvtraffic::hardware {
namespace {

using test::Entries;

TEST(Dice, StayBelowWhatIsAsked) {
  Dice dice(1);
  for (const std::uint64_t n : {1ULL, 2ULL, 3ULL, 1000ULL, 1ULL << 32U, (1ULL << 32U) + 1, ~0ULL}) {
    for (int i = 0; i < 1000; ++i) EXPECT_LT(dice.below(n), n);
  }
}

// 2^32 mod 3 x 2^30 leaves a quarter of the words over; without drawing again some numbers would come twice as often.
TEST(Dice, AreEvenWhereWordsDoNotDivide) {
  Dice dice(1);
  const std::uint64_t n = 3ULL << 30U;
  test::Tallies thirds;
  for (int i = 0; i < 30000; ++i) ++thirds[{static_cast<std::int64_t>(dice.below(n) % 3)}];
  test::expect_even(thirds, 3, 30000);
}

TEST(Dice, OfNearIdentitiesHaveNothingInCommon) {
  std::set<std::uint64_t> first;
  for (std::uint64_t identity = 0; identity < 1000; ++identity) first.insert(Dice("picks", 1, identity).next());
  for (std::uint64_t seed = 2; seed < 1002; ++seed) first.insert(Dice("picks", seed, 0).next());
  first.insert(Dice("other", 1, 0).next());
  EXPECT_EQ(first.size(), 2001U);
}

TEST(Subset, HasSoManyDifferentEntriesInOrder) {
  Subset subset;
  Dice dice(1);
  for (const std::int64_t entries : {0, 1, 2, 63, 64, 65, 128, 4095, 4096, 4097, 10000}) {
    for (const std::int64_t count : {std::int64_t{0}, std::min<std::int64_t>(1, entries), entries / 3, entries / 2,
                                     (entries + 1) / 2, entries - entries / 5, entries}) {
      Entries drawn;
      subset.draw(entries, count, dice, drawn);
      EXPECT_EQ(drawn.size(), static_cast<std::size_t>(count));
      test::expect_ascending_below(entries, drawn);
    }
  }
}

TEST(Subset, IsAddedToWhatIsThere) {
  Subset subset;
  Dice dice(1);
  Entries drawn{7};
  subset.draw(3, 3, dice, drawn);
  EXPECT_EQ(drawn, (Entries{7, 0, 1, 2}));
}

TEST(Subset, LeavesNothingBehindForTheNextDraw) {
  Subset used;
  Dice dice(1), same(1);
  for (const std::int64_t entries : {5000, 100, 20000, 64}) {
    for (const std::int64_t count : {entries / 10, entries - entries / 10}) {
      Entries drawn, fresh;
      used.draw(entries, count, dice, drawn);
      Subset().draw(entries, count, same, fresh);
      EXPECT_EQ(drawn, fresh) << entries;
    }
  }
}

TEST(Subset, IsAnyWithTheSameChance) {
  for (const std::int64_t count : {2, 4}) {  // both draw two of six: those taken, or those left out
    Subset subset;
    Dice dice(7);
    test::Tallies tallies;
    for (int i = 0; i < 15000; ++i) {
      Entries drawn;
      subset.draw(6, count, dice, drawn);
      ++tallies[drawn];
    }
    test::expect_even(tallies, 15, 15000);  // 6 x 5 / 2
  }
}

}  // namespace
}  // namespace kvtraffic::hardware
