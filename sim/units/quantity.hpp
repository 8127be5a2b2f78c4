// Bytes, time and rates as types: a number gets its unit on the way in and names it on the way out.
// Leaves out reading units from text (parse.hpp) and printing them (format.hpp).
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>

namespace kvtraffic::sim {

// Arithmetic on bytes or time left the 64-bit range. A point that meets it fails; it is never wrapped.
class OverflowError : public std::overflow_error {
 public:
  using std::overflow_error::overflow_error;
};

[[noreturn]] void throw_overflow(std::int64_t a, char operation, std::int64_t b);

[[nodiscard]] inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw_overflow(a, '+', b);
  return sum;
}
[[nodiscard]] inline std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw_overflow(a, '*', b);
  return product;
}

// `a / b` rounded up; requires a >= 0 and b > 0.
[[nodiscard]] constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// `a / b` rounded to the nearest whole number, halves up; requires a >= 0 and b > 0.
[[nodiscard]] constexpr std::int64_t round_divide(std::int64_t a, std::int64_t b) {
  return a / b + (a % b >= b - a % b ? 1 : 0);
}

// `a * b / c` with a 128-bit product, rounded to nearest (halves up); requires a, b >= 0 and c > 0.
[[nodiscard]] std::int64_t scale(std::int64_t a, std::int64_t b, std::int64_t c);

// Smallest multiple of `step` that is not below `value`; requires value >= 0 and step > 0.
[[nodiscard]] std::int64_t round_up_to(std::int64_t value, std::int64_t step);

class Bytes {
 public:
  constexpr Bytes() = default;
  [[nodiscard]] static constexpr Bytes of(std::int64_t count) { return Bytes(count); }
  [[nodiscard]] constexpr std::int64_t count() const { return count_; }
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend Bytes operator+(Bytes a, Bytes b) { return Bytes(checked_add(a.count_, b.count_)); }
  friend Bytes operator-(Bytes a, Bytes b) { return Bytes(checked_add(a.count_, -b.count_)); }
  friend Bytes operator*(Bytes a, std::int64_t n) { return Bytes(checked_multiply(a.count_, n)); }
  Bytes& operator+=(Bytes other) { return *this = *this + other; }

 private:
  explicit constexpr Bytes(std::int64_t count) : count_(count) {}
  std::int64_t count_ = 0;
};

// A length of time in whole femtoseconds: 64 bits reach 2.5 hours.
class Duration {
 public:
  constexpr Duration() = default;
  [[nodiscard]] static constexpr Duration of_femtoseconds(std::int64_t n) { return Duration(n); }
  [[nodiscard]] static Duration of_seconds(double seconds);  // rounds up; OverflowError beyond 2.5 hours
  [[nodiscard]] constexpr std::int64_t femtoseconds() const { return femtoseconds_; }
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(femtoseconds_) * 1e-15; }
  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend Duration operator+(Duration a, Duration b) { return Duration(checked_add(a.femtoseconds_, b.femtoseconds_)); }
  friend Duration operator-(Duration a, Duration b) { return Duration(checked_add(a.femtoseconds_, -b.femtoseconds_)); }
  friend Duration operator*(Duration a, std::int64_t n) { return Duration(checked_multiply(a.femtoseconds_, n)); }
  Duration& operator+=(Duration other) { return *this = *this + other; }

 private:
  explicit constexpr Duration(std::int64_t n) : femtoseconds_(n) {}
  std::int64_t femtoseconds_ = 0;
};

// A point in simulated time, in femtoseconds since the step began. Not a Duration: two instants do not add.
class Instant {
 public:
  constexpr Instant() = default;
  [[nodiscard]] static constexpr Instant at_femtoseconds(std::int64_t n) { return Instant(n); }
  [[nodiscard]] static constexpr Instant never() { return Instant(INT64_MAX); }
  [[nodiscard]] constexpr std::int64_t femtoseconds() const { return femtoseconds_; }
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(femtoseconds_) * 1e-15; }
  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend Instant operator+(Instant t, Duration d) { return Instant(checked_add(t.femtoseconds_, d.femtoseconds())); }
  friend Duration operator-(Instant a, Instant b) {
    return Duration::of_femtoseconds(checked_add(a.femtoseconds_, -b.femtoseconds_));
  }

 private:
  explicit constexpr Instant(std::int64_t n) : femtoseconds_(n) {}
  std::int64_t femtoseconds_ = 0;
};

// A rate per second. `Tag` keeps bytes, cycles and floating-point operations apart.
template <class Tag>
class Rate {
 public:
  constexpr Rate() = default;
  [[nodiscard]] static constexpr Rate per_second(double value) { return Rate(value); }
  [[nodiscard]] constexpr double per_second() const { return value_; }
  [[nodiscard]] constexpr bool is_zero() const { return value_ <= 0; }
  friend constexpr auto operator<=>(Rate, Rate) = default;
  friend constexpr Rate operator*(Rate rate, double factor) { return Rate(rate.value_ * factor); }

 private:
  explicit constexpr Rate(double value) : value_(value) {}
  double value_ = 0;
};
using Bandwidth = Rate<struct BytesTag>;   // bytes per second
using Frequency = Rate<struct CyclesTag>;  // hertz
using FlopRate = Rate<struct FlopsTag>;    // floating-point operations per second

// Time to move `bytes` at `rate`, rounded up to a femtosecond; requires a rate above zero.
[[nodiscard]] Duration time_to_move(Bytes bytes, Bandwidth rate);
// Time for `flops` operations at `rate`, rounded up; requires a rate above zero.
[[nodiscard]] Duration time_to_compute(double flops, FlopRate rate);

}  // namespace kvtraffic::sim
