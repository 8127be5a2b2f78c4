// The table of rules against the standard's sentences, written down here a second time, command by command.
// Leaves out buses and edges (rules_test.cpp), which are not in the table.
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
using enum Command;

// What two banks of a pseudo-channel have in common.
struct Common {
  std::string name;
  BankAddress to;
  bool stack_id = false;
  bool group = false;
  bool bank = false;
};

std::vector<Common> relations(const Geometry& g) {
  std::vector<Common> all{{"the same bank", {0, 0}, true, true, true},
                          {"a bank of the group", {0, 1}, true, true, false},
                          {"a bank of another group", {0, g.banks + 1}, true, false, false}};
  if (g.stack_ids > 1) all.push_back({"a bank of another stack ID", {0, g.bank_groups * g.banks}, false, false, false});
  return all;
}

// The standard's shortest distances for one pair of commands, in clocks.
class Sheet {
 public:
  Sheet(const Part& part, Common common) : part_(part), common_(std::move(common)) {}

  std::int64_t between(Command before, Command after) {
    clocks_ = 0;
    const bool reads = before == read || before == read_auto;
    const bool writes = before == write || before == write_auto;
    if (reads) after_read(after);
    if (writes) after_write(after);
    if (before == read_auto || before == write_auto) after_auto(before, after);
    if (before == read || before == write) before_precharge(before, after);
    if (before == activate) after_activate(after);
    if (before == precharge || before == precharge_all) after_precharge(before, after);
    if (before == refresh_all) after_refresh_all(after);
    if (before == refresh_bank) after_refresh_bank(after);
    pair_edges(before, after);
    return clocks_;
  }

 private:
  void least(std::initializer_list<Timing> timings, bool applies = true) {
    if (applies) clocks_ = std::max(clocks_, half_clocks(part_, timings) / 2);
  }
  void after_read(Command after) {
    if (after == write) least({tRTW});
    if (after != read) return;
    least({tBL});
    least({tCCDS});
    least({tCCDL}, common_.group);
    least({tCCDR}, !common_.stack_id);
  }
  void after_write(Command after) {
    if (after == read) least({tCWL, tBL, tWTRS});
    if (after == read) least({tCWL, tBL, tWTRL}, common_.group);
    if (after != write) return;
    least({tBL});
    least({tCCDS});
    least({tCCDL}, common_.group);
  }
  // The row closes by itself, tRTP behind a read, tWR behind a write's data.
  void after_auto(Command before, Command after) {
    const bool hits = after == refresh_all || ((after == activate || after == refresh_bank) && common_.bank);
    if (before == read_auto) least({tRTP, tRP}, hits);
    if (before == write_auto) least({tCWL, tBL, tWR, tRP}, hits);
  }
  void before_precharge(Command before, Command after) {
    const bool hits = after == precharge_all || (after == precharge && common_.bank);
    if (before == read) least({tRTP}, hits);
    if (before == write) least({tCWL, tBL, tWR}, hits);
  }
  void after_activate(Command after) {
    if (after == activate) least({tRRDS});
    if (after == activate) least({tRRDL}, common_.group);
    if (after == activate) least({tRC}, common_.bank);
    if (after == activate) least({tRAS, tRP}, common_.bank);  // an auto-precharge shows no command
    least({tRAS, tRP}, after == refresh_all || (after == refresh_bank && common_.bank));
    if (after == read) least({tRCDRD}, common_.bank);
    if (after == write) least({tRCDWR}, common_.bank);
    least({tRAS}, after == precharge_all || (after == precharge && common_.bank));
    least({tRC}, after == refresh_all || (after == refresh_bank && common_.bank));
    if (after == refresh_bank) least({tRRDS});
  }
  void after_precharge(Command before, Command after) {
    const bool hits = before == precharge_all || common_.bank;
    least({tRP}, (after == activate || after == refresh_bank) && hits);
    if (after == refresh_all) least({tRP});
    least({tPPD}, after == precharge || after == precharge_all);
  }
  void after_refresh_all(Command after) {
    least({tRFCab}, after == activate || after == precharge_all || after == refresh_all || after == refresh_bank);
  }
  void after_refresh_bank(Command after) {
    least({tRREFD}, after == activate || after == refresh_bank);
    least({tRFCpb}, (after == activate || after == refresh_bank) && common_.bank);
    if (after == refresh_all) least({tRFCpb});
  }
  // A precharge does not share a clock with the row command before it to its bank, nor where either is for all banks.
  void pair_edges(Command before, Command after) {
    if (is_column(before) || (after != precharge && after != precharge_all)) return;
    const bool all = before == precharge_all || before == refresh_all || after == precharge_all;
    if (all || common_.bank) clocks_ = std::max<std::int64_t>(clocks_, 1);
  }

  const Part& part_;
  Common common_;
  std::int64_t clocks_ = 0;
};

// Every timing a different number of clocks, larger than all buses, so that no timing stands for another.
Part distinct(Part part) {
  for (std::size_t i = 0; i < timing_count; ++i) set_clocks(part, static_cast<Timing>(i), 20 + 7 * static_cast<int>(i));
  return part;
}

bool may_come(Command before) { return before != activate && before != refresh_all && before != refresh_bank; }

void expect_sheet(const Part& part, Command before, Command after, const Common& common) {
  constexpr Tick now = 100'001;
  const RuleSet rules(part);
  Device device(rules);
  if (may_come(before)) device.issue(activate, {0, 0}, 3, 1);
  device.issue(before, {0, 0}, 3, now);
  const std::int64_t clocks = Sheet(part, common).between(before, after);
  Tick expected = clocks == 0 ? 0 : now + 2 * clocks + bus_time(before, part.bus) - bus_time(after, part.bus);
  if (is_column(before) == is_column(after)) expected = std::max(expected, now + bus_time(before, part.bus));
  const Tick earliest = device.earliest(gate_of(after), common.to).tick();
  EXPECT_EQ(std::max(earliest, now), std::max(expected, now))
      << part.name << ": " << name_of(before) << " to " << name_of(after) << " of " << common.name;
}

TEST(Sheet, SaysWhatTheTableSays) {
  constexpr std::array afters{activate, precharge, precharge_all, read, write, refresh_all, refresh_bank};
  for (const std::string& name : part_names()) {
    for (const Part& part : {part_named(name), distinct(part_named(name))}) {
      for (const Common& common : relations(part.geometry)) {
        for (std::size_t before = 0; before < command_count; ++before) {
          for (const Command after : afters) expect_sheet(part, static_cast<Command>(before), after, common);
        }
      }
    }
  }
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
