// Gates: every row of the table, in every part, refuses a command one edge early and grants it on the edge.
// Leaves out which command a controller chooses (controller_test.cpp).
#include "hardware/hbm/rules.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hardware/hbm/device.hpp"
#include "tests/hardware/hbm/naive_rules.hpp"
#include "tests/hardware/hbm/parts.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

using enum Timing;
using C = Command;

constexpr std::array all_commands{C::activate, C::precharge,  C::precharge_all, C::read,        C::read_auto,
                                  C::write,    C::write_auto, C::refresh_all,   C::refresh_bank};
constexpr Tick long_ago = 100'000;  // half clocks: beyond every rule

// How two addresses are related: the smallest thing that they share.
enum class Shared : std::uint8_t { channel, pseudo_channel, stack_id, bank_group, bank };
constexpr std::array all_shared{Shared::channel, Shared::pseudo_channel, Shared::stack_id, Shared::bank_group,
                                Shared::bank};

constexpr BankAddress first_bank{0, 0};

// A bank related so to bank 0 of pseudo-channel 0. Without stack IDs, "pseudo-channel" is another bank group.
BankAddress related(Shared shared, const Geometry& geometry) {
  switch (shared) {
    case Shared::channel:
      return {1, 0};
    case Shared::pseudo_channel:
      return {0, geometry.stack_ids > 1 ? geometry.bank_groups * geometry.banks : geometry.banks};
    case Shared::stack_id:
      return {0, geometry.banks};
    case Shared::bank_group:
      return {0, 1};
    case Shared::bank:
      return first_bank;
  }
  return first_bank;
}

// A device, and the same commands written down for the plain reading of the table.
struct Bank {
  explicit Bank(const Part& which) : part(which), rules(part), device(rules), naive(part) {}

  void issue(Command command, BankAddress at, Tick now) {
    device.issue(command, at, 3, now);
    naive.record({now, command, at});
  }
  void open(BankAddress at, Tick now) {
    if (device.open_row(at) == Device::closed) issue(C::activate, at, now);
  }
  [[nodiscard]] bool grants(Command command, BankAddress at, Tick now) const {
    return device.earliest(gate_of(command), at).tick() <= now && rules.may_start(command, now);
  }

  Part part;
  RuleSet rules;
  Device device;
  NaiveRules naive;
};

bool needs_open(Command command) {
  return is_column(command) || command == C::precharge || command == C::precharge_all;
}

// Issues `before` at `now` long after everything that it needs; what `after` needs has been done as long ago, where
// both can be. Returns the tick of the command that counts: the first, for a row with a window.
void bring(Bank& bank, Command before, BankAddress from, Command after, BankAddress to) {
  if (needs_open(before)) bank.open(from, 1);
  const bool all_must_be_closed = before == C::refresh_all || after == C::refresh_all;
  const bool same = from.pseudo_channel == to.pseudo_channel && from.bank == to.bank;
  if (needs_open(after) && !same && !all_must_be_closed && before != C::precharge_all) bank.open(to, 2001);
  bank.issue(before, from, long_ago + 1);
}

// The last edge on which `command` may start before `tick`, the first not before it.
Tick edge_before(const RuleSet& rules, Command command, Tick tick) {
  do --tick;
  while (!rules.may_start(command, tick));
  return tick;
}
Tick edge_from(const RuleSet& rules, Command command, Tick tick) {
  while (!rules.may_start(command, tick)) ++tick;
  return tick;
}

void expect_gate(const Bank& bank, Command after, BankAddress to, Tick expected, const std::string& what) {
  const Tick issued = long_ago + 1;
  const Tick at_once = std::max(bank.device.earliest(gate_of(after), to).tick(), issued);
  EXPECT_EQ(at_once, std::max(expected, issued)) << what;
  if (expected <= issued) return;
  EXPECT_FALSE(bank.grants(after, to, edge_before(bank.rules, after, expected))) << what << ": an edge early";
  EXPECT_TRUE(bank.grants(after, to, edge_from(bank.rules, after, expected))) << what << ": on the edge";
}

class RulesOfEveryPart : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Rules, RulesOfEveryPart, testing::ValuesIn(part_names()),
                         [](const auto& name) { return test_name(name.param); });

// ---- all pairs of commands ----

// The maximum over all rows that apply, read one by one: which row dominates does not matter.
TEST_P(RulesOfEveryPart, OpensEachGateWhenTheLastOfItsRowsDoes) {
  const Part part = part_named(GetParam());
  for (const Shared shared : all_shared) {
    const BankAddress to = related(shared, part.geometry);
    for (const Command before : all_commands) {
      for (const Command after : all_commands) {
        Bank bank(part);
        bring(bank, before, first_bank, after, to);
        expect_gate(bank, after, to, bank.naive.earliest(after, to).tick,
                    fmt::format("{} to {}, sharing {}", name_of(before), name_of(after), static_cast<int>(shared)));
      }
    }
  }
}

