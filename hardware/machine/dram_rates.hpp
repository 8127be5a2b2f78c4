// How fast DRAM serves what is asked of it at a time: windows of that very mix of reads, writes, streams and gathers
// are run command by command on one channel, and the rate of the whole part is derived from them with a bound on its
// error. Leaves out latency, and bytes (those are exact, and known before).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "hardware/hbm/part.hpp"
#include "hardware/machine/channel_loop.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware {

struct DramRate {
  sim::Bandwidth rate;  // of all bytes of the mix together
  // Relative: the 99 % interval of the windows' mean, and half a percent at least, for what rounding the shares and
  // windows that follow one another leave open.
  double error = 0;
  // How far channels part company: the variance of a channel's time over that time, in seconds. Channels that have
  // been at work for T are apart by about sqrt(scatter x T). Zero for streams, which load channels alike.
  double scatter = 0;
  std::array<double, hbm::cause_count> causes{};  // share of the data buses' time
  std::uint32_t mix = 0;                          // whose rate it is: of several together, one of its own
  std::int64_t windows = 0;                       // that were run
};

// Mixes that are served side by side, each by its weight.
struct MixWeight {
  std::uint32_t mix = 0;  // as from DramRates::mix_of
  std::int64_t weight = 0;
};

// In transactions of one channel; at least two windows. A window of 6,144 takes about as long as a round of per-bank
// refreshes (3.9 us).
struct Sampling {
  std::uint64_t warm_up = 6144;
  std::uint64_t window = 6144;
  std::uint64_t windows = 8;        // at least
  std::uint64_t most_windows = 48;  // when their mean is not known well enough before
  double enough = 0.0125;           // relative error
};

class DramRates {
 public:
  explicit DramRates(hbm::Part part, Sampling sampling = {});

  // Requires some bytes. Mixes whose shares round to the same 64ths of the whole (small ones to 128ths, 256ths, ...)
  // are one.
  [[nodiscard]] std::uint32_t mix_of(const DramMix& mix);
  [[nodiscard]] const DramRate& rate_of(std::uint32_t mix) { return sampled_rate(known_[mix]); }
  [[nodiscard]] const DramMix& shares(std::uint32_t mix) const { return known_[mix].shares; }  // in 1024ths
  // Of several at once; weights count in eighths of their sum. Requires one at least, with weights above zero.
  [[nodiscard]] const DramRate& together(std::span<const MixWeight> mixes);
  // By how much the slowest of all channels is later than the mean when both have served a mix for so long.
  [[nodiscard]] double lag(const DramRate& rate, double seconds) const;

  [[nodiscard]] std::size_t sampled() const { return sampled_; }  // mixes whose windows have been run

 private:
  struct Known {
    DramMix shares;  // in 1024ths
    DramRate rate;
    bool is_sampled = false;
  };
  using Key = std::vector<std::int64_t>;
  [[nodiscard]] std::uint32_t intern(const Key& key);
  [[nodiscard]] const DramRate& sampled_rate(Known& known);
  [[nodiscard]] DramRate sample(const DramMix& mix) const;
  [[nodiscard]] double scatter_of(const DramMix& mix, double rate) const;

  hbm::Part part_;  // the whole
  Sampling sampling_;
  hbm::Part channel_;       // one channel of it
  std::int64_t grain_ = 0;  // bytes of a channel before the next one's
  double deviations_ = 0;   // by which the largest of as many normal deviates as there are channels is off, on average
  std::map<Key, std::uint32_t> ids_;
  std::deque<Known> known_;
  std::map<std::vector<std::int64_t>, std::uint32_t> pairs_;  // mixes and eighths, in order of mixes
  std::vector<std::int64_t> pair_;                            // scratch
  std::size_t sampled_ = 0;
};

}  // namespace kvtraffic::hardware
