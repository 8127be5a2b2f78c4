// What an L2 that forgets the least recently used region lets through to DRAM: stack distances in execution order, in
// the steady state of a step that follows itself. Leaves out time, sets and ways, and which part of a region two
// accesses share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hardware/machine/access_table.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware {

// An access finds a region in L2 if no more than `usable` bytes, its own included, were accessed since the region's
// last use; then as many bytes are held as earlier uses brought in. A write reaches DRAM unless the region is written
// again before it is evicted.
//
// What the roofline calls compulsory always moves: the first read of a byte that is not `transient` in a step, and the
// last write. A step so small that it would find all of its weights in L2 from the step before is charged for them all
// the same.
//
// A region is as large as its distinct bytes. What the query tiles of a prefill read again is AccessCost::again.
class L2Model {
 public:
  explicit L2Model(sim::Bytes usable) : usable_(usable.count()) {}
  // Fills `dram`, one element per vertex access: bytes over the pins.
  void run(const sim::StepGraph& graph, const AccessTable& table, std::vector<std::int64_t>& dram);

 private:
  struct Region {
    std::int64_t used_until = 0;  // position in the stream of bytes where its last whole use ended
    std::int64_t held = 0;        // bytes that uses since its last eviction have brought in; 0: never used
    std::int64_t read = 0;        // largest read of this walk
    std::int64_t dirty = 0;       // bytes of a write that has not reached DRAM yet
    std::uint32_t dirty_access = 0;
    std::int32_t dirty_walk = 0;
    bool dirty_transient = false;
  };
  void walk(const sim::StepGraph& graph, const AccessTable& table, std::int32_t walk, std::span<std::int64_t> dram);
  [[nodiscard]] static std::int64_t read(Region& region, const AccessCost& cost, bool near);
  static void settle_write(Region& region, const AccessCost& cost, bool near, std::int32_t walk,
                           std::span<std::int64_t> dram);

  std::int64_t usable_;
  std::int64_t position_ = 0;
  std::vector<Region> regions_;
};

}  // namespace kvtraffic::hardware
