// A walk over the graph. Leaves out accesses of other memories, and those that L2 keeps to itself.
#include "hardware/machine/dram_flows.hpp"

namespace kvtraffic::hardware {

void DramFlows::fill(const sim::StepGraph& graph, std::span<const std::int64_t> dram,
                     std::span<const KernelWork> works) {
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
    const auto number = first_.size() - 1;
    add_again(graph.operations()[vertex.operation], first_.back(), works[number].hbm_read);
  }
  first_.push_back(static_cast<std::uint32_t>(flows_.size()));
}

void DramFlows::add_again(const sim::Operation& operation, std::uint32_t first, std::int64_t read) {
  DramFlow* weights = nullptr;
  for (std::size_t i = first; i < flows_.size(); ++i) {
    DramFlow& flow = flows_[i];
    if (flow.write) continue;
    read -= flow.bytes;
    if (operation.accesses[flow.access].kind != sim::DataKind::weight) continue;
    if (weights == nullptr || flow.bytes > weights->bytes) weights = &flow;
  }
  if (weights != nullptr) weights->bytes += read;
}

}  // namespace kvtraffic::hardware
