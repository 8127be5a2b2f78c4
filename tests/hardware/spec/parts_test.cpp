// Hosts, drives and links: each file can be read, each figure has a source, and figures of different files agree.
// Leaves out faulty files (broken_parts_test.cpp) and the pins of hosts (pins_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/spec/drive.hpp"
#include "hardware/spec/host.hpp"
#include "hardware/spec/link.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware {
namespace {

using testing::IsSupersetOf;

template <class Part>
Part read(Part (*reader)(const sim::Node&, sim::Diagnostics&), const std::string& folder, const std::string& name) {
  sim::Diagnostics diagnostics;
  Part part = reader(entry_in(folder, name), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.render();
  return part;
}
Host host(const std::string& name) { return read(&read_host, "hosts", name); }
Drive drive(const std::string& name) { return read(&read_drive, "drives", name); }
Link link(const std::string& name) { return read(&read_link, "links", name); }

template <class Part>
void expect_complete(const Part& part, const std::string& folder, const std::string& name, const sim::Table& table) {
  EXPECT_EQ(part.name, name) << "a file is found by its name";
  EXPECT_FALSE(part.summary.empty());
  const std::vector<std::string> figures = figures_of(entry_in(folder, name), table, "");
  EXPECT_GE(figures.size(), 2U);
  expect_known(figures, part.provenance, part.sources);
  expect_used(part.provenance, part.sources);
}

std::string name_of(const testing::TestParamInfo<std::string>& entry) { return test_name(entry.param); }

class EveryHost : public testing::TestWithParam<std::string> {};
class EveryDrive : public testing::TestWithParam<std::string> {};
class EveryLink : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Hosts, EveryHost, testing::ValuesIn(names_in("hosts")), name_of);
INSTANTIATE_TEST_SUITE_P(Drives, EveryDrive, testing::ValuesIn(names_in("drives")), name_of);
INSTANTIATE_TEST_SUITE_P(Links, EveryLink, testing::ValuesIn(names_in("links")), name_of);

TEST_P(EveryHost, ReadsWithKnownSources) { expect_complete(host(GetParam()), "hosts", GetParam(), host_table()); }
TEST_P(EveryDrive, ReadsWithKnownSources) { expect_complete(drive(GetParam()), "drives", GetParam(), drive_table()); }
TEST_P(EveryLink, ReadsWithKnownSources) { expect_complete(link(GetParam()), "links", GetParam(), link_table()); }

TEST(Parts, HoldTheHostsDrivesAndLinksThatAreNamed) {
  EXPECT_THAT(names_in("hosts"),
              IsSupersetOf({"epyc-genoa-ddr5-4800", "epyc-turin-ddr5-6000", "xeon-spr-ddr5-4800", "xeon-emr-ddr5-5600",
                            "xeon6-ddr5-6400", "xeon6-mrdimm-8800", "grace-lpddr5x"}));
  EXPECT_THAT(names_in("drives"), IsSupersetOf({"samsung-pm9a3",
                                                "samsung-pm1743",
                                                "samsung-990-pro",
                                                "samsung-9100-pro",
                                                "solidigm-d7-ps1010",
                                                "solidigm-d7-ps1030",
                                                "solidigm-d5-p5336-61tb",
                                                "solidigm-d5-p5336-123tb",
                                                "micron-9550",
                                                "micron-9650-pro",
                                                "micron-9650-max",
                                                "micron-6550-ion",
                                                "micron-6600-ion",
                                                "kioxia-cm7",
                                                "kioxia-cm9-r",
                                                "kioxia-cm9-v",
                                                "kioxia-cd9p-r",
                                                "kioxia-lc9",
                                                "kioxia-fl6",
                                                "xl-flash-2-prototype",
                                                "intel-optane-p5800x"}));
  EXPECT_THAT(names_in("links"),
              IsSupersetOf({"nvlink3", "nvlink4", "nvlink5", "pcie4-x16", "pcie5-x16", "pcie6-x16", "nvlink-c2c",
                            "xgmi-mi300x", "xgmi-mi355x", "infiniband-hdr", "infiniband-ndr", "infiniband-xdr"}));
}

TEST(Parts, HostOfTwoSocketsCountsOne) {
  const Host genoa = host("epyc-genoa-ddr5-4800");
  EXPECT_EQ(genoa.sockets, 2);
  EXPECT_DOUBLE_EQ(genoa.pin_bandwidth().per_second(), 12 * 64 * 4.8e9 / 8);
  EXPECT_EQ(genoa.memory, "DDR5");
  EXPECT_EQ(genoa.cores, 0) << "not stated";
}

TEST(Parts, DriveLeavesOutWhatNobodyPrints) {
  const Drive pro = drive("samsung-9100-pro");
  EXPECT_EQ(pro.read.bandwidth.per_second(), 14.8e9);
  EXPECT_TRUE(pro.write.bandwidth.is_zero());
  EXPECT_EQ(pro.read.iops, 0);
  EXPECT_EQ(pro.read.latency, sim::Duration{});
  EXPECT_EQ(pro.endurance.count(), 1'200'000'000'000'000);
}

TEST(Parts, StorageClassMemoryAnswersWithinTensOfMicroseconds) {
  EXPECT_EQ(drive("kioxia-fl6").read.latency.femtoseconds(), 29'000'000'000);
  EXPECT_EQ(drive("kioxia-fl6").write.latency.femtoseconds(), 8'000'000'000);
  EXPECT_EQ(drive("intel-optane-p5800x").writes_per_day, 100);
  EXPECT_EQ(drive("intel-optane-p5800x").media, "3D XPoint");
}

// A drive hangs on 4 of the 16 lanes of its generation.
TEST_P(EveryDrive, StaysBelowItsLanes) {
  const Drive one = drive(GetParam());
  ASSERT_TRUE(one.interface.starts_with("PCIe ") && one.interface.ends_with(" x4")) << one.interface;
  const Link lanes = link(std::string("pcie") + one.interface[5] + "-x16");
  EXPECT_LT(one.read.bandwidth.per_second(), lanes.bandwidth.per_second() * 4 / 16);
  EXPECT_LE(one.write.bandwidth, one.read.bandwidth) << "flash is never written faster than read";
}

TEST(Parts, LinksAreThoseOfTheDevices) {
  for (const auto& [device, name] : {std::pair{"a100-80g-sxm", "nvlink3"},
                                     {"h100-sxm", "nvlink4"},
                                     {"h200-sxm", "nvlink4"},
                                     {"gb200", "nvlink5"},
                                     {"mi300x", "xgmi-mi300x"},
                                     {"mi355x", "xgmi-mi355x"}}) {
    EXPECT_EQ(from_catalog(device).device.link_bandwidth, link(name).bandwidth) << device;
    EXPECT_EQ(from_catalog(device).device.link_efficiency, link(name).efficiency) << device;
  }
  for (const auto& [device, name] : {std::pair{"a100-80g-sxm", "pcie4-x16"},
                                     {"h200-sxm", "pcie5-x16"},
                                     {"b300", "pcie6-x16"},
                                     {"gb300", "nvlink-c2c"}}) {
    EXPECT_EQ(from_catalog(device).device.host_bandwidth, link(name).bandwidth) << device;
    EXPECT_EQ(from_catalog(device).device.host_efficiency, link(name).efficiency) << device;
    EXPECT_EQ(from_catalog(device).device.host_latency, link(name).latency * 2) << device << ": a round trip";
  }
}

// A node's host memory is what both sockets of the host that its comment names have together.
TEST(Parts, NodesHaveTheHostMemoryOfTheirHosts) {
  for (const auto& [node, name] : {std::pair{"8x-h100-sxm", "xeon-spr-ddr5-4800"},
                                   {"8x-h200-sxm", "xeon-spr-ddr5-4800"},
                                   {"8x-h800-sxm", "xeon-spr-ddr5-4800"},
                                   {"8x-h20", "xeon-spr-ddr5-4800"},
                                   {"8x-b200", "xeon-emr-ddr5-5600"},
                                   {"8x-b300", "xeon-emr-ddr5-5600"},
                                   {"8x-mi300x", "epyc-genoa-ddr5-4800"},
                                   {"8x-mi325x", "epyc-turin-ddr5-6000"},
                                   {"8x-mi355x", "epyc-turin-ddr5-6000"}}) {
    const Host sockets = host(name);
    const Hardware hardware = from_catalog(node);
    EXPECT_EQ(hardware.host_memory_capacity, sockets.capacity * sockets.sockets) << node;
    EXPECT_DOUBLE_EQ(hardware.host_memory_bandwidth.per_second(), sockets.pin_bandwidth().per_second() * 2) << node;
  }
}

}  // namespace
}  // namespace kvtraffic::hardware
