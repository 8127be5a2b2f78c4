// A link between two parts as its file states it: peak, what of it arrives, and how long the first byte takes.
// Leaves out who is connected to whom; devices state their own links until something reads these.
#pragma once

#include <string>

#include "hardware/spec/checks.hpp"

namespace kvtraffic::hardware {

struct Link {
  std::string name;
  std::string summary;
  sim::Bandwidth bandwidth;  // peak, one way, all lanes of one device or port together
  double efficiency = 0;     // share of it that a large copy reaches; zero: not stated
  sim::Duration latency;     // of the smallest transfer, one way; zero: not stated

  Provenances provenance;
  Sources sources;
};

[[nodiscard]] const sim::Table& link_table();

// Reads and checks a link file. Faults go to `diagnostics`.
[[nodiscard]] Link read_link(const sim::Node& entry, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::hardware
