// The catalog's files: each can be read, each figure has a source, and the parts are what their makers say.
// Leaves out faulty files (broken_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "sim/plan/precision.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::Precision;

class EveryEntry : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Catalog, EveryEntry, testing::ValuesIn(catalog_names()),
                         [](const auto& entry) { return test_name(entry.param); });

TEST_P(EveryEntry, ReadsWithoutDiagnostics) {
  sim::Diagnostics diagnostics;
  const Hardware hardware = read_hardware(catalog_entry(GetParam()), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.render();
  EXPECT_EQ(hardware.name, GetParam()) << "a file is found by its name";
  EXPECT_FALSE(hardware.summary.empty());
}

TEST_P(EveryEntry, GivesEachFigureAKnownSourceAndACertainty) {
  const Hardware hardware = from_catalog(GetParam());
  const sim::Node* device = hardware.resolved.find("device");
  std::vector<std::string> figures =
      figures_of(hardware.resolved, device == nullptr ? device_table() : node_table(), "");
  if (device != nullptr) {
    for (std::string& figure : figures_of(*device, device_table(), "device.")) figures.push_back(std::move(figure));
  }
  EXPECT_GE(figures.size(), 20U);
  expect_known(figures, hardware.provenance, hardware.sources);
}

TEST_P(EveryEntry, UsesEachOfItsSources) {
  const Hardware hardware = from_catalog(GetParam());
  expect_used(hardware.provenance, hardware.sources);
}

TEST(Catalog, HoldsThePartsAndNodesThatScenariosName) {
  const std::vector<std::string> names = catalog_names();
  for (const char* name :
       {"a100-80g-sxm", "h800-sxm",    "h100-pcie",   "h100-sxm",        "h200-sxm",    "h20",
        "b200",         "gb200",       "b300",        "gb300",           "mi300x",      "mi325x",
        "mi355x",       "rtx-3090",    "ascend-910c", "rtx-4090",        "rtx-5090",    "rtx-pro-6000-blackwell",
        "m3-ultra",     "m4-max",      "gb10",        "strix-halo",      "8x-h100-sxm", "8x-h200-sxm",
        "8x-b200",      "gb200-nvl72", "gb300-nvl72", "8x-a100-80g-sxm", "8x-h800-sxm", "8x-h20",
        "8x-b300",      "8x-mi300x",   "8x-mi325x",   "8x-mi355x"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST(Catalog, H200PinsCarryBusWidthTimesRate) {
  EXPECT_DOUBLE_EQ(from_catalog("h200-sxm").device.pin_bandwidth().per_second(), 6144 * 6.25e9 / 8);
}

TEST(Catalog, B200PinsCarryMoreThanTheMakerPrints) {
  const Device device = from_catalog("b200").device;
  EXPECT_DOUBLE_EQ(device.pin_bandwidth().per_second(), 8192 * 2 * 3996e6 / 8);
  EXPECT_NEAR(device.pin_bandwidth().per_second() / device.published_bandwidth.per_second(), 1.023, 0.0005);
}

TEST(Catalog, CapacityIsDecimal) {
  EXPECT_EQ(from_catalog("h200-sxm").device.capacity.count(), 141'000'000'000);
  EXPECT_EQ(from_catalog("b200").device.capacity.count(), 180'000'000'000);
  EXPECT_EQ(from_catalog("gb200").device.capacity.count(), 186'000'000'000);
}

// FLOP per cycle and SM: 4 tensor units x 512 multiply-adds on Hopper, half on Ampere, twice on Blackwell; a quarter of
// Hopper on the H20. Clocks are whole MHz and peaks have three to four digits.
TEST(Catalog, ClocksReproduceTheDenseBf16Peaks) {
  const auto from_clock = [](const Device& device, double flops_per_cycle) {
    return static_cast<double>(device.sms) * flops_per_cycle * device.clock.per_second();
  };
  const auto peak = [](const Device& device) {
    return device.peak[static_cast<std::size_t>(Precision::bf16)].per_second();
  };
  for (const auto& [name, flops_per_cycle] : {std::pair{"h100-sxm", 4096},
                                              {"h200-sxm", 4096},
                                              {"b200", 8192},
                                              {"gb200", 8192},
                                              {"a100-80g-sxm", 2048},
                                              {"h800-sxm", 4096},
                                              {"h100-pcie", 4096},
                                              {"h20", 1024},
                                              {"b300", 8192},
                                              {"gb300", 8192},
                                              {"mi300x", 2048},
                                              {"mi325x", 2048},
                                              {"mi355x", 4096},
                                              {"rtx-3090", 512},
                                              {"rtx-4090", 512},
                                              {"rtx-5090", 512},
                                              {"m3-ultra", 256},
                                              {"m4-max", 256},
                                              {"strix-halo", 512},
                                              {"ascend-910c", 8192},
                                              {"rtx-pro-6000-blackwell", 1024}}) {
    const Device device = from_catalog(name).device;
    EXPECT_NEAR(from_clock(device, flops_per_cycle) / peak(device), 1, 0.0015) << name;
  }
}

TEST(Catalog, Fp4RunsAsFp8OnHopperAndAsItselfOnBlackwell) {
  EXPECT_EQ(from_catalog("h100-sxm").device.runs_as(Precision::fp4), Precision::fp8);
  EXPECT_EQ(from_catalog("h200-sxm").device.runs_as(Precision::fp4), Precision::fp8);
  EXPECT_EQ(from_catalog("b200").device.runs_as(Precision::fp4), Precision::fp4);
  EXPECT_EQ(from_catalog("gb200").device.runs_as(Precision::fp4), Precision::fp4);
}

// Pure reads need room above the mixed streams that are measured: a slip to "share of 8.0" would show here.
TEST(Catalog, ReadStreamsStayBelowWhatThePinsCarry) {
  for (const char* name : {"h100-sxm", "h200-sxm", "b200", "gb200"}) {
    const Device device = from_catalog(name).device;
    EXPECT_GT(device.stream_efficiency, 0.85) << name;
    EXPECT_LT(device.stream_efficiency * device.pin_bandwidth().per_second(), device.published_bandwidth.per_second())
        << name;
  }
}

TEST_P(EveryEntry, ReadsLessThanThePinsCarryAndMoreThanHalf) {
  const Device device = from_catalog(GetParam()).device;
  EXPECT_GT(device.stream_efficiency, 0.5);
  EXPECT_LT(device.stream_efficiency * device.pin_bandwidth().per_second(), device.published_bandwidth.per_second());
  EXPECT_GT(device.l2_bandwidth, device.pin_bandwidth()) << "a cache that is slower than memory";
}

TEST_P(EveryEntry, NarrowerFormatsAreNeverSlower) {
  const Device device = from_catalog(GetParam()).device;
  sim::FlopRate wider;
  for (std::size_t i = sim::precision_count; i-- > 0;) {
    if (device.peak[i].is_zero()) continue;
    EXPECT_GE(device.peak[i], wider) << sim::precision_names[i];
    wider = device.peak[i];
  }
}

TEST(Catalog, NarrowFormatsRunAsBf16WhereThereIsNoFp8) {
  for (const char* name : {"a100-80g-sxm", "rtx-3090", "ascend-910c", "m3-ultra", "m4-max", "strix-halo"}) {
    EXPECT_EQ(from_catalog(name).device.runs_as(Precision::fp4), Precision::bf16) << name;
  }
}

TEST(Catalog, PartsWithOneMemoryReachTheHostThroughIt) {
  for (const char* name : {"m3-ultra", "m4-max", "gb10", "strix-halo"}) {
    const Hardware hardware = from_catalog(name);
    EXPECT_TRUE(hardware.device.unified_memory) << name;
    EXPECT_EQ(hardware.device.host_bandwidth, hardware.device.pin_bandwidth()) << name;
    EXPECT_EQ(hardware.device.host_efficiency, hardware.device.stream_efficiency) << name;
    EXPECT_EQ(hardware.device.host_latency, hardware.device.memory_latency) << name;
    EXPECT_EQ(hardware.host_memory_capacity.count(), 0) << name;
  }
}

TEST(Catalog, OnlyHighBandwidthMemoryHasStacks) {
  for (const std::string& name : catalog_names()) {
    const Device device = from_catalog(name).device;
    EXPECT_EQ(device.stacks > 1, device.memory.starts_with("HBM")) << name;
    EXPECT_TRUE(device.stacks == 1 || device.bus_bits == device.stacks * 1024) << name;
  }
}

TEST(Catalog, EveryNodeStatesItsHostMemory) {
  for (const std::string& name : catalog_names()) {
    const Hardware hardware = from_catalog(name);
    if (hardware.count == 1) continue;
    EXPECT_GT(hardware.host_memory_capacity.count(), 0) << name;
    EXPECT_FALSE(hardware.host_memory_bandwidth.is_zero()) << name;
  }
}

// Two devices share one Grace, so a rack has half as many: 36 x 480 GB, 36 x 512 GB/s.
TEST(Catalog, RackHasTheHostMemoryOfItsDevices) {
  for (const auto& [device, rack] : {std::pair{"gb200", "gb200-nvl72"}, {"gb300", "gb300-nvl72"}}) {
    const Hardware one = from_catalog(device);
    const Hardware all = from_catalog(rack);
    EXPECT_EQ(all.host_memory_capacity, one.host_memory_capacity * 72) << rack;
    EXPECT_DOUBLE_EQ(all.host_memory_bandwidth.per_second(), one.host_memory_bandwidth.per_second() * 72) << rack;
  }
}

TEST(Catalog, NodeOfEightKeepsTheDevice) {
  const Hardware alone = from_catalog("h200-sxm");
  const Hardware node = from_catalog("8x-h200-sxm");
  EXPECT_EQ(alone.count, 1);
  EXPECT_EQ(node.count, 8);
  EXPECT_EQ(node.device.name, "h200-sxm");
  EXPECT_EQ(node.device.sms, alone.device.sms);
  EXPECT_EQ(node.device.capacity, alone.device.capacity);
  EXPECT_EQ(node.device.link_bandwidth, alone.device.link_bandwidth);
  EXPECT_EQ(node.device.all_reduce_floor, alone.device.all_reduce_floor);
}

TEST(Catalog, RackReplacesTheFloorsOfATray) {
  const Hardware tray = from_catalog("gb200");
  const Hardware rack = from_catalog("gb200-nvl72");
  EXPECT_EQ(rack.count, 72);
  EXPECT_GT(rack.device.all_reduce_floor, tray.device.all_reduce_floor);
  EXPECT_EQ(rack.device.link_bandwidth, tray.device.link_bandwidth);
}

}  // namespace
}  // namespace kvtraffic::hardware
