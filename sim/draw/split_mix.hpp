// Random numbers that every machine and every language can draw the same: SplitMix64.
// Leaves out other distributions than uniform ones (binomial.hpp).
#pragma once

#include <cstdint>

namespace kvtraffic::sim {

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

  // From 0 to below 1, in steps of 2^-53.
  [[nodiscard]] double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace kvtraffic::sim
