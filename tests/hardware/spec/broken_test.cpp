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
  EXPECT_THAT(faults_of_device("  stacks: 4", "  stacks: 4\n  bus_with: 4096"), ElementsAre("X"));
}
TEST(BrokenHardware, MissingKey) { EXPECT_THAT(faults_of_device("  capacity: 64 GB\n", ""), ElementsAre("X")); }
TEST(BrokenHardware, MissingGroup) {
  EXPECT_THAT(faults_of_device("launch: {gap: 1 us, start: 2 us, source: test, certainty: measured}\n", ""),
              ElementsAre("X"));
}
TEST(BrokenHardware, BareNumberWhereAUnitIsNeeded) { EXPECT_THAT(faults_of_device("2 GHz", "1830"), ElementsAre("X")); }
TEST(BrokenHardware, WrongUnit) { EXPECT_THAT(faults_of_device("64 GB", "64 GB/s"), ElementsAre("X")); }
TEST(BrokenHardware, ShareAboveOne) {
  EXPECT_THAT(faults_of_device("sustained: 0.75", "sustained: 1.25"), ElementsAre("X"));
}
TEST(BrokenHardware, ShareOfZero) { EXPECT_THAT(faults_of_device("usable: 0.8", "usable: 0"), ElementsAre("X")); }
TEST(BrokenHardware, NoProcessors) { EXPECT_THAT(faults_of_device("count: 100", "count: 0"), ElementsAre("X")); }
TEST(BrokenHardware, UnknownKind) { EXPECT_THAT(faults_of_device("kind: device", "kind: devise"), ElementsAre("X")); }
TEST(BrokenHardware, BandwidthThatThePinsDoNotCarry) {
  EXPECT_THAT(faults_of_device("2.048 TB/s", "2 GB/s"), ElementsAre("X"));
  EXPECT_THAT(faults_of_device("2.048 TB/s", "2.2 TB/s"), ElementsAre("X"));
}
TEST(BrokenHardware, PinsThatDoNotDivideOverTheStacks) {
  EXPECT_THAT(faults_of_device("stacks: 4", "stacks: 5"), ElementsAre("X"));
}
TEST(BrokenHardware, NarrowFormatSlowerThanAWideOne) {
  EXPECT_THAT(faults_of_device("2000 TFLOPS", "200 TFLOPS"), ElementsAre("X"));
}
TEST(BrokenHardware, HitSlowerThanAMiss) {
  EXPECT_THAT(faults_of_device("latency: 200 ns", "latency: 500 ns"), ElementsAre("X"));
}
TEST(BrokenHardware, SourceOfOneFigureWithoutAnAddress) {
  EXPECT_THAT(faults_of_device("{value: 90%, source: test,", "{value: 90%, source: tset,"), ElementsAre("X"));
}
TEST(BrokenHardware, SourceOfAGroupIsToldOnce) {
  EXPECT_THAT(faults_of_device("launch: {gap: 1 us, start: 2 us, source: test,",
                               "launch: {gap: 1 us, start: 2 us, source: bench,"),
              ElementsAre("X"));
}
TEST(BrokenHardware, UnknownCertainty) {
  EXPECT_THAT(faults_of_device("{value: 90%, source: test, certainty: measured}",
                               "{value: 90%, source: test, certainty: sure}"),
              ElementsAre("X"));
}
TEST(BrokenHardware, NotAMap) { EXPECT_THAT(read_text("h200-sxm\n").faults, ElementsAre("X")); }
TEST(BrokenHardware, NodeWithoutACount) {
  EXPECT_THAT(faults_of_node("count: {value: 4, source: node_sheet, certainty: spec}\n", ""), ElementsAre("X"));
}
TEST(BrokenHardware, NodeWithACountThatIsNoWholeNumber) {
  EXPECT_THAT(faults_of_node("{value: 4, source: node_sheet", "{value: 4.5, source: node_sheet"), ElementsAre("X"));
}
TEST(BrokenHardware, NodeWhoseDeviceIsAName) {
  const std::string text = node_text();
  EXPECT_THAT(read_text(text.substr(0, text.find("device:\n")) + "device: part\n").faults, ElementsAre("X"));
}
TEST(BrokenHardware, NodeWithoutALink) {
  const std::string text = device_text();
  EXPECT_THAT(read_text(node_text(text.substr(0, text.find("link: ")))).faults, ElementsAre("X"));
}
TEST(BrokenHardware, NodeWithAnUnknownLinkKey) {
  EXPECT_THAT(faults_of_node("link: {all_reduce_floor", "link: {all_reduce_flor"), ElementsAre("X"));
}
TEST(BrokenHardware, NodeAndDeviceDisagreeAboutASource) {
  EXPECT_THAT(faults_of_node("sources: {node_sheet:", "sources: {sheet: \"https://example.org/new\", node_sheet:"),
              ElementsAre("X"));
}
TEST(BrokenHardware, FaultInANodesDeviceNamesItsPlace) {
  EXPECT_THAT(faults_of_node("64 GB", "64 GHz"), ElementsAre("X"));
}
TEST(BrokenHardware, NodeDeviceBreaksARuleBetweenKeys) {
  EXPECT_THAT(faults_of_node("stacks: 4", "stacks: 5"), ElementsAre("X"));
}

TEST(BrokenHardware, SixFaultsAreSixMessages) {
  std::string text = device_text();
  text = with(text, "count: 100", "count: 0");                      // out of range
  text = with(text, "2 GHz", "2000");                               // no unit
  text = with(text, "sustained: 0.5}", "sustained: 1.5}");          // out of range
  text = with(text, "bandwidth: 2.048 TB/s", "bandwidth: 4 TB/s");  // not what the pins carry
  text = with(text, "  usable: 0.8\n", "  useable: 0.8\n");         // unknown, and thereby one missing
  text = with(text, "launch: {gap: 1 us, start: 2 us, source: test", "launch: {gap: 1 us, start: 2 us, source: bench");
  EXPECT_THAT(read_text(text).faults, ElementsAre("X"));
}

}  // namespace
}  // namespace kvtraffic::hardware
