// A solid-state drive as its file states it: sequential and random rates, latency, endurance and power.
// Leaves out dies, channels and whatever else happens inside.
#pragma once

#include <string>

#include "hardware/spec/checks.hpp"

namespace kvtraffic::hardware {

// One direction. Zero: not stated; few makers print all three.
struct DriveRates {
  sim::Bandwidth bandwidth;  // sequential, large blocks
  double iops = 0;           // random, 4,096 bytes each, deep queue
  sim::Duration latency;     // random, 4,096 bytes, queue depth 1
};

// Everything but the name, the interface and the sequential read rate may be zero or empty: not stated.
struct Drive {
  std::string name;
  std::string summary;
  std::string interface;  // "PCIe 5 x4"
  std::string media;      // "TLC, 176 layers"
  DriveRates read;
  DriveRates write;
  sim::Bytes smallest;  // of the capacities that the model is sold in
  sim::Bytes largest;
  double writes_per_day = 0;  // drive writes per day over the warranty
  sim::Bytes endurance;       // bytes that may be written in all
  double active_watts = 0;
  double idle_watts = 0;

  Provenances provenance;
  Sources sources;
};

[[nodiscard]] const sim::Table& drive_table();

// Reads and checks a drive file. Faults go to `diagnostics`.
[[nodiscard]] Drive read_drive(const sim::Node& entry, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::hardware
