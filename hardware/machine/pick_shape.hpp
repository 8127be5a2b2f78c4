// How many entries an access picks out of how many, for how many requests, and how they lie in their pages.
// Leaves out which ones (picks.hpp).
#pragma once

#include <cstdint>

#include "hardware/machine/access_table.hpp"
#include "sim/graph/layout.hpp"
#include "sim/graph/operation.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware {

struct PickShape {
  const sim::Layout* layout = nullptr;
  std::int64_t requests = 1;  // each with a pool of its own
  std::int64_t entries = 1;   // in a pool
  std::int64_t picked = 1;    // of a pool; `entries`: all of them, in order
  [[nodiscard]] std::int64_t pages() const { return sim::ceil_divide(entries, layout->page_entries); }  // of a pool
  [[nodiscard]] std::int64_t page_bytes() const;
  [[nodiscard]] bool is_all() const { return picked >= entries; }
};

// Requires a gather. `position`: the last one that the access's operation runs at.
[[nodiscard]] PickShape pick_shape_of(const sim::Access& access, const sim::Layout& layout, const AccessCost& cost,
                                      std::int64_t position);

}  // namespace kvtraffic::hardware
