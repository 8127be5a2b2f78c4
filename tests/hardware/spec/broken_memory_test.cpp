// Faulty memory files and what the user is told, word for word.
// Leaves out hosts, drives and links (broken_parts_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/spec/memory.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string memory_text = R"(kind: memory
name: chip
summary: A made-up memory
sources: {sheet: "https://example.org/sheet"}
source: sheet
certainty: spec
geometry:
  stacks: 3
  channels: 8
  pseudo_channels: 2
  stack_ids: 1
  bank_groups: 4
  banks: 4
  rows: 10000
  columns: 32
  transaction: 32 B
clock: 1 ns
timing:
  tBL: 2 ns
  tCL: 14 ns
  tCWL: 5 ns
  tRCDRD: 14 ns
  tRCDWR: 12 ns
  tRP: 13 ns
  tRAS: 34 ns
  tRC: 47 ns
  tRFCab: 300 ns
  tRFCpb: 150 ns
  tRREFD: 8 ns
  tREFI: 3900 ns
command_bus: {activate: 2, precharge: 1}
controller:
  read_queue: 32
  drain_above: 0.75
  drain_below: 0.25
  refresh: all-bank
  page: open
map: i256
energy: {activate: 909 pJ, background: 2 W}
)";

std::vector<std::string> faults(const std::string& text) {
  sim::Diagnostics diagnostics;
  const sim::Node entry = sim::read_yaml(text, "chip.yaml", diagnostics);
  static_cast<void>(read_memory(entry, diagnostics));
  return told(diagnostics);
}
std::vector<std::string> faults_with(std::string_view from, std::string_view to) {
  return faults(with(memory_text, from, to));
}

TEST(BrokenMemory, IsNotFaultyAsItStands) { EXPECT_THAT(faults(memory_text), IsEmpty()); }

