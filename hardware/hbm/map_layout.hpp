// Where each field of a map lies in the address of one stack, for one geometry; refuses maps that do not fit it.
// Leaves out decoding (address_map.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hardware/hbm/address_map.hpp"
#include "hardware/hbm/part.hpp"

namespace kvtraffic::hardware::hbm {

// `bits` address bits from bit `from` on are bits `to`, `to` + 1, ... of the coordinate. `bits` may be zero.
struct MapSlice {
  FieldKind kind = FieldKind::row;
  int bits = 0;
  int from = 0;
  int to = 0;
};

struct MapLayout {
  std::vector<MapSlice> slices;           // in the order of the map's fields
  std::array<int, field_kinds> widths{};  // bits of each coordinate, by FieldKind
  std::uint64_t capacity = 0;             // bytes of all stacks
  int grain_bits = 0;                     // log2 of the bytes below the first field that is not a column
  int row_from = 0;                       // lowest bit of the row; -1 when the row is not whole and on top
};

// log2 of a power of two.
[[nodiscard]] int log2_of(std::int64_t power_of_two);

// Throws std::invalid_argument, saying what would fit.
[[nodiscard]] MapLayout lay_out(const MapSpec& spec, const Geometry& geometry);

}  // namespace kvtraffic::hardware::hbm
