// Checked 64-bit arithmetic and the conversions from rates to times.
// Leaves out reading and printing: parse.cpp and format.cpp.
#include "sim/units/quantity.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kvtraffic::sim {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;
constexpr double kLargest = 9223372036854775807.0;  // 2^63 as a double

[[noreturn]] void throw_overflow(std::string_view what) {
  throw OverflowError(fmt::format("{} leaves the 64-bit range", what));
}

// Rounds up, but takes a value within two units in the last place of a whole number for that number: 1e-9 s is
// 1,000,000 fs.
std::int64_t ceil_femtoseconds(double femtoseconds) {
  if (!(std::abs(femtoseconds) < kLargest)) {
    throw_overflow(fmt::format("{} s in femtoseconds", femtoseconds * 1e-15));
  }
  const double nearest = std::nearbyint(femtoseconds);
  const bool is_whole = std::abs(femtoseconds - nearest) <= std::abs(femtoseconds) * 4.5e-16;
  return static_cast<std::int64_t>(is_whole ? nearest : std::ceil(femtoseconds));
}

}  // namespace

void throw_overflow(std::int64_t a, char operation, std::int64_t b) {
  throw_overflow(fmt::format("{} {} {}", a, operation, b));
}

std::int64_t scale(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t small = 0;
  if (!__builtin_mul_overflow(a, b, &small)) return round_divide(small, c);
  const Wide product = static_cast<Wide>(a) * b;
  const Wide quotient = product / c;
  const Wide rest = product % c;
  const Wide result = quotient + (rest >= c - rest ? 1 : 0);
  if (result > INT64_MAX) {
    throw_overflow(fmt::format("{} * {} / {}", a, b, c));
  }
  return static_cast<std::int64_t>(result);
}

std::int64_t round_up_to(std::int64_t value, std::int64_t step) {
  return checked_multiply(ceil_divide(value, step), step);
}

Duration Duration::of_seconds(double seconds) { return Duration(ceil_femtoseconds(seconds * 1e15)); }

Duration time_to_move(Bytes bytes, Bandwidth rate) {
  const double per_second = rate.per_second();
  const bool is_whole = per_second >= 1 && per_second < kLargest && std::floor(per_second) == per_second;
  if (!is_whole) {
    return Duration::of_femtoseconds(ceil_femtoseconds(static_cast<double>(bytes.count()) / per_second * 1e15));
  }
  const Wide product = static_cast<Wide>(bytes.count()) * kFemtosecondsPerSecond;
  const Wide divisor = static_cast<Wide>(per_second);
  const Wide result = product / divisor + (product % divisor != 0 ? 1 : 0);
  if (result > INT64_MAX) {
    throw_overflow(fmt::format("the time to move {} B at {} B/s", bytes.count(), per_second));
  }
  return Duration::of_femtoseconds(static_cast<std::int64_t>(result));
}

Duration time_to_compute(double flops, FlopRate rate) {
  return Duration::of_femtoseconds(ceil_femtoseconds(flops / rate.per_second() * 1e15));
}

}  // namespace kvtraffic::sim
