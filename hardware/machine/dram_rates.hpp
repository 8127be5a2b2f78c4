// How fast DRAM serves a kernel: windows of the kernel's own mix of reads, writes, streams and gathers are run command
// by command on one channel, and the rate of the whole part is derived from them with a bound on its error. Leaves out
// latency, and bytes (those are exact, and known before).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "hardware/hbm/controller.hpp"
#include "hardware/hbm/part.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware {

// Bytes that a kernel moves over the pins in one way.
struct DramShare {
  bool write = false;
  std::int64_t piece = 0;  // bytes that lie together at a place of their own; 0: a stream
  std::int64_t bytes = 0;
  friend bool operator==(const DramShare&, const DramShare&) = default;
};
using DramMix = std::vector<DramShare>;

struct DramRate {
  sim::Bandwidth rate;  // of all bytes of the mix together
  // Relative: the 95 % interval of the windows' mean, and half a percent at least, for what rounding the shares and
  // windows that follow one another leave open. The uneven load of channels is an estimate outside it.
  double error = 0;
};

// In transactions of one channel; at least two windows. A window of 6,144 takes about as long as a round of per-bank
// refreshes (3.9 us).
struct Sampling {
  std::uint64_t warm_up = 6144;
  std::uint64_t window = 6144;
  std::uint64_t windows = 8;
};

class DramRates {
 public:
  explicit DramRates(hbm::Part part, Sampling sampling = {});

  // Requires some bytes. Mixes whose shares round to the same 64ths of the whole share their windows; what is less than
  // one 64th counts in proportion.
  [[nodiscard]] DramRate of(const DramMix& mix);
  [[nodiscard]] std::size_t sampled() const { return known_.size(); }  // mixes whose windows have been run

 private:
  using Key = std::vector<std::int64_t>;
  const DramRate& sampled_rate(const Key& key);
  [[nodiscard]] DramRate sample(const Key& key) const;
  [[nodiscard]] double imbalance(const DramMix& mix) const;

  hbm::Part part_;  // the whole
  Sampling sampling_;
  hbm::Part channel_;  // one channel of it
  double grain_ = 0;   // bytes of a channel before the next one's
  std::map<Key, DramRate> known_;
};

}  // namespace kvtraffic::hardware
