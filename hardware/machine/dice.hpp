// Random numbers for picks and places: SplitMix64 with a cheaper "uniform below n", and streams by name.
// Leaves out every other distribution; whole numbers only, so that any machine draws the same.
#pragma once

#include <cstdint>
#include <string_view>

#include "hardware/hbm/split_mix.hpp"

namespace kvtraffic::hardware {

class Dice {
 public:
  explicit Dice(std::uint64_t state) : random_(state) {}

  // A stream of its own for each (purpose, seed, identity), however near the identities are.
  Dice(std::string_view purpose, std::uint64_t seed, std::uint64_t identity)
      : random_(mixed(mixed(hbm::seed_of(purpose, seed)) ^ identity)) {}

  [[nodiscard]] std::uint64_t next() { return random_.next(); }

  // Exactly uniform below n > 0. Lemire, "Fast random integer generation in an interval", 2019: a product in place of a
  // division, and draws again in the few cases that would be uneven.
  [[nodiscard]] std::uint64_t below(std::uint64_t n) {
    constexpr std::uint64_t most = std::uint64_t{1} << 32U;
    if (n > most) return random_.below(n);
    std::uint64_t product = (next() >> 32U) * n;
    if (static_cast<std::uint32_t>(product) < n) {
      const std::uint64_t uneven = (most - n) % n;
      while (static_cast<std::uint32_t>(product) < uneven) product = (next() >> 32U) * n;
    }
    return product >> 32U;
  }

 private:
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t value) { return hbm::SplitMix64(value).next(); }

  hbm::SplitMix64 random_;
};

}  // namespace kvtraffic::hardware