// ---- row by row ----

// Addresses for which a row holds, and which share as little as that allows.
BankAddress partner(const Rule& rule, const Geometry& geometry) {
  if (rule.sibling || rule.level == Level::pseudo_channel) return related(Shared::pseudo_channel, geometry);
  return related(static_cast<Shared>(rule.level), geometry);
}

// As many `before` as the window counts, each on the first edge that it may take, to banks of different groups; the
// last goes to bank 0. Returns the tick that the row counts from.
Tick fill_window(Bank& bank, const Rule& rule, Command before, Command after, BankAddress to) {
  if (rule.window == 1) {
    bring(bank, before, first_bank, after, to);
    return long_ago + 1;
  }
  const Geometry& g = bank.part.geometry;
  Tick now = long_ago + 1;
  for (int i = rule.window - 1; i >= 0; --i) {
    const BankAddress at{0, i % g.bank_groups * g.banks + i / g.bank_groups};
    now = edge_from(bank.rules, before, std::max(now, bank.naive.earliest(before, at).tick));
    bank.issue(before, at, now);
  }
  return long_ago + 1;
}

std::string name_of_row(const Rule& rule, Command before, Command after) {
  return fmt::format("row {}: {} to {}", &rule - rules().data(), name_of(before), name_of(after));
}

struct Expected {
  Tick own = 0;   // by the row alone
  Tick tick = 0;  // by all rows
};

Expected check_row(const Part& part, const Rule& rule, Command before, Command after) {
  Bank bank(part);
  BankAddress to = partner(rule, part.geometry);
  if (rule.window > 1) to = {0, part.geometry.banks_of_pseudo_channel() - 1};
  const Tick since = fill_window(bank, rule, before, after, to);
  const Expected expected{since + distance_of(rule, before, after, part), bank.naive.earliest(after, to).tick};
  expect_gate(bank, after, to, expected.tick, name_of_row(rule, before, after));
  EXPECT_LE(expected.own, expected.tick) << name_of_row(rule, before, after);
  return expected;
}

template <class Check>
void for_each_pair(const Rule& rule, Check check) {
  for (const Command before : all_commands) {
    for (const Command after : all_commands) {
      if (rule.before.contains(before) && rule.after.contains(after)) check(before, after);
    }
  }
}

bool applies(const Rule& rule, const Part& part) { return !rule.sibling || part.geometry.stack_ids > 1; }

TEST_P(RulesOfEveryPart, RefusesEachRowAnEdgeEarlyAndGrantsItOnTheEdge) {
  const Part part = part_named(GetParam());
  int exact = 0, dominated = 0;
  for (const Rule& rule : rules()) {
    if (!applies(rule, part)) continue;
    for_each_pair(rule, [&](Command before, Command after) {
      const Expected expected = check_row(part, rule, before, after);
      ++(expected.own == expected.tick ? exact : dominated);
    });
  }
  EXPECT_GE(exact, 55) << dominated << " pairs are dominated by another row";
}

// A part in which only this row's timings are not zero, and its sums are distinct: no other row is in its way.
Part part_of_row(const Rule& rule) {
  Part part = part_named("hbm3-h100");
  for (std::size_t i = 0; i < timing_count; ++i) set_clocks(part, static_cast<Timing>(i), 0);
  std::int64_t clocks = 10;
  for (const int timing : rule.distance.timings) {
    if (timing != Distance::none) set_clocks(part, static_cast<Timing>(timing), clocks *= 3);
  }
  return part;
}

TEST(Rules, EachRowHoldsByItself) {
  for (const Rule& rule : rules()) {
    const Part part = part_of_row(rule);
    for_each_pair(rule, [&](Command before, Command after) {
      const Expected expected = check_row(part, rule, before, after);
      EXPECT_EQ(expected.own, expected.tick) << name_of_row(rule, before, after) << " should be alone";
    });
  }
}

TEST(Rules, CountsFromLastEdgeToLastEdge) {
  const Part part = part_named("hbm3-h100");
  Bank bank(part);
  bank.issue(C::activate, first_bank, 1);
  const Tick last_of_activate = 1 + part.bus.activate - 1;  // 1.5 clocks
  const Tick last_of_precharge = last_of_activate + half_clocks(part, {tRAS});
  EXPECT_EQ(bank.device.earliest(Gate::precharge, first_bank).tick(), last_of_precharge - (part.bus.precharge - 1));
}

