// Histogram, counters and the splitting of bus time. Leaves out who calls when (controller.cpp).
#include "hardware/hbm/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kvtraffic::hardware::hbm {

std::size_t LatencyHistogram::bucket_of(Tick latency) {
  const auto clocks = static_cast<std::uint64_t>(std::max<Tick>(latency, 0)) / 2;
  if (clocks < linear) return clocks;
  const auto octave = static_cast<std::size_t>(std::bit_width(clocks)) - 1;  // at least 10
  const std::size_t part = (clocks >> (octave - 5)) & (per_octave - 1);
  return std::min(linear + (octave - 10) * per_octave + part, bucket_count - 1);
}

Tick LatencyHistogram::upper_end(std::size_t bucket) {
  if (bucket < linear) return static_cast<Tick>(bucket) * 2;
  const std::size_t octave = (bucket - linear) / per_octave + 10;
  const std::uint64_t part = (bucket - linear) % per_octave;
  return static_cast<Tick>((((per_octave + part + 1) << (octave - 5)) - 1) * 2);
}

void LatencyHistogram::add(const LatencyHistogram& other, std::uint64_t times) {
  for (std::size_t i = 0; i < bucket_count; ++i) buckets_[i] += other.buckets_[i] * times;
}

void LatencyHistogram::add_difference(const LatencyHistogram& later, const LatencyHistogram& earlier,
                                      std::uint64_t times) {
  for (std::size_t i = 0; i < bucket_count; ++i) buckets_[i] += (later.buckets_[i] - earlier.buckets_[i]) * times;
}

Tick LatencyHistogram::quantile(double share) const {
  std::uint64_t all = 0;
  for (const std::uint64_t count : buckets_) all += count;
  if (all == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all)));
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while (bucket + 1 < bucket_count && (seen += buckets_[bucket]) < std::max<std::uint64_t>(wanted, 1)) ++bucket;
  return upper_end(bucket);
}

void Counters::add(const Counters& other, std::uint64_t times) {
  reads += other.reads * times;
  writes += other.writes * times;
  forwarded += other.forwarded * times;
  coalesced += other.coalesced * times;
  row_hits += other.row_hits * times;
  row_misses += other.row_misses * times;
  row_conflicts += other.row_conflicts * times;
  latency_ticks += other.latency_ticks * times;
  for (std::size_t i = 0; i < command_count; ++i) commands[i] += other.commands[i] * times;
  for (std::size_t i = 0; i < cause_count; ++i) ticks[i] += other.ticks[i] * static_cast<std::int64_t>(times);
}

Counters Counters::since(const Counters& earlier) const {
  Counters difference = *this;
  difference.add(earlier, static_cast<std::uint64_t>(-1));  // modulo 2^64: a subtraction
  return difference;
}

// A command waits for an edge of its own; one tick of that is not "could have gone earlier".
Cause cause_of(Tick now, Stamp gate, Tick arrival, Cause held_by, Cause lost_to) {
  constexpr Tick edge = 2;
  if (gate.tick() > now - edge && gate.tick() >= arrival) return gate.cause();
  if (arrival >= now - edge) return held_by;
  return lost_to;
}

// The wait before a command is split where its reasons end: its row's ACT, then the rule that opened its gate (or its
// own arrival), then what it lost to. A row that was opened while the bus still moved data cost no time of its own:
// what had held its ACT up did; but not before the request was there at all, when nobody had asked.
void BusTime::column(int pseudo_channel, Tick now, const Reason& reason, Counters& counters) {
  constexpr Tick edge = 2;
  Tick& told = told_[static_cast<std::size_t>(pseudo_channel)];
  const auto tell = [&](Tick until, Cause cause) {
    if (until <= told) return;
    counters.ticks[static_cast<std::size_t>(cause)] += until - told;
    told = until;
  };
  const Tick ready = std::max(reason.gate.tick(), reason.arrival);
  const Tick until = ready > now - edge ? now : ready;
  Cause cause = reason.gate.tick() >= reason.arrival ? reason.gate.cause() : reason.held_by;
  if (cause == Cause::row_cycle && reason.opened > told) {
    if (reason.held_by == Cause::feed) tell(std::min(reason.arrival, until), Cause::feed);
    tell(std::min(reason.opened, until), reason.opened_by);
  } else if (cause == Cause::row_cycle && reason.opened > 0) {
    cause = reason.opened_by;
  }
  tell(until, cause);
  tell(now, reason.lost_to);
  counters.ticks[static_cast<std::size_t>(Cause::data_bus)] += burst_;
  told = std::max(told, now) + burst_;
}

void BusTime::finish(int pseudo_channels, Tick end, Counters& counters) const {
  for (int i = 0; i < pseudo_channels; ++i) {
    const Tick rest = end - told_[static_cast<std::size_t>(i)];
    const Cause cause = rest < 0 ? Cause::data_bus : Cause::feed;  // a posted write's data may follow the last answer
    counters.ticks[static_cast<std::size_t>(cause)] += rest;
  }
}

}  // namespace kvtraffic::hardware::hbm
