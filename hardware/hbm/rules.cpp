// The table of timing rules and its compilation to flat arrays.
// Leaves out checking that a part's numbers make sense (hardware/spec/memory_checks.cpp).
#include "hardware/hbm/rules.hpp"

#include <algorithm>

namespace kvtraffic::hardware::hbm {
namespace {

using enum Timing;
using C = Command;

constexpr Distance sum(Timing a) {
  return {.timings = {static_cast<int>(a), Distance::none, Distance::none, Distance::none}};
}
constexpr Distance sum(Timing a, Timing b) {
  return {.timings = {static_cast<int>(a), static_cast<int>(b), Distance::none, Distance::none}};
}
constexpr Distance sum(Timing a, Timing b, Timing c) {
  return {.timings = {static_cast<int>(a), static_cast<int>(b), static_cast<int>(c), Distance::none}};
}
constexpr Distance sum(Timing a, Timing b, Timing c, Timing d) {
  return {.timings = {static_cast<int>(a), static_cast<int>(b), static_cast<int>(c), static_cast<int>(d)}};
}
constexpr Distance one_clock{.cycles = 1};

constexpr Commands reads = C::read | C::read_auto;
constexpr Commands writes = C::write | C::write_auto;
constexpr Commands precharges = C::precharge | C::precharge_all;

constexpr std::array table{
    // Pseudo-channel: its data bus, its banks together.
    Rule{Level::pseudo_channel, reads, reads, sum(tBL), Cause::data_bus},
    Rule{Level::pseudo_channel, writes, writes, sum(tBL), Cause::data_bus},
    Rule{Level::pseudo_channel, reads, reads, sum(tCCDS), Cause::data_bus},
    Rule{Level::pseudo_channel, writes, writes, sum(tCCDS), Cause::data_bus},
    Rule{Level::pseudo_channel, reads, writes, sum(tRTW), Cause::turnaround},
    Rule{Level::pseudo_channel, writes, reads, sum(tCWL, tBL, tWTRS), Cause::turnaround},
    Rule{Level::pseudo_channel, C::read, C::precharge_all, sum(tRTP), Cause::row_cycle},
    Rule{Level::pseudo_channel, C::write, C::precharge_all, sum(tCWL, tBL, tWR), Cause::row_cycle},
    Rule{Level::pseudo_channel, C::activate, C::activate, sum(tRRDS), Cause::tFAW},
    Rule{Level::pseudo_channel, C::activate, C::activate, sum(tFAW), Cause::tFAW, 4},
    Rule{Level::pseudo_channel, C::activate, C::precharge_all, sum(tRAS), Cause::row_cycle},
    Rule{Level::pseudo_channel, C::precharge_all, C::activate | C::refresh_bank, sum(tRP), Cause::row_cycle},
    Rule{Level::pseudo_channel, precharges, precharges, sum(tPPD), Cause::command_bus},
    // Pseudo-channel: refresh of all banks.
    Rule{Level::pseudo_channel, C::activate, C::refresh_all, sum(tRC), Cause::row_cycle},
    Rule{Level::pseudo_channel, C::activate, C::refresh_all, sum(tRAS, tRP), Cause::row_cycle},
    Rule{Level::pseudo_channel, precharges, C::refresh_all, sum(tRP), Cause::row_cycle},
    Rule{Level::pseudo_channel, C::read_auto, C::refresh_all, sum(tRTP, tRP), Cause::row_cycle},
    Rule{Level::pseudo_channel, C::write_auto, C::refresh_all, sum(tCWL, tBL, tWR, tRP), Cause::row_cycle},
    Rule{Level::pseudo_channel, C::refresh_all, C::activate | C::precharge_all, sum(tRFCab), Cause::refresh},
    Rule{Level::pseudo_channel, C::refresh_all, C::refresh_all | C::refresh_bank, sum(tRFCab), Cause::refresh},
    // Pseudo-channel: refresh of one bank, as the other banks see it.
    Rule{Level::pseudo_channel, C::refresh_bank, C::refresh_bank | C::activate, sum(tRREFD), Cause::refresh},
    Rule{Level::pseudo_channel, C::refresh_bank, C::refresh_all, sum(tRFCpb), Cause::refresh},
    Rule{Level::pseudo_channel, C::activate, C::refresh_bank, sum(tRRDS), Cause::tFAW},
    // Pairing of edges: a precharge on the falling edge may not belong to the bank of the row command just before it,
    // nor to its pseudo-channel where either is for all banks.
    Rule{Level::pseudo_channel, C::precharge_all | C::refresh_all, precharges, one_clock, Cause::command_bus},
    Rule{Level::pseudo_channel, C::activate | C::precharge | C::refresh_bank, C::precharge_all, one_clock,
         Cause::command_bus},
    Rule{Level::bank, C::activate | C::precharge | C::refresh_bank, C::precharge, one_clock, Cause::command_bus},
    // Stack ID: two dies that share a channel.
    Rule{Level::stack_id, reads, reads, sum(tCCDR), Cause::tCCDL, 1, true},
    // Bank group.
    Rule{Level::bank_group, reads, reads, sum(tCCDL), Cause::tCCDL},
    Rule{Level::bank_group, writes, writes, sum(tCCDL), Cause::tCCDL},
    Rule{Level::bank_group, writes, reads, sum(tCWL, tBL, tWTRL), Cause::turnaround},
    Rule{Level::bank_group, C::activate, C::activate, sum(tRRDL), Cause::tFAW},
    // Bank.
    // An auto-precharge waits for tRAS by itself; without a command of its own, tRAS + tRP is all that shows it.
    Rule{Level::bank, C::activate, C::activate, sum(tRC), Cause::row_cycle},
    Rule{Level::bank, C::activate, C::activate | C::refresh_bank, sum(tRAS, tRP), Cause::row_cycle},
    Rule{Level::bank, C::activate, reads, sum(tRCDRD), Cause::row_cycle},
    Rule{Level::bank, C::activate, writes, sum(tRCDWR), Cause::row_cycle},
    Rule{Level::bank, C::activate, C::precharge, sum(tRAS), Cause::row_cycle},
    Rule{Level::bank, C::precharge, C::activate, sum(tRP), Cause::row_cycle},
    Rule{Level::bank, C::read, C::precharge, sum(tRTP), Cause::row_cycle},
    Rule{Level::bank, C::write, C::precharge, sum(tCWL, tBL, tWR), Cause::row_cycle},
    Rule{Level::bank, C::read_auto, C::activate | C::refresh_bank, sum(tRTP, tRP), Cause::row_cycle},
    Rule{Level::bank, C::write_auto, C::activate | C::refresh_bank, sum(tCWL, tBL, tWR, tRP), Cause::row_cycle},
    Rule{Level::bank, C::refresh_bank, C::activate | C::refresh_bank, sum(tRFCpb), Cause::refresh},
    Rule{Level::bank, C::activate, C::refresh_bank, sum(tRC), Cause::row_cycle},
    Rule{Level::bank, C::precharge, C::refresh_bank, sum(tRP), Cause::row_cycle},
};

constexpr std::array all_commands{C::activate, C::precharge,  C::precharge_all, C::read,        C::read_auto,
                                  C::write,    C::write_auto, C::refresh_all,   C::refresh_bank};

int window_of(std::vector<Window>& windows, const Rule& rule, Command before) {
  if (rule.window == 1) return -1;
  windows.push_back({before, rule.level, rule.window});
  return static_cast<int>(windows.size()) - 1;
}

// A row that counts from the latest command and holds for a node and everything below it.
bool is_plain(const Update& update) { return update.history < 0 && !update.sibling; }

void add(std::vector<Update>& updates, const Update& update) {
  if (update.ticks <= 0) return;
  if (is_plain(update)) {
    for (Update& other : updates) {
      if (!is_plain(other) || other.gate != update.gate || other.level > update.level) continue;
      if (other.ticks >= update.ticks) return;  // implied
      if (other.level == update.level) {
        other = update;
        return;
      }
    }
  }
  updates.push_back(update);
}

// The bus is taken for the whole length of a command.
void add_bus_rules(RuleSet& set, const Part& part) {
  for (const Command before : all_commands) {
    for (const Command after : all_commands) {
      if (is_column(before) != is_column(after)) continue;
      add(set.updates[static_cast<std::size_t>(before)],
          {Level::channel, gate_of(after), Cause::command_bus, false, -1, bus_ticks(before, part.bus)});
    }
  }
}

void add_rule(RuleSet& set, const Rule& rule, const Part& part) {
  for (const Command before : all_commands) {
    if (!rule.before.contains(before)) continue;
    for (const Command after : all_commands) {
      if (!rule.after.contains(after) || after == C::read_auto || after == C::write_auto) continue;
      const Tick ticks = ticks_between(rule, before, after, part);
      if (ticks <= 0) continue;
      add(set.updates[static_cast<std::size_t>(before)],
          {rule.level, gate_of(after), rule.cause, rule.sibling, window_of(set.windows, rule, before), ticks});
    }
  }
}

}  // namespace

const char* name_of(Command command) {
  constexpr std::array names{"ACT", "PRE", "PREA", "RD", "RDA", "WR", "WRA", "REFab", "REFpb"};
  return names[static_cast<std::size_t>(command)];
}

const char* name_of(Cause cause) {
  constexpr std::array names{"data_bus", "tCCDL",       "tFAW",  "row_cycle", "turnaround",
                             "refresh",  "command_bus", "queue", "feed"};
  return names[static_cast<std::size_t>(cause)];
}

std::span<const Rule> rules() { return table; }

std::int64_t cycles_of(const Distance& distance, const Timings& timings) {
  std::int64_t cycles = distance.cycles;
  for (const int timing : distance.timings) {
    if (timing != Distance::none) cycles += timings.cycles(static_cast<Timing>(timing));
  }
  return cycles;
}

int bus_ticks(Command command, const BusLengths& bus) {
  if (is_column(command)) return bus.column;
  if (command == C::activate) return bus.activate;
  return command == C::precharge || command == C::precharge_all ? bus.precharge : bus.refresh;
}

Tick ticks_between(const Rule& rule, Command before, Command after, const Part& part) {
  const std::int64_t cycles = cycles_of(rule.distance, part.timings);
  if (cycles <= 0) return 0;
  return 2 * cycles + bus_ticks(before, part.bus) - bus_ticks(after, part.bus);
}

RuleSet::RuleSet(const Part& part)
    : geometry(part.geometry),
      read_latency(2 * (part.timings.cycles(tCL) + part.timings.cycles(tBL))),
      write_latency(2 * (part.timings.cycles(tCWL) + part.timings.cycles(tBL))),
      burst(2 * part.timings.cycles(tBL)),
      precharge_on_falling_edge(part.bus.precharge_on_falling_edge) {
  add_bus_rules(*this, part);
  for (const Rule& rule : table) add_rule(*this, rule, part);
  for (auto& updates_of_command : updates) {
    std::ranges::stable_sort(updates_of_command, {}, &Update::level);
  }
}

}  // namespace kvtraffic::hardware::hbm
