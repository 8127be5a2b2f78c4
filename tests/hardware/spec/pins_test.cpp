// Width x rate / 8 of every part, against a list of widths, rates and published bandwidths kept apart from the catalog.
// Leaves out what a stream reaches of it (catalog_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "hardware/spec/host.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware {
namespace {

struct Row {
  const char* name;
  int bits;                 // data pins in all
  double gbits_per_second;  // of one pin
  double published;         // GB/s
};

const std::vector<Row> devices{
    {"a100-80g-sxm", 5 * 1024, 2 * 1.593, 2039},  // memory clocks in GHz, two transfers a cycle
    {"h100-pcie", 5 * 1024, 2 * 1.593, 2000},
    {"h100-sxm", 5 * 1024, 5.23, 3350},
    {"h800-sxm", 5 * 1024, 5.23, 3350},
    {"h200-sxm", 6 * 1024, 6.25, 4800},
    {"h20", 6 * 1024, 5.2, 4000},
    {"b200", 8 * 1024, 2 * 3.996, 8000},
    {"gb200", 8 * 1024, 2 * 3.996, 8000},
    {"b300", 8 * 1024, 2 * 3.996, 8000},
    {"gb300", 8 * 1024, 2 * 3.996, 8000},
    {"mi300x", 8 * 1024, 5.2, 5300},
    {"mi325x", 8 * 1024, 6, 6000},
    {"mi355x", 8 * 1024, 8, 8000},
    {"ascend-910c", 8 * 1024, 3.2, 3200},
    {"rtx-3090", 384, 19.5, 936},
    {"rtx-4090", 384, 21, 1008},
    {"rtx-5090", 512, 28, 1792},
    {"rtx-pro-6000-blackwell", 512, 28, 1792},
    {"m3-ultra", 1024, 6.4, 819},
    {"m4-max", 512, 8.533, 546},
    {"gb10", 256, 8.533, 273},
    {"strix-halo", 256, 8, 256},
};

const std::vector<Row> hosts{
    {"xeon-spr-ddr5-4800", 8 * 64, 4.8, 307},      {"xeon-emr-ddr5-5600", 8 * 64, 5.6, 358},
    {"epyc-genoa-ddr5-4800", 12 * 64, 4.8, 460.8}, {"epyc-turin-ddr5-6000", 12 * 64, 6, 576},
    {"xeon6-ddr5-6400", 12 * 64, 6.4, 614},        {"xeon6-mrdimm-8800", 12 * 64, 8.8, 844.8},
    {"grace-lpddr5x", 32 * 16, 8.533, 546},
};

double pins(const Row& row) { return row.bits * row.gbits_per_second * 1e9 / 8; }

bool has(const std::vector<Row>& rows, const std::string& name) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
}

TEST(PinBandwidth, OfEachDeviceIsWidthTimesRate) {
  for (const Row& row : devices) {
    const Device device = from_catalog(row.name).device;
    EXPECT_DOUBLE_EQ(device.pin_bandwidth().per_second(), pins(row)) << row.name;
    EXPECT_DOUBLE_EQ(device.published_bandwidth.per_second(), row.published * 1e9) << row.name;
    EXPECT_NEAR(pins(row) / (row.published * 1e9), 1, 0.025) << row.name;
  }
}

TEST(PinBandwidth, OfEachHostIsChannelsTimesWidthTimesRate) {
  for (const Row& row : hosts) {
    sim::Diagnostics diagnostics;
    const Host host = read_host(entry_in("hosts", row.name), diagnostics);
    EXPECT_DOUBLE_EQ(host.pin_bandwidth().per_second(), pins(row)) << row.name;
    EXPECT_DOUBLE_EQ(host.published_bandwidth.per_second(), row.published * 1e9) << row.name;
    EXPECT_NEAR(pins(row) / (row.published * 1e9), 1, 0.025) << row.name;
  }
}

TEST(PinBandwidth, NoPartIsLeftOut) {
  for (const std::string& name : catalog_names()) EXPECT_TRUE(has(devices, from_catalog(name).device.name)) << name;
  for (const std::string& name : names_in("hosts")) EXPECT_TRUE(has(hosts, name)) << name;
}

}  // namespace
}  // namespace kvtraffic::hardware
