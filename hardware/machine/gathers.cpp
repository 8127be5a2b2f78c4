// Averages over the places of a page, as the layout does for sectors.
// Leaves out that two picked entries may be neighbours in one line, except where all are picked.
#include "hardware/machine/gathers.hpp"

#include <algorithm>

#include "hardware/l2/extent_cache.hpp"
#include "sim/graph/charge.hpp"

namespace kvtraffic::hardware {
namespace {

// Lines that pieces of `length` bytes touch, one for each of a page's places.
std::int64_t lines_touched(std::int64_t start, std::int64_t length, std::int64_t places) {
  std::int64_t lines = 0;
  for (std::int64_t i = 0; i < places && length > 0; ++i) {
    const std::int64_t first = start + i * length;
    lines += (first + length - 1) / l2::line_bytes - first / l2::line_bytes + 1;
  }
  return lines;
}

bool is_selection(const sim::Access& access, const AccessCost& cost) {
  return access.pattern == sim::Pattern::gather && access.count.kind == sim::Count::Kind::capped && !cost.write &&
         cost.place == sim::Place::device && cost.footprint > 0;
}

}  // namespace

const Gathers::Page& Gathers::page_of(const sim::StepGraph& graph, std::uint32_t layout) {
  Page& page = pages_[layout];
  if (page.lines > 0) return page;
  const sim::Layout& its = graph.layouts()[layout];
  page.lines = lines_touched(0, its.row, its.page_entries) +
               lines_touched(its.page_entries * its.row, its.apart, its.page_entries);
  page.bytes = its.sectors(its.page_entries, sim::Pattern::gather).bytes;
  return page;
}

void Gathers::fill(const sim::StepGraph& graph, const sim::Tally& tally, AccessTable& table) {
  pages_.assign(graph.layouts().size(), {});
  for (std::uint32_t o = 0; o < table.ranges.size(); ++o) {
    const sim::Operation& operation = graph.operations()[o];
    const sim::Positions& at = tally.spans[operation.span].at;
    for (std::uint32_t i = 0; i < table.ranges[o].count; ++i) {
      const sim::Access& access = operation.accesses[i];
      AccessCost& cost = table.costs[table.ranges[o].first + i];
      if (!is_selection(access, cost)) continue;
      const std::int64_t there = at.last / access.count.ratio;
      const std::int64_t picked = access.queries > 0 ? sim::distinct_over(access.count, at) : access.count.at(at.last);
      const Page& page = page_of(graph, access.layout);
      cost.pool = std::max(cost.footprint, sim::scale(cost.footprint, there, std::max<std::int64_t>(1, picked)));
      const std::int64_t apart = sim::scale(cost.footprint, page.lines, page.bytes);
      const std::int64_t full = sim::ceil_divide(cost.footprint, l2::line_bytes);
      const std::int64_t all = sim::ceil_divide(cost.pool, l2::line_bytes);
      cost.lines = std::max(full, std::min(apart, all));
    }
  }
}

}  // namespace kvtraffic::hardware
