// One DRAM part as its data sheet states it: geometry, timings, command lengths, controller and energy, typed.
// Leaves out reading it from YAML (hardware/spec/memory.hpp) and everything that moves in time (device, controller).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware::hbm {

// How many of each, per parent. A channel is what one controller drives; its pseudo-channels share the row and the
// column command bus and the queues, and have a data bus each.
struct Geometry {
  int stacks = 1;
  int channels = 16;  // of a stack
  int pseudo_channels = 2;
  int stack_ids = 1;  // ranks of dies that share a channel
  int bank_groups = 4;
  int banks = 4;               // of a bank group
  std::int64_t rows = 16384;   // of a bank
  int columns = 32;            // transactions in an open row
  int transaction_bytes = 32;  // one burst of one pseudo-channel

  [[nodiscard]] int all_channels() const { return stacks * channels; }
  [[nodiscard]] int banks_of_pseudo_channel() const { return stack_ids * bank_groups * banks; }
  [[nodiscard]] int banks_of_channel() const { return pseudo_channels * banks_of_pseudo_channel(); }
  [[nodiscard]] sim::Bytes capacity() const;
  [[nodiscard]] bool operator==(const Geometry&) const = default;
};

// Every timing of the rules, by the name of the standard. `burst` is the data bus time of one transaction.
enum class Timing : std::uint8_t {
  tBL,
  tCL,
  tCWL,
  tRCDRD,
  tRCDWR,
  tRP,
  tRAS,
  tRC,
  tCCDS,
  tCCDL,
  tCCDR,
  tRRDS,
  tRRDL,
  tFAW,
  tWTRS,
  tWTRL,
  tRTW,
  tWR,
  tRTP,
  tPPD,
  tRFCab,
  tRFCpb,
  tRREFD,
  tREFI,
  tREFIpb,
};
inline constexpr std::size_t timing_count = 25;
[[nodiscard]] const char* name_of(Timing timing);

// Lengths as the sheet states them, and the clock that they are rounded to.
struct Timings {
  sim::Duration clock;                             // tCK
  std::array<sim::Duration, timing_count> length;  // zero: the part has no such rule

  // Whole clock cycles: ceil(length / tCK); for tREFI and tREFIpb, which are maxima, floor(length / tCK).
  [[nodiscard]] std::int64_t cycles(Timing timing) const;
};

enum class Refresh : std::uint8_t { none, all_bank, per_bank };
enum class Page : std::uint8_t { open, closed, timeout };

struct ControllerSettings {
  int read_queue = 128;  // entries of one channel, shared by its pseudo-channels
  int write_queue = 64;
  double drain_above = 0.8;  // writes are drained when the write queue is fuller than this, or no read waits,
  double drain_below = 0.2;  // until it is emptier than this and a read waits
  Refresh refresh = Refresh::per_bank;
  int postponed = 0;  // refresh intervals that a refresh may be late for traffic's sake: JEDEC allows 8 (HBM3: tREFI)
  Page page = Page::open;
  sim::Duration page_timeout;  // Page::timeout: a row without waiting hits closes after so long
  // A request older than this stops younger row hits of its bank, and reads that waited so long end a drain of writes;
  // zero: never.
  sim::Duration starvation;
  // Writes are drained too when reads have gone first for `write_age` and the write queue is fuller than `age_above`,
  // and when they have waited for `starvation`, however few they are. Zero: never.
  sim::Duration write_age;
  double age_above = 0.2;
  [[nodiscard]] bool operator==(const ControllerSettings&) const = default;
};

// Energy of one command and of time, in picojoules and watts; background is of one stack.
struct Energy {
  double activate = 0;      // one ACT with its PRE
  double read = 0;          // one transaction, array to pins
  double write = 0;         // one transaction
  double refresh_bank = 0;  // one REFpb; a REFab refreshes every bank of a pseudo-channel
  double background_watts = 0;
};

// Half clock cycles that a command holds its bus, and whether it may start on a falling edge.
struct BusLengths {
  int activate = 3;   // 1.5 CK in HBM3, 2 CK (4) in HBM2
  int precharge = 1;  // 0.5 CK in HBM3, 1 CK (2) in HBM2
  int refresh = 1;
  int column = 2;
  bool precharge_on_falling_edge = true;
};

struct Part {
  std::string name;
  std::string summary;
  Geometry geometry;
  Timings timings;
  BusLengths bus;
  ControllerSettings controller;
  Energy energy;
  std::string map = "i256";  // a name of address_map.hpp

  [[nodiscard]] sim::Frequency clock_rate() const;
  // Transactions of all pseudo-channels back to back: what the pins can carry.
  [[nodiscard]] sim::Bandwidth peak() const;
};

}  // namespace kvtraffic::hardware::hbm
