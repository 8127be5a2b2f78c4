// A host as its file states it: the processors beside the devices, and the memory that a device may spill to.
// Leaves out the way from a device to it (Device::host_*) and everything that moves in time.
#pragma once

#include <cstdint>
#include <string>

#include "hardware/spec/checks.hpp"

namespace kvtraffic::hardware {

// Figures are of one socket, as makers print them; `sockets` of these make the host.
struct Host {
  std::string name;
  std::string summary;
  std::int64_t sockets = 1;
  std::int64_t cores = 0;  // zero where not stated

  std::string memory;  // "DDR5"
  std::int64_t channels = 0;
  std::int64_t channel_bits = 0;       // data pins of one channel
  double pin_bits_per_second = 0;      // DDR5-4800: 4.8e9
  sim::Bandwidth published_bandwidth;  // as the maker prints it
  sim::Bytes capacity;
  double efficiency = 0;  // share of the pin-rate peak that a large copy reaches
  sim::Duration latency;  // idle load-to-use, nearest socket

  Provenances provenance;
  Sources sources;

  // Channels x width x rate / 8 of one socket.
  [[nodiscard]] sim::Bandwidth pin_bandwidth() const;
};

[[nodiscard]] const sim::Table& host_table();

// Reads and checks a host file. Faults go to `diagnostics`.
[[nodiscard]] Host read_host(const sim::Node& entry, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::hardware
