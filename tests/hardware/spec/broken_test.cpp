// Faulty hardware files and what the user is told, word for word.
// Leaves out how a message is laid out with file name and caret (sim/config).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware {
namespace {

using testing::ElementsAre;

std::vector<std::string> faults_of_device(std::string_view from, std::string_view to) {
  return read_text(with(device_text(), from, to)).faults;
}

std::vector<std::string> faults_of_node(std::string_view from, std::string_view to) {
  return read_text(with(node_text(), from, to)).faults;
}

TEST(BrokenHardware, UnknownKey) {
  EXPECT_THAT(
      faults_of_device("  stacks: 4", "  stacks: 4\n  bus_with: 4096"),
      ElementsAre("22:3 memory.bus_with: unknown key | one of type, part, stacks, unified, bus_width, pin_rate, "
                  "bandwidth, capacity, stream_efficiency, latency | bus_width"));
}
TEST(BrokenHardware, MisspeltKeyIsUnknownAndMissing) {
  EXPECT_THAT(
      faults_of_device("  usable: 0.8\n", "  useable: 0.8\n"),
      ElementsAre("29:3 l2: missing key 'usable' | usable: a ratio (Share of the capacity that a working set may "
                  "fill before it starts to miss.)",
                  "32:3 l2.useable: unknown key | one of capacity, levels, usable, bandwidth, latency, flushed, "
                  "written_back | usable"));
}
TEST(BrokenHardware, MissingKey) {
  EXPECT_THAT(faults_of_device("  capacity: 64 GB\n", ""),
              ElementsAre("18:3 memory: missing key 'capacity' | capacity: a size (Capacity as the maker prints it, in "
                          "decimal units: 141 GB is 141e9 bytes.)"));
}
TEST(BrokenHardware, MissingGroup) {
  EXPECT_THAT(faults_of_device("launch: {gap: 1 us, start: 2 us, source: test, certainty: measured}\n", ""),
              ElementsAre("1:1 : missing key 'launch' | launch: a map (What a kernel costs before it does anything.)"));
}
TEST(BrokenHardware, BareNumberWhereAUnitIsNeeded) {
  EXPECT_THAT(faults_of_device("2 GHz", "1830"),
              ElementsAre("9:10 sm.clock: '1830' needs a unit | a frequency such as 1.83 GHz (Hz, kHz, MHz, GHz)"));
}
TEST(BrokenHardware, WrongUnit) {
  EXPECT_THAT(faults_of_device("64 GB", "64 GB/s"),
              ElementsAre("25:13 memory.capacity: '64 GB/s' has no known unit | a size such as 80 GB (B, kB, KB, MB, "
                          "GB, TB, PB, KiB, MiB, GiB, TiB, PiB)"));
}
TEST(BrokenHardware, ShareAboveOne) {
  EXPECT_THAT(faults_of_device("sustained: 0.75", "sustained: 1.25"),
              ElementsAre("15:40 compute.bf16.sustained: must be between 0.01 and 1"));
}
TEST(BrokenHardware, ShareOfZero) {
  EXPECT_THAT(faults_of_device("usable: 0.8", "usable: 0"), ElementsAre("32:11 l2.usable: must be between 0.01 and 1"));
}
TEST(BrokenHardware, NoProcessors) {
  EXPECT_THAT(faults_of_device("count: 100", "count: 0"), ElementsAre("8:10 sm.count: must be between 1 and 10000"));
}
TEST(BrokenHardware, UnknownKind) {
  EXPECT_THAT(faults_of_device("kind: device", "kind: devise"),
              ElementsAre("1:7 kind: 'devise' is not one of device, node | device"));
}
TEST(BrokenHardware, BandwidthThatThePinsDoNotCarry) {
  EXPECT_THAT(faults_of_device("2.048 TB/s", "2 GB/s"),
              ElementsAre("24:14 memory.bandwidth: 2 GB/s differs by 102300.0 % from the 2.048 TB/s of 4096 pins at 4 "
                          "Gbit/s | at most 2.5 % between bandwidth and bus_width x pin_rate / 8"));
  EXPECT_THAT(
      faults_of_device("2.048 TB/s", "2.2 TB/s"),
      ElementsAre("24:14 memory.bandwidth: 2.2 TB/s differs by 6.9 % from the 2.048 TB/s of 4096 pins at 4 Gbit/s "
                  "| at most 2.5 % between bandwidth and bus_width x pin_rate / 8"));
}
TEST(BrokenHardware, PinsThatDoNotDivideOverTheStacks) {
  EXPECT_THAT(
      faults_of_device("stacks: 4", "stacks: 5"),
      ElementsAre("22:14 memory.bus_width: 4096 pins do not divide over 5 stacks | a multiple of memory.stacks"));
}
TEST(BrokenHardware, NarrowFormatSlowerThanAWideOne) {
  EXPECT_THAT(
      faults_of_device("2000 TFLOPS", "200 TFLOPS"),
      ElementsAre("14:15 compute.fp8.peak: 200 TFLOPS is below the 1000 TFLOPS of bf16 | a narrower format that "
                  "is at least as fast as the wider ones"));
}
TEST(BrokenHardware, HitSlowerThanAMiss) {
  EXPECT_THAT(faults_of_device("latency: 200 ns", "latency: 500 ns"),
              ElementsAre("34:12 l2.latency: a hit takes 500 ns and a miss 400 ns | less than memory.latency"));
}
const std::string unified = "  stacks: 4\n  unified: true";

TEST(BrokenHardware, NoWayToAHostWithAMemoryOfItsOwn) {
  EXPECT_THAT(faults_of_device("host: {bandwidth: 60 GB/s, efficiency: 0.9, latency: 2 us, source: test, certainty: "
                               "measured}\n",
                               ""),
              ElementsAre("1:1 : missing key 'host' | host: a map (The way to host memory: PCIe or a chip-to-chip "
                          "link), or memory.unified: true"));
}
TEST(BrokenHardware, WayToAHostThatSharesTheMemory) {
  EXPECT_THAT(faults_of_device("  stacks: 4", unified),
              ElementsAre("37:7 host: the host shares the device's memory (memory.unified) | no `host`, or a memory "
                          "that is not unified"));
}
TEST(BrokenHardware, HostMemoryBesideASharedOne) {
  std::string text = with(device_text(), "  stacks: 4", unified);
  text = with(text, "host: {bandwidth: 60 GB/s, efficiency: 0.9, latency: 2 us, source: test, certainty: measured}",
              "host_memory: {capacity: 1 TB, bandwidth: 400 GB/s, source: test, certainty: spec}");
  EXPECT_THAT(read_text(text).faults,
              ElementsAre("37:14 host_memory: the host shares the device's memory (memory.unified) | no "
                          "`host_memory`, or a memory that is not unified"));
}
TEST(BrokenHardware, FlagThatIsNone) {
  EXPECT_THAT(faults_of_device("  stacks: 4", "  stacks: 4\n  unified: yes"),
              ElementsAre("22:12 memory.unified: 'yes' is not true or false | true or false; write true"));
}
TEST(BrokenHardware, HostMemoryWithoutARate) {
  EXPECT_THAT(faults_of_node("count: {value: 4", "host_memory: {capacity: 1 TB}\ncount: {value: 4"),
              ElementsAre("5:14 host_memory: missing key 'bandwidth' | bandwidth: a bandwidth (Peak of the memory of "
                          "all hosts of the entry together.)"));
}

TEST(BrokenHardware, SourceOfOneFigureWithoutAnAddress) {
  EXPECT_THAT(faults_of_device("{value: 90%, source: test,", "{value: 90%, source: tset,"),
              ElementsAre("26:43 memory.stream_efficiency.source: 'tset' is no key of `sources` | one of sheet, test | "
                          "test"));
}
TEST(BrokenHardware, SourceOfAGroupIsToldOnce) {
  EXPECT_THAT(faults_of_device("launch: {gap: 1 us, start: 2 us, source: test,",
                               "launch: {gap: 1 us, start: 2 us, source: bench,"),
              ElementsAre("35:42 launch.source: 'bench' is no key of `sources` | one of sheet, test"));
}
TEST(BrokenHardware, UnknownCertainty) {
  EXPECT_THAT(faults_of_device("{value: 90%, source: test, certainty: measured}",
                               "{value: 90%, source: test, certainty: sure}"),
              ElementsAre("26:60 memory.stream_efficiency.certainty: 'sure' does not begin with one of spec, measured, "
                          "published, assumed"));
}
TEST(BrokenHardware, NotAMap) {
  EXPECT_THAT(read_text("h200-sxm\n").faults, ElementsAre("1:1 : expected a map, found 'h200-sxm' | a map with the "
                                                          "keys kind, name, summary, architecture, sources, sm, "
                                                          "compute, memory, l2, launch, host, host_memory, link"));
}
TEST(BrokenHardware, NodeWithoutACount) {
  EXPECT_THAT(faults_of_node("count: {value: 4, source: node_sheet, certainty: spec}\n", ""),
              ElementsAre("1:1 : missing key 'count' | count: a whole number (Devices in the node, all in one scale-up "
                          "domain.)"));
}
TEST(BrokenHardware, NodeWithACountThatIsNoWholeNumber) {
  EXPECT_THAT(faults_of_node("{value: 4, source: node_sheet", "{value: 4.5, source: node_sheet"),
              ElementsAre("5:16 count: '4.5' is not a whole number | a whole number in decimal digits, such as 64"));
}
TEST(BrokenHardware, NodeWhoseDeviceIsAName) {
  const std::string text = node_text();
  EXPECT_THAT(read_text(text.substr(0, text.find("device:\n")) + "device: part\n").faults,
              ElementsAre("7:9 device: 'part' is only a name here | the device's own map"));
}
TEST(BrokenHardware, NodeWithoutALink) {
  const std::string text = device_text();
  EXPECT_THAT(
      read_text(node_text(text.substr(0, text.find("link: ")))).faults,
      ElementsAre("5:16 count: 4 devices have no link between them | a `link` with a bandwidth, in the device or "
                  "in the node"));
}
TEST(BrokenHardware, NodeWithAnUnknownLinkKey) {
  EXPECT_THAT(faults_of_node("link: {all_reduce_floor", "link: {all_reduce_flor"),
              ElementsAre("6:8 link.all_reduce_flor: unknown key | one of bandwidth, efficiency, all_reduce_floor, "
                          "all_to_all_floor | all_reduce_floor"));
}
TEST(BrokenHardware, NodeAndDeviceDisagreeAboutASource) {
  EXPECT_THAT(
      faults_of_node("sources: {node_sheet:", "sources: {sheet: \"https://example.org/new\", node_sheet:"),
      ElementsAre("4:18 sources.sheet: the device gives another address for this key: https://example.org/sheet | "
                  "a key of its own for each address"));
}
TEST(BrokenHardware, FaultInANodesDeviceNamesItsPlace) {
  EXPECT_THAT(faults_of_node("64 GB", "64 GHz"),
              ElementsAre("32:15 device.memory.capacity: '64 GHz' has no known unit | a size such as 80 GB (B, kB, KB, "
                          "MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB)"));
}
TEST(BrokenHardware, NodeDeviceBreaksARuleBetweenKeys) {
  EXPECT_THAT(faults_of_node("stacks: 4", "stacks: 5"),
              ElementsAre("29:16 device.memory.bus_width: 4096 pins do not divide over 5 stacks | a multiple of "
                          "memory.stacks"));
}

TEST(BrokenHardware, SixFaultsAreSixMessages) {
  std::string text = device_text();
  text = with(text, "count: 100", "count: 0");                      // out of range
  text = with(text, "2 GHz", "2000");                               // no unit
  text = with(text, "sustained: 0.5}", "sustained: 1.5}");          // out of range
  text = with(text, "bandwidth: 2.048 TB/s", "bandwidth: 4 TB/s");  // not what the pins carry
  text = with(text, "latency: 200 ns", "latency: 500 ns");          // longer than a miss
  text = with(text, "launch: {gap: 1 us, start: 2 us, source: test", "launch: {gap: 1 us, start: 2 us, source: bench");
  EXPECT_THAT(
      read_text(text).faults,
      ElementsAre("8:10 sm.count: must be between 1 and 10000",
                  "9:10 sm.clock: '2000' needs a unit | a frequency such as 1.83 GHz (Hz, kHz, MHz, GHz)",
                  "14:39 compute.fp8.sustained: must be between 0.01 and 1",
                  "24:14 memory.bandwidth: 4 TB/s differs by 48.8 % from the 2.048 TB/s of 4096 pins at 4 Gbit/s "
                  "| at most 2.5 % between bandwidth and bus_width x pin_rate / 8",
                  "34:12 l2.latency: a hit takes 500 ns and a miss 400 ns | less than memory.latency",
                  "35:42 launch.source: 'bench' is no key of `sources` | one of sheet, test"));
}

}  // namespace
}  // namespace kvtraffic::hardware
