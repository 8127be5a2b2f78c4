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

INSTANTIATE_TEST_SUITE_P(Catalog, EveryEntry, testing::ValuesIn(catalog_names()), [](const auto& entry) {
  std::string name = entry.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST_P(EveryEntry, ReadsWithoutDiagnostics) {
  sim::Diagnostics diagnostics;
  const Hardware hardware = read_hardware(catalog_entry(GetParam()), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.render();
  EXPECT_EQ(hardware.name, GetParam()) << "a file is found by its name";
  EXPECT_FALSE(hardware.summary.empty());
}

// The figures are collected from the table, not from the provenance that is on trial.
void figures_of(const sim::Node& node, const sim::Table& table, const std::string& prefix,
                std::vector<std::string>& figures) {
  for (const sim::Field& field : table.fields) {
    const std::string path = prefix + std::string(field.name);
    const sim::Node* value = node.find(field.name);
    if (value == nullptr) continue;
    if (field.type == sim::Type::map) figures_of(*value, *field.table, path + ".", figures);
    const bool describes = field.type == sim::Type::name || field.type == sim::Type::choice ||
                           field.type == sim::Type::dictionary || field.type == sim::Type::reference ||
                           field.type == sim::Type::map || field.name == "summary";
    if (!describes) figures.push_back(path);
  }
}

TEST_P(EveryEntry, GivesEachFigureAKnownSourceAndACertainty) {
  const Hardware hardware = from_catalog(GetParam());
  std::vector<std::string> figures;
  const sim::Node* device = hardware.resolved.find("device");
  figures_of(hardware.resolved, device == nullptr ? device_table() : node_table(), "", figures);
  if (device != nullptr) figures_of(*device, device_table(), "device.", figures);
  EXPECT_GE(figures.size(), 30U);
  for (const std::string& figure : figures) {
    ASSERT_TRUE(hardware.provenance.contains(figure)) << figure;
    const sim::Provenance& provenance = hardware.provenance.at(figure);
    EXPECT_TRUE(hardware.sources.contains(provenance.source)) << figure << ": " << provenance.source;
    EXPECT_FALSE(provenance.certainty.empty()) << figure;
  }
}

TEST_P(EveryEntry, UsesEachOfItsSources) {
  const Hardware hardware = from_catalog(GetParam());
  for (const auto& [key, address] : hardware.sources) {
    bool used = false;
    for (const auto& [path, provenance] : hardware.provenance) used = used || provenance.source == key;
    EXPECT_TRUE(used) << key;
    EXPECT_TRUE(address.starts_with("https://") || address.starts_with("no public address kept")) << address;
  }
}

TEST(Catalog, HoldsThePartsAndNodesThatScenariosName) {
  const std::vector<std::string> names = catalog_names();
  for (const char* name :
       {"h100-sxm", "h200-sxm", "b200", "gb200", "8x-h100-sxm", "8x-h200-sxm", "8x-b200", "gb200-nvl72"}) {
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

// FLOP per cycle and SM: 4 tensor units x 512 multiply-adds on Hopper, twice that on Blackwell.
TEST(Catalog, ClocksReproduceTheDenseBf16Peaks) {
  const auto from_clock = [](const Device& device, double flops_per_cycle) {
    return static_cast<double>(device.sms) * flops_per_cycle * device.clock.per_second();
  };
  const auto peak = [](const Device& device) {
    return device.peak[static_cast<std::size_t>(Precision::bf16)].per_second();
  };
  for (const auto& [name, flops_per_cycle] :
       {std::pair{"h100-sxm", 4096}, {"h200-sxm", 4096}, {"b200", 8192}, {"gb200", 8192}}) {
    const Device device = from_catalog(name).device;
    EXPECT_NEAR(from_clock(device, flops_per_cycle) / peak(device), 1, 0.001) << name;
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
