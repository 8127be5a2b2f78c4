// Quantities for people, word for word.
// Leaves out reading.
#include "sim/units/format.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <charconv>
#include <cmath>

namespace kvtraffic::sim {
namespace {

TEST(Format, BytesAreExactBelowAThousandAndFourDigitsAbove) {
  EXPECT_EQ(to_text(Bytes::of(0)), "0 B");
  EXPECT_EQ(to_text(Bytes::of(890)), "890 B");
  EXPECT_EQ(to_text(Bytes::of(999)), "999 B");
  EXPECT_EQ(to_text(Bytes::of(1000)), "1 kB");
  EXPECT_EQ(to_text(Bytes::of(48'068)), "48.07 kB");
  EXPECT_EQ(to_text(Bytes::of(81'950'000)), "81.95 MB");
  EXPECT_EQ(to_text(Bytes::of(1'055'391'744)), "1.055 GB");
  EXPECT_EQ(to_text(Bytes::of(999'999)), "1 MB");
  EXPECT_EQ(to_text(Bytes::of(-1'500)), "-1.5 kB");
  EXPECT_EQ(to_text(Bytes::of(INT64_MAX)), "9.223 EB");
}

TEST(Format, RatesNameTheirUnit) {
  EXPECT_EQ(to_text(Bandwidth::per_second(4.8e12)), "4.8 TB/s");
  EXPECT_EQ(to_text(Bandwidth::per_second(0)), "0 B/s");
  EXPECT_EQ(to_text(Frequency::per_second(1.83e9)), "1.83 GHz");
  EXPECT_EQ(to_text(FlopRate::per_second(1979e12)), "1979 TFLOPS");
  EXPECT_EQ(to_text(FlopRate::per_second(67e12)), "67 TFLOPS");
  EXPECT_EQ(to_text(FlopRate::per_second(15.8e15)), "15.8 PFLOPS");
}

TEST(Format, TimesTakeTheFittingUnit) {
  EXPECT_EQ(time_text(7.84e-3), "7.84 ms");
  EXPECT_EQ(time_text(1.3e-6), "1.3 us");
  EXPECT_EQ(time_text(0), "0 s");
  EXPECT_EQ(time_text(90), "90 s");
  EXPECT_EQ(time_text(0.9999999), "1 s");
  EXPECT_EQ(time_text(2e-15), "2 fs");
}

TEST(Format, CommasGroupThousands) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1'055'391'744), "1,055,391,744");
  EXPECT_EQ(with_commas(-1000), "-1,000");
  EXPECT_EQ(with_commas(-100), "-100");
  EXPECT_EQ(with_commas(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(Format, ExactTextIsShortAndWithoutExponentWherePeopleRead) {
  EXPECT_EQ(exact_text(3514.25), "3514.25");
  EXPECT_EQ(exact_text(890), "890");
  EXPECT_EQ(exact_text(-0.0), "0");
  EXPECT_EQ(exact_text(0.1), "0.1");
  EXPECT_EQ(exact_text(1e-4), "0.0001");
  EXPECT_EQ(exact_text(100'000'000'000'000), "100000000000000");
  EXPECT_EQ(exact_text(1e15), "1e+15");
  EXPECT_EQ(exact_text(9.5e-5), "9.5e-05");
}

RC_GTEST_PROP(Format, ExactTextReadsBack, (double value)) {
  RC_PRE(std::isfinite(value));
  const std::string text = exact_text(value);
  double back = 0;
  std::from_chars(text.data(), text.data() + text.size(), back);
  RC_ASSERT(back == value);
  const bool is_plain = std::abs(value) >= 1e-4 && std::abs(value) < 1e15;
  RC_ASSERT(!is_plain || text.find('e') == std::string::npos);
}

}  // namespace
}  // namespace kvtraffic::sim
