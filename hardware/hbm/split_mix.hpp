// The random numbers of patterns and reference traces: SplitMix64, so that any language can draw the same ones.
// Leaves out every other distribution than "uniform below n".
#pragma once

#include <cstdint>
#include <string_view>

namespace kvtraffic::hardware::hbm {

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
    return z ^ (z >> 31U);
  }

  // Exactly uniform below n > 0: draws at or above the last multiple of n that 64 bits hold are drawn again.
  [[nodiscard]] std::uint64_t below(std::uint64_t n) {
    const std::uint64_t tail = (0 - n) % n;  // 2^64 mod n
    std::uint64_t z = next();
    while (z > ~tail) z = next();
    return z % n;
  }

 private:
  std::uint64_t state_;
};

// FNV-1a of a family's name, folded with the user's seed: adding a family never changes the draws of another.
[[nodiscard]] constexpr std::uint64_t seed_of(std::string_view family, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char letter : family) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  }
  return hash ^ seed;
}

}  // namespace kvtraffic::hardware::hbm
