// The random numbers of patterns and reference traces: SplitMix64, so that any language can draw the same ones.
// Leaves out every other distribution than "uniform below n".
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/draw/split_mix.hpp"

namespace kvtraffic::hardware::hbm {

using sim::SplitMix64;

// FNV-1a of a family's name, folded with the user's seed: adding a family never changes the draws of another.
[[nodiscard]] constexpr std::uint64_t seed_of(std::string_view family, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char letter : family) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  }
  return hash ^ seed;
}

}  // namespace kvtraffic::hardware::hbm
