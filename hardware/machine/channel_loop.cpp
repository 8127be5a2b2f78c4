// Before every edge transactions are offered until one is refused.
// Leaves out what the channel does with them (hardware/hbm).
#include "hardware/machine/channel_loop.hpp"

#include <algorithm>
#include <numeric>

#include "hardware/hbm/channels.hpp"
#include "hardware/hbm/split_mix.hpp"

namespace kvtraffic::hardware {

using hbm::Kind;
using hbm::Tick;

std::int64_t together_in_channel(std::int64_t piece, std::int64_t channels, std::int64_t grain) {
  return std::max(std::min(piece, grain), piece / channels);
}

std::int64_t alignment_in(std::int64_t piece, std::int64_t grain, std::int64_t granule) {
  return std::max(granule, std::gcd(piece, grain));
}

// One share as a channel sees it: a walk of its own through the channel's bytes.
class ChannelLoop::Walk {
 public:
  // `run`: bytes of a piece that the channel gets together, where they are whole grains.
  Walk(const DramShare& share, std::uint64_t first, const hbm::AddressMap& map, std::uint64_t granule,
       std::uint64_t run)
      : share_(share),
        capacity_(map.capacity()),
        granule_(granule),
        grain_(map.grain()),
        run_(run / map.grain() * map.grain()),
        step_(static_cast<std::uint64_t>(
            alignment_in(share.piece, static_cast<std::int64_t>(map.grain()), static_cast<std::int64_t>(granule)))),
        next_(first) {}

  [[nodiscard]] Kind kind() const { return share_.write ? Kind::write : Kind::read; }
  // The address of its next transaction, in the channel's own bytes.
  std::uint64_t step(hbm::SplitMix64& random) {
    if (share_.piece != 0 && left_ == 0) begin_piece(random);
    if (share_.piece != 0) --left_;
    const std::uint64_t address = next_;
    next_ = (next_ + granule_) % capacity_;
    return address;
  }

 private:
  // A piece begins where a multiple of its length may lie in a grain. What reaches beyond it lies in another channel,
  // so here it is cut; the rest of the piece is a piece of its own somewhere else.
  void begin_piece(hbm::SplitMix64& random) {
    if (run_ > grain_) return begin_grains(random);
    if (rest_ == 0) {
      rest_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share_.piece) / granule_);
      offset_ = random.below(grain_ / step_) * (step_ / granule_);
    }
    left_ = std::min(rest_, grain_ / granule_ - offset_);
    next_ = random.below(capacity_ / grain_) * grain_ + offset_ * granule_;
    rest_ -= left_;
    offset_ = 0;
  }

  void begin_grains(hbm::SplitMix64& random) {
    left_ = run_ / granule_;
    next_ = random.below(capacity_ / grain_) * grain_;
  }

  DramShare share_;
  std::uint64_t capacity_;
  std::uint64_t granule_;
  std::uint64_t grain_;
  std::uint64_t run_;
  std::uint64_t step_;
  std::uint64_t next_;
  std::uint64_t left_ = 0;    // transactions of this grain
  std::uint64_t rest_ = 0;    // of the piece beyond it
  std::uint64_t offset_ = 0;  // where in its grain a piece begins
};

// Offers the shares in turn, each as often as it weighs: a line of Bresenham's over several.
class ChannelLoop::Mixer {
 public:
  Mixer(const hbm::AddressMap& map, std::uint64_t granule, std::int64_t channels)
      : map_(&map), granule_(granule), channels_(channels) {}
  // `first`: where a stream begins.
  void add(const DramShare& share, std::uint64_t first) {
    const std::int64_t run = together_in_channel(share.piece, channels_, static_cast<std::int64_t>(map_->grain()));
    walks_.emplace_back(share, first, *map_, granule_, static_cast<std::uint64_t>(run));
    weights_.push_back(share.bytes);
    owed_.push_back(0);
    whole_ += share.bytes;
  }

  hbm::Offer next() {
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < walks_.size(); ++i) {
      owed_[i] += weights_[i];
      if (owed_[i] > owed_[chosen]) chosen = i;
    }
    owed_[chosen] -= whole_;
    return {.place = map_->decode(walks_[chosen].step(random_)), .kind = walks_[chosen].kind()};
  }

 private:
  const hbm::AddressMap* map_;
  std::uint64_t granule_;
  std::int64_t channels_;
  std::vector<Walk> walks_;
  std::vector<std::int64_t> weights_;
  std::vector<std::int64_t> owed_;
  std::int64_t whole_ = 0;
  hbm::SplitMix64 random_{1};
};

ChannelLoop::ChannelLoop(const hbm::Part& part, const DramMix& mix, std::int64_t channels)
    : map_(hbm::map_of(part)),
      plan_(part),
      channel_(plan_),
      mixer_(std::make_unique<Mixer>(map_, static_cast<std::uint64_t>(part.geometry.transaction_bytes), channels)) {
  const std::uint64_t apart = map_.capacity() / mix.size() / map_.grain() * map_.grain();
  for (std::size_t i = 0; i < mix.size(); ++i) mixer_->add(mix[i], apart * i);
}

ChannelLoop::~ChannelLoop() = default;

Tick ChannelLoop::run(std::uint64_t transactions) {
  for (std::uint64_t i = 0; i < transactions; ++i) {
    hbm::Offer offer = mixer_->next();
    saturate(channel_, offer);
  }
  return channel_.now();
}

}  // namespace kvtraffic::hardware
