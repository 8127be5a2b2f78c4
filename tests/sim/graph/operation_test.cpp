// Counts at positions, and their formulas word for word.
#include "sim/graph/operation.hpp"

#include <gtest/gtest.h>

namespace kvtraffic::sim {
namespace {

TEST(Count, OneIsOneEverywhere) {
  EXPECT_EQ(Count{}.at(1), 1);
  EXPECT_EQ(Count{}.at(1'000'000), 1);
}

TEST(Count, AWindowFillsAndThenStays) {
  const Count window{Count::Kind::window, 1, 128};
  EXPECT_EQ(window.at(127), 127);
  EXPECT_EQ(window.at(128), 128);
  EXPECT_EQ(window.at(129), 128);
}

TEST(Count, AnEntryCountsFromTheTokenThatCompletesItsBlock) {
  const Count entries{Count::Kind::entries, 4, 0};
  EXPECT_EQ(entries.at(3), 0);
  EXPECT_EQ(entries.at(4), 1);
  EXPECT_EQ(entries.at(7), 1);
}

TEST(Count, ACappedCountIsLimitedInEntriesNotInTokens) {
  const Count capped{Count::Kind::capped, 2, 512};
  EXPECT_EQ(capped.at(1022), 511);
  EXPECT_EQ(capped.at(1024), 512);
  EXPECT_EQ(capped.at(2048), 512);
}

TEST(Count, ClosesOnceInEachBlock) {
  const Count closes{Count::Kind::closes, 4, 0};
  std::int64_t closed = 0;
  for (std::int64_t p = 1; p <= 400; ++p) closed += closes.at(p);
  EXPECT_EQ(closed, 400 / 4);
  EXPECT_EQ(closes.at(4), 1);
  EXPECT_EQ(closes.at(5), 0);
}

TEST(Count, FormulasReadAsAPersonWritesThem) {
  EXPECT_EQ(Count{}.formula(), "1");
  EXPECT_EQ((Count{Count::Kind::window, 1, 128}.formula()), "min(128, N)");
  EXPECT_EQ((Count{Count::Kind::entries, 1, 0}.formula()), "N");
  EXPECT_EQ((Count{Count::Kind::entries, 4, 0}.formula()), "floor(N / 4)");
  EXPECT_EQ((Count{Count::Kind::capped, 1, 512}.formula()), "min(512, N)");
  EXPECT_EQ((Count{Count::Kind::capped, 2, 512}.formula()), "min(512, floor(N / 2))");
  EXPECT_EQ((Count{Count::Kind::closes, 4, 0}.formula()), "[N mod 4 = 0]");
}

}  // namespace
}  // namespace kvtraffic::sim
