// Which entries a token picks, model by model, and how much two draws have in common.
#include "hardware/machine/picks.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/hardware/machine/allocations.hpp"
#include "tests/hardware/machine/draws.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::Selection;
using test::Entries;
using Model = Selection::Model;

Selection of(Model model) {
  Selection selection;
  selection.model = model;
  return selection;
}

Selection runs_of(std::int64_t run) {
  Selection selection = of(Model::clustered);
  selection.run = run;
  return selection;
}

Selection newest(double recent, std::int64_t newest) {
  Selection selection = of(Model::recency);
  selection.recent = recent;
  selection.newest = newest;
  return selection;
}

Entries drawn(const Selection& selection, std::int64_t entries, std::int64_t count, std::uint64_t identity) {
  Entries into;
  Picks(selection).draw(entries, count, identity, into);
  return into;
}

Entries drawn_like(const Selection& selection, std::int64_t entries, std::int64_t count, std::uint64_t identity,
                   std::uint64_t base, double share) {
  Entries into;
  Picks(selection).draw_like(entries, count, identity, base, share, into);
  return into;
}

std::int64_t common(const Entries& one, const Entries& other) {
  Entries both;
  std::ranges::set_intersection(one, other, std::back_inserter(both));
  return static_cast<std::int64_t>(both.size());
}

// Maximal runs of neighbours.
std::int64_t runs_in(const Entries& picks) {
  std::int64_t runs = picks.empty() ? 0 : 1;
  for (std::size_t i = 1; i < picks.size(); ++i) runs += picks[i] == picks[i - 1] + 1 ? 0 : 1;
  return runs;
}

std::int64_t above(std::int64_t first, const Entries& picks) {
  return std::ranges::count_if(picks, [&](std::int64_t pick) { return pick >= first; });
}

class EveryModel : public testing::TestWithParam<Model> {};

TEST_P(EveryModel, PicksSoManyDifferentEntriesInOrder) {
  for (const std::int64_t entries : {0, 1, 100, 2047, 2049, 30000}) {
    for (const std::int64_t count : {0, 1, 64, 512, 2048, 40000}) {
      for (const double share : {0.0, 0.3, 1.0}) {
        const Entries picks = drawn_like(of(GetParam()), entries, count, 5, 6, share);
        EXPECT_EQ(picks.size(), static_cast<std::size_t>(std::min(entries, count))) << entries << ' ' << count;
        test::expect_ascending_below(entries, picks);
      }
    }
  }
}

TEST_P(EveryModel, PicksTheSameForTheSameSeedAndIdentity) {
  Selection other = of(GetParam());
  other.seed = 2;
  const Entries picks = drawn(of(GetParam()), 65536, 512, 3);
  EXPECT_EQ(picks, drawn(of(GetParam()), 65536, 512, 3));
  EXPECT_LT(common(picks, drawn(of(GetParam()), 65536, 512, 4)), 512);
  EXPECT_LT(common(picks, drawn(other, 65536, 512, 3)), 512);
}

TEST_P(EveryModel, HoldsNothingOfADrawForTheNext) {
  const Picks used(of(GetParam()));
  Entries into, like;
  used.draw_like(30000, 2048, 1, 2, 0.5, like);
  used.draw(1000, 100, 9, into);
  EXPECT_EQ(into, drawn(of(GetParam()), 1000, 100, 9));
}

TEST_P(EveryModel, KeepsTheStatedShareOfTheBase) {
  const Entries base = drawn(of(GetParam()), 65536, 511, 1);
  for (const double share : {0.0, 0.1, 0.5, 0.9}) {
    const Entries like = drawn_like(of(GetParam()), 65536, 511, 2, 1, share);
    EXPECT_GE(common(base, like), std::llround(share * 511));
    EXPECT_LT(common(base, like), 511);
  }
  EXPECT_EQ(drawn_like(of(GetParam()), 65536, 511, 2, 1, 1.0), base);
}

