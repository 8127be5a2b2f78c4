// Quantities for people: a decimal prefix, at most four significant digits, trailing zeros cut.
// Leaves out tables and colours: the reports' affair.
#include "sim/units/format.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

namespace kvtraffic::sim {
namespace {

struct Prefix {
  double factor;
  std::string_view text;
};
constexpr Prefix kSizes[] = {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}, {1e18, "E"}};
constexpr Prefix kTimes[] = {{1e-15, "f"}, {1e-12, "p"}, {1e-9, "n"}, {1e-6, "u"}, {1e-3, "m"}, {1, ""}};

// Four significant digits of 0 <= value < 10,000, without trailing zeros.
std::string four_digits(double value) {
  const int decimals = value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
      text.pop_back();
    }
  }
  return text;
}

// The largest prefix that leaves at least one whole unit after rounding: 999,999 is "1 M", not "1000 k".
std::string with_prefix(double value, std::span<const Prefix> prefixes, std::string_view unit) {
  if (value == 0 || !std::isfinite(value)) {
    return fmt::format("{} {}", value == 0 ? 0.0 : value, unit);
  }
  const double size = std::abs(value);
  const Prefix* chosen = &prefixes.front();
  for (const Prefix& prefix : prefixes) {
    if (size >= prefix.factor * 0.99995) {
      chosen = &prefix;
    }
  }
  const double shown = size / chosen->factor;
  const std::string digits = shown < 9999.5 ? four_digits(shown) : fmt::format("{:.3e}", shown);
  return fmt::format("{}{} {}{}", value < 0 ? "-" : "", digits, chosen->text, unit);
}

}  // namespace

std::string to_text(Bytes bytes) {
  const std::int64_t count = bytes.count();
  if (count > -1000 && count < 1000) {
    return fmt::format("{} B", count);
  }
  return with_prefix(static_cast<double>(count), kSizes, "B");
}

std::string to_text(Bandwidth rate) { return with_prefix(rate.per_second(), kSizes, "B/s"); }

std::string to_text(Frequency rate) { return with_prefix(rate.per_second(), std::span(kSizes).first(4), "Hz"); }

std::string to_text(FlopRate rate) {
  // Data sheets speak of 1979 TFLOPS, not of 1.979 PFLOPS: peta only where tera would need five digits.
  const bool needs_peta = rate.per_second() >= 9999.5e12;
  return with_prefix(rate.per_second(), std::span(kSizes).first(needs_peta ? 7 : 5), "FLOPS");
}

std::string time_text(double seconds) { return with_prefix(seconds, kTimes, "s"); }

std::string with_commas(std::int64_t n) {
  const std::string digits = fmt::format("{}", n);
  const std::size_t first = n < 0 ? 1 : 0;
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) {
      text += ',';
    }
    text += digits[i];
  }
  return text;
}

std::string exact_text(double value) {
  const double size = std::abs(value);
  if (size == 0) {
    return "0";
  }
  std::array<char, 64> buffer{};
  const bool is_plain = size >= 1e-4 && size < 1e15;
  const auto result = is_plain ? std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::fixed)
                               : std::to_chars(buffer.begin(), buffer.end(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace kvtraffic::sim
