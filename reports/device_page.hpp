// What a memory part did when it was driven alone: a plain record, as a page for people and as JSON.
// Leaves out how it comes about (scenarios/device).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/page.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::reports {

// Where the time of the data buses went.
struct DeviceShare {
  std::string name;     // as in the JSON: "data_bus"
  std::string meaning;  // for people
  double share = 0;
};

struct DeviceEnergy {  // joules
  double activate = 0;
  double read = 0;
  double write = 0;
  double refresh = 0;
  double background = 0;
  [[nodiscard]] double total() const { return activate + read + write + refresh + background; }
};

struct DeviceReport {
  std::string device;  // the part's name
  std::string summary;
  std::string carrier;             // the device or node that was named instead; may be empty
  std::vector<std::string> about;  // geometry, clock, controller: a line each
  std::vector<std::string> settings;
  std::string asked;  // "stream, 2 GB in transactions of 32 B"
  std::string feed;

  std::int64_t requests = 0;
  sim::Bytes bytes;
  std::int64_t cycles = 0;
  sim::Frequency clock;
  double seconds = 0;
  sim::Bandwidth bandwidth;
  sim::Bandwidth peak;
  double peak_fraction = 0;
  double mean_latency_seconds = 0;
  double p99_latency_seconds = 0;
  std::int64_t reads = 0;
  std::int64_t writes = 0;
  std::int64_t forwarded = 0;
  std::int64_t coalesced = 0;
  std::int64_t row_hits = 0;
  std::int64_t row_misses = 0;
  std::int64_t row_conflicts = 0;
  std::int64_t activates = 0;
  std::int64_t precharges = 0;
  std::int64_t refreshes = 0;
  std::vector<std::pair<std::string, std::int64_t>> commands;  // all of them, by name
  std::vector<DeviceShare> bound_by;                           // adds up to one
  std::optional<DeviceEnergy> energy;                          // absent: the part states none
  std::int64_t simulated_requests = 0;
  double host_seconds = 0;

  [[nodiscard]] double picojoules_per_bit() const;
};

[[nodiscard]] Page device_page(const DeviceReport& report);
// One document of schema kvtraffic.device/1, ending in a newline.
[[nodiscard]] std::string device_json(const DeviceReport& report);

}  // namespace kvtraffic::reports
