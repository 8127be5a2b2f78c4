// Bytes by level, kind of data and direction: what every result is made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kvtraffic::sim {

enum class DataKind : std::uint8_t { weight, kv_main, kv_local, index_key, state, engram, activation, selection };
inline constexpr std::size_t kind_count = 8;
inline constexpr std::array<std::string_view, kind_count> kind_names{"weight", "kv_main", "kv_local",   "index_key",
                                                                     "state",  "engram",  "activation", "selection"};

// Each level asks what crosses a border: the algorithm, the kernels' requests, the HBM pins, and what leaves the
// device.
enum class Level : std::uint8_t { logical, sector, dram, link, host, ssd };
inline constexpr std::size_t level_count = 6;
inline constexpr std::array<std::string_view, level_count> level_names{"logical", "sector", "dram",
                                                                       "link",    "host",   "ssd"};

enum class Direction : std::uint8_t { read, write };

[[nodiscard]] constexpr std::string_view name_of(DataKind k) { return kind_names[static_cast<std::size_t>(k)]; }
[[nodiscard]] constexpr std::string_view name_of(Level l) { return level_names[static_cast<std::size_t>(l)]; }

struct ReadWrite {
  std::int64_t read = 0;   // bytes
  std::int64_t write = 0;  // bytes
  [[nodiscard]] std::int64_t total() const { return read + write; }
  [[nodiscard]] std::int64_t& in(Direction d) { return d == Direction::read ? read : write; }
  friend bool operator==(const ReadWrite&, const ReadWrite&) = default;
};

class Traffic {
 public:
  [[nodiscard]] ReadWrite& at(Level level, DataKind kind) { return cells_[index(level, kind)]; }
  [[nodiscard]] const ReadWrite& at(Level level, DataKind kind) const { return cells_[index(level, kind)]; }
  [[nodiscard]] std::int64_t total(Level level) const;  // read and write, all kinds
  [[nodiscard]] bool empty(Level level) const { return total(level) == 0; }
  Traffic& operator+=(const Traffic& other);
  friend bool operator==(const Traffic&, const Traffic&) = default;

 private:
  [[nodiscard]] static constexpr std::size_t index(Level level, DataKind kind) {
    return static_cast<std::size_t>(level) * kind_count + static_cast<std::size_t>(kind);
  }
  std::array<ReadWrite, kind_count * level_count> cells_{};
};

// Why one level differs from the one above it. For each pair of levels and each kind, the `bytes` (read and write
// together, negative where the lower level moves less) add up to the difference.
struct Amplification {
  Level from = Level::logical;
  Level to = Level::sector;
  std::string reason;
  DataKind kind = DataKind::weight;
  std::int64_t bytes = 0;
};

}  // namespace kvtraffic::sim
