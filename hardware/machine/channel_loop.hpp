// One channel under load that never ends: transactions of a mix, in turn, each kind as often as it weighs, and the next
// one waits until its predecessor has found a place in the queues. What windows are cut from. Leaves out latency and
// other channels.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hardware/hbm/controller.hpp"
#include "hardware/hbm/part.hpp"

namespace kvtraffic::hardware {

// Bytes that move over the pins in one way.
struct DramShare {
  bool write = false;
  std::int64_t piece = 0;  // bytes that lie together at a place of their own; 0: a stream
  std::int64_t bytes = 0;
  friend bool operator==(const DramShare&, const DramShare&) = default;
};
using DramMix = std::vector<DramShare>;

// Bytes of a piece that one channel of `channels` gets together: a part of its grain, or as many grains as the piece
// goes round all channels.
[[nodiscard]] std::int64_t together_in_channel(std::int64_t piece, std::int64_t channels, std::int64_t grain);
// Where pieces that follow one another may begin in a grain: at multiples of this. Requires powers of two as grain and
// granule.
[[nodiscard]] std::int64_t alignment_in(std::int64_t piece, std::int64_t grain, std::int64_t granule);
// What gives a channel this much together is a stream.
inline constexpr std::int64_t longest_run = 4096;

class ChannelLoop {
 public:
  // `part` has one channel, which stands for one of `channels`; the mix has some bytes.
  ChannelLoop(const hbm::Part& part, const DramMix& mix, std::int64_t channels);
  ~ChannelLoop();
  // Until so many more transactions have been taken by the queues; the time then.
  hbm::Tick run(std::uint64_t transactions);
  [[nodiscard]] const hbm::Counters& counters() const { return channel_.counters(); }

 private:
  class Walk;
  class Mixer;

  hbm::AddressMap map_;
  hbm::ControllerPlan plan_;
  hbm::Controller channel_;
  std::unique_ptr<Mixer> mixer_;
};

}  // namespace kvtraffic::hardware
