// Logarithm and exponential from additions, multiplications and divisions alone, so that every machine gets the same
// bits: a C library's differ in the last one. Leaves out zero, infinities and numbers that are none.
#pragma once

namespace kvtraffic::sim {

// Natural logarithm of x > 0, to a few units in the last place.
[[nodiscard]] double portable_log(double x);
// e^x for |x| < 700, to some units in the last place.
[[nodiscard]] double portable_exp(double x);

}  // namespace kvtraffic::sim
