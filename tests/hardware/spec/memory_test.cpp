// Memory parts: nanoseconds become the clock cycles that are published, derived values follow their rules, each figure
// has a source, and the parts are those of the devices that name them.
// Leaves out faulty files (broken_memory_test.cpp) and all that moves in time.
#include "hardware/spec/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hardware/hbm/address_map.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware {
namespace {

using hbm::Part;
using hbm::Timing;
using testing::IsSupersetOf;

// The entry with what it extends below it, as the catalog of `scenarios` resolves it.
sim::Node whole(const std::string& name) {
  sim::Node own = entry_in("memories", name);
  const sim::Node* base = own.find("extends");
  if (base == nullptr) return own;
  const sim::Node below = whole(base->text());
  own.remove("extends");
  return merged(below, own);
}

MemoryEntry read(const sim::Node& node) {
  sim::Diagnostics diagnostics;
  MemoryEntry entry = read_memory(node, diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.render();
  return entry;
}
Part part(const std::string& name) { return read(whole(name)).part; }

Part changed(const std::string& name, const std::vector<std::pair<std::string, std::string>>& values) {
  sim::Node node = whole(name);
  for (const auto& [path, value] : values) node.set_path(path, sim::Node::scalar(value));
  return read(node).part;
}

Part without(const std::string& name, const std::string& timing) {
  sim::Node node = whole(name);
  sim::Node timings = *node.find("timing");
  timings.remove(timing);
  node.set("timing", timings);
  return read(node).part;
}

// ---- clock cycles ----

struct Counts {
  std::string part;
  std::map<Timing, std::int64_t> cycles;
};

void PrintTo(const Counts& counts, std::ostream* out) { *out << counts.part; }

// The counts of Ramulator 2.1 at commit c5b1c3a4 (python/ramulator/dram/hbm2.py, hbm3.py, hbm4.py), and those of the
// H100 and H200 sets that were run with it: its nanoseconds rounded up to their clocks.
const std::vector<Counts> published{
    {"hbm2-2000", {{Timing::tBL, 2},     {Timing::tCL, 14},     {Timing::tCWL, 5},     {Timing::tRCDRD, 14},
                   {Timing::tRCDWR, 12}, {Timing::tRP, 14},     {Timing::tRAS, 34},    {Timing::tRC, 48},
                   {Timing::tCCDS, 2},   {Timing::tCCDL, 4},    {Timing::tRRDS, 4},    {Timing::tRRDL, 4},
                   {Timing::tFAW, 15},   {Timing::tWTRS, 6},    {Timing::tWTRL, 8},    {Timing::tRTW, 14 + 2 + 2 - 5},
                   {Timing::tWR, 16},    {Timing::tRTP, 5},     {Timing::tRFCab, 350}, {Timing::tRFCpb, 160},
                   {Timing::tRREFD, 8},  {Timing::tREFI, 3900}, {Timing::tCCDR, 0},    {Timing::tPPD, 0}}},
    {"xhbm3",
     {{Timing::tBL, 2},
      {Timing::tCL, 20},
      {Timing::tCWL, 10},
      {Timing::tRCDRD, 31},
      {Timing::tRCDWR, 15},
      {Timing::tRP, 26},
      {Timing::tRAS, 45},
      {Timing::tRC, 72},
      {Timing::tCCDS, 2},
      {Timing::tCCDL, 4},
      {Timing::tCCDR, 3},
      {Timing::tRRDS, 4},
      {Timing::tRRDL, 5},
      {Timing::tFAW, 24},
      {Timing::tWTRS, 7},
      {Timing::tWTRL, 10},
      {Timing::tRTW, 20},
      {Timing::tWR, 33},
      {Timing::tRTP, 9},
      {Timing::tPPD, 2},
      {Timing::tRFCab, 416},
      {Timing::tRFCpb, 320},
      {Timing::tRREFD, 8},
      {Timing::tREFI, 6240},
      {Timing::tREFIpb, 6240 / 16}}},
    {"hbm3-h100",
     {{Timing::tBL, 2},      {Timing::tCL, 17},     {Timing::tCWL, 9},    {Timing::tRCDRD, 26}, {Timing::tRCDWR, 13},
      {Timing::tRP, 22},     {Timing::tRAS, 37},    {Timing::tRC, 59},    {Timing::tCCDS, 2},   {Timing::tCCDL, 4},
      {Timing::tCCDR, 3},    {Timing::tRRDS, 4},    {Timing::tRRDL, 5},   {Timing::tFAW, 20},   {Timing::tWTRS, 6},
      {Timing::tWTRL, 9},    {Timing::tRTW, 17},    {Timing::tWR, 27},    {Timing::tRTP, 8},    {Timing::tPPD, 2},
      {Timing::tRFCab, 459}, {Timing::tRFCpb, 262}, {Timing::tRREFD, 11}, {Timing::tREFI, 5105}}},
    {"hbm3e-h200",
     {{Timing::tBL, 2},      {Timing::tCL, 20},     {Timing::tCWL, 10},   {Timing::tRCDRD, 31}, {Timing::tRCDWR, 15},
      {Timing::tRP, 26},     {Timing::tRAS, 44},    {Timing::tRC, 71},    {Timing::tCCDS, 2},   {Timing::tCCDL, 4},
      {Timing::tCCDR, 3},    {Timing::tRRDS, 4},    {Timing::tRRDL, 5},   {Timing::tFAW, 24},   {Timing::tWTRS, 7},
      {Timing::tWTRL, 10},   {Timing::tRTW, 20},    {Timing::tWR, 33},    {Timing::tRTP, 9},    {Timing::tPPD, 2},
      {Timing::tRFCab, 704}, {Timing::tRFCpb, 313}, {Timing::tRREFD, 13}, {Timing::tREFI, 6094}}},
    {"hbm4",
     {{Timing::tBL, 2},      {Timing::tCL, 20},     {Timing::tCWL, 10},   {Timing::tRCDRD, 39}, {Timing::tRCDWR, 19},
      {Timing::tRP, 33},     {Timing::tRAS, 57},    {Timing::tRC, 90},    {Timing::tCCDS, 2},   {Timing::tCCDL, 4},
      {Timing::tCCDR, 2},    {Timing::tRRDS, 5},    {Timing::tRRDL, 7},   {Timing::tFAW, 30},   {Timing::tWTRS, 9},
      {Timing::tWTRL, 13},   {Timing::tRTW, 25},    {Timing::tWR, 42},    {Timing::tRTP, 12},   {Timing::tPPD, 2},
      {Timing::tRFCab, 900}, {Timing::tRFCpb, 560}, {Timing::tRREFD, 16}, {Timing::tREFI, 7800}}},
};

// The peer rounds its refresh interval up, which refreshes too rarely by part of a cycle; ours is rounded down.
std::int64_t slack(Timing timing) { return timing == Timing::tREFI ? 1 : 0; }

class PublishedCounts : public testing::TestWithParam<Counts> {};
INSTANTIATE_TEST_SUITE_P(Memories, PublishedCounts, testing::ValuesIn(published),
                         [](const auto& counts) { return test_name(counts.param.part); });

TEST_P(PublishedCounts, FollowFromTheNanoseconds) {
  const Part memory = part(GetParam().part);
  for (const auto& [timing, count] : GetParam().cycles) {
    EXPECT_LE(memory.timings.cycles(timing), count) << name_of(timing);
    EXPECT_GE(memory.timings.cycles(timing), count - slack(timing)) << name_of(timing);
  }
}

TEST(TimingCycles, AreRoundedUpButForLongestIntervals) {
  hbm::Timings timings;
  timings.clock = sim::Duration::of_femtoseconds(3);
  timings.length.fill(sim::Duration::of_femtoseconds(10));
  EXPECT_EQ(timings.cycles(Timing::tRP), 4);
  EXPECT_EQ(timings.cycles(Timing::tREFI), 3);
  EXPECT_EQ(timings.cycles(Timing::tREFIpb), 3);
  timings.length.fill(sim::Duration::of_femtoseconds(9));
  EXPECT_EQ(timings.cycles(Timing::tRP), 3);
  EXPECT_EQ(timings.cycles(Timing::tREFI), 3);
}

TEST(TimingNames, AreTheKeysOfAFile) {
  const auto& fields = memory_table().fields;
  const auto timing = std::find_if(fields.begin(), fields.end(), [](const auto& f) { return f.name == "timing"; });
  ASSERT_EQ(timing->table->fields.size(), hbm::timing_count);
  for (std::size_t i = 0; i < hbm::timing_count; ++i) {
    EXPECT_EQ(timing->table->fields[i].name, name_of(static_cast<Timing>(i)));
  }
}

// ---- what follows ----

TEST(MemoryPart, PeakIsOneTransactionOfEachPseudoChannelPerBurst) {
  EXPECT_NEAR(part("hbm3-h100").peak().per_second(), 160 * 32 / (2 * 0.764e-9), 1e3);
  EXPECT_NEAR(part("hbm3e-h200").peak().per_second(), 4.8e12, 1e3);
  EXPECT_NEAR(part("hbm2-2000").peak().per_second(), 256e9, 1e3);
  EXPECT_NEAR(part("xhbm2").peak().per_second(), 32e9, 1e3);
  EXPECT_NEAR(part("xhbm3").peak().per_second(), 51.2e9, 1e3);
  EXPECT_NEAR(part("hbm4").peak().per_second(), 2.048e12, 1e3);
}

TEST(MemoryPart, ClockRateIsOneByTheClock) {
  EXPECT_DOUBLE_EQ(part("hbm3e-h200").clock_rate().per_second(), 1 / 0.64e-9);
}

TEST(MemoryPart, CapacityIsTheProductOfItsCounts) {
  const std::int64_t gib = std::int64_t{1} << 30;
  EXPECT_EQ(part("hbm3-h100").geometry.capacity().count(), 80 * gib);
  EXPECT_EQ(part("hbm3e-h200").geometry.capacity().count(), 144 * gib);
  EXPECT_EQ(part("hbm2-2000").geometry.capacity().count(), 16 * gib) << "the peer's 8 channels of 16 Gb";
  EXPECT_EQ(part("hbm4").geometry.capacity().count(), 32 * gib);
}

TEST(MemoryPart, CountsBanks) {
  EXPECT_EQ(part("hbm3-h100").geometry.banks_of_pseudo_channel(), 2 * 4 * 4);
  EXPECT_EQ(part("hbm3-h100").geometry.banks_of_channel(), 2 * 2 * 4 * 4);
  EXPECT_EQ(part("hbm3-h100").geometry.all_channels(), 5 * 16);
}

TEST(ReadMemory, DividesTheRefreshIntervalOverTheBanksOfAPseudoChannel) {
  EXPECT_EQ(part("hbm3-h100").timings.length.at(static_cast<std::size_t>(Timing::tREFIpb)).femtoseconds(),
            3'900'000'000 / 32);
  EXPECT_EQ(part("hbm2-2000").timings.cycles(Timing::tREFIpb), 3900 / 16);
  EXPECT_EQ(changed("hbm3-h100", {{"timing.tREFIpb", "764 ns"}}).timings.cycles(Timing::tREFIpb), 1000);
}

TEST(ReadMemory, DerivesTheTurnFromReadToWrite) {
  const hbm::Timings timings = without("hbm3-h100", "tRTW").timings;
  EXPECT_EQ(timings.cycles(Timing::tRTW), 17 + 2 + 2 - 9);
}

TEST(ReadMemory, KeepsBurstsFromOverlapping) {
  EXPECT_EQ(changed("hbm2-2000", {{"timing.tCCDS", "1 ns"}}).timings.cycles(Timing::tCCDS), 2);
  EXPECT_EQ(without("hbm2-2000", "tCCDS").timings.cycles(Timing::tCCDS), 2);
}

TEST(ReadMemory, LeavesARuleOutThatThePartDoesNotHave) {
  EXPECT_EQ(part("hbm2-2000").timings.cycles(Timing::tPPD), 0);
  EXPECT_EQ(changed("hbm3-h100", {{"timing.tFAW", "0 ns"}}).timings.cycles(Timing::tFAW), 0);
}

TEST(ReadMemory, ReadsControllerBusMapAndEnergy) {
  const Part h100 = part("hbm3-h100");
  EXPECT_EQ(h100.map, "i256");
  EXPECT_EQ(h100.controller.read_queue, 80);
  EXPECT_EQ(h100.controller.write_queue, 256);
  EXPECT_EQ(h100.controller.write_age.femtoseconds(), 200'000'000);
  EXPECT_EQ(h100.controller.refresh, hbm::Refresh::per_bank);
  EXPECT_EQ(h100.controller.starvation.femtoseconds(), 4'000'000'000);
  EXPECT_EQ(h100.bus.activate, 3);
  EXPECT_EQ(h100.bus.precharge, 1);
  EXPECT_TRUE(h100.bus.precharge_on_falling_edge);
  EXPECT_EQ(h100.energy.read, 1090);
  EXPECT_EQ(h100.energy.background_watts, 2.13);
  const Part hbm2 = part("hbm2-2000");
  EXPECT_EQ(hbm2.map, "stock");
  EXPECT_EQ(hbm2.bus.activate, 4);
  EXPECT_FALSE(hbm2.bus.precharge_on_falling_edge);
  EXPECT_EQ(hbm2.energy.activate, 909);
}

TEST(ReadMemory, FillsInAControllerAndABusThatAreNotWritten) {
  sim::Node node = whole("hbm3-h100");
  node.remove("controller");
  node.remove("command_bus");
  node.remove("map");
  const Part bare = read(node).part;
  hbm::ControllerSettings defaults;
  defaults.starvation = sim::Duration::of_femtoseconds(4'000'000'000);
  EXPECT_EQ(bare.controller, defaults);
  EXPECT_EQ(bare.bus.activate, hbm::BusLengths{}.activate);
  EXPECT_EQ(bare.map, "i256");
}

TEST(ReadMemory, TakesEveryChoiceOfRefreshAndPage) {
  EXPECT_EQ(changed("hbm3-h100", {{"controller.refresh", "none"}}).controller.refresh, hbm::Refresh::none);
  EXPECT_EQ(changed("hbm3-h100", {{"controller.refresh", "all-bank"}}).controller.refresh, hbm::Refresh::all_bank);
  EXPECT_EQ(changed("hbm3-h100", {{"controller.page", "closed"}}).controller.page, hbm::Page::closed);
  const Part timed = changed("hbm3-h100", {{"controller.page", "timeout"}, {"controller.page_timeout", "100 ns"}});
  EXPECT_EQ(timed.controller.page, hbm::Page::timeout);
  EXPECT_EQ(timed.controller.page_timeout.femtoseconds(), 100'000'000);
  EXPECT_EQ(changed("hbm3-h100", {{"controller.write_age", "2 us"}}).controller.write_age.femtoseconds(),
            2'000'000'000);
}

TEST(ReadMemory, ReadsEnergiesInAllTheirUnits) {
  EXPECT_EQ(changed("hbm3-h100", {{"energy.read", "1.5 nJ"}}).energy.read, 1500);
  EXPECT_EQ(changed("hbm3-h100", {{"energy.read", "500fJ"}}).energy.read, 0.5);
  EXPECT_EQ(changed("hbm3-h100", {{"energy.background", "250 mW"}}).energy.background_watts, 0.25);
}

TEST(CrossCheckSets, HaveOneChannelEqualQueuesAndRefreshOfAllBanks) {
  for (const char* name : {"xhbm2", "xhbm3"}) {
    const Part set = part(name);
    EXPECT_EQ(set.geometry.all_channels(), 1) << name;
    EXPECT_EQ(set.geometry.stack_ids, 1) << name;
    EXPECT_EQ(set.controller.read_queue, 64) << name;
    EXPECT_EQ(set.controller.write_queue, 64) << name;
    EXPECT_EQ(set.controller.refresh, hbm::Refresh::all_bank) << name;
    EXPECT_EQ(set.controller.starvation, sim::Duration{}) << name;
    EXPECT_EQ(set.map, "map-A") << name;
  }
}

// What is counted in cycles stays 2, 4 and 3 of them in every part with HBM3, whatever its clock.
TEST(MemoryParts, KeepTheCyclesOfTheBurst) {
  for (const std::string& name : names_in("memories")) {
    const hbm::Timings timings = part(name).timings;
    EXPECT_EQ(timings.cycles(Timing::tBL), 2) << name;
    EXPECT_EQ(timings.cycles(Timing::tCCDS), 2) << name;
    EXPECT_EQ(timings.cycles(Timing::tCCDL), 4) << name;
  }
}

// ---- the files ----

class EveryMemory : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Memories, EveryMemory, testing::ValuesIn(names_in("memories")),
                         [](const auto& entry) { return test_name(entry.param); });

TEST_P(EveryMemory, ReadsWithKnownSources) {
  const MemoryEntry entry = read(whole(GetParam()));
  EXPECT_EQ(entry.part.name, GetParam()) << "a file is found by its name";
  EXPECT_FALSE(entry.part.summary.empty());
  const std::vector<std::string> figures = figures_of(whole(GetParam()), memory_table(), "");
  EXPECT_GE(figures.size(), 30U);
  expect_known(figures, entry.provenance, entry.sources);
}

// What a file extends may bring sources that it no longer uses; its own are used.
TEST_P(EveryMemory, UsesTheSourcesThatItBrings) {
  const MemoryEntry entry = read(whole(GetParam()));
  const sim::Node own = entry_in("memories", GetParam());
  std::map<std::string, std::string> brought;
  if (const sim::Node* sources = own.find("sources")) {
    for (const auto& source : sources->members()) brought.emplace(source.key, source.value.text());
  }
  expect_used(entry.provenance, brought);
}

TEST(Memories, HoldThePartsThatAreNamed) {
  EXPECT_THAT(names_in("memories"), IsSupersetOf({"hbm2-2000", "xhbm2", "xhbm3", "hbm2e-a100", "hbm3-h100",
                                                  "hbm3-mi300x", "hbm3e-h200", "hbm3e-b200", "hbm3e-mi355x", "hbm4"}));
}

TEST(Memories, TableHasASentenceForEachKey) {
  for (const sim::Field& field : memory_table().fields) {
    EXPECT_TRUE(field.help.ends_with('.')) << field.name;
    if (field.table == nullptr) continue;
    for (const sim::Field& inner : field.table->fields) EXPECT_TRUE(inner.help.ends_with('.')) << inner.name;
  }
}

// ---- the devices that name them ----

std::vector<std::string> devices_with_a_part() {
  std::vector<std::string> names;
  for (const std::string& name : catalog_names()) {
    const sim::Node entry = entry_in("catalog", name);
    if (entry.find("device") == nullptr && entry.find_path("memory.part") != nullptr) names.push_back(name);
  }
  return names;
}

class EveryDeviceWithAPart : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Memories, EveryDeviceWithAPart, testing::ValuesIn(devices_with_a_part()),
                         [](const auto& entry) { return test_name(entry.param); });

TEST_P(EveryDeviceWithAPart, HasItsPeakAndStacks) {
  const Device device = from_catalog(GetParam()).device;
  const Part memory = part(device.memory_part);
  const double pins = device.pin_bandwidth().per_second();
  EXPECT_NEAR(memory.peak().per_second(), pins, 0.025 * pins);
  EXPECT_EQ(memory.geometry.stacks, device.stacks);
}

// Makers count memory in powers of two and print it in decimal: the "80 GB" of five stacks are 80 GiB. A B200 has all
// of its stacks, but boards keep 12 of 192 back.
TEST_P(EveryDeviceWithAPart, HasItsCapacity) {
  const Device device = from_catalog(GetParam()).device;
  const double printed = static_cast<double>(device.capacity.count()) / 1e9 + (GetParam() == "b200" ? 12 : 0);
  const double gib = static_cast<double>(part(device.memory_part).geometry.capacity().count()) / std::exp2(30);
  EXPECT_NEAR(gib, printed, 0.05 * printed);
}

TEST(MemoryPart, OfADeviceIsItsOwn) {
  EXPECT_EQ(from_catalog("h200-sxm").device.memory_part, "hbm3e-h200");
  EXPECT_EQ(from_catalog("8x-h200-sxm").device.memory_part, "hbm3e-h200");
  EXPECT_EQ(from_catalog("rtx-4090").device.memory_part, "") << "GDDR has none";
  EXPECT_GE(devices_with_a_part().size(), 13U);
}

}  // namespace
}  // namespace kvtraffic::hardware
