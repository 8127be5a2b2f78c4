// Faulty host, drive and link files and what the user is told, word for word.
// Leaves out devices and nodes (broken_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/spec/drive.hpp"
#include "hardware/spec/host.hpp"
#include "hardware/spec/link.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string host_text = R"(kind: host
name: box
summary: A made-up host
sources: {sheet: "https://example.org/sheet"}
source: sheet
certainty: spec
sockets: 2
cores: 64
memory:
  type: DDR5
  channels: 8
  channel_width: 64
  pin_rate: 5 Gbit/s
  bandwidth: 320 GB/s
  capacity: 1 TB
  efficiency: 0.75
  latency: 100 ns
)";

const std::string drive_text = R"(kind: drive
name: disk
summary: A made-up drive
sources: {sheet: "https://example.org/sheet"}
source: sheet
certainty: spec
interface: PCIe 5 x4
media: TLC
read: {bandwidth: 12 GB/s, iops: 2000000, latency: 70 us}
write: {bandwidth: 6 GB/s, iops: 300000, latency: 10 us}
capacity: {smallest: 2 TB, largest: 8 TB}
endurance: {drive_writes_per_day: 1, written: 14 PB}
power: {active_watts: 20, idle_watts: 5}
)";

const std::string link_text = R"(kind: link
name: wire
summary: A made-up link
sources: {sheet: "https://example.org/sheet"}
bandwidth: {value: 50 GB/s, source: sheet, certainty: spec}
efficiency: {value: 0.9, source: sheet, certainty: measured}
latency: {value: 1 us, source: sheet, certainty: measured}
)";

template <class Part>
std::vector<std::string> faults(Part (*reader)(const sim::Node&, sim::Diagnostics&), const std::string& text) {
  sim::Diagnostics diagnostics;
  const sim::Node entry = sim::read_yaml(text, "part.yaml", diagnostics);
  (void)reader(entry, diagnostics);
  return told(diagnostics);
}
std::vector<std::string> faults_of_host(std::string_view from, std::string_view to) {
  return faults(&read_host, with(host_text, from, to));
}
std::vector<std::string> faults_of_drive(std::string_view from, std::string_view to) {
  return faults(&read_drive, with(drive_text, from, to));
}
std::vector<std::string> faults_of_link(std::string_view from, std::string_view to) {
  return faults(&read_link, with(link_text, from, to));
}

TEST(BrokenPart, NoneIsFaultyAsItStands) {
  EXPECT_THAT(faults(&read_host, host_text), IsEmpty());
  EXPECT_THAT(faults(&read_drive, drive_text), IsEmpty());
  EXPECT_THAT(faults(&read_link, link_text), IsEmpty());
}

