// A draw of one request tells how many picked entries lie together on average; all requests are taken to be like it.
// Leaves out how the lengths of runs differ among themselves.
#include "hardware/machine/dram_mixes.hpp"

#include <cmath>

namespace kvtraffic::hardware {

DramMixes::DramMixes(DramRates& rates, const sim::Locality& locality, bool gathers)
    : rates_(rates), locality_(locality), gathers_(gathers), picks_(locality.selection) {}

void DramMixes::fill(const sim::StepGraph& graph, const sim::Tally& tally, const AccessTable& table,
                     const DramFlows& flows) {
  vertices_.clear();
  for (std::uint32_t v = 0; v < graph.vertices().size(); ++v) {
    const std::uint32_t operation = graph.vertices()[v].operation;
    vertices_.push_back({mix_of(graph, tally, table, flows.of(v), operation, false),
                         mix_of(graph, tally, table, flows.of(v), operation, true)});
  }
}

std::uint32_t DramMixes::mix_of(const sim::StepGraph& graph, const sim::Tally& tally, const AccessTable& table,
                                std::span<const DramFlow> flows, std::uint32_t operation, bool write) {
  mix_.clear();
  for (const DramFlow& flow : flows) {
    if (flow.write != write) continue;
    const sim::Access& access = graph.operations()[operation].accesses[flow.access];
    if (!gathers_ || access.pattern != sim::Pattern::gather) {
      mix_.push_back({write, 0, flow.bytes});
      continue;
    }
    const AccessCost& cost = table.costs[table.ranges[operation].first + flow.access];
    add_picks(pick_shape_of(access, graph.layouts()[access.layout], cost, tally), flow);
  }
  return mix_.empty() ? 0 : rates_.mix_of(mix_);
}

// Rows of neighbours lie together, and so do their bytes apart.
void DramMixes::add_picks(const PickShape& shape, const DramFlow& flow) {
  const sim::Layout& layout = *shape.layout;
  const double together = entries_together(shape);
  const auto length = [&](std::int64_t bytes) { return std::llround(together * static_cast<double>(bytes)); };
  const std::int64_t apart = sim::scale(flow.bytes, layout.apart, layout.entry_bytes());
  if (apart > 0) mix_.push_back({flow.write, length(layout.apart), apart});
  if (flow.bytes > apart) mix_.push_back({flow.write, length(layout.row), flow.bytes - apart});
}

// To a quarter, so that contexts that hardly differ share their windows.
double DramMixes::entries_together(const PickShape& shape) {
  const auto [known, is_new] = together_.try_emplace({shape.entries, shape.picked, shape.layout->page_entries}, 1);
  if (!is_new) return known->second;
  const PageTable pages(sim::PageOrder::sequential, static_cast<std::uint64_t>(shape.pages()), 0);
  sim::Layout rows = *shape.layout;
  rows.apart = 0;
  rows.page_bytes = shape.page_bytes();
  picks_.draw(shape.entries, shape.picked, 0, picked_);
  pieces_.clear();
  gather_pieces(picked_, rows, pages, 0, pieces_);
  const double mean = static_cast<double>(picked_.size()) / static_cast<double>(pieces_.size());
  return known->second = std::round(4 * mean) / 4;
}

}  // namespace kvtraffic::hardware