TEST_P(EveryModel, KeepsPicksFromAnywhereInTheBase) {
  Selection selection = of(GetParam());
  selection.newest = 500'000;  // both sides alike: chance meets neither more often
  test::Mean kept;             // a pick's place among those of the base
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Entries base = drawn(selection, 1'000'000, 512, i);
    const Entries near = drawn_like(selection, 1'000'000, 512, i + 500, i, 0.25);
    double sum = 0;
    for (std::size_t at = 0; at < base.size(); ++at) {
      if (std::ranges::binary_search(near, base[at])) sum += static_cast<double>(at);
    }
    kept.add(sum / static_cast<double>(common(base, near)));
  }
  EXPECT_NEAR(kept.value(), 511 / 2.0, kept.bound() + 1);
}

TEST_P(EveryModel, MeetsItsBaseByChanceOnlyAlsoWithTheSameIdentity) {
  const Entries base = drawn(of(GetParam()), 1'000'000, 512, 1);
  EXPECT_LT(common(base, drawn_like(of(GetParam()), 1'000'000, 512, 1, 1, 0)), 256);
}

TEST_P(EveryModel, TakesPicksAtHandForABase) {
  const Picks picks(of(GetParam()));
  const Entries base = drawn(of(GetParam()), 65536, 512, 1);
  Entries into;
  picks.draw_like(65536, 512, 2, base, 0.5, into);
  EXPECT_EQ(into, drawn_like(of(GetParam()), 65536, 512, 2, 1, 0.5));
  const Entries few{3, 65000};
  picks.draw_like(65536, 512, 2, few, 0.5, into);
  EXPECT_EQ(into.size(), 512U);
  EXPECT_EQ(common(few, into), 2);
}

TEST_P(EveryModel, HasInCommonWhatIsExpected) {
  for (const double share : {0.0, 0.3, 0.8}) {
    test::Mean mean;
    for (std::uint64_t i = 0; i < 500; ++i) {
      const Entries base = drawn(of(GetParam()), 10000, 1000, 2 * i);
      mean.add(static_cast<double>(common(base, drawn_like(of(GetParam()), 10000, 1000, 2 * i + 1, 2 * i, share))));
    }
    const auto expected = static_cast<double>(expected_common(of(GetParam()), 10000, 1000, share));
    EXPECT_NEAR(mean.value(), expected, mean.bound() + 0.5) << share;  // expected is rounded
  }
}

// After a warm-up: how many runs a draw has, and so what its buffers hold, differs a little from draw to draw.
TEST_P(EveryModel, AllocatesNothingOnceItsBuffersAreThere) {
  const Picks picks(of(GetParam()));
  Entries into;
  std::uint64_t identity = 0;
  for (; identity < 100; ++identity) picks.draw_like(65536, 512, identity, identity + 1, 0.5, into);
  const std::uint64_t before = test::allocations();
  for (; identity < 200; ++identity) {
    picks.draw(65536, 512, identity, into);
    picks.draw_like(65536, 512, identity, identity + 1, 0.5, into);
  }
  EXPECT_EQ(test::allocations(), before);
}

INSTANTIATE_TEST_SUITE_P(Picks, EveryModel, testing::Values(Model::uniform, Model::recency, Model::clustered));

// ---- each model ----

// Slow and obvious: numbers of the stream until enough are different. Pins the draws, so that they stay portable.
TEST(UniformPicks, AreTheFirstDifferentNumbersOfTheirStream) {
  Dice dice("picks", 1, 42);
  std::set<std::int64_t> expected;
  while (expected.size() < 512) expected.insert(static_cast<std::int64_t>(dice.below(4096)));
  EXPECT_EQ(drawn(of(Model::uniform), 4096, 512, 42), Entries(expected.begin(), expected.end()));
}

TEST(UniformPicks, AreAnySubsetWithTheSameChance) {
  test::Tallies plain, like;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    ++plain[drawn(of(Model::uniform), 5, 2, i)];
    ++like[drawn_like(of(Model::uniform), 5, 2, i, i + 10000, 0.5)];
  }
  test::expect_even(plain, 10, 10000);  // 5 x 4 / 2
  test::expect_even(like, 10, 10000);
}

TEST(RecentPicks, HaveTheirShareAmongTheNewest) {
  for (const double recent : {0.0, 0.25, 0.5, 1.0}) {
    const Entries picks = drawn(newest(recent, 2000), 50000, 512, 1);
    EXPECT_EQ(above(50000 - 2000, picks), std::llround(recent * 512));
  }
}

