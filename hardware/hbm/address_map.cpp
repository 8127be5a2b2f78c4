// From an address to its place and back: the stage over stacks, the bit fields, the hash.
// Leaves out which maps exist (map_catalog.cpp) and whether one fits a geometry (map_layout.cpp).
#include "hardware/hbm/address_map.hpp"

#include <bit>
#include <cstddef>

#include "hardware/hbm/map_layout.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::size_t channel = static_cast<std::size_t>(FieldKind::channel);
constexpr std::size_t pseudo_channel = static_cast<std::size_t>(FieldKind::pseudo_channel);
constexpr std::size_t bank_group = static_cast<std::size_t>(FieldKind::bank_group);
constexpr std::size_t bank = static_cast<std::size_t>(FieldKind::bank);
constexpr std::size_t stack_id = static_cast<std::size_t>(FieldKind::stack_id);
constexpr std::size_t row = static_cast<std::size_t>(FieldKind::row);

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio: near keys part

constexpr std::uint64_t low_bits(int bits) { return (std::uint64_t{1} << bits) - 1; }

// A Place as the two registers that return it. Filled member by member it goes through memory, in narrow stores that a
// wide load then waits for: 3 ns of 11.
struct [[gnu::packed, gnu::aligned(4)]] Packed {
  std::uint64_t low;
  std::uint32_t high;
};
static_assert(std::endian::native == std::endian::little && sizeof(Packed) == sizeof(Place));
static_assert(offsetof(Place, channel) == 4 && offsetof(Place, pseudo_channel) == 6 && offsetof(Place, bank) == 7 &&
              offsetof(Place, column) == 8);

// Slots of one target, by AddressMap::Target: from its entry up to the next one.
constexpr std::array<std::size_t, 5> first_slot{0, 2, 3, 4, 6};

}  // namespace

AddressMap::AddressMap(const MapSpec& spec, const Geometry& geometry) : hash_(spec.hash) {
  const MapLayout layout = lay_out(spec, geometry);
  widths_ = layout.widths;
  for (std::size_t kind = 0; kind < field_kinds; ++kind) masks_[kind] = low_bits(widths_[kind]);
  bank_width_ = widths_[stack_id] + widths_[bank] + widths_[bank_group];
  stacks_ = static_cast<std::uint64_t>(geometry.stacks);
  reciprocal_ = ~std::uint64_t{0} / stacks_ + 1;  // rounded up; unused when there is one stack
  chunk_bits_ = layout.grain_bits;
  place_fields(layout);
  number_banks(geometry);
  measure(layout, geometry);
}

void AddressMap::place_fields(const MapLayout& layout) {
  constexpr std::array<Target, field_kinds> target{
      Target::column, Target::channel, Target::pseudo_channel, Target::page, Target::page, Target::page, Target::page};
  std::array<int, field_kinds> base{};
  base[bank] = widths_[bank_group];
  base[stack_id] = base[bank] + widths_[bank];
  base[row] = bank_width_;
  for (const MapSlice& slice : layout.slices) {
    if (slice.bits == 0) continue;
    const auto kind = static_cast<std::size_t>(slice.kind);
    add({low_bits(slice.bits) << slice.from, slice.from - (base[kind] + slice.to), target[kind]});
  }
}

void AddressMap::add(const Slice& slice) {
  const auto target = static_cast<std::size_t>(slice.target);
  for (std::size_t i = first_slot[target]; i < first_slot[target + 1]; ++i) {
    if (slots_[i].mask != 0 && slots_[i].turn != slice.turn) continue;
    slots_[i] = {slots_[i].mask | slice.mask, slice.turn, slice.target};
    return;
  }
  more_.push_back(slice);
}

void AddressMap::number_banks(const Geometry& geometry) {
  std::uint8_t number = 0;
  for (int id = 0; id < geometry.stack_ids; ++id) {
    for (int group = 0; group < geometry.bank_groups; ++group) {
      for (int of_group = 0; of_group < geometry.banks; ++of_group, ++number) {
        const int page_bits = (((id << widths_[bank]) | of_group) << widths_[bank_group]) | group;
        bank_of_[static_cast<std::size_t>(page_bits)] = number;
        page_bits_of_[number] = static_cast<std::uint8_t>(page_bits);
      }
    }
  }
}

void AddressMap::measure(const MapLayout& layout, const Geometry& geometry) {
  capacity_ = layout.capacity;
  grain_ = std::uint64_t{1} << chunk_bits_;
  const auto granule = static_cast<std::uint64_t>(geometry.transaction_bytes);
  for (const MapSlice& slice : layout.slices) {
    if (slice.kind != FieldKind::channel) continue;
    const bool nothing_but_columns_below = slice.from == chunk_bits_;
    const bool whole = slice.bits == layout.widths[channel];
    const bool one_bank_per_grain = hash_ != Hash::column_xor || std::uint64_t{1} << slice.from == granule;
    if (nothing_but_columns_below && whole && one_bank_per_grain)
      block_ = grain_ * static_cast<std::uint64_t>(geometry.all_channels());
    if (stacks_ == 1) grain_ = std::uint64_t{1} << slice.from;
    break;
  }
  // A hash of the row moves channel and bank from row to row; a hash of the column does not.
  if (hash_ != Hash::multiplicative && layout.row_from >= 0) row_period_ = stacks_ << layout.row_from;
}