TEST(BrokenPart, EveryKeyArrives) {
  sim::Diagnostics diagnostics;
  const Host host = read_host(sim::read_yaml(host_text, "part.yaml", diagnostics), diagnostics);
  EXPECT_EQ(host.cores, 64);
  EXPECT_EQ(host.pin_bandwidth().per_second(), 8 * 64 * 5e9 / 8);
  EXPECT_EQ(host.capacity.count(), 1'000'000'000'000);
  EXPECT_EQ(host.efficiency, 0.75);
  EXPECT_EQ(host.latency.femtoseconds(), 100'000'000);
  const Drive drive = read_drive(sim::read_yaml(drive_text, "part.yaml", diagnostics), diagnostics);
  EXPECT_EQ(drive.interface, "PCIe 5 x4");
  EXPECT_EQ(drive.read.iops, 2e6);
  EXPECT_EQ(drive.write.latency.femtoseconds(), 10'000'000'000);
  EXPECT_EQ(drive.smallest.count(), 2'000'000'000'000);
  EXPECT_EQ(drive.largest.count(), 8'000'000'000'000);
  EXPECT_EQ(drive.writes_per_day, 1);
  EXPECT_EQ(drive.endurance.count(), 14'000'000'000'000'000);
  EXPECT_EQ(drive.active_watts, 20);
  EXPECT_EQ(drive.idle_watts, 5);
  const Link link = read_link(sim::read_yaml(link_text, "part.yaml", diagnostics), diagnostics);
  EXPECT_EQ(link.bandwidth.per_second(), 50e9);
  EXPECT_EQ(link.efficiency, 0.9);
  EXPECT_EQ(link.provenance.at("latency").certainty, "measured");
}

TEST(BrokenHost, UnknownKey) {
  EXPECT_THAT(faults_of_host("channel_width: 64", "channel_width: 64\n  chanels: 8"),
              ElementsAre("13:3 memory.chanels: unknown key | one of type, channels, channel_width, pin_rate, "
                          "bandwidth, capacity, efficiency, latency | channels"));
}
TEST(BrokenHost, NoSockets) {
  EXPECT_THAT(
      faults_of_host("sockets: 2\n", ""),
      ElementsAre("1:1 : missing key 'sockets' | sockets: a whole number (Processors with a memory of their own.)"));
}
TEST(BrokenHost, NoCapacity) {
  EXPECT_THAT(faults_of_host("  capacity: 1 TB\n", ""),
              ElementsAre("10:3 memory: missing key 'capacity' | capacity: a size (What is installed at one socket.)"));
}
TEST(BrokenHost, BandwidthOfBothSockets) {
  EXPECT_THAT(faults_of_host("320 GB/s", "640 GB/s"),
              ElementsAre("14:14 memory.bandwidth: 640 GB/s differs by 50.0 % from the 320 GB/s of 512 pins at 5 "
                          "Gbit/s | at most 2.5 % between bandwidth and channels x channel_width x pin_rate / 8"));
}
TEST(BrokenHost, TransfersWithoutAUnit) {
  EXPECT_THAT(faults_of_host("5 Gbit/s", "5000"),
              ElementsAre("13:13 memory.pin_rate: '5000' needs a unit | a bandwidth such as 4.8 TB/s (B/s, kB/s, KB/s, "
                          "MB/s, GB/s, TB/s, PB/s, KiB/s, MiB/s, GiB/s, TiB/s, PiB/s, bit/s, kbit/s, Mbit/s, Gbit/s, "
                          "Tbit/s, b/s, kb/s, Mb/s, Gb/s, Tb/s)"));
}
TEST(BrokenHost, KindOfAnotherFile) {
  EXPECT_THAT(faults_of_host("kind: host", "kind: device"), ElementsAre("1:7 kind: 'device' is not one of host"));
}
TEST(BrokenHost, MoreChannelsThanASocketHas) {
  EXPECT_THAT(faults_of_host("channels: 8", "channels: 9000000000000000000"),
              ElementsAre("11:13 memory.channels: must be between 1 and 1024"));
}

TEST(BrokenDrive, NoReadRate) {
  EXPECT_THAT(
      faults_of_drive("{bandwidth: 12 GB/s, iops", "{iops"),
      ElementsAre(
          "9:7 read: missing key 'bandwidth' | bandwidth: a bandwidth (Sequential reading with large blocks.)"));
}
TEST(BrokenDrive, NoInterface) {
  EXPECT_THAT(
      faults_of_drive("interface: PCIe 5 x4\n", ""),
      ElementsAre(
          "1:1 : missing key 'interface' | interface: a text (Generation and width of its port, such as PCIe 5 x4.)"));
}
TEST(BrokenDrive, RandomFasterThanSequential) {
  EXPECT_THAT(faults_of_drive("iops: 2000000", "iops: 3000000"),
              ElementsAre("9:34 read.iops: 3000000 blocks of 4,096 bytes are 12.29 GB/s, more than 12 GB/s with large "
                          "blocks | at most bandwidth / 4,096"));
}
TEST(BrokenDrive, RandomWritesFasterThanSequentialOnes) {
  EXPECT_THAT(faults_of_drive("iops: 300000", "iops: 3000000"),
              ElementsAre("10:34 write.iops: 3000000 blocks of 4,096 bytes are 12.29 GB/s, more than 6 GB/s with large "
                          "blocks | at most bandwidth / 4,096"));
}
TEST(BrokenDrive, SmallestAboveLargest) {
  EXPECT_THAT(faults_of_drive("smallest: 2 TB", "smallest: 16 TB"),
              ElementsAre("11:22 capacity.smallest: 16 TB is above the largest, 8 TB | at most capacity.largest"));
}
TEST(BrokenDrive, IdleAboveActive) {
  EXPECT_THAT(
      faults_of_drive("idle_watts: 5", "idle_watts: 25"),
      ElementsAre("13:39 power.idle_watts: 25 W is above the 20 W of an active drive | at most power.active_watts"));
}
TEST(BrokenDrive, LatencyOfZero) {
  EXPECT_THAT(faults_of_drive("latency: 70 us", "latency: 0 us"),
              ElementsAre("9:52 read.latency: must be at least 1 fs"));
}
TEST(BrokenDrive, EnduranceOfZero) {
  EXPECT_THAT(faults_of_drive("drive_writes_per_day: 1", "drive_writes_per_day: 0"),
              ElementsAre("12:35 endurance.drive_writes_per_day: must be above zero"));
}
TEST(BrokenDrive, SourceWithoutAnAddress) {
  EXPECT_THAT(faults_of_drive("source: sheet\n", "source: shet\n"),
              ElementsAre("5:9 source: 'shet' is no key of `sources` | one of sheet | sheet"));
}

TEST(BrokenLink, NoBandwidth) {
  EXPECT_THAT(faults_of_link("bandwidth: {value: 50 GB/s, source: sheet, certainty: spec}\n", ""),
              ElementsAre("1:1 : missing key 'bandwidth' | bandwidth: a bandwidth (Peak of all lanes of one device or "
                          "port together, one way.)"));
}
TEST(BrokenLink, BandwidthInBytes) {
  EXPECT_THAT(faults_of_link("50 GB/s", "50 GB"),
              ElementsAre("5:20 bandwidth: '50 GB' has no known unit | a bandwidth such as 4.8 TB/s (B/s, kB/s, KB/s, "
                          "MB/s, GB/s, TB/s, PB/s, KiB/s, MiB/s, GiB/s, TiB/s, PiB/s, bit/s, kbit/s, Mbit/s, Gbit/s, "
                          "Tbit/s, b/s, kb/s, Mb/s, Gb/s, Tb/s)"));
}
TEST(BrokenLink, ShareAboveOne) {
  EXPECT_THAT(faults_of_link("value: 0.9", "value: 1.9"), ElementsAre("6:21 efficiency: must be between 0.01 and 1"));
}
TEST(BrokenLink, UnknownCertainty) {
  EXPECT_THAT(
      faults_of_link("1 us, source: sheet, certainty: measured", "1 us, source: sheet, certainty: guessed"),
      ElementsAre("7:50 latency.certainty: 'guessed' does not begin with one of spec, measured, published, assumed"));
}

}  // namespace
}  // namespace kvtraffic::hardware
