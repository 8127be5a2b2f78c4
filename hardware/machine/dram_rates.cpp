// Windows on one channel. All channels see the same mix, as the map spreads every 256 bytes or so over them; gathers
// load them unevenly, which is added as the expected excess of the fullest channel.
#include "hardware/machine/dram_rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "hardware/hbm/channels.hpp"
#include "hardware/hbm/split_mix.hpp"

namespace kvtraffic::hardware {
namespace {

using hbm::Kind;
using hbm::Tick;

constexpr std::int64_t parts_of_whole = 64;  // to which shares of a mix are rounded
constexpr double student_t = 2.36;  // two-sided 95 %, seven degrees of freedom: the eight windows of the default
constexpr double least_error = 0.005;
constexpr std::int64_t longest_piece = 4096;  // what lies together for longer is a stream

// One share as a channel sees it: a walk of its own through the channel's bytes.
class Walk {
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
class Mixer {
 public:
  Mixer(const hbm::Part& part, const hbm::AddressMap& map, const DramMix& mix) : map_(&map) {
    const auto granule = static_cast<std::uint64_t>(part.geometry.transaction_bytes);
    for (const DramShare& share : mix) {
      const std::uint64_t first = map.capacity() / mix.size() / map.grain() * map.grain() * walks_.size();
      walks_.emplace_back(share, first, map.capacity(), granule, map.grain());
      weights_.push_back(share.bytes);
      whole_ += share.bytes;
    }
    owed_.assign(walks_.size(), 0);
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
  std::vector<Walk> walks_;
  std::vector<std::int64_t> weights_;
  std::vector<std::int64_t> owed_;
  std::int64_t whole_ = 0;
  hbm::SplitMix64 random_{1};
};

DramMix mix_of(const std::vector<std::int64_t>& key) {
  DramMix mix;
  for (std::size_t i = 0; i + 2 < key.size(); i += 3) mix.push_back({key[i] != 0, key[i + 1], key[i + 2]});
  return mix;
}

// A kind of share, in 64ths of the whole.
struct Part64 {
  bool write = false;
  std::int64_t piece = 0;
  double parts = 0;
};

// Shares of the same kind together, in order.
std::vector<Part64> parts_of(const DramMix& mix, std::int64_t granule) {
  std::map<std::pair<bool, std::int64_t>, double> sums;
  double whole = 0;
  for (const DramShare& share : mix) {
    const std::int64_t piece = share.piece > longest_piece ? 0 : sim::ceil_divide(share.piece, granule) * granule;
    sums[{share.write, piece}] += static_cast<double>(share.bytes);
    whole += static_cast<double>(share.bytes);
  }
  std::vector<Part64> parts;
  for (const auto& [kind, bytes] : sums) parts.push_back({kind.first, kind.second, bytes / whole * parts_of_whole});
  const auto most = std::ranges::max_element(parts, {}, &Part64::parts);
  most->parts = std::max(most->parts, 1.0);
  return parts;
}

// The kinds of at least one part, and of the others `small` alone, as one part.
std::vector<std::int64_t> key_of(const std::vector<Part64>& parts, const Part64* small) {
  std::vector<std::int64_t> key;
  for (const Part64& part : parts) {
    if (part.parts < 1 && &part != small) continue;
    key.insert(key.end(), {part.write ? 1 : 0, part.piece, std::max<std::int64_t>(std::lround(part.parts), 1)});
  }
  return key;
}

// Refresh stays what it is in the whole; queues are a channel's anyway.
hbm::Part one_channel(hbm::Part part) {
  part.geometry.stacks = 1;
  part.geometry.channels = 1;
  return part;
}

}  // namespace

DramRates::DramRates(hbm::Part part, Sampling sampling)
    : part_(std::move(part)),
      sampling_(sampling),
      channel_(one_channel(part_)),
      grain_(static_cast<double>(hbm::map_of(channel_).grain())) {}

// What a kind of less than one part costs is in proportion to what one part of it would: a controller gathers writes
// until a turn of the bus pays, so that half as many turn it half as often.
DramRate DramRates::of(const DramMix& mix) {
  const std::vector<Part64> parts = parts_of(mix, part_.geometry.transaction_bytes);
  const DramRate most = sampled_rate(key_of(parts, nullptr));
  double time = 1;  // of the mix, in that of its large kinds
  double error = most.error;
  for (const Part64& part : parts) {
    if (part.parts >= 1) continue;
    const DramRate with = sampled_rate(key_of(parts, &part));
    time += part.parts * (most.rate.per_second() / with.rate.per_second() - 1);
    error = std::max(error, part.parts * with.error);
  }
  return {most.rate * (1 / (time * imbalance(mix))), error};
}

const DramRate& DramRates::sampled_rate(const Key& key) {
  auto known = known_.find(key);
  if (known == known_.end()) known = known_.emplace(key, sample(key)).first;
  return known->second;
}

DramRate DramRates::sample(const Key& key) const {
  const hbm::AddressMap map = hbm::map_of(channel_);
  const hbm::ControllerPlan plan(channel_);
  hbm::Controller channel(plan);
  Mixer mixer(channel_, map, mix_of(key));
  const auto run = [&](std::uint64_t transactions) {
    for (std::uint64_t i = 0; i < transactions; ++i) {
      hbm::Offer offer = mixer.next();
      saturate(channel, offer);
    }
    return channel.now();
  };
  Tick before = run(sampling_.warm_up);
  const Tick first = before;
  double squares = 0;
  for (std::size_t i = 0; i < sampling_.windows; ++i) {
    const Tick after = run(sampling_.window);
    squares += static_cast<double>(after - before) * static_cast<double>(after - before);
    before = after;
  }
  const auto windows = static_cast<double>(sampling_.windows);
  const double mean = static_cast<double>(before - first) / windows;
  const double variance = std::max(0.0, squares / windows - mean * mean) * windows / (windows - 1);
  const double seconds = mean / (2 * channel_.clock_rate().per_second());
  const double bytes = static_cast<double>(sampling_.window) * channel_.geometry.transaction_bytes;
  const sim::Bandwidth whole = sim::Bandwidth::per_second(bytes / seconds * part_.geometry.all_channels());
  const double interval = student_t * std::sqrt(variance / windows) / mean;
  return {std::min(whole, part_.peak()), std::max(interval, least_error)};
}

// Pieces fall on channels at random. The fullest of C channels with m pieces each on average has at most about
// m + sqrt(2 m ln C), a bound of the expected maximum of C normal deviates of variance m.
double DramRates::imbalance(const DramMix& mix) const {
  double bytes = 0;
  double pieces = 0;
  for (const DramShare& share : mix) {
    bytes += static_cast<double>(share.bytes);
    if (share.piece == 0 || share.piece > longest_piece) continue;
    const auto piece = static_cast<double>(share.piece);
    const double grains = piece / grain_ + 1 - part_.geometry.transaction_bytes / grain_;  // that one touches
    pieces += static_cast<double>(share.bytes) / piece * grains;
  }
  if (pieces <= 0) return 1;
  const double channels = part_.geometry.all_channels();
  const double mean_pieces = pieces / channels;
  const double excess = std::sqrt(2 * mean_pieces * std::log(channels));
  double gathered = 0;
  for (const DramShare& share : mix) {
    if (share.piece != 0 && share.piece <= longest_piece) gathered += static_cast<double>(share.bytes);
  }
  return 1 + gathered / bytes * std::min(excess / mean_pieces, channels - 1);
}

}  // namespace kvtraffic::hardware
