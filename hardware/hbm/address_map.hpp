// Where an address lies: stack, channel, pseudo-channel, stack ID, bank group, bank, row and column, and back.
// Maps are data: ordered bit fields, a stage over stacks, and a hash. Leaves out time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/hbm/part.hpp"

namespace kvtraffic::hardware::hbm {

enum class FieldKind : std::uint8_t { column, channel, pseudo_channel, bank_group, bank, stack_id, row };
inline constexpr std::size_t field_kinds = 7;

// `bits` bits of a coordinate; several fields of one kind fill it from its least significant bit upwards.
struct MapField {
  FieldKind kind = FieldKind::row;
  int bits = 0;  // -1: all bits of the coordinate that the fields below have left
};

enum class Hash : std::uint8_t {
  none,
  multiplicative,  // channel, pseudo-channel, bank group, bank and stack ID XOR bits of two 64-bit mixes of the row
  column_xor,      // pseudo-channel, stack ID, bank group and bank XOR column bits (MOP4CLXOR of Ramulator 2.1)
};

struct MapSpec {
  std::string name;
  std::string summary;
  std::vector<MapField> fields;  // least significant first, above the transaction offset
  Hash hash = Hash::none;
};

// The maps by name: stock, mop, i32, i64, i256, i512, i1K, map-A, map-B, ds3. Empty when there is none.
[[nodiscard]] std::optional<MapSpec> find_map(std::string_view name);
[[nodiscard]] std::vector<std::string> map_names();

// One transaction inside its channel: all that a controller needs. 16 bytes.
struct Place {
  std::uint32_t row = 0;
  std::uint16_t channel = 0;  // stack * channels + channel
  std::uint8_t pseudo_channel = 0;
  std::uint8_t bank = 0;  // of the pseudo-channel: (stack ID * bank groups + bank group) * banks + bank
  std::uint16_t column = 0;
  [[nodiscard]] bool operator==(const Place&) const = default;
};

struct MapLayout;  // map_layout.hpp

// A compiled map. Requires a geometry whose counts, rows and stacks apart, are powers of two; rows and stacks may be
// any (5 or 6 stacks). Grains go to the stacks in turn, so the stage is a bijection. Where the rows are hashed each
// round over the stacks begins at a hashed one, lest power-of-two strides camp on few stacks; elsewhere it begins at
// the first, so that the rows keep their period.
class AddressMap {
 public:
  // Throws std::invalid_argument with a message for the user when the map does not fit the geometry.
  AddressMap(const MapSpec& spec, const Geometry& geometry);

  // Requires address < capacity(); the offset inside the transaction is ignored.
  [[nodiscard]] Place decode(std::uint64_t address) const;
  // The first byte of the transaction: decode after encode is the identity, encode after decode too.
  [[nodiscard]] std::uint64_t encode(const Place& place) const;

  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  // Bytes in a row before the address goes to another channel.
  [[nodiscard]] std::uint64_t grain() const { return grain_; }
  // Bytes of an aligned block in which each channel of all stacks receives `grain` bytes with equal rows, banks and
  // columns (a stream then loads all channels alike); zero when the map has no such block.
  [[nodiscard]] std::uint64_t block() const { return block_; }
  // Bytes after which a stream returns to the same channel, bank and column one row further; zero when the rows are
  // hashed, so that no such period exists.
  [[nodiscard]] std::uint64_t row_period() const { return row_period_; }

 private:
  enum class Target : std::uint8_t { column, channel, pseudo_channel, page };  // a member of Coordinates
  // Address bits: `mask` is where they lie, rotated right by `turn` they are where they belong.
  struct Slice {
    std::uint64_t mask = 0;
    int turn = 0;
    Target target = Target::page;
  };
  struct StackAddress {
    std::uint64_t stack = 0;
    std::uint64_t inside = 0;
  };
  // A page is a row of one bank: row, stack ID, bank and bank group, the row on top, as the hash reads them.
  struct Coordinates {
    std::uint64_t column = 0;
    std::uint64_t channel = 0;
    std::uint64_t pseudo_channel = 0;
    std::uint64_t page = 0;
  };

  void place_fields(const MapLayout& layout);
  void add(const Slice& slice);
  void number_banks(const Geometry& geometry);
  void measure(const MapLayout& layout, const Geometry& geometry);
  [[nodiscard]] StackAddress split(std::uint64_t address) const;
  [[nodiscard]] std::uint64_t join(StackAddress at) const;
  [[nodiscard]] std::uint64_t rotation(std::uint64_t round) const;
  [[nodiscard]] Coordinates coordinates_of(std::uint64_t inside) const;
  [[nodiscard]] std::uint64_t inside_of(const Coordinates& at) const;
  void hash_channel(Coordinates& at) const;
  void hash_bank(Coordinates& at) const;
  void hash_by_column(Coordinates& at) const;
  [[nodiscard]] std::uint64_t bank_bits(std::uint64_t id, std::uint64_t of_group, std::uint64_t group) const;

  std::uint64_t capacity_ = 0;
  std::uint64_t grain_ = 0;
  std::uint64_t block_ = 0;
  std::uint64_t row_period_ = 0;
  Hash hash_ = Hash::none;
  std::array<Slice, 6> slots_;  // two of the column, one of the channel, one of the pseudo-channel, two of the page
  std::vector<Slice> more_;     // what found no slot
  std::array<int, field_kinds> widths_{};           // in bits, by FieldKind
  std::array<std::uint64_t, field_kinds> masks_{};  // of `widths_` bits
  int bank_width_ = 0;                              // bits of the page below the row
  std::array<std::uint8_t, 64> bank_of_{};          // Place::bank of the page's lowest bits, and back
  std::array<std::uint8_t, 64> page_bits_of_{};
  std::uint64_t stacks_ = 1;
  std::uint64_t reciprocal_ = 0;  // of the stack count, times 2^64
  int chunk_bits_ = 0;            // consecutive chunks go to different stacks
};

}  // namespace kvtraffic::hardware::hbm
