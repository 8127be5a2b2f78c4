// The commands of an HBM channel, what bounds them, and time inside a channel.
// Leaves out which command may follow which (rules.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace kvtraffic::hardware::hbm {

// Half clock cycles since the channel's reset. Rising edges are odd, so the first edge, 1, is a rising one.
using Tick = std::int64_t;
inline constexpr Tick never = INT64_MAX / 32;
// How far back, at most, it matters for telling causes when something became possible: a few edges, in which a command
// that was ready may have lost its turn on a bus.
inline constexpr Tick recent = 8;
[[nodiscard]] constexpr bool is_rising(Tick tick) { return (tick & 1) != 0; }
[[nodiscard]] constexpr Tick rising_from(Tick tick) { return tick | 1; }  // the first rising edge not before `tick`

enum class Command : std::uint8_t {
  activate,
  precharge,
  precharge_all,  // of a pseudo-channel
  read,
  read_auto,  // with auto-precharge
  write,
  write_auto,
  refresh_all,   // every bank of a pseudo-channel
  refresh_bank,  // one bank
};
inline constexpr std::size_t command_count = 9;
[[nodiscard]] const char* name_of(Command command);  // as JEDEC prints it: ACT PRE PREA RD RDA WR WRA REFab REFpb

[[nodiscard]] constexpr bool is_column(Command c) { return c >= Command::read && c <= Command::write_auto; }

// What the rules gate: a command with and without auto-precharge may come at the same time.
enum class Gate : std::uint8_t { activate, precharge, precharge_all, read, write, refresh_all, refresh_bank };
inline constexpr std::size_t gate_count = 7;
[[nodiscard]] constexpr Gate gate_of(Command command) {
  constexpr Gate gates[command_count] = {Gate::activate, Gate::precharge,   Gate::precharge_all,
                                         Gate::read,     Gate::read,        Gate::write,
                                         Gate::write,    Gate::refresh_all, Gate::refresh_bank};
  return gates[static_cast<std::size_t>(command)];
}

// What held a data bus up.
enum class Cause : std::uint8_t {
  data_bus,     // it was moving data
  tCCDL,        // column commands of one bank group (tCCDL) or of two stack IDs (tCCDR)
  tFAW,         // rate of activates: tFAW, tRRDS, tRRDL
  row_cycle,    // tRCD, tRP, tRAS, tRC, tRTP, tWR: opening and closing rows
  turnaround,   // tRTW, tWTR, and the change between reading and draining writes
  refresh,      // tRFC, tRREFD, and waiting while a refresh is in the way
  command_bus,  // the row or column bus was taken, or its edge had to be awaited
  queue,        // the request had to wait outside: the queue was full
  feed,         // nobody had asked yet
};
inline constexpr std::size_t cause_count = 9;
[[nodiscard]] const char* name_of(Cause cause);

// A tick and what sets it, in one word that orders by tick.
class Stamp {
 public:
  constexpr Stamp() = default;
  constexpr Stamp(Tick tick, Cause cause) : word_(tick * 16 + static_cast<std::int64_t>(cause)) {}
  [[nodiscard]] constexpr Tick tick() const { return word_ >> 4; }
  [[nodiscard]] constexpr Cause cause() const { return static_cast<Cause>(word_ & 15); }
  [[nodiscard]] constexpr bool operator<(Stamp other) const { return word_ < other.word_; }
  [[nodiscard]] constexpr bool operator==(const Stamp&) const = default;

 private:
  std::int64_t word_ = 0;
};
[[nodiscard]] constexpr Stamp later(Stamp a, Stamp b) { return a < b ? b : a; }

// A bank of a channel: the bank counts all of its pseudo-channel's, as in Place (address_map.hpp).
struct BankAddress {
  int pseudo_channel = 0;
  int bank = 0;
};

}  // namespace kvtraffic::hardware::hbm
