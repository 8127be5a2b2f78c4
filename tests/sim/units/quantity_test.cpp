// Checked arithmetic, rounding, and the times that rates give.
// Leaves out reading and printing.
#include "sim/units/quantity.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace kvtraffic::sim {
namespace {

std::string overflow_text(auto action) {
  try {
    action();
  } catch (const OverflowError& error) {
    return error.what();
  }
  return "no overflow";
}

TEST(Quantity, OverflowNamesItsOperands) {
  EXPECT_EQ(overflow_text([] { (void)checked_add(INT64_MAX, 1); }), "9223372036854775807 + 1 leaves the 64-bit range");
  EXPECT_EQ(overflow_text([] { (void)checked_multiply(INT64_MAX, 2); }),
            "9223372036854775807 * 2 leaves the 64-bit range");
  EXPECT_EQ(overflow_text([] { (void)scale(INT64_MAX, 3, 2); }), "9223372036854775807 * 3 / 2 leaves the 64-bit range");
  EXPECT_EQ(overflow_text([] { (void)(Bytes::of(INT64_MAX) + Bytes::of(1)); }),
            "9223372036854775807 + 1 leaves the 64-bit range");
}

TEST(Quantity, ScaleKeepsAProductBeyond64Bits) {
  const std::int64_t large = 4'000'000'000'000'000'000;
  EXPECT_EQ(scale(large, 10, 10), large);
  EXPECT_EQ(scale(3, 1, 2), 2);  // 1.5, halves go up
  EXPECT_EQ(scale(4, 1, 3), 1);  // 1.33
  EXPECT_EQ(scale(0, 5, 3), 0);
}

TEST(Quantity, DivisionsRoundAsTheirNamesSay) {
  EXPECT_EQ(ceil_divide(8, 4), 2);
  EXPECT_EQ(ceil_divide(9, 4), 3);
  EXPECT_EQ(round_divide(9, 4), 2);   // 2.25
  EXPECT_EQ(round_divide(10, 4), 3);  // 2.5
  EXPECT_EQ(round_up_to(0, 32), 0);
  EXPECT_EQ(round_up_to(33, 32), 64);
}

TEST(Quantity, SecondsRoundUpToAFemtosecondButNotBeyondTheirOwnNoise) {
  EXPECT_EQ(Duration::of_seconds(1e-9).femtoseconds(), 1'000'000);
  EXPECT_EQ(Duration::of_seconds(1.5e-15).femtoseconds(), 2);
  EXPECT_EQ(Duration::of_seconds(0).femtoseconds(), 0);
  EXPECT_THROW((void)Duration::of_seconds(3 * 3600.0), OverflowError);
  EXPECT_THROW((void)Duration::of_seconds(0.0 / 0.0 * 1), OverflowError);
}

TEST(Quantity, MovingBytesTakesTheirSizeOverTheRate) {
  const Bandwidth rate = Bandwidth::per_second(4.8e12);
  EXPECT_EQ(time_to_move(Bytes::of(48), rate).femtoseconds(), 48 * 1'000 / 48 * 10);  // 48 B / 4.8 TB/s = 10 ps
  EXPECT_EQ(time_to_move(Bytes::of(1), Bandwidth::per_second(3)).femtoseconds(), 333'333'333'333'334);
  EXPECT_EQ(time_to_move(Bytes::of(1), Bandwidth::per_second(0.5)).femtoseconds(), 2'000'000'000'000'000);
  EXPECT_EQ(time_to_compute(2e12, FlopRate::per_second(1e15)).femtoseconds(), 2'000'000'000'000);
  EXPECT_THROW((void)time_to_move(Bytes::of(INT64_MAX), Bandwidth::per_second(1)), OverflowError);
}

RC_GTEST_PROP(Quantity, TimeToMoveIsTheLeastThatSuffices, ()) {
  const std::int64_t bytes = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
  const std::int64_t rate = *rc::gen::inRange<std::int64_t>(1'000'000'000, 10'000'000'000'000);
  __extension__ using Wide = __int128;
  const Wide time = time_to_move(Bytes::of(bytes), Bandwidth::per_second(static_cast<double>(rate))).femtoseconds();
  const Wide work = static_cast<Wide>(bytes) * 1'000'000'000'000'000;
  RC_ASSERT(time * rate >= work);
  RC_ASSERT(time == 0 || (time - 1) * rate < work);
}

RC_GTEST_PROP(Quantity, RoundUpToGivesTheNextMultiple, ()) {
  const std::int64_t value = *rc::gen::inRange<std::int64_t>(0, INT64_MAX / 2);
  const std::int64_t step = *rc::gen::inRange<std::int64_t>(1, 1 << 30);
  const std::int64_t result = round_up_to(value, step);
  RC_ASSERT(result % step == 0);
  RC_ASSERT(result >= value && result - value < step);
}

}  // namespace
}  // namespace kvtraffic::sim
