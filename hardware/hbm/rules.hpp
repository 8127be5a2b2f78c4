// Which command may follow which, and when: the timing rules of HBM as rows of a table, and their compiled form.
// Leaves out state (device.hpp). Rows follow JESD235 and JESD238 as public simulators state them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hardware/hbm/command.hpp"
#include "hardware/hbm/part.hpp"

namespace kvtraffic::hardware::hbm {

// Where a rule holds: between commands to the same channel, pseudo-channel, ...
enum class Level : std::uint8_t { channel, pseudo_channel, stack_id, bank_group, bank };
inline constexpr std::size_t level_count = 5;

// A set of commands, one bit each.
class Commands {
 public:
  constexpr Commands(Command command) : bits_(1U << static_cast<unsigned>(command)) {}  // NOLINT: a set of one
  [[nodiscard]] constexpr bool contains(Command command) const {
    return ((bits_ >> static_cast<unsigned>(command)) & 1U) != 0;
  }
  friend constexpr Commands operator|(Commands a, Commands b) {
    Commands both = a;
    both.bits_ |= b.bits_;
    return both;
  }

 private:
  unsigned bits_;
};
constexpr Commands operator|(Command a, Command b) { return Commands(a) | Commands(b); }

// Timings that add up to the distance of a rule; unused places repeat `none`.
struct Distance {
  static constexpr int none = -1;
  std::array<int, 4> timings{none, none, none, none};
  int cycles = 0;  // and so many clocks
};

// From a command of `before` to one of `after` at the same node of `level` at least `distance` passes. JEDEC counts
// from the last edge of the first command to the last edge of the second, so commands longer than one edge shift it.
struct Rule {
  Level level;
  Commands before;
  Commands after;
  Distance distance;
  Cause cause;
  int window = 1;        // counts from the window-th latest command instead of the latest: 4 for tFAW
  bool sibling = false;  // holds for the other nodes of `level` below the same pseudo-channel instead
};

[[nodiscard]] std::span<const Rule> rules();

// Clocks of a distance with the part's timings.
[[nodiscard]] std::int64_t cycles_of(const Distance& distance, const Timings& timings);
// Half clocks that a command holds its bus.
[[nodiscard]] int bus_ticks(Command command, const BusLengths& bus);
// Half clocks between the first edges of two commands under `rule`; not above zero where the part has no such rule.
[[nodiscard]] Tick ticks_between(const Rule& rule, Command before, Command after, const Part& part);

// What issuing a command does to one gate.
struct Update {
  Level level;
  Gate gate;
  Cause cause;
  bool sibling;
  int history;  // index of its window in RuleSet::windows; -1: counts from this command
  Tick ticks;
};

struct Window {
  Command command;
  Level level;
  int length;
};

// The rules of one part as flat arrays, shared by all its channels. Rows that another row of the same commands at a
// higher level implies are left out.
struct RuleSet {
  explicit RuleSet(const Part& part);

  Geometry geometry;
  std::array<std::vector<Update>, command_count> updates;
  std::vector<Window> windows;
  Tick read_latency = 0;  // first edge of RD to the end of its data
  Tick write_latency = 0;
  Tick burst = 0;  // tBL
  bool precharge_on_falling_edge = true;

  [[nodiscard]] bool may_start(Command command, Tick tick) const {
    return is_rising(tick) ||
           (precharge_on_falling_edge && (command == Command::precharge || command == Command::precharge_all));
  }
};

}  // namespace kvtraffic::hardware::hbm