TEST(BrokenMemory, UnknownTiming) {
  EXPECT_THAT(faults_with("tRREFD: 8 ns", "tRREF: 8 ns"),
              ElementsAre("29:3 timing.tRREF: unknown key | one of tBL, tCL, tCWL, tRCDRD, tRCDWR, tRP, tRAS, tRC, "
                          "tCCDS, tCCDL, tCCDR, tRRDS, tRRDL, tFAW, tWTRS, tWTRL, tRTW, tWR, tRTP, tPPD, tRFCab, "
                          "tRFCpb, tRREFD, tREFI, tREFIpb | tRREFD"));
}
TEST(BrokenMemory, NoReadLatency) {
  EXPECT_THAT(faults_with("  tCL: 14 ns\n", ""),
              ElementsAre("19:3 timing: missing key 'tCL' | tCL: a time (Read command to its first data.)"));
}
TEST(BrokenMemory, ClockOfZero) {
  EXPECT_THAT(faults_with("clock: 1 ns", "clock: 0 ns"), ElementsAre("17:8 clock: must be between 10 ps and 1 us"));
}
TEST(BrokenMemory, TimingInCycles) {
  EXPECT_THAT(
      faults_with("tRP: 13 ns", "tRP: 13"),
      ElementsAre("24:8 timing.tRP: '13' needs a unit | a time such as 1.5 us (s, ms, us, ns, ps, fs, min, h)"));
}
TEST(BrokenMemory, ThreePseudoChannels) {
  EXPECT_THAT(faults_with("pseudo_channels: 2", "pseudo_channels: 3"),
              ElementsAre("10:20 geometry.pseudo_channels: must be between 1 and 2"));
}
TEST(BrokenMemory, ChannelsThatNoMapCanCut) {
  EXPECT_THAT(faults_with("  channels: 8", "  channels: 12"),
              ElementsAre("9:13 geometry.channels: 12 is no power of two | a power of two: an address map takes whole "
                          "bits for it"));
}
TEST(BrokenMemory, TransactionThatNoMapCanCut) {
  EXPECT_THAT(faults_with("transaction: 32 B", "transaction: 48 B"),
              ElementsAre("16:16 geometry.transaction: 48 B is no power of two | such as 32 B"));
}
TEST(BrokenMemory, TooManyBanks) {
  EXPECT_THAT(faults_with("  banks: 4", "  banks: 32"),
              ElementsAre("13:10 geometry.banks: 1 stack IDs x 4 bank groups x 32 banks are 128 banks of a "
                          "pseudo-channel | at most 64"));
}
TEST(BrokenMemory, EmptyQueue) {
  EXPECT_THAT(faults_with("read_queue: 32", "read_queue: 0"),
              ElementsAre("33:15 controller.read_queue: must be between 1 and 16384"));
}
TEST(BrokenMemory, DrainThatNeverEnds) {
  EXPECT_THAT(faults_with("drain_below: 0.25", "drain_below: 0.9"),
              ElementsAre("35:16 controller.drain_below: 0.9 is above drain_above, 0.75: writes would never stop being "
                          "drained | at most controller.drain_above"));
}
TEST(BrokenMemory, TimeoutWithoutATime) {
  EXPECT_THAT(faults_with("page: open", "page: timeout"),
              ElementsAre("33:3 controller.page_timeout: page: timeout needs a time | a time above zero, or page: "
                          "closed"));
}
TEST(BrokenMemory, RefreshOfOneBankLongerThanOfAll) {
  EXPECT_THAT(faults_with("tRFCpb: 150 ns", "tRFCpb: 301 ns"),
              ElementsAre("28:11 timing.tRFCpb: 301 cycles for one bank are more than tRFCab, 300 for all of them | at "
                          "most timing.tRFCab"));
}
TEST(BrokenMemory, RefreshThatTakesAllTheTime) {
  EXPECT_THAT(faults_with("tREFI: 3900 ns", "tREFI: 300 ns"),
              ElementsAre("30:10 timing.tREFI: a refresh every 300 cycles that takes 300 leaves no time for anything "
                          "else | more than timing.tRFCab"));
  EXPECT_THAT(faults_with("tREFI: 3900 ns", "tREFI: 301 ns"), IsEmpty());
}
TEST(BrokenMemory, RefreshWithoutItsTimes) {
  EXPECT_THAT(faults_with("  tRFCab: 300 ns\n", ""),
              ElementsAre("19:3 timing.tRFCab: is missing: controller.refresh is all-bank | its time, or refresh: "
                          "none"));
}
TEST(BrokenMemory, RefreshOfBanksFasterThanTheyMayFollow) {
  const std::string per_bank = with(memory_text, "refresh: all-bank", "refresh: per-bank");
  EXPECT_THAT(faults(per_bank), IsEmpty());
  EXPECT_THAT(
      faults(with(per_bank, "tRREFD: 8 ns", "tRREFD: 244 ns")),
      ElementsAre("19:3 timing.tREFIpb: refreshes every 243 cycles come faster than tRREFD, 244, lets them | at "
                  "least timing.tRREFD"));
  EXPECT_THAT(faults(with(per_bank, "tRREFD: 8 ns", "tRREFD: 243 ns")), IsEmpty());
}
TEST(BrokenMemory, RefreshOfBanksThatTakesAllTheTime) {
  const std::string per_bank = with(memory_text, "refresh: all-bank", "refresh: per-bank");
  EXPECT_THAT(faults(with(per_bank, "tREFI: 3900 ns", "tREFI: 3900 ns\n  tREFIpb: 9 ns")),
              ElementsAre("28:11 timing.tRFCpb: 150 cycles for a bank that is refreshed every 144 leave no time for "
                          "anything else | less than timing.tREFIpb x banks of a pseudo-channel"));
}
TEST(BrokenMemory, CommandOfAThirdOfACycle) {
  EXPECT_THAT(faults_with("activate: 2", "activate: 1.3"),
              ElementsAre("31:25 command_bus.activate: 1.3 clock cycles are no multiple of 0.5 | half clock cycles: "
                          "commands start at clock edges"));
}
TEST(BrokenMemory, EnergyWithoutAUnit) {
  EXPECT_THAT(faults_with("909 pJ", "909"),
              ElementsAre("39:20 energy.activate: '909' cannot be read | an energy such as 909 pJ (fJ, pJ, nJ)"));
  EXPECT_THAT(faults_with("909 pJ", "-1 pJ"),
              ElementsAre("39:20 energy.activate: '-1 pJ' cannot be read | an energy such as 909 pJ (fJ, pJ, nJ)"));
  EXPECT_THAT(faults_with("background: 2 W", "background: 2 pJ"),
              ElementsAre("39:40 energy.background: '2 pJ' cannot be read | a power such as 2.5 W (mW, W)"));
}
TEST(BrokenMemory, UnknownMap) {
  const std::vector<std::string> told = faults_with("map: i256", "map: i265");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told.front().starts_with("38:6 map: no address map is named 'i265' | one of ")) << told.front();
  EXPECT_TRUE(told.front().ends_with(" | i256")) << told.front();
}
TEST(BrokenMemory, MapThatDoesNotFit) {
  const std::vector<std::string> told = faults_with("columns: 32", "columns: 2");
  ASSERT_EQ(told.size(), 1U) << "i256 takes three bits of the column";
  EXPECT_TRUE(told.front().starts_with("38:6 map: ")) << told.front();
}
TEST(BrokenMemory, SourceWithoutAnAddress) {
  EXPECT_THAT(faults_with("source: sheet\n", "source: shet\n"),
              ElementsAre("5:9 source: 'shet' is no key of `sources` | one of sheet | sheet"));
}
TEST(BrokenMemory, ManyFaultsAreToldAtOnce) {
  const std::string two = with(memory_text, "read_queue: 32", "read_queue: 0");
  EXPECT_EQ(faults(with(two, "pseudo_channels: 2", "pseudo_channels: 3")).size(), 2U);
}

}  // namespace
}  // namespace kvtraffic::hardware
