// In which place of the pool each page lies. No table is kept: places are computed, each page has one and each place
// one page. Leaves out how places become addresses (pieces.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "sim/plan/locality.hpp"

namespace kvtraffic::hardware {

// A permutation of [0, count) that keeps hardly any neighbours.
class Shuffle {
 public:
  Shuffle(std::uint64_t count, std::uint64_t seed);
  [[nodiscard]] std::uint64_t operator()(std::uint64_t value) const;  // value < count

 private:
  struct Round {
    std::uint64_t add = 0;
    std::uint64_t times = 0;  // odd
  };
  [[nodiscard]] std::uint64_t once(std::uint64_t value) const;

  std::uint64_t count_;
  std::uint64_t mask_;      // of the smallest power of two that count_ fits into
  std::uint32_t fold_ = 0;  // bits by which high ones are folded onto low ones
  std::array<Round, 4> rounds_{};
};

class PageTable {
 public:
  static constexpr std::int64_t run_of_aged = 8;  // pages that lie together in an aged pool, on average

  PageTable(sim::PageOrder order, std::uint64_t pages, std::uint64_t seed);
  [[nodiscard]] std::uint64_t place_of(std::uint64_t page) const;  // page < pages()
  [[nodiscard]] std::uint64_t pages() const { return pages_; }

 private:
  [[nodiscard]] std::uint64_t aged_place_of(std::uint64_t page) const;

  sim::PageOrder order_;
  std::uint64_t pages_;
  std::uint64_t cuts_;  // with a pair of blocks: the seed of where these are cut
  Shuffle shuffle_;     // of pages, or of frames
};

}  // namespace kvtraffic::hardware
