// Copies what a walk needs out of operations and tally.
// Allocates only until it has seen the largest graph.
#include "hardware/machine/access_table.hpp"

namespace kvtraffic::hardware {

void AccessTable::fill(const sim::StepGraph& graph, const sim::Tally& tally) {
  costs.clear();
  ranges.clear();
  for (const sim::Operation& operation : graph.operations()) {
    const auto first = static_cast<std::uint32_t>(costs.size());
    for (const sim::Access& access : operation.accesses) {
      const sim::AccessBytes& bytes = tally.accesses[costs.size()];
      const bool elsewhere = access.place != sim::Place::device;
      costs.push_back({bytes.device, bytes.footprint, 0, elsewhere || access.transient ? 0 : bytes.footprint, 0, 0,
                       access.direction == sim::Direction::write, access.transient, access.dependent, access.place});
    }
    ranges.push_back({first, static_cast<std::uint32_t>(operation.accesses.size())});
  }
}

}  // namespace kvtraffic::hardware
