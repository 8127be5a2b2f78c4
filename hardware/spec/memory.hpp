// A memory part as its file states it: an hbm::Part with the source and certainty of its numbers.
// Leaves out everything that moves in time (hardware/hbm).
#pragma once

#include "hardware/hbm/part.hpp"
#include "hardware/spec/checks.hpp"

namespace kvtraffic::hardware {

struct MemoryEntry {
  hbm::Part part;  // whole: what the file may leave out has been derived
  Provenances provenance;
  Sources sources;
  sim::Node resolved;  // the entry after `extends`, as `show` prints it
};

[[nodiscard]] const sim::Table& memory_table();

// Reads and checks a memory file whose `extends` has been replaced. Faults go to `diagnostics`; with faults the part
// may have a zero clock, so ask it nothing. Derived where the file is silent: tREFIpb = tREFI / banks of a
// pseudo-channel; tRTW = tCL + tBL + 2 clocks - tCWL, in whole clocks, which is Ramulator 2.1's rule for HBM2; tCCDS is
// raised to tBL, because bursts do not overlap.
[[nodiscard]] MemoryEntry read_memory(const sim::Node& entry, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::hardware
