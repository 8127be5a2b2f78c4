// What a channel counts while it runs, and where the time of its data buses went.
// Leaves out units of people (bandwidth, seconds): memory.hpp tells those.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hardware/hbm/command.hpp"
#include "hardware/hbm/state_text.hpp"

namespace kvtraffic::hardware::hbm {

// Latencies in half clocks: exact to one clock below 2,048, to 3 % above.
class LatencyHistogram {
 public:
  LatencyHistogram() : buckets_(bucket_count, 0) {}
  void add(Tick latency) { ++buckets_[bucket_of(latency)]; }
  void add(const LatencyHistogram& other, std::uint64_t times);
  // `this += (later - earlier) * times`, where `earlier` is an older copy of `later`.
  void add_difference(const LatencyHistogram& later, const LatencyHistogram& earlier, std::uint64_t times);
  // The smallest latency that `share` of all do not exceed, in whole clocks, to the upper end of its bucket; zero when
  // there is none.
  [[nodiscard]] Tick quantile(double share) const;
  [[nodiscard]] bool operator==(const LatencyHistogram&) const = default;

 private:
  static constexpr std::size_t linear = 1024;  // of one clock each
  static constexpr std::size_t per_octave = 32;
  static constexpr std::size_t bucket_count = linear + per_octave * 46;
  [[nodiscard]] static std::size_t bucket_of(Tick latency);
  [[nodiscard]] static Tick upper_end(std::size_t bucket);

  std::vector<std::uint64_t> buckets_;
};

struct Counters {
  std::uint64_t reads = 0;  // answered, forwarded ones among them
  std::uint64_t writes = 0;
  std::uint64_t forwarded = 0;  // reads answered from a waiting write
  std::uint64_t coalesced = 0;  // writes merged into a waiting write
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;     // the bank was closed
  std::uint64_t row_conflicts = 0;  // another row was open
  std::uint64_t latency_ticks = 0;  // of all reads together
  std::array<std::uint64_t, command_count> commands{};
  std::array<std::int64_t, cause_count> ticks{};  // of all data buses together

  void add(const Counters& other, std::uint64_t times = 1);
  [[nodiscard]] Counters since(const Counters& earlier) const;
  [[nodiscard]] bool operator==(const Counters&) const = default;
};

// Splits the time of each data bus by what it waited for. Every tick up to the last answer is told once.
class BusTime {
 public:
  // What led to one column command: when the rules let it go and why, its request's arrival, its row's opening.
  struct Reason {
    Stamp gate;
    Tick arrival = 0;
    Cause held_by = Cause::feed;
    Tick opened = 0;                     // when its row's ACT was issued
    Cause opened_by = Cause::row_cycle;  // what had held that ACT up
    Cause lost_to = Cause::command_bus;  // why it did not go at once when it could
  };

  explicit BusTime(Tick burst) : burst_(burst) {}
  void column(int pseudo_channel, Tick now, const Reason& reason, Counters& counters);
  // The rest of the time up to `end`, in which nothing was asked for.
  void finish(int pseudo_channels, Tick end, Counters& counters) const;

  [[nodiscard]] Tick told(int pseudo_channel) const { return told_[static_cast<std::size_t>(pseudo_channel)]; }
  void tell(StateText& text, const Epoch& epoch) const {
    for (const Tick tick : told_) text.number(tick - epoch.tick);
  }
  void shift(const Epoch& by) {
    for (Tick& tick : told_) tick += by.tick;
  }

 private:
  Tick burst_;
  std::array<Tick, 2> told_{};  // by pseudo-channel: up to here
};

// What held a command that goes at `now`: the rule that opened its gate, its late arrival, or `lost_to`.
[[nodiscard]] Cause cause_of(Tick now, Stamp gate, Tick arrival, Cause held_by, Cause lost_to);

}  // namespace kvtraffic::hardware::hbm
