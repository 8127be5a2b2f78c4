// Checks a geometry against what decoding can carry, then stacks the fields of a map upon each other.
// Leaves out decoding (address_map.cpp).
#include "hardware/hbm/map_layout.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "sim/units/quote.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

// Place holds a row in 32 bits, a column and a channel in 16; the controller keeps a bank set in one 64-bit word.
constexpr std::int64_t row_limit = std::int64_t{1} << 32;
constexpr std::int64_t column_limit = 1 << 16;
constexpr std::int64_t channel_limit = (1 << 16) - 1;
constexpr std::int64_t bank_limit = 64;
constexpr std::int64_t transaction_limit = 4096;
// Dividing by the stack count with a reciprocal is exact up to here, and far beyond: chunks * stacks < 2^64.
constexpr int capacity_bits = 48;

struct Count {
  const char* noun;
  std::int64_t value;
  std::int64_t limit;
};
using Counts = std::array<Count, field_kinds>;  // by FieldKind

Counts counts_of(const Geometry& g) {
  return {{{"column", g.columns, column_limit},
           {"channel", g.channels, channel_limit},
           {"pseudo-channel", g.pseudo_channels, 2},
           {"bank group", g.bank_groups, bank_limit},
           {"bank", g.banks, bank_limit},
           {"stack ID", g.stack_ids, bank_limit},
           {"row", g.rows, row_limit}}};
}

constexpr std::size_t index(FieldKind kind) { return static_cast<std::size_t>(kind); }

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

[[noreturn]] void refuse(const MapSpec& spec, const std::string& why) {
  refuse(fmt::format("map {} does not fit: {}", sim::in_quotes(spec.name), why));
}

bool is_power_of_two(std::int64_t value) { return std::has_single_bit(static_cast<std::uint64_t>(value)); }

void check_range(const Count& count, const char* where = "") {
  if (count.value >= 1 && count.value <= count.limit) return;
  refuse(fmt::format("{} {}s{} do not fit an address map, which takes 1 to {}", count.value, count.noun, where,
                     count.limit));
}

void check_power_of_two(const Count& count) {
  if (is_power_of_two(count.value)) return;
  const auto below = std::bit_floor(static_cast<std::uint64_t>(count.value));
  refuse(fmt::format("{} {}s do not fit an address map, which needs a power of two, such as {} or {}", count.value,
                     count.noun, below, 2 * below));
}

void check_counts(const Geometry& geometry) {
  const Counts counts = counts_of(geometry);
  for (std::size_t kind = 0; kind < field_kinds; ++kind) {
    check_range(counts[kind]);
    if (kind != index(FieldKind::row)) check_power_of_two(counts[kind]);
  }
  const Count transaction{"transaction byte", geometry.transaction_bytes, transaction_limit};
  check_range(transaction);
  check_power_of_two(transaction);
  const std::int64_t stacks = geometry.stacks;
  check_range({"stack", stacks, channel_limit});
  check_range({"channel", stacks * geometry.channels, channel_limit}, " in all stacks");
  const std::int64_t banks = std::int64_t{geometry.stack_ids} * geometry.bank_groups * geometry.banks;
  check_range({"bank", banks, bank_limit}, " of a pseudo-channel (stack IDs x bank groups x banks)");
}

// Requires checked counts.
std::uint64_t capacity_of(const Geometry& g) {
  unsigned __int128 bytes = static_cast<unsigned>(g.transaction_bytes);
  for (const Count& count : counts_of(g)) bytes *= static_cast<std::uint64_t>(count.value);
  bytes *= static_cast<unsigned>(g.stacks);
  if (bytes > std::uint64_t{1} << capacity_bits)
    refuse("the stacks hold more than the 256 TiB that an address map takes");
  return static_cast<std::uint64_t>(bytes);
}

[[noreturn]] void refuse_excess(const MapSpec& spec, const Count& count, int width, int wanted) {
  refuse(spec, fmt::format("it takes {0} {1} bits, but {2} {1}s have {3}; a part with at least {4} would fit, or a map "
                           "that takes no more than {3}",
                           wanted, count.noun, count.value, width, std::uint64_t{1} << wanted));
}

void check_complete(const MapSpec& spec, const Counts& counts, const MapLayout& layout,
                    const std::array<int, field_kinds>& taken) {
  for (std::size_t kind = 0; kind < field_kinds; ++kind) {
    if (taken[kind] == layout.widths[kind]) continue;
    refuse(spec,
           fmt::format("it takes {0} of the {1} {2} bits of {3} {2}s; another {2} field of {4} bits would fit, or of "
                       "all that are left (-1)",
                       taken[kind], layout.widths[kind], counts[kind].noun, counts[kind].value,
                       layout.widths[kind] - taken[kind]));
  }
}

void stack_fields(const MapSpec& spec, const Geometry& geometry, MapLayout& layout) {
  const Counts counts = counts_of(geometry);
  std::array<int, field_kinds> taken{};
  int from = log2_of(geometry.transaction_bytes);
  for (const MapField& field : spec.fields) {
    const std::size_t kind = index(field.kind);
    const int left = layout.widths[kind] - taken[kind];
    if (field.bits < -1 || field.bits > 32) {
      refuse(spec, fmt::format("a {} field of {} bits; 0 to 32 would fit, or -1 for all that are left",
                               counts[kind].noun, field.bits));
    }
    const int bits = field.bits == -1 ? left : field.bits;
    if (bits > left) refuse_excess(spec, counts[kind], layout.widths[kind], taken[kind] + bits);
    layout.slices.push_back({field.kind, bits, from, taken[kind]});
    taken[kind] += bits;
    from += bits;
  }
  check_complete(spec, counts, layout, taken);
}

int leading_column_bits(const MapLayout& layout) {
  int bits = 0;
  for (const MapSlice& slice : layout.slices) {
    if (slice.kind != FieldKind::column) break;
    bits += slice.bits;
  }
  return bits;
}

int row_on_top(const MapLayout& layout) {
  const int width = layout.widths[index(FieldKind::row)];
  int end = 0;
  for (const MapSlice& slice : layout.slices) end = slice.from + slice.bits;
  for (const MapSlice& slice : layout.slices) {
    if (slice.kind == FieldKind::row && slice.bits == width && slice.from + width == end) return slice.from;
  }
  return -1;
}

}  // namespace

int log2_of(std::int64_t power_of_two) { return std::countr_zero(static_cast<std::uint64_t>(power_of_two)); }

MapLayout lay_out(const MapSpec& spec, const Geometry& geometry) {
  check_counts(geometry);
  MapLayout layout;
  layout.capacity = capacity_of(geometry);
  const Counts counts = counts_of(geometry);
  for (std::size_t kind = 0; kind < field_kinds; ++kind) {
    layout.widths[kind] = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(counts[kind].value - 1)));
  }
  stack_fields(spec, geometry, layout);
  layout.grain_bits = log2_of(geometry.transaction_bytes) + leading_column_bits(layout);
  layout.row_from = row_on_top(layout);
  if (layout.row_from < 0 && !is_power_of_two(geometry.rows)) {
    refuse(spec,
           fmt::format("{} rows are no power of two, so the row must be one field above all others", geometry.rows));
  }
  return layout;
}

}  // namespace kvtraffic::hardware::hbm
