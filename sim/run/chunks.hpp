// A prefill in chunks as one step: the sums of what its chunks moved and of when their operations ran.
// Leaves out running them.
#pragma once

#include <array>
#include <vector>

#include "sim/run/machine.hpp"
#include "sim/run/tally.hpp"

namespace kvtraffic::sim {

// Adds the tally of the next chunk of the same graph and prompts. Counts that are no sums (distinct and drawn experts,
// costs of a sequence) are those of the last chunk; positions reach from the first chunk's first to the last chunk's
// last.
void add_chunk(const Tally& chunk, Tally& sum);

// Chunks follow one another, so times add up: an operation starts after what stood before it in all chunks together. A
// vertex is bound by what bound it in the chunk where it took longest, the whole by what bound chunks for the longest
// time.
class OutcomeSum {
 public:
  void clear();
  void add(const Outcome& chunk);
  [[nodiscard]] const Outcome& sum() const { return sum_; }

 private:
  Outcome sum_;
  std::vector<Duration> longest_;                         // per vertex
  std::array<Duration, bound_names.size()> bound_for_{};  // how long chunks were bound by each resource
};

}  // namespace kvtraffic::sim
