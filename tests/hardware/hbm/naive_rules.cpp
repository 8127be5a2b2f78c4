// Every row, every earlier command.
#include "tests/hardware/hbm/naive_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kvtraffic::hardware::hbm {
namespace {

std::size_t index(Command command) { return static_cast<std::size_t>(command); }
bool on_column_bus(Command c) {
  return c == Command::read || c == Command::read_auto || c == Command::write || c == Command::write_auto;
}

}  // namespace

Tick bus_time(Command command, const BusLengths& bus) {
  switch (command) {
    case Command::activate:
      return bus.activate;
    case Command::precharge:
    case Command::precharge_all:
      return bus.precharge;
    case Command::refresh_all:
    case Command::refresh_bank:
      return bus.refresh;
    default:
      return bus.column;
  }
}

std::int64_t clocks_of(Timing timing, const Timings& timings) {
  const std::int64_t length = timings.length.at(static_cast<std::size_t>(timing)).femtoseconds();
  const std::int64_t clock = timings.clock.femtoseconds();
  const bool longest = timing == Timing::tREFI || timing == Timing::tREFIpb;
  return (length + (longest ? 0 : clock - 1)) / clock;
}

Tick distance_of(const Rule& rule, Command before, Command after, const Part& part) {
  std::int64_t clocks = rule.distance.cycles;
  for (const int timing : rule.distance.timings) {
    if (timing >= 0) clocks += clocks_of(static_cast<Timing>(timing), part.timings);
  }
  if (clocks == 0) return 0;
  return 2 * clocks + bus_time(before, part.bus) - bus_time(after, part.bus);  // last edge to last edge
}

bool holds_between(const Rule& rule, BankAddress before, BankAddress after, const Geometry& geometry) {
  if (rule.level == Level::channel) return true;
  if (before.pseudo_channel != after.pseudo_channel) return false;
  int node = geometry.banks_of_pseudo_channel();  // banks of a node
  if (rule.level == Level::stack_id) node = geometry.bank_groups * geometry.banks;
  if (rule.level == Level::bank_group) node = geometry.banks;
  if (rule.level == Level::bank) node = 1;
  return (before.bank / node == after.bank / node) != rule.sibling;
}

NaiveRules::NaiveRules(const Part& part) : part_(&part) {
  for (std::size_t b = 0; b < command_count; ++b) {
    for (std::size_t a = 0; a < command_count; ++a) {
      const auto before = static_cast<Command>(b);
      const auto after = static_cast<Command>(a);
      for (const Rule& rule : rules()) {
        if (!rule.before.contains(before) || !rule.after.contains(after)) continue;
        const Tick distance = distance_of(rule, before, after, part);
        if (distance <= 0) continue;
        rows_[b][a].push_back({&rule, distance});
        reach_[b] = std::max(reach_[b], distance);
      }
    }
  }
}

void NaiveRules::record(const Issued& issued) {
  past_[index(issued.command)].push_back(issued);
  const std::size_t bus = on_column_bus(issued.command) ? 1 : 0;
  on_bus_[bus] = issued;
  bus_used_[bus] = true;
}

NaiveRules::Bound NaiveRules::earliest(Command command, BankAddress at) const {
  Bound bound;
  const std::size_t bus = on_column_bus(command) ? 1 : 0;
  if (bus_used_[bus]) {
    bound = {on_bus_[bus].tick + bus_time(on_bus_[bus].command, part_->bus), nullptr, on_bus_[bus]};
  }
  for (std::size_t before = 0; before < command_count; ++before) {
    bound_by_rows(static_cast<Command>(before), command, at, bound);
  }
  return bound;
}

void NaiveRules::bound_by_rows(Command before, Command after, BankAddress at, Bound& bound) const {
  for (const Row& row : rows_[index(before)][index(after)]) {
    int left = row.rule->window;
    const std::deque<Issued>& past = past_[index(before)];
    for (auto one = past.rbegin(); one != past.rend() && left > 0; ++one) {
      if (!holds_between(*row.rule, one->at, at, part_->geometry) || --left > 0) continue;
      if (one->tick + row.distance <= bound.tick) continue;
      bound = {one->tick + row.distance, row.rule, *one};
    }
  }
}

std::string NaiveRules::Bound::why() const {
  const std::string since = fmt::format("since {} at {}", name_of(before.command), before.tick);
  return rule == nullptr ? "the bus, " + since : fmt::format("row {}, {}", rule - rules().data(), since);
}

void NaiveRules::forget(Tick now) {
  for (std::size_t c = 0; c < command_count; ++c) {
    while (!past_[c].empty() && past_[c].front().tick + reach_[c] <= now) past_[c].pop_front();
  }
}

}  // namespace kvtraffic::hardware::hbm
