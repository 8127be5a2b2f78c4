// Before every edge transactions are offered until one is refused.
// Leaves out what the channel does with them (hardware/hbm).
#include "hardware/machine/channel_loop.hpp"

#include <algorithm>

#include "hardware/hbm/channels.hpp"
#include "hardware/hbm/split_mix.hpp"

namespace kvtraffic::hardware {

using hbm::Kind;
using hbm::Tick;

// One share as a channel sees it: a walk of its own through the channel's bytes.
class ChannelLoop::Walk {
 public:
  Walk(const DramShare& share, std::uint64_t first, std::uint64_t capacity, std::uint64_t granule, std::uint64_t grain)
      : share_(share), capacity_(capacity), granule_(granule), grain_(grain), next_(first) {}

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
  // A piece begins anywhere in a grain. What reaches beyond it lies in another channel, so here it is cut; the rest of
  // the piece is a piece of its own somewhere else.
  void begin_piece(hbm::SplitMix64& random) {
    if (rest_ == 0) {
      rest_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share_.piece) / granule_);
      offset_ = random.below(grain_ / granule_);
    }
    left_ = std::min(rest_, grain_ / granule_ - offset_);
    next_ = random.below(capacity_ / grain_) * grain_ + offset_ * granule_;
    rest_ -= left_;
    offset_ = 0;
  }

  DramShare share_;
  std::uint64_t capacity_;
  std::uint64_t granule_;
  std::uint64_t grain_;
  std::uint64_t next_;
  std::uint64_t left_ = 0;    // transactions of this grain
  std::uint64_t rest_ = 0;    // of the piece beyond it
  std::uint64_t offset_ = 0;  // where in its grain a piece begins
};

// Offers the shares in turn, each as often as it weighs: a line of Bresenham's over several.
class ChannelLoop::Mixer {
 public:
  Mixer(const hbm::AddressMap& map, std::uint64_t granule) : map_(&map), granule_(granule) {}
  // `first`: where a stream begins.
  void add(const DramShare& share, std::uint64_t first) {
    walks_.emplace_back(share, first, map_->capacity(), granule_, map_->grain());
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
  std::vector<Walk> walks_;
  std::vector<std::int64_t> weights_;
  std::vector<std::int64_t> owed_;
  std::int64_t whole_ = 0;
  hbm::SplitMix64 random_{1};
};

ChannelLoop::ChannelLoop(const hbm::Part& part, const DramMix& mix)
    : map_(hbm::map_of(part)),
      plan_(part),
      channel_(plan_),
      mixer_(std::make_unique<Mixer>(map_, static_cast<std::uint64_t>(part.geometry.transaction_bytes))) {
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
