// What each kernel moves over the pins, access by access, and how it lies there. Leaves out where it lies
// (dram_places.hpp) and how fast it moves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/graph/step_graph.hpp"

namespace kvtraffic::hardware {

// One per access of a vertex that moves anything over the pins.
struct DramFlow {
  std::uint32_t access = 0;  // of its operation
  bool write = false;
  std::int64_t bytes = 0;
};

// Refilled for every point.
class DramFlows {
 public:
  // `dram` as from L2Model::run.
  void fill(const sim::StepGraph& graph, std::span<const std::int64_t> dram);
  [[nodiscard]] std::span<const DramFlow> of(std::uint32_t vertex) const {
    return std::span(flows_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
  }

 private:
  std::vector<DramFlow> flows_;
  std::vector<std::uint32_t> first_;
};

}  // namespace kvtraffic::hardware
