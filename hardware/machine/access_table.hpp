// One point's accesses as a machine walks them: bytes on the fullest device and what decides where they go, side by
// side. Leaves out regions, which belong to vertices and stay in the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/step_graph.hpp"
#include "sim/run/tally.hpp"

namespace kvtraffic::hardware {

struct AccessCost {
  std::int64_t bytes = 0;      // sector bytes on the fullest device
  std::int64_t footprint = 0;  // of these, distinct ones
  std::int64_t again = 0;      // of the others, those that L2 does not hold (rereads.hpp); the bound knows none
  std::int64_t compulsory =
      0;  // of these, what must cross the DRAM pins once: none of other memories or of transient bytes
  // Gathers that L2 keeps as sets of their own (gathers.hpp); zero: bytes lie one after another.
  std::int64_t lines = 0;  // of L2 that the entries take up
  std::int64_t pool = 0;   // bytes of all entries that these were picked from; zero: not picked
  bool write = false;
  bool transient = false;
  bool dependent = false;
  sim::Place place = sim::Place::device;
};

// Walked per access of an operation; refilled for every point, so that it cannot belong to another graph.
struct AccessTable {
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<AccessCost> costs;  // at StepGraph::first_access_of
  std::vector<Range> ranges;      // per operation

  void fill(const sim::StepGraph& graph, const sim::Tally& tally);
};

}  // namespace kvtraffic::hardware
