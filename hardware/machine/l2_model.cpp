// Two walks over the step: the first leaves L2 as a step leaves it, the second counts. A write that is still in L2 at
// the end of a walk is settled in the next one, so what the first walk left open is right for the second too.
#include "hardware/machine/l2_model.hpp"

#include <algorithm>

namespace kvtraffic::hardware {

void L2Model::run(const sim::StepGraph& graph, const AccessTable& table, std::vector<std::int64_t>& dram) {
  dram.assign(graph.vertex_accesses(), 0);
  regions_.assign(graph.region_count(), {});
  position_ = 0;
  walk(graph, table, 1, dram);
  walk(graph, table, 2, dram);
}

void L2Model::walk(const sim::StepGraph& graph, const AccessTable& table, std::int32_t walk,
                   std::span<std::int64_t> dram) {
  for (Region& region : regions_) region.read = 0;
  for (const std::uint32_t v : graph.order()) {
    const sim::Vertex& vertex = graph.vertices()[v];
    const AccessTable::Range range = table.ranges[vertex.operation];
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const AccessCost& cost = table.costs[range.first + i];
      if (cost.place != sim::Place::device || cost.bytes == 0) continue;
      const std::uint32_t access = vertex.first_access + i;
      Region& region = regions_[graph.regions()[access]];
      const std::int64_t end = sim::checked_add(position_, cost.footprint);
      const bool near = region.held > 0 && end - region.used_until <= usable_;
      settle_write(region, cost, near, walk, dram);
      if (cost.write) {
        region.dirty = cost.footprint;
        region.dirty_access = access;
        region.dirty_walk = walk;
        region.dirty_transient = cost.transient;
      } else {
        dram[access] = read(region, cost, near) + cost.again;
      }
      // A use of a part does not make the rest of the region any younger.
      if (!near || cost.footprint >= region.held) {
        region.used_until = end;
        region.held = cost.footprint;
      }
      position_ = end;
    }
  }
}

std::int64_t L2Model::read(Region& region, const AccessCost& cost, bool near) {
  const std::int64_t missed = near ? std::max<std::int64_t>(0, cost.footprint - region.held) : cost.footprint;
  const std::int64_t compulsory = std::max<std::int64_t>(0, cost.compulsory - region.read);
  region.read = std::max(region.read, cost.footprint);
  return std::max(missed, compulsory);
}

void L2Model::settle_write(Region& region, const AccessCost& cost, bool near, std::int32_t walk,
                           std::span<std::int64_t> dram) {
  if (region.dirty == 0) return;
  const bool kept =
      !region.dirty_transient && region.dirty_walk != walk;  // the step's last write, and its bytes are wanted
  if (!near || kept) {
    dram[region.dirty_access] = region.dirty;
  } else if (cost.write) {
    dram[region.dirty_access] = std::max<std::int64_t>(0, region.dirty - cost.footprint);
  } else {
    return;  // a read leaves it dirty and in L2
  }
  region.dirty = 0;
}

}  // namespace kvtraffic::hardware
