// How gathered entries take up L2: whole lines, of which they may use a part, and how many entries they were picked
// from. Leaves out which entries (hardware/machine/l2_model.hpp works with expected values).
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/machine/access_table.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/run/tally.hpp"

namespace kvtraffic::hardware {

class Gathers {
 public:
  // Fills AccessCost::lines and AccessCost::pool of the selections in `table`. Windows and caches that are read as a
  // whole have neighbours that share lines: they stay streams.
  void fill(const sim::StepGraph& graph, const sim::Tally& tally, AccessTable& table);

 private:
  // Of a page whose entries are picked one by one.
  struct Page {
    std::int64_t lines = 0;  // 0: not worked out yet
    std::int64_t bytes = 0;  // in sectors
  };
  [[nodiscard]] const Page& page_of(const sim::StepGraph& graph, std::uint32_t layout);

  std::vector<Page> pages_;  // one per layout
};

}  // namespace kvtraffic::hardware