TEST(RecentPicks, SpillWhereOneSideHasTooFew) {
  EXPECT_EQ(above(50000 - 100, drawn(newest(0.5, 100), 50000, 512, 1)), 100);        // all the newest there are
  EXPECT_EQ(above(2100 - 2000, drawn(newest(0.5, 2000), 2100, 512, 1)), 512 - 100);  // all the older there are
  EXPECT_EQ(drawn(newest(0.5, 2000), 1000, 512, 1).size(), 512U);                    // all are newest
}

TEST(RecentPicks, KeepTheirShareOnBothSides) {
  const Selection selection = newest(0.5, 2000);
  const Entries base = drawn(selection, 50000, 512, 1), like = drawn_like(selection, 50000, 512, 2, 1, 0.5);
  EXPECT_EQ(above(48000, like), 256);
  Entries both;
  std::ranges::set_intersection(base, like, std::back_inserter(both));
  EXPECT_GE(above(48000, both), 128);
  EXPECT_GE(static_cast<std::int64_t>(both.size()) - above(48000, both), 128);
}

TEST(ClusteredPicks, OfSingleEntriesAreUniform) {
  test::Tallies tallies;
  for (std::uint64_t i = 0; i < 10000; ++i) ++tallies[drawn(runs_of(1), 5, 2, i)];
  test::expect_even(tallies, 10, 10000);
}

// With one entry in a million picked, runs do not touch: 1 + (count - 1) / run of them on average, of which one in
// `run` is a single entry and (1 - 1/run) / run are pairs.
TEST(ClusteredPicks, HaveGeometricRuns) {
  for (const std::int64_t run : {2, 8, 32}) {
    test::Mean runs, singles;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const Entries picks = drawn(runs_of(run), 1'000'000'000 / 100, 64, i);
      runs.add(static_cast<double>(runs_in(picks)));
      singles.add(picks[1] != picks[0] + 1 ? 1 : 0);
    }
    const auto mean = static_cast<double>(run);
    EXPECT_NEAR(runs.value(), 1 + 63 / mean, runs.bound());
    EXPECT_NEAR(singles.value(), 1 / mean, singles.bound());
  }
}

TEST(ClusteredPicks, LieAnywhere) {
  test::Mean first_half, last_tenth;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Entries picks = drawn(runs_of(8), 65536, 512, i);
    first_half.add(512.0 - static_cast<double>(above(32768, picks)));
    last_tenth.add(static_cast<double>(above(65536 - 6554, picks)));
  }
  EXPECT_NEAR(first_half.value(), 256, first_half.bound());
  EXPECT_NEAR(last_tenth.value(), 512 * 6554.0 / 65536, last_tenth.bound());
}

// One run may be cut where enough is kept, and what is drawn anew begins a run: at most two more than in a plain draw.
TEST(ClusteredPicks, KeepTheRunsOfTheBase) {
  test::Mean plain, like;
  for (std::uint64_t i = 0; i < 500; ++i) {
    plain.add(static_cast<double>(runs_in(drawn(runs_of(8), 1'000'000, 512, i))));
    like.add(static_cast<double>(runs_in(drawn_like(runs_of(8), 1'000'000, 512, i, i + 500, 0.5))));
  }
  EXPECT_NEAR(like.value(), plain.value() + 1, 1 + like.bound() + plain.bound());
}

TEST(ExpectedCommon, CountsWhatIsKeptAndWhatIsMetByChance) {
  const Selection uniform = of(Model::uniform);
  EXPECT_EQ(expected_common(uniform, 1000, 1000, 0), 1000);                  // all of all
  EXPECT_EQ(expected_common(uniform, 10000, 1000, 0), 1000 * 1000 / 10000);  // any two draws
  EXPECT_EQ(expected_common(uniform, 1'000'000, 1000, 0.5), 500);            // hardly any by chance
  EXPECT_EQ(expected_common(uniform, 10000, 1000, 1), 1000);
  EXPECT_EQ(expected_common(uniform, 100, 200, 0.5), 100);  // fewer than asked for: all
  EXPECT_EQ(expected_common(uniform, 0, 200, 0.5), 0);
  // 500 of the newest 1000 and 500 of 99000 others: each side by itself.
  EXPECT_EQ(expected_common(newest(0.5, 1000), 100'000, 1000, 0),
            std::llround(500 * 500 / 1000.0 + 500 * 500 / 99000.0));
}

}  // namespace
}  // namespace kvtraffic::hardware
