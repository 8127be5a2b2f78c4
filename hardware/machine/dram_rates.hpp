// How fast DRAM serves what is asked of it at a time: windows of that very mix of reads, writes, streams and gathers
// are run command by command on one channel, and the rate of the whole part is derived from them with a bound on its
// error. Leaves out latency, and bytes (those are exact, and known before).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hardware/hbm/part.hpp"
#include "hardware/machine/channel_loop.hpp"
#include "hardware/machine/dram_windows.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware {

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
  // `windows`: where to look for rates, and leave them, that other machines can use; they must be of the same sampling.
  explicit DramRates(hbm::Part part, Sampling sampling = {}, std::shared_ptr<DramWindows> windows = nullptr);

  // Requires some bytes. Mixes whose shares round to the same 64ths of the whole (small ones to 128ths, 256ths, ...)
  // are one.
  [[nodiscard]] std::uint32_t mix_of(const DramMix& mix);
  [[nodiscard]] const DramRate& rate_of(std::uint32_t mix) { return sampled_rate(known_[mix]); }
  [[nodiscard]] const DramMix& shares(std::uint32_t mix) const { return known_[mix].shares; }  // in 1024ths
  // Of several at once; weights count in eighths of their sum. Requires one at least, with weights above zero.
  [[nodiscard]] const DramRate& together(std::span<const MixWeight> mixes);
  // By how much the slowest of all channels is later than the mean when both have served a mix for so long.
  [[nodiscard]] double lag(const DramRate& rate, double seconds) const;

  // All mixes by their shares: an order that does not depend on which came first.
  [[nodiscard]] const std::map<DramWindows::Key, std::uint32_t>& by_shares() const { return ids_; }
  [[nodiscard]] std::size_t sampled() const { return sampled_; }  // mixes whose windows have been run

 private:
  using Key = DramWindows::Key;
  struct Known {
    Key key;
    DramMix shares;  // in 1024ths
    DramRate rate;
    bool is_sampled = false;
  };
  struct Sum {  // of shares of one kind
    bool write = false;
    std::int64_t piece = 0;
    double bytes = 0;
  };
  [[nodiscard]] std::uint32_t intern(const Key& key);
  [[nodiscard]] const DramRate& sampled_rate(Known& known);
  [[nodiscard]] DramRate sample(const DramMix& mix) const;
  [[nodiscard]] double scatter_of(const DramMix& mix, double rate) const;

  hbm::Part part_;  // the whole
  Sampling sampling_;
  std::shared_ptr<DramWindows> windows_;
  std::string text_;        // of the part
  hbm::Part channel_;       // one channel of it
  std::int64_t grain_ = 0;  // bytes of a channel before the next one's
  double deviations_ = 0;   // by which the largest of as many normal deviates as there are channels is off, on average
  std::map<Key, std::uint32_t> ids_;
  std::deque<Known> known_;
  std::map<std::vector<std::int64_t>, std::uint32_t> pairs_;  // mixes and eighths, in order of mixes
  std::vector<std::int64_t> pair_;                            // scratch
  std::vector<Sum> sums_;                                     // scratch
  Key key_;                                                   // scratch
  std::size_t sampled_ = 0;
};

}  // namespace kvtraffic::hardware
