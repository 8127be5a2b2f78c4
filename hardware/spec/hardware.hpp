// A device and a node of devices as their catalog entries state them: typed, checked, with no behaviour.
// Leaves out everything that moves in time (hardware/machine).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "sim/config/table.hpp"
#include "sim/plan/kernel_class.hpp"
#include "sim/plan/precision.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware {

// One accelerator. Peaks are dense (no sparsity) and per device; link rates are one way.
struct Device {
  std::string name;
  std::string summary;
  sim::Architecture architecture = sim::Architecture::other;  // what kernel plans tell devices apart by

  std::int64_t sms = 0;
  sim::Frequency clock;                                  // SM boost clock that the peak rates belong to
  std::array<sim::FlopRate, sim::precision_count> peak;  // zero where the device has no such unit
  std::array<double, sim::precision_count> sustained{};  // share of peak that a long GEMM reaches, (0, 1]

  std::string memory;           // "HBM3E"
  std::string memory_part;      // a name of hardware/memories; empty: none describes it
  std::int64_t stacks = 0;      // 1 where the memory is no HBM
  bool unified_memory = false;  // host and device share it: `host_*` then are its own figures
  std::int64_t bus_bits = 0;
  double pin_bits_per_second = 0;
  sim::Bandwidth published_bandwidth;  // as the vendor prints it
  sim::Bytes capacity;
  double stream_efficiency = 0;  // share of the pin-rate peak that a read stream reaches
  sim::Duration memory_latency;  // idle load-to-use, L2 miss

  sim::Bytes l2_capacity;
  std::int64_t l2_levels = 1;  // caches between an SM and memory that SMs share; `l2_*` are of the last one
  double l2_usable = 0;        // share of L2 that a working set may fill before it misses
  sim::Bandwidth l2_bandwidth;
  sim::Duration l2_latency;
  double l2_flushed = 0;        // share of what is usable that a flush by writing leaves dirty
  double l2_written_back = 0;   // bytes of dirty lines that a byte read puts out
  sim::Bandwidth sm_load_rate;  // most bytes per second one SM can load

  sim::Duration launch_gap;    // between two kernels of a replayed graph
  sim::Duration stream_gap;    // that the host needs to launch a kernel on a stream
  sim::Duration kernel_start;  // block launch and descriptor fetch inside a kernel

  sim::Bandwidth host_bandwidth;  // peak, one way (PCIe or C2C)
  double host_efficiency = 0;
  sim::Duration host_latency;

  sim::Bandwidth link_bandwidth;  // peak, one way, all links together; zero: no scale-up link
  double link_efficiency = 0;
  sim::Duration all_reduce_floor;  // smallest all-reduce over the node's devices
  sim::Duration all_to_all_floor;  // smallest dispatch or combine

  // Bus width x data rate / 8: what the pins can carry. Rooflines divide by this.
  [[nodiscard]] sim::Bandwidth pin_bandwidth() const;
  // The peak at `p`, or at the next wider precision where the device has no unit for `p` (FP4 weights on Hopper run as
  // FP8).
  [[nodiscard]] sim::Precision runs_as(sim::Precision p) const;
};

// What a scenario's `hardware:` names: `count` equal devices in one scale-up domain.
struct Hardware {
  std::string name;
  std::string summary;
  Device device;
  std::int64_t count = 1;
  sim::Bytes host_memory_capacity;       // of all hosts of the entry together; zero: not stated, or unified
  sim::Bandwidth host_memory_bandwidth;  // likewise, peak
  std::map<std::string, sim::Provenance> provenance;  // by path: "memory.capacity", "count", ...
  std::map<std::string, std::string> sources;         // key -> address
  sim::Node resolved;                                 // the entry after `extends`, as `show` prints it
};

// The tables of a device file and of a node file.
[[nodiscard]] const sim::Table& device_table();
[[nodiscard]] const sim::Table& node_table();

// Reads an entry whose `extends` and (for nodes) `device` have been replaced by full device maps: a device map, or a
// node map {name, device: {...}, count, ...}. Checks it, cross-checks the published bandwidth with width x rate (2.5 %
// at most), fills Hardware. Faults go to `diagnostics`.
[[nodiscard]] Hardware read_hardware(const sim::Node& entry, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::hardware
