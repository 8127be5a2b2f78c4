// Series after the powers of two are taken out; enough terms that the next one is below half a unit.
// Leaves out speed: a draw takes few of them.
#include "sim/draw/elementary.hpp"

#include <cmath>

namespace kvtraffic::sim {
namespace {

constexpr double ln2_high = 0x1.62e42fee00000p-1;  // of ln 2 as many bits as stay exact times an exponent
constexpr double ln2_low = 0x1.a39ef35793c76p-33;

}  // namespace

// x = m 2^e with m from 1/sqrt(2) to sqrt(2); ln m = 2 (s + s^3/3 + s^5/5 + ...) with s = (m - 1) / (m + 1).
double portable_log(double x) {
  constexpr int terms = 12;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  double sum = 0;
  for (int i = terms; i > 0; --i) sum = (sum + 1.0 / (2 * i + 1)) * (s * s);
  return exponent * ln2_high + (exponent * ln2_low + 2 * (s + s * sum));
}

// x = n ln 2 + r with |r| <= ln 2 / 2; e^r = 1 + r (1 + r/2 (1 + r/3 (...))).
double portable_exp(double x) {
  constexpr int terms = 15;
  const double n = std::floor(x / (ln2_high + ln2_low) + 0.5);
  const double r = (x - n * ln2_high) - n * ln2_low;
  double sum = 1;
  for (int i = terms; i > 0; --i) sum = 1 + r * sum / i;
  return std::ldexp(sum, static_cast<int>(n));
}

}  // namespace kvtraffic::sim
