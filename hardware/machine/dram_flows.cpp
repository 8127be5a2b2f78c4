// A walk over the graph. Leaves out accesses of other memories, and those that L2 keeps to itself.
#include "hardware/machine/dram_flows.hpp"

namespace kvtraffic::hardware {

void DramFlows::fill(const sim::StepGraph& graph, std::span<const std::int64_t> dram) {
  flows_.clear();
  first_.clear();
  for (const sim::Vertex& vertex : graph.vertices()) {
    first_.push_back(static_cast<std::uint32_t>(flows_.size()));
    const auto& accesses = graph.operations()[vertex.operation].accesses;
    for (std::uint32_t i = 0; i < accesses.size(); ++i) {
      const std::int64_t bytes = dram[vertex.first_access + i];
      if (bytes == 0 || accesses[i].place != sim::Place::device) continue;
      flows_.push_back({i, accesses[i].direction == sim::Direction::write, bytes});
    }
  }
  first_.push_back(static_cast<std::uint32_t>(flows_.size()));
}

}  // namespace kvtraffic::hardware
