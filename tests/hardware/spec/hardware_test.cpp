// Reading a device and a node: every key arrives where it belongs, with its provenance.
// Leaves out the catalog's parts (catalog_test.cpp) and faulty files (broken_test.cpp).
#include "hardware/spec/hardware.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hardware/spec/drive.hpp"
#include "hardware/spec/host.hpp"
#include "hardware/spec/link.hpp"
#include "sim/units/format.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::Precision;
using testing::IsEmpty;

std::size_t at(Precision p) { return static_cast<std::size_t>(p); }
double microseconds(sim::Duration d) { return static_cast<double>(d.femtoseconds()) / 1e9; }

TEST(ReadHardware, TakesAnEntryWithoutFaults) {
  EXPECT_THAT(read_text(device_text()).faults, IsEmpty());
  EXPECT_THAT(read_text(node_text()).faults, IsEmpty());
}

TEST(ReadHardware, ReadsProcessorsAndRates) {
  const Device device = read_text(device_text()).hardware.device;
  EXPECT_EQ(device.name, "part");
  EXPECT_EQ(device.summary, "A made-up part");
  EXPECT_EQ(device.sms, 100);
  EXPECT_EQ(device.clock.per_second(), 2e9);
  EXPECT_EQ(device.sm_load_rate.per_second(), 50e9);
  EXPECT_TRUE(device.peak[at(Precision::fp4)].is_zero());
  EXPECT_EQ(device.peak[at(Precision::fp8)].per_second(), 2000e12);
  EXPECT_EQ(device.peak[at(Precision::bf16)].per_second(), 1000e12);
  EXPECT_EQ(device.peak[at(Precision::fp32)].per_second(), 100e12);
  EXPECT_EQ(device.sustained[at(Precision::fp8)], 0.5);
  EXPECT_EQ(device.sustained[at(Precision::bf16)], 0.75);
  EXPECT_EQ(device.sustained[at(Precision::fp32)], 1);
}

