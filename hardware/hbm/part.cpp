// What follows from a part's numbers: capacity, whole clock cycles, peak.
// Leaves out whether the numbers make sense (hardware/spec/memory_checks.cpp).
#include "hardware/hbm/part.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

constexpr double femtoseconds_per_second = 1e15;

constexpr std::array<const char*, timing_count> timing_names{
    "tBL",   "tCL",   "tCWL",   "tRCDRD", "tRCDWR", "tRP",   "tRAS",   "tRC",  "tCCDS",
    "tCCDL", "tCCDR", "tRRDS",  "tRRDL",  "tFAW",   "tWTRS", "tWTRL",  "tRTW", "tWR",
    "tRTP",  "tPPD",  "tRFCab", "tRFCpb", "tRREFD", "tREFI", "tREFIpb"};

// A refresh may come earlier than its interval says, never later; everything else may come later, never earlier.
constexpr bool is_maximum(Timing timing) { return timing == Timing::tREFI || timing == Timing::tREFIpb; }

}  // namespace

const char* name_of(Timing timing) { return timing_names.at(static_cast<std::size_t>(timing)); }

sim::Bytes Geometry::capacity() const {
  return sim::Bytes::of(transaction_bytes) * columns * rows * banks_of_channel() * all_channels();
}

std::int64_t Timings::cycles(Timing timing) const {
  const std::int64_t whole = length.at(static_cast<std::size_t>(timing)).femtoseconds();
  const std::int64_t cycle = clock.femtoseconds();
  return is_maximum(timing) ? whole / cycle : sim::ceil_divide(whole, cycle);
}

sim::Frequency Part::clock_rate() const {
  return sim::Frequency::per_second(femtoseconds_per_second / static_cast<double>(timings.clock.femtoseconds()));
}

sim::Bandwidth Part::peak() const {
  const double transfers_per_second = clock_rate().per_second() / static_cast<double>(timings.cycles(Timing::tBL));
  const double pseudo_channels = geometry.all_channels() * geometry.pseudo_channels;
  return sim::Bandwidth::per_second(geometry.transaction_bytes * transfers_per_second * pseudo_channels);
}

}  // namespace kvtraffic::hardware::hbm