// Chunks go to stacks in turn. With hashed rows each round of `stacks_` chunks begins at another stack.
[[gnu::always_inline]] inline AddressMap::StackAddress AddressMap::split(std::uint64_t address) const {
  if (stacks_ == 1) return {0, address};
  const std::uint64_t chunk = address >> chunk_bits_;
  // Exact: the reciprocal is too large by less than stacks_ parts in 2^64, and chunk * stacks_ < 2^64.
  const auto round = static_cast<std::uint64_t>((static_cast<unsigned __int128>(chunk) * reciprocal_) >> 64);
  std::uint64_t stack = chunk - round * stacks_ + rotation(round);
  if (stack >= stacks_) stack -= stacks_;
  return {stack, (round << chunk_bits_) | (address & low_bits(chunk_bits_))};
}

std::uint64_t AddressMap::join(StackAddress at) const {
  const std::uint64_t round = at.inside >> chunk_bits_;
  std::uint64_t turn = at.stack + stacks_ - rotation(round);
  if (turn >= stacks_) turn -= stacks_;
  return ((round * stacks_ + turn) << chunk_bits_) | (at.inside & low_bits(chunk_bits_));
}

// Less than stacks_.
[[gnu::always_inline]] inline std::uint64_t AddressMap::rotation(std::uint64_t round) const {
  if (hash_ != Hash::multiplicative) return 0;
  std::uint64_t mixed = round * golden;
  mixed ^= mixed >> 32;
  mixed *= 0xBF58476D1CE4E5B9;
  return ((mixed >> 32) * stacks_) >> 32;
}

[[gnu::always_inline]] inline AddressMap::Coordinates AddressMap::coordinates_of(std::uint64_t inside) const {
  const auto take = [inside](const Slice& slice) { return std::rotr(inside & slice.mask, slice.turn); };
  Coordinates at{take(slots_[0]) | take(slots_[1]), take(slots_[2]), take(slots_[3]),
                 take(slots_[4]) | take(slots_[5])};
  for (const Slice& slice : more_) {
    const std::uint64_t value = take(slice);
    at.column |= slice.target == Target::column ? value : 0;
    at.channel |= slice.target == Target::channel ? value : 0;
    at.pseudo_channel |= slice.target == Target::pseudo_channel ? value : 0;
    at.page |= slice.target == Target::page ? value : 0;
  }
  return at;
}

std::uint64_t AddressMap::inside_of(const Coordinates& at) const {
  const std::array<std::uint64_t, 4> values{at.column, at.channel, at.pseudo_channel, at.page};  // by Target
  std::uint64_t inside = 0;
  const auto put = [&](const Slice& slice) {
    inside |= std::rotl(values[static_cast<std::size_t>(slice.target)], slice.turn) & slice.mask;
  };
  for (const Slice& slice : slots_) put(slice);
  for (const Slice& slice : more_) put(slice);
  return inside;
}

// Undone by itself while the page is the unhashed one.
[[gnu::always_inline]] inline void AddressMap::hash_channel(Coordinates& at) const {
  std::uint64_t mixed = at.page * golden;
  mixed ^= mixed >> 29;
  mixed *= 0xBF58476D1CE4E5B9;
  mixed ^= mixed >> 32;
  at.channel ^= mixed & masks_[channel];
  at.pseudo_channel ^= (mixed >> 8) & masks_[pseudo_channel];
}

[[gnu::always_inline]] inline void AddressMap::hash_bank(Coordinates& at) const {
  std::uint64_t mixed = (at.page >> bank_width_) * golden;
  mixed ^= mixed >> 31;
  mixed *= 0x94D049BB133111EB;
  mixed ^= mixed >> 30;
  at.page ^= bank_bits(mixed >> 16, mixed >> 8, mixed);
}

// Pseudo-channel, stack ID, bank group and bank take bits of the column in turn, from the least significant upwards.
[[gnu::always_inline]] inline void AddressMap::hash_by_column(Coordinates& at) const {
  const std::uint64_t for_stack_id = at.column >> widths_[pseudo_channel];
  const std::uint64_t for_bank_group = for_stack_id >> widths_[stack_id];
  const std::uint64_t for_bank = for_bank_group >> widths_[bank_group];
  at.pseudo_channel ^= at.column & masks_[pseudo_channel];
  at.page ^= bank_bits(for_stack_id, for_bank, for_bank_group);
}

// The lowest bits of a page, each part cut to its width.
[[gnu::always_inline]] inline std::uint64_t AddressMap::bank_bits(std::uint64_t id, std::uint64_t of_group,
                                                                  std::uint64_t group) const {
  const std::uint64_t upper = ((id & masks_[stack_id]) << widths_[bank]) | (of_group & masks_[bank]);
  return (upper << widths_[bank_group]) | (group & masks_[bank_group]);
}

Place AddressMap::decode(std::uint64_t address) const {
  const auto [stack, inside] = split(address);
  Coordinates at = coordinates_of(inside);
  if (hash_ == Hash::multiplicative) {
    hash_channel(at);
    hash_bank(at);
  } else if (hash_ == Hash::column_xor) {
    hash_by_column(at);
  }
  Packed packed;
  packed.low = (at.page >> bank_width_) | (((stack << widths_[channel]) | at.channel) << 32) |
               (at.pseudo_channel << 48) | (std::uint64_t{bank_of_[at.page & low_bits(bank_width_)]} << 56);
  packed.high = static_cast<std::uint32_t>(at.column);
  return std::bit_cast<Place>(packed);
}

std::uint64_t AddressMap::encode(const Place& place) const {
  Coordinates at{place.column, place.channel & masks_[channel], place.pseudo_channel,
                 (std::uint64_t{place.row} << bank_width_) | page_bits_of_[place.bank]};
  if (hash_ == Hash::multiplicative) {
    hash_bank(at);
    hash_channel(at);
  } else if (hash_ == Hash::column_xor) {
    hash_by_column(at);
  }
  return join({std::uint64_t{place.channel} >> widths_[channel], inside_of(at)});
}

}  // namespace kvtraffic::hardware::hbm
