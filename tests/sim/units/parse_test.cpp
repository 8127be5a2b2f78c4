// Quantities from text: what is understood, what is refused, and in which words.
// Leaves out ranges (table_check_test.cpp).
#include "sim/units/parse.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "sim/units/format.hpp"

namespace kvtraffic::sim {
namespace {

constexpr std::int64_t kKibi = 1024;

template <class T>
std::string fault_of(const Parsed<T>& parsed) {
  return parsed ? "no fault" : parsed.error().message;
}

TEST(ParseBytes, KnowsDecimalAndBinaryPrefixes) {
  EXPECT_EQ(parse_bytes("890 B")->count(), 890);
  EXPECT_EQ(parse_bytes("80 GB")->count(), 80'000'000'000);
  EXPECT_EQ(parse_bytes("80GiB")->count(), 80 * kKibi * kKibi * kKibi);
  EXPECT_EQ(parse_bytes("1.5 kB")->count(), 1500);
  EXPECT_EQ(parse_bytes("1.5 KB")->count(), 1500);
  EXPECT_EQ(parse_bytes("0.5 KiB")->count(), 512);
  EXPECT_EQ(parse_bytes("2 PB")->count(), 2'000'000'000'000'000);
  EXPECT_EQ(parse_bytes("1e3 MB")->count(), 1'000'000'000);
}

TEST(ParseBytes, ReadsDecimalsExactly) {
  EXPECT_EQ(parse_bytes("0.1 GB")->count(), 100'000'000);
  EXPECT_EQ(parse_bytes("1.055391744 GB")->count(), 1'055'391'744);
  EXPECT_EQ(fault_of(parse_bytes("1.23456789012345678901 GB")), "'1.23456789012345678901 GB' has more than 19 digits");
  EXPECT_EQ(parse_bytes("9000.000000000000001 PB")->count(), 9'000'000'000'000'000'001);
}

TEST(ParseBytes, SaysWhatIsWrong) {
  EXPECT_EQ(fault_of(parse_bytes("80")), "'80' needs a unit");
  EXPECT_EQ(fault_of(parse_bytes("80 X")), "'80 X' has no known unit");
  EXPECT_EQ(fault_of(parse_bytes("80 K")), "'80 K' has no known unit");
  EXPECT_EQ(fault_of(parse_bytes("80 gb")), "'80 gb' has no known unit (upper and lower case differ: GB)");
  EXPECT_EQ(fault_of(parse_bytes("80 Gb")), "'80 Gb' is in bits; a size is in bytes");
  EXPECT_EQ(fault_of(parse_bytes("1.5 B")), "'1.5 B' is not a whole number of bytes");
  EXPECT_EQ(fault_of(parse_bytes("-1 B")), "'-1 B' is negative");
  EXPECT_EQ(fault_of(parse_bytes("10000 PB")), "'10000 PB' is too large");
  EXPECT_EQ(fault_of(parse_bytes("1e99999999999 B")), "'1e99999999999 B' is too large");
  EXPECT_EQ(fault_of(parse_bytes("1_000 B")),
            "'1_000 B' has '_' inside the number; write the digits without separators");
  EXPECT_EQ(fault_of(parse_bytes("1,000 B")),
            "'1,000 B' has ',' inside the number; write the digits without separators");
  EXPECT_EQ(fault_of(parse_bytes("")), "'' is empty");
  EXPECT_EQ(fault_of(parse_bytes("GB")), "'GB' is not a number");
  EXPECT_EQ(parse_bytes("80").error().expected,
            "a size such as 80 GB (B, kB, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB)");
}

TEST(ParseBandwidth, TellsBitsFromBytes) {
  EXPECT_EQ(parse_bandwidth("4.8 TB/s")->per_second(), 4.8e12);
  EXPECT_EQ(parse_bandwidth("900GB/s")->per_second(), 900e9);
  EXPECT_EQ(parse_bandwidth("400 Gbit/s")->per_second(), 400e9 / 8);
  EXPECT_EQ(parse_bandwidth("400 Gb/s")->per_second(), 400e9 / 8);
  EXPECT_EQ(parse_bandwidth("1 GiB/s")->per_second(), 1073741824.0);
  EXPECT_EQ(parse_bandwidth("0.5 B/s")->per_second(), 0.5);
}

TEST(ParseBandwidth, ListsTheChoices) {
  const Parsed<Bandwidth> parsed = parse_bandwidth("4.8T");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message, "'4.8T' has no known unit");
  EXPECT_EQ(parsed.error().expected,
            "a bandwidth such as 4.8 TB/s (B/s, kB/s, KB/s, MB/s, GB/s, TB/s, PB/s, KiB/s, MiB/s, GiB/s, TiB/s, PiB/s, "
            "bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s, b/s, kb/s, Mb/s, Gb/s, Tb/s)");
  EXPECT_EQ(fault_of(parse_bandwidth("4.8")), "'4.8' needs a unit");
  EXPECT_EQ(fault_of(parse_bandwidth("-1 B/s")), "'-1 B/s' is negative");
  EXPECT_EQ(fault_of(parse_bandwidth("1e999 B/s")), "'1e999 B/s' is out of range");
}

TEST(ParseDuration, ReadsEveryUnit) {
  EXPECT_EQ(parse_duration("13.75 ns")->femtoseconds(), 13'750'000);
  EXPECT_EQ(parse_duration("1 s")->femtoseconds(), 1'000'000'000'000'000);
  EXPECT_EQ(parse_duration("2 h")->femtoseconds(), 7'200'000'000'000'000'000);
  EXPECT_EQ(parse_duration("1.5 min")->femtoseconds(), 90'000'000'000'000'000);
  EXPECT_EQ(parse_duration("3 us")->femtoseconds(), 3'000'000'000);
  EXPECT_EQ(parse_duration("3 ps")->femtoseconds(), 3'000);
  EXPECT_EQ(parse_duration("0.1 fs")->femtoseconds(), 1);  // rounds up, as every other time does
  EXPECT_EQ(fault_of(parse_duration("3 h")), "'3 h' is too large");
  EXPECT_EQ(fault_of(parse_duration("3")), "'3' needs a unit");
}

TEST(ParseRates, ReadFrequenciesAndOperations) {
  EXPECT_EQ(parse_frequency("1.83 GHz")->per_second(), 1.83e9);
  EXPECT_EQ(parse_frequency("1830MHz")->per_second(), 1.83e9);
  EXPECT_EQ(parse_flop_rate("1979 TFLOPS")->per_second(), 1979e12);
  EXPECT_EQ(parse_flop_rate("3.958 POPS")->per_second(), 3.958e15);
  EXPECT_EQ(fault_of(parse_frequency("1830")), "'1830' needs a unit");
}

TEST(ParseTokens, CountsInPowersOf1024) {
  EXPECT_EQ(*parse_tokens("128K"), 131'072);
  EXPECT_EQ(*parse_tokens("1M"), 1'048'576);
  EXPECT_EQ(*parse_tokens("1.5K"), 1536);
  EXPECT_EQ(*parse_tokens("4096"), 4096);
  EXPECT_EQ(*parse_tokens("128 K"), 131'072);
  EXPECT_EQ(fault_of(parse_tokens("128k")), "'128k' has no known unit (upper and lower case differ: K)");
  EXPECT_EQ(fault_of(parse_tokens("0.5")), "'0.5' is not a whole number of tokens");
  EXPECT_EQ(fault_of(parse_tokens("-1")), "'-1' is negative");
}

TEST(ParseNumber, ReadsDecimalsOnly) {
  EXPECT_EQ(*parse_number("1e3"), 1000);
  EXPECT_EQ(*parse_number("-0.25"), -0.25);
  EXPECT_EQ(*parse_number("+.5"), 0.5);
  EXPECT_EQ(fault_of(parse_number("nan")), "'nan' is not a finite number");
  EXPECT_EQ(fault_of(parse_number("-.inf")), "'-.inf' is not a finite number");
  EXPECT_EQ(fault_of(parse_number("Infinity")), "'Infinity' is not a finite number");
  EXPECT_EQ(fault_of(parse_number("0x10")), "'0x10' is hexadecimal");
  EXPECT_EQ(fault_of(parse_number("1e999")), "'1e999' is out of range");
  EXPECT_EQ(fault_of(parse_number("12 apples")), "'12 apples' is not a number");
  EXPECT_EQ(fault_of(parse_number("1 2")), "'1 2' is not a number");
}

TEST(ParseInteger, TakesDigitsOnly) {
  EXPECT_EQ(*parse_integer("-42"), -42);
  EXPECT_EQ(*parse_integer("+42"), 42);
  EXPECT_EQ(*parse_integer("007"), 7);
  EXPECT_EQ(*parse_integer("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(fault_of(parse_integer("9223372036854775808")), "'9223372036854775808' is too large");
  EXPECT_EQ(fault_of(parse_integer("1e3")), "'1e3' is not a whole number");
  EXPECT_EQ(fault_of(parse_integer("64.0")), "'64.0' is not a whole number");
  EXPECT_EQ(fault_of(parse_integer("1_000")), "'1_000' has '_' inside the number; write the digits without separators");
  EXPECT_EQ(fault_of(parse_integer("+-1")), "'+-1' is not a number");
}

TEST(ParseRatio, TakesFractionsAndPercentages) {
  EXPECT_EQ(*parse_ratio("0.93"), 0.93);
  EXPECT_EQ(*parse_ratio("93%"), 0.93);
  EXPECT_EQ(*parse_ratio("12.5 %"), 0.125);
  EXPECT_EQ(fault_of(parse_ratio("93 percent")), "'93 percent' is not a ratio");
}

TEST(ParseFlag, TakesTrueAndFalseOnly) {
  EXPECT_EQ(*parse_flag("true"), true);
  EXPECT_EQ(*parse_flag("false"), false);
  EXPECT_EQ(fault_of(parse_flag("yes")), "'yes' is not true or false");
  EXPECT_EQ(parse_flag("yes").error().expected, "true or false; write true");
  EXPECT_EQ(parse_flag("off").error().expected, "true or false; write false");
  EXPECT_EQ(parse_flag("maybe").error().expected, "true or false");
}

TEST(ParseMessages, CutLongTexts) {
  const std::string message = fault_of(parse_bytes(std::string(1000, 'x')));
  EXPECT_EQ(message, "'" + std::string(57, 'x') + "...' is not a number");
}

RC_GTEST_PROP(ParseNumber, ReadsBackEveryExactText, (double value)) {
  RC_PRE(std::isfinite(value));
  RC_ASSERT(*parse_number(exact_text(value)) == value);
}

RC_GTEST_PROP(ParseBytes, ReadsBackEveryCount, ()) {
  const std::int64_t count = *rc::gen::inRange<std::int64_t>(0, 999'999'999'999'999'999);
  RC_ASSERT(parse_bytes(fmt::format("{} B", count))->count() == count);
}

RC_GTEST_PROP(Parse, NeverFallsOverAnyText, (const std::string& text)) {
  (void)parse_bytes(text);
  (void)parse_duration(text);
  (void)parse_bandwidth(text);
  (void)parse_tokens(text);
  (void)parse_ratio(text);
  (void)parse_integer(text);
  (void)parse_flag(text);
}

}  // namespace
}  // namespace kvtraffic::sim
