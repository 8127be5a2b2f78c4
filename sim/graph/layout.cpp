// Entries to bytes: nominal, allocated and in whole sectors.
#include "sim/graph/layout.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

// Sectors touched by `length` bytes that start at `offset` from a sector boundary.
std::int64_t touched(std::int64_t offset, std::int64_t length) {
  if (length == 0) return 0;
  return (offset % sector_bytes + length + sector_bytes - 1) / sector_bytes;
}

// Sum over a page's places of the sectors that one piece of `length` bytes costs, when pieces follow each other from
// `start`.
std::int64_t touched_in_page(std::int64_t start, std::int64_t length, std::int64_t places) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < places; ++i) sum += touched(start + i * length, length);
  return sum;
}

}  // namespace

Layout Layout::blob(std::string name, std::int64_t bytes, std::string arithmetic) {
  Layout layout;
  layout.name = std::move(name);
  layout.arithmetic = std::move(arithmetic);
  layout.row = bytes;
  layout.page_bytes = round_up_to(bytes, sector_bytes);
  return layout;
}

Layout Layout::packed(std::string name, std::int64_t bytes, std::string arithmetic) {
  Layout layout = blob(std::move(name), bytes, std::move(arithmetic));
  layout.page_entries = sector_bytes / std::gcd(bytes, sector_bytes);
  layout.page_bytes = bytes * layout.page_entries;
  return layout;
}

std::int64_t Layout::stored(std::int64_t entries) const { return checked_multiply(entries, entry_bytes()); }

std::int64_t Layout::allocated(std::int64_t entries) const {
  return checked_multiply(ceil_divide(entries, page_entries), page_bytes);
}

SectorBytes Layout::sectors(std::int64_t entries, Pattern pattern) const {
  return pattern == Pattern::gather ? gathered(entries) : streamed(entries);
}

SectorBytes Layout::gathered(std::int64_t entries) const {
  const std::int64_t rows = sector_bytes * touched_in_page(0, row, page_entries);
  const std::int64_t scales = sector_bytes * touched_in_page(page_entries * row, apart, page_entries);
  SectorBytes cost;
  cost.bytes = scale(entries, checked_add(rows, scales), page_entries);
  cost.apart = scale(entries, scales, page_entries) - checked_multiply(entries, apart);
  cost.rounding = cost.bytes - stored(entries) - cost.apart;
  return cost;
}

SectorBytes Layout::streamed(std::int64_t entries) const {
  const std::int64_t pages = entries / page_entries;
  const std::int64_t rest = entries % page_entries;
  const std::int64_t scales_at = page_entries * row;
  const std::int64_t whole = sector_bytes * touched(0, page_entries * entry_bytes());
  const std::int64_t rest_rows = sector_bytes * touched(0, rest * row);
  const std::int64_t rest_apart = sector_bytes * touched(scales_at, rest * apart);
  // Rows shorter than a sector can end in the one where the scales begin: it is fetched once.
  const bool shared = rest_apart > 0 && rest_rows > scales_at / sector_bytes * sector_bytes;
  const std::int64_t rest_bytes = rest_rows + rest_apart - (shared ? sector_bytes : 0);
  SectorBytes cost;
  cost.bytes = checked_add(checked_multiply(pages, whole), rest_bytes);
  cost.apart = std::min(rest_apart - rest * apart, rest_bytes - stored(rest));
  cost.rounding = cost.bytes - stored(entries) - cost.apart;
  return cost;
}

}  // namespace kvtraffic::sim
