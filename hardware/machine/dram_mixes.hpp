// How what a kernel loads and stores lies in DRAM, as a mix that windows can be cut from: streams, and pieces as long
// as picked neighbours make them. Leaves out addresses (dram_places.hpp) and rates (dram_rates.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "hardware/machine/access_table.hpp"
#include "hardware/machine/dram_flows.hpp"
#include "hardware/machine/dram_rates.hpp"
#include "hardware/machine/pick_shape.hpp"
#include "hardware/machine/picks.hpp"
#include "hardware/machine/pieces.hpp"
#include "sim/plan/locality.hpp"

namespace kvtraffic::hardware {

// What a vertex asks of DRAM: mixes as from DramRates::mix_of, zero where it asks for nothing.
struct VertexMixes {
  std::uint32_t read = 0;
  std::uint32_t write = 0;
};

class DramMixes {
 public:
  // `gathers`: whether picked entries lie where they were picked, or one after another.
  DramMixes(DramRates& rates, const sim::Locality& locality, bool gathers);
  // One element per vertex; refilled for every point.
  void fill(const sim::StepGraph& graph, const sim::Tally& tally, const AccessTable& table, const DramFlows& flows);
  [[nodiscard]] std::span<const VertexMixes> vertices() const { return vertices_; }

 private:
  [[nodiscard]] std::uint32_t mix_of(const sim::StepGraph& graph, const sim::Tally& tally, const AccessTable& table,
                                     std::span<const DramFlow> flows, std::uint32_t operation, bool write);
  void add_picks(const PickShape& shape, const DramFlow& flow);
  [[nodiscard]] double entries_together(const PickShape& shape);
  [[nodiscard]] std::int64_t page_of(const sim::Layout& layout, std::int64_t region) const;

  DramRates& rates_;
  sim::Locality locality_;
  bool gathers_;
  Picks picks_;
  DramMix mix_;
  std::vector<VertexMixes> vertices_;
  std::map<std::array<std::int64_t, 3>, double> together_;  // by entries, picked, entries of a page
  std::vector<std::int64_t> picked_;                        // scratch
  std::vector<Piece> pieces_;
};

}  // namespace kvtraffic::hardware