TEST(Rules, LeavesOutWhatAPartDoesNotHave) {
  Part part = channel_of("xhbm3");
  set_clocks(part, tFAW, 0);
  Bank bank(part);
  for (int i = 0; i < 4; ++i) bank.issue(C::activate, {0, i * 4}, 1 + i * half_clocks(part, {tRRDS}));
  EXPECT_EQ(bank.device.earliest(Gate::activate, {0, 1}).tick(),
            std::max(1 + 4 * half_clocks(part, {tRRDS}), 1 + half_clocks(part, {tRRDL})));
}

TEST(Rules, CountsTheWindowOfEachPseudoChannelAlone) {
  Part part = channel_of("xhbm3");
  set_clocks(part, tFAW, 1000);
  Bank bank(part);
  for (int i = 0; i < 4; ++i) bank.issue(C::activate, {0, i * 4}, 1 + 100 * i);
  EXPECT_EQ(bank.device.earliest(Gate::activate, {0, 1}).tick(), 1 + 2000) << "the fifth";
  EXPECT_EQ(bank.device.earliest(Gate::activate, {1, 0}).tick(), 301 + part.bus.activate) << "only the bus";
  bank.issue(C::activate, {0, 1}, 2001);
  EXPECT_EQ(bank.device.earliest(Gate::activate, {0, 2}).tick(), 101 + 2000) << "the window has moved on";
}

// ---- edges and buses ----

TEST_P(RulesOfEveryPart, StartsOnRisingEdgesButForPrecharges) {
  const Part part = part_named(GetParam());
  const RuleSet rules(part);
  for (const Command command : all_commands) {
    EXPECT_TRUE(rules.may_start(command, 1));
    const bool closes = command == C::precharge || command == C::precharge_all;
    EXPECT_EQ(rules.may_start(command, 2), closes && part.bus.precharge_on_falling_edge) << name_of(command);
  }
}

TEST_P(RulesOfEveryPart, SharesTwoBusesBetweenItsPseudoChannels) {
  const Part part = part_named(GetParam());
  const BankAddress other{1, 0};
  for (const Command before : all_commands) {
    Bank bank(part);
    bring(bank, before, first_bank, C::activate, other);
    const bool column = is_column(before);
    const Tick taken = long_ago + 1 + bus_time(before, part.bus);
    for (const Command after : all_commands) {
      const Tick earliest = std::max(bank.device.earliest(gate_of(after), other).tick(), long_ago);
      EXPECT_EQ(earliest, is_column(after) == column ? taken : long_ago)
          << name_of(before) << " then " << name_of(after);
    }
  }
}

TEST(BusLengths, AreThoseOfTheStandards) {
  const Part hbm2 = part_named("xhbm2");
  const Part hbm3 = part_named("xhbm3");
  EXPECT_EQ(bus_ticks(C::activate, hbm2.bus), 4);
  EXPECT_EQ(bus_ticks(C::precharge, hbm2.bus), 2);
  EXPECT_EQ(bus_ticks(C::activate, hbm3.bus), 3);
  EXPECT_EQ(bus_ticks(C::precharge_all, hbm3.bus), 1);
  for (const Command column : {C::read, C::read_auto, C::write, C::write_auto}) {
    EXPECT_EQ(bus_ticks(column, hbm2.bus), 2);
    EXPECT_EQ(bus_ticks(column, hbm3.bus), 2);
  }
}

// ---- clocks ----

TEST_P(RulesOfEveryPart, RoundsLengthsUpAndRefreshIntervalsDown) {
  const Part part = part_named(GetParam());
  const std::int64_t clock = part.timings.clock.femtoseconds();
  for (std::size_t i = 0; i < timing_count; ++i) {
    const auto timing = static_cast<Timing>(i);
    const std::int64_t length = part.timings.length.at(i).femtoseconds();
    const std::int64_t clocks = part.timings.cycles(timing);
    if (timing == tREFI || timing == tREFIpb) {
      EXPECT_LE(clocks * clock, length) << name_of(timing);
      EXPECT_GT((clocks + 1) * clock, length) << name_of(timing);
    } else {
      EXPECT_GE(clocks * clock, length) << name_of(timing);
      EXPECT_LT((clocks - 1) * clock, length) << name_of(timing);
    }
  }
}

TEST_P(RulesOfEveryPart, CompilesLatenciesAndBurst) {
  const Part part = part_named(GetParam());
  const RuleSet rules(part);
  EXPECT_EQ(rules.read_latency, half_clocks(part, {tCL, tBL}));
  EXPECT_EQ(rules.write_latency, half_clocks(part, {tCWL, tBL}));
  EXPECT_EQ(rules.burst, half_clocks(part, {tBL}));
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
