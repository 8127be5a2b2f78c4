// A draw of one request tells how many picked entries lie together on average; all requests are taken to be like it.
// Leaves out how the lengths of runs differ among themselves.
#include "hardware/machine/dram_mixes.hpp"

#include <cmath>

namespace kvtraffic::hardware {
namespace {

// Of the sectors of a picked entry, those of its bytes apart.
double apart_share(const sim::Layout& layout) {
  if (layout.apart == 0) return 0;
  sim::Layout rows = layout;
  rows.apart = 0;
  const auto sectors = [](const sim::Layout& of) {
    return static_cast<double>(of.sectors(of.page_entries, sim::Pattern::gather).bytes);
  };
  return 1 - sectors(rows) / sectors(layout);
}

}  // namespace

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
    const AccessCost& cost = table.costs[table.ranges[operation].first + flow.access];
    if (!gathers_ || access.pattern != sim::Pattern::gather) {
      mix_.push_back({write, gathers_ ? page_of(graph.layouts()[access.layout], cost.footprint) : 0, flow.bytes});
      continue;
    }
    const std::int64_t position = tally.spans[graph.operations()[operation].span].at.last;
    add_picks(pick_shape_of(access, graph.layouts()[access.layout], cost, position), flow);
  }
  return mix_.empty() ? 0 : rates_.mix_of(mix_);
}

// Bytes of a stream that lie together: pages that are not in order, one by one or in runs.
std::int64_t DramMixes::page_of(const sim::Layout& layout, std::int64_t region) const {
  const bool is_paged = layout.page_entries > 1 && region > layout.page_bytes;
  if (!is_paged || locality_.pages == sim::PageOrder::sequential) return 0;
  return layout.page_bytes * (locality_.pages == sim::PageOrder::aged ? PageTable::run_of_aged : 1);
}

// Rows of neighbours lie together, and so do their bytes apart.
void DramMixes::add_picks(const PickShape& shape, const DramFlow& flow) {
  const sim::Layout& layout = *shape.layout;
  const double together = entries_together(shape);
  const auto length = [&](std::int64_t bytes) { return std::llround(together * static_cast<double>(bytes)); };
  const auto apart = static_cast<std::int64_t>(static_cast<double>(flow.bytes) * apart_share(layout));
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
