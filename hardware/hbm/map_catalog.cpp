// The address maps by name, as data: ordered bit fields, least significant first, above the transaction offset.
// Leaves out what the fields mean for an address (address_map.cpp).
#include <algorithm>

#include "hardware/hbm/address_map.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

// The letters of the literature; each takes the bits that the fields below have left.
constexpr MapField c{FieldKind::column, -1};
constexpr MapField h{FieldKind::channel, -1};
constexpr MapField p{FieldKind::pseudo_channel, -1};
constexpr MapField g{FieldKind::bank_group, -1};
constexpr MapField b{FieldKind::bank, -1};
constexpr MapField s{FieldKind::stack_id, -1};
constexpr MapField r{FieldKind::row, -1};

constexpr MapField c_low(int bits) { return {FieldKind::column, bits}; }

// `column_bits` in a row, then channel, pseudo-channel and bank group: neighbours never wait for one bank group. The
// names count the bytes of 32-byte transactions.
MapSpec interleaved(const char* name, const char* summary, int column_bits) {
  return {name, summary, {c_low(column_bits), h, p, g, c, b, s, r}, Hash::multiplicative};
}

std::vector<MapSpec> catalog() {
  return {
      {"stock",
       "channel by channel, a row at a time in each (CacheLineInterleave with RoBaRaCoCh of Ramulator 2.1)",
       {h, c, p, s, g, b, r},
       Hash::none},
      {"mop",
       "channel by channel, four transactions at a time in a bank (MOP4CLXOR of Ramulator 2.1)",
       {h, c_low(2), p, s, g, b, c, r},
       Hash::column_xor},
      interleaved("i32", "a transaction, then the next channel; hashed", 0),
      interleaved("i64", "2 transactions, then the next channel; hashed", 1),
      interleaved("i256", "8 transactions, then the next channel; hashed", 3),
      interleaved("i512", "16 transactions, then the next channel; hashed", 4),
      interleaved("i1K", "32 transactions, then the next channel; hashed", 5),
      {"map-A", "a whole row, then the next channel; not hashed", {c, h, p, g, b, s, r}, Hash::none},
      {"map-B",
       "a transaction, then the next channel, pseudo-channel and bank group; not hashed",
       {h, p, g, c, b, s, r},
       Hash::none},
      {"ds3",
       "a whole row, then the next channel, then bank before bank group (rorabgbachco of DRAMsim3)",
       {c, h, p, b, g, s, r},
       Hash::none},
  };
}

}  // namespace

std::optional<MapSpec> find_map(std::string_view name) {
  const std::vector<MapSpec> maps = catalog();
  const auto found = std::find_if(maps.begin(), maps.end(), [&](const MapSpec& map) { return map.name == name; });
  if (found == maps.end()) return std::nullopt;
  return *found;
}

std::vector<std::string> map_names() {
  std::vector<std::string> names;
  for (const MapSpec& map : catalog()) names.push_back(map.name);
  return names;
}

}  // namespace kvtraffic::hardware::hbm