TEST(ReadHardware, ReadsMemoryAndCache) {
  const Device device = read_text(device_text()).hardware.device;
  EXPECT_EQ(device.memory, "HBM3");
  EXPECT_EQ(device.stacks, 4);
  EXPECT_EQ(device.bus_bits, 4096);
  EXPECT_EQ(device.pin_bits_per_second, 4e9);
  EXPECT_EQ(device.published_bandwidth.per_second(), 2.048e12);
  EXPECT_EQ(device.pin_bandwidth().per_second(), 4096 * 4e9 / 8);
  EXPECT_EQ(device.capacity.count(), 64'000'000'000);
  EXPECT_DOUBLE_EQ(device.stream_efficiency, 0.9);
  EXPECT_EQ(microseconds(device.memory_latency), 0.4);
  EXPECT_EQ(device.l2_capacity.count(), 32'000'000);
  EXPECT_EQ(device.l2_usable, 0.8);
  EXPECT_EQ(device.l2_bandwidth.per_second(), 5e12);
  EXPECT_EQ(microseconds(device.l2_latency), 0.2);
}

TEST(ReadHardware, ReadsLaunchHostAndLink) {
  const Device device = read_text(device_text()).hardware.device;
  EXPECT_EQ(microseconds(device.launch_gap), 1);
  EXPECT_EQ(microseconds(device.kernel_start), 2);
  EXPECT_EQ(device.host_bandwidth.per_second(), 60e9);
  EXPECT_EQ(device.host_efficiency, 0.9);
  EXPECT_EQ(microseconds(device.host_latency), 2);
  EXPECT_EQ(device.link_bandwidth.per_second(), 400e9);
  EXPECT_EQ(device.link_efficiency, 0.8);
  EXPECT_EQ(microseconds(device.all_reduce_floor), 3);
  EXPECT_EQ(microseconds(device.all_to_all_floor), 10);
}

TEST(ReadHardware, TakesADeviceWithoutALink) {
  const std::string text = device_text();
  const Reading reading = read_text(text.substr(0, text.find("link: ")));
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_TRUE(reading.hardware.device.link_bandwidth.is_zero());
}

TEST(ReadHardware, TakesAMemoryWithoutStacksAsOne) {
  const Reading reading = read_text(with(device_text(), "  stacks: 4\n", ""));
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_EQ(reading.hardware.device.stacks, 1);
  EXPECT_FALSE(reading.hardware.device.unified_memory);
}

TEST(ReadHardware, ReachesAHostThatSharesTheMemoryThroughIt) {
  std::string text = with(device_text(), "  stacks: 4\n", "  unified: true\n");
  text =
      with(text, "host: {bandwidth: 60 GB/s, efficiency: 0.9, latency: 2 us, source: test, certainty: measured}\n", "");
  const Reading reading = read_text(text);
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_EQ(reading.hardware.device.host_bandwidth.per_second(), 4096 * 4e9 / 8);
  EXPECT_DOUBLE_EQ(reading.hardware.device.host_efficiency, 0.9);
  EXPECT_EQ(microseconds(reading.hardware.device.host_latency), 0.4);
}

TEST(ReadHardware, ReadsTheHostMemoryOfADeviceAndOfANode) {
  const std::string memory = "host_memory: {capacity: 2 TB, bandwidth: 600 GB/s, source: sheet, certainty: spec}\n";
  const Hardware device = read_text(device_text() + memory).hardware;
  EXPECT_EQ(device.host_memory_capacity.count(), 2'000'000'000'000);
  EXPECT_EQ(device.host_memory_bandwidth.per_second(), 600e9);
  EXPECT_EQ(device.provenance.at("host_memory.capacity").source, "sheet");
  const Reading node = read_text(with(node_text(), "device:\n", memory + "device:\n"));
  EXPECT_THAT(node.faults, IsEmpty());
  EXPECT_EQ(node.hardware.host_memory_capacity.count(), 2'000'000'000'000);
}

TEST(ReadHardware, NodeDoesNotInheritTheHostMemoryOfItsDevice) {
  const std::string memory = "host_memory: {capacity: 2 TB, bandwidth: 600 GB/s, source: sheet, certainty: spec}\n";
  const Reading node = read_text(node_text(device_text() + memory));
  EXPECT_THAT(node.faults, IsEmpty());
  EXPECT_EQ(node.hardware.host_memory_capacity.count(), 0);
  EXPECT_TRUE(node.hardware.host_memory_bandwidth.is_zero());
}

TEST(ReadHardware, NodeReplacesOnlyTheLinkValuesItStates) {
  const Hardware node = read_text(node_text()).hardware;
  EXPECT_EQ(node.name, "4x-part");
  EXPECT_EQ(node.summary, "Four made-up parts");
  EXPECT_EQ(node.device.name, "part");
  EXPECT_EQ(node.count, 4);
  EXPECT_EQ(microseconds(node.device.all_reduce_floor), 5);
  EXPECT_EQ(microseconds(node.device.all_to_all_floor), 10);
  EXPECT_EQ(node.device.link_bandwidth.per_second(), 400e9);
}

TEST(ReadHardware, SaysWhereEachFigureComesFrom) {
  const Hardware device = read_text(device_text()).hardware;
  EXPECT_EQ(device.provenance.at("memory.capacity").source, "sheet");
  EXPECT_EQ(device.provenance.at("memory.capacity").certainty, "spec");
  EXPECT_EQ(device.provenance.at("memory.stream_efficiency").source, "test");
  EXPECT_EQ(device.provenance.at("compute.fp8.peak").source, "sheet");
  EXPECT_FALSE(device.provenance.contains("name"));
  EXPECT_EQ(device.sources.at("sheet"), "https://example.org/sheet");
}

TEST(ReadHardware, PrefixesTheDevicesFiguresInANode) {
  const Hardware node = read_text(node_text()).hardware;
  EXPECT_EQ(node.provenance.at("device.memory.capacity").source, "sheet");
  EXPECT_EQ(node.provenance.at("count").source, "node_sheet");
  EXPECT_EQ(node.provenance.at("link.all_reduce_floor").certainty, "measured");
  EXPECT_FALSE(node.provenance.contains("device"));
  EXPECT_EQ(node.sources.size(), 3U) << "two of the device and one of the node";
}

TEST(ReadHardware, KeepsTheEntryForShow) {
  const Hardware node = read_text(node_text()).hardware;
  ASSERT_NE(node.resolved.find_path("device.memory.capacity"), nullptr);
  EXPECT_EQ(node.resolved.find_path("device.memory.capacity")->text(), "64 GB");
}

TEST(ReadHardware, AFigureWithoutASourceIsTheUsersOwn) {
  const std::string text = with(device_text(), "sm:\n  source: sheet\n  certainty: spec\n", "sm:\n");
  const Reading reading = read_text(text);
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_EQ(reading.hardware.device.sms, 100);
}

// The published figure is moved away from what 4096 pins at 4 Gbit/s carry, by a share of itself.
std::string published_apart(double share) {
  const double published = 4096 * 4e9 / 8 / (1 + share);
  return with(device_text(), "2.048 TB/s", sim::exact_text(std::round(published)) + " B/s");
}

TEST(ReadHardware, TakesAPublishedBandwidthWithinTwoAndAHalfPercentOfThePins) {
  EXPECT_THAT(read_text(published_apart(0.024)).faults, IsEmpty());
  EXPECT_THAT(read_text(published_apart(-0.024)).faults, IsEmpty());
}

TEST(ReadHardware, RefusesAPublishedBandwidthFurtherFromThePins) {
  EXPECT_EQ(read_text(published_apart(0.026)).faults.size(), 1U);
  EXPECT_EQ(read_text(published_apart(-0.026)).faults.size(), 1U);
}

TEST(RunsAs, IsTheFormatItselfOrTheNextWiderOneThatTheDeviceHas) {
  Device device;
  device.peak[at(Precision::bf16)] = sim::FlopRate::per_second(2);
  device.peak[at(Precision::fp32)] = sim::FlopRate::per_second(1);
  EXPECT_EQ(device.runs_as(Precision::fp4), Precision::bf16);
  EXPECT_EQ(device.runs_as(Precision::fp8), Precision::bf16);
  EXPECT_EQ(device.runs_as(Precision::bf16), Precision::bf16);
  EXPECT_EQ(device.runs_as(Precision::fp32), Precision::fp32);
}

// A misplaced table row would read as zero: each key of the tables is one that the reader asks for by name.
TEST(Tables, EveryKeyHasASentence) {
  for (const sim::Table* table : {&device_table(), &node_table(), &host_table(), &drive_table(), &link_table()}) {
    for (const sim::Field& field : table->fields) {
      EXPECT_TRUE(field.help.ends_with('.')) << field.name;
      if (field.table == nullptr) continue;
      for (const sim::Field& inner : field.table->fields) EXPECT_TRUE(inner.help.ends_with('.')) << inner.name;
    }
  }
}

}  // namespace
}  // namespace kvtraffic::hardware
