// What each kernel moves over the pins, access by access, and how it lies there. Leaves out where it lies
// (dram_places.hpp) and how fast it moves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hardware/machine/kernel_work.hpp"
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
  // `dram` as from L2Model::run. What a kernel reads beyond that (KernelWorks: weights that its tiles fetch once more)
  // is the largest of its weights', so that flows add up to what its lanes ask for.
  void fill(const sim::StepGraph& graph, std::span<const std::int64_t> dram, std::span<const KernelWork> works);
  [[nodiscard]] std::span<const DramFlow> of(std::uint32_t vertex) const {
    return std::span(flows_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
  }

 private:
  void add_again(const sim::Operation& operation, std::uint32_t first, std::int64_t read);

  std::vector<DramFlow> flows_;
  std::vector<std::uint32_t> first_;
};

}  // namespace kvtraffic::hardware
