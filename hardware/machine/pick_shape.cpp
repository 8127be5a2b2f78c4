// Counts say how many entries a token picks, bytes how often that is done on the device.
// Leaves out tokens of one request that pick different entries of the same pool: each has a pool to itself.
#include "hardware/machine/pick_shape.hpp"

#include <algorithm>

namespace kvtraffic::hardware {
namespace {

// Rows of tables whose size nobody states (embeddings, Engram): enough that two rows are hardly ever neighbours.
constexpr std::int64_t table_rows = 65536;

}  // namespace

std::int64_t PickShape::page_bytes() const {
  return layout->page_bytes > 0 ? layout->page_bytes
                                : sim::round_up_to(layout->page_entries * layout->entry_bytes(), sim::sector_bytes);
}

PickShape pick_shape_of(const sim::Access& access, const sim::Layout& layout, const AccessCost& cost,
                        std::int64_t position) {
  const std::int64_t sectors = layout.sectors(1, sim::Pattern::gather).bytes;
  const std::int64_t all = std::max<std::int64_t>(1, cost.footprint / std::max<std::int64_t>(1, sectors));
  PickShape shape;
  shape.layout = &layout;
  switch (access.count.kind) {
    case sim::Count::Kind::capped:
      shape.entries = std::max<std::int64_t>(1, position / access.count.ratio);
      shape.picked = std::clamp<std::int64_t>(access.count.limit, 1, shape.entries);
      break;
    case sim::Count::Kind::one:
    case sim::Count::Kind::fixed:
      shape.picked = all;
      shape.entries = sim::checked_add(sim::checked_multiply(all, 16), table_rows);
      return shape;
    default:
      shape.entries = shape.picked = std::max<std::int64_t>(1, access.count.at(position));
  }
  shape.requests = sim::ceil_divide(all, shape.picked);
  return shape;
}

}  // namespace kvtraffic::hardware
