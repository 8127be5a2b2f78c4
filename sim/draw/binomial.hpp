// How many of n things happen that each happen with the same chance, drawn in a time that hardly depends on n.
// Leaves out things with unequal chances.
#pragma once

#include <cstdint>

#include "sim/draw/split_mix.hpp"

namespace kvtraffic::sim {

// 0 to n; exactly binomial but for the rounding of 64-bit floating point, and the same on every machine. `chance` below
// 0 counts as 0, above 1 as 1.
[[nodiscard]] std::int64_t binomial(SplitMix64& random, std::int64_t n, double chance);

}  // namespace kvtraffic::sim
