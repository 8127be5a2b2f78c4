// Reading quantities from text. A bare number where a unit exists is an error, never a default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

// What is wrong, and what would have been right. Both are sentences without a final stop.
struct UnitError {
  std::string message;   // "'4.8T' has no known unit"
  std::string expected;  // "a frequency such as 1.83 GHz (Hz, kHz, MHz, GHz)": every unit of the table
};
template <class T>
using Parsed = tl::expected<T, UnitError>;

// B, kB, MB, GB, TB, PB (powers of 1000) and KiB .. PiB (powers of 1024) differ. The result must be whole bytes.
[[nodiscard]] Parsed<Bytes> parse_bytes(std::string_view text);
// s, ms, us, ns, ps, fs, min, h.
[[nodiscard]] Parsed<Duration> parse_duration(std::string_view text);
// B/s .. PB/s, KiB/s .. PiB/s, and bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s ("Gb/s" is bits, "GB/s" bytes).
[[nodiscard]] Parsed<Bandwidth> parse_bandwidth(std::string_view text);
// Hz, kHz, MHz, GHz.
[[nodiscard]] Parsed<Frequency> parse_frequency(std::string_view text);
// FLOPS, GFLOPS, TFLOPS, PFLOPS (TOPS and POPS too).
[[nodiscard]] Parsed<FlopRate> parse_flop_rate(std::string_view text);
// Tokens: K = 1024, M = 1,048,576; plain numbers are tokens. "128K" is 131,072.
[[nodiscard]] Parsed<std::int64_t> parse_tokens(std::string_view text);
// A fraction "0.93" or a percentage "93%".
[[nodiscard]] Parsed<double> parse_ratio(std::string_view text);
// A whole number, decimal digits only, optional sign.
[[nodiscard]] Parsed<std::int64_t> parse_integer(std::string_view text);
// A finite decimal number. "nan", "inf" and hexadecimal are refused.
[[nodiscard]] Parsed<double> parse_number(std::string_view text);
// true or false only; yes, no, on and off are refused with a hint.
[[nodiscard]] Parsed<bool> parse_flag(std::string_view text);

}  // namespace kvtraffic::sim
