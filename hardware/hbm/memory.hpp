// All channels of a part behind one address map, driven alone: by a pattern or a trace, with a feed.
// Leaves out caches and kernels, which drive channels themselves (hardware/machine).
#pragma once

#include <cstdint>
#include <functional>

#include "hardware/hbm/controller.hpp"
#include "hardware/hbm/part.hpp"
#include "hardware/hbm/transactions.hpp"

namespace kvtraffic::hardware::hbm {

// How requests come. A refused request waits outside and keeps those behind it in its line waiting.
enum class Feed : std::uint8_t {
  saturated,      // a line for each channel, whose head is offered before every edge until it is refused
  in_order,       // one line for the whole part: a full channel blocks all
  one_at_a_time,  // the next request when the last has been answered
  rate,           // the i-th request is asked for at a fixed time; a line for each channel
};

struct RunSettings {
  Feed feed = Feed::saturated;
  sim::Bandwidth rate;  // of Feed::rate
  bool exact = false;   // simulate every command of every channel: no jumps, no channel stands for another
  int jobs = 1;         // threads; results do not depend on it
  // Called for each channel before it starts; may return nullptr. With a listener a run is exact and on one thread.
  std::function<Listener*(int channel)> listen;
  std::function<void(std::uint64_t requests)> progress;  // now and then; may throw to stop the run
};

struct MemoryResult {
  std::uint64_t requests = 0;  // transactions of the part
  sim::Bytes bytes;
  Tick ticks = 0;     // until the last answer
  Counters counters;  // of all channels; `ticks` by cause adds up to `ticks` x pseudo-channels
  LatencyHistogram latencies;
  int data_buses = 0;
  sim::Frequency clock;
  sim::Bandwidth peak;
  std::uint64_t simulated_requests = 0;  // those that were not jumped over or stood for by another channel
  double host_seconds = 0;               // spent from decoded records on: mapping and simulating, not reading text

  [[nodiscard]] std::int64_t cycles() const { return (ticks + 1) / 2; }  // clocks begun
  [[nodiscard]] double seconds() const;
  [[nodiscard]] double bandwidth() const;      // bytes per second
  [[nodiscard]] double peak_fraction() const;  // of `peak`
  [[nodiscard]] double mean_latency_seconds() const;
  [[nodiscard]] double latency_seconds(double quantile) const;
  [[nodiscard]] std::uint64_t count(Command command) const {
    return counters.commands[static_cast<std::size_t>(command)];
  }
  // Share of the data buses' time; they add up to one.
  [[nodiscard]] double bound_by(Cause cause) const;
};

struct EnergyUse {
  double activate = 0;  // joules
  double read = 0;
  double write = 0;
  double refresh = 0;
  double background = 0;
  [[nodiscard]] double total() const { return activate + read + write + refresh + background; }
};
[[nodiscard]] EnergyUse energy_of(const MemoryResult& result, const Part& part);

// Runs every transaction of `source` through the part. Throws std::invalid_argument for a map that does not fit.
[[nodiscard]] MemoryResult run_memory(const Part& part, TransactionSource& source, const RunSettings& settings);

// The same for a linear stream, saturated: where the map loads channels alike, one stands for all that see the same
// requests, and where it repeats from row to row, spans in which a channel's state repeats are jumped over. Both are
// exact. A stream beyond the capacity starts again at address zero.
[[nodiscard]] MemoryResult run_stream(const Part& part, const LinearStream& stream, const RunSettings& settings);

}  // namespace kvtraffic::hardware::hbm
