// A subset of [0, entries) in ascending order, each of its size equally likely. Marks a bit for each entry drawn and
// reads the bits in order, which is faster than sorting. Leaves out anything but uniform (picks.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/machine/dice.hpp"

namespace kvtraffic::hardware {

// Holds a bit for each entry of the most entries it was asked about; all are clear between two draws.
class Subset {
 public:
  // `count` different entries; 0 <= count <= entries.
  void draw(std::int64_t entries, std::int64_t count, Dice& dice, std::vector<std::int64_t>& into);

 private:
  void mark(std::uint64_t entries, std::int64_t count, Dice& dice);
  void take_marked(std::vector<std::int64_t>& into, std::size_t at);
  void take_unmarked(std::int64_t entries, std::vector<std::int64_t>& into, std::size_t at);

  std::vector<std::uint64_t> marks_;    // bit e % 64 of word e / 64
  std::vector<std::uint64_t> written_;  // bit w % 64 of word w / 64: marks_[w] is not 0
};

}  // namespace kvtraffic::hardware
