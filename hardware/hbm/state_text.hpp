// The state of a channel as a sequence of numbers in which time and rows are relative: two equal sequences go on alike.
// Leaves out what the numbers mean; whoever tells a state decides that.
#pragma once

#include <cstdint>
#include <vector>

namespace kvtraffic::hardware::hbm {

// Where the state of a channel counts from, or how far it is moved: time, rows of a bank (cyclic) and requests taken.
struct Epoch {
  std::int64_t tick = 0;
  std::int64_t row = 0;
  std::int64_t rows = 1;  // of a bank
  std::int64_t requests = 0;

  [[nodiscard]] std::int64_t row_from(std::int64_t absolute) const { return (absolute - row + rows) % rows; }
  [[nodiscard]] std::int64_t row_after(std::int64_t absolute) const { return (absolute + row) % rows; }
};

class StateText {
 public:
  void clear() { words_.clear(); }
  void number(std::int64_t value) { words_.push_back(value); }
  [[nodiscard]] const std::vector<std::int64_t>& words() const { return words_; }
  // FNV-1a over the words.
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const std::int64_t word : words_) hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x100000001B3U;
    return hash;
  }

 private:
  std::vector<std::int64_t> words_;
};

}  // namespace kvtraffic::hardware::hbm
