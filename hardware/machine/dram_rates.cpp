// Windows on one channel. All channels see the same mix, as the map spreads every 256 bytes or so over them; how far
// they part company is told by the scatter.
#include "hardware/machine/dram_rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "hardware/hbm/channels.hpp"
#include "hardware/machine/channel_loop.hpp"

namespace kvtraffic::hardware {
namespace {

using hbm::Tick;

constexpr std::int64_t parts_of_whole = 1024;  // to which shares of a mix are rounded
constexpr double least_error = 0.005;

DramMix shares_of(const std::vector<std::int64_t>& key) {
  DramMix mix;
  for (std::size_t i = 0; i + 2 < key.size(); i += 3) mix.push_back({key[i] != 0, key[i + 1], key[i + 2]});
  return mix;
}

// In 1024ths: 64ths of the whole, and below that halves of halves, down to one 1024th. A kernel that hardly writes must
// not be taken for one that writes.
std::int64_t rounded_share(double share) {
  constexpr std::int64_t step = parts_of_whole / 64;
  const auto steps = static_cast<std::int64_t>(std::lround(share * 64));
  if (steps > 0) return steps * step;
  std::int64_t parts = 1;
  while (static_cast<double>(2 * parts) <= share * parts_of_whole) parts *= 2;
  return parts;
}

// Refresh stays what it is in the whole; queues are a channel's anyway.
hbm::Part one_channel(hbm::Part part) {
  part.geometry.stacks = 1;
  part.geometry.channels = 1;
  return part;
}

std::array<double, hbm::cause_count> causes_of(const hbm::Counters& counters) {
  double whole = 0;
  for (const std::int64_t ticks : counters.ticks) whole += static_cast<double>(ticks);
  std::array<double, hbm::cause_count> shares{};
  for (std::size_t i = 0; whole > 0 && i < shares.size(); ++i) {
    shares[i] = static_cast<double>(counters.ticks[i]) / whole;
  }
  return shares;
}

// About the mean of the largest of n normal deviates of variance one (extreme value theory; within 2 % from n = 8 on).
double largest_of(double n) {
  if (n < 2) return 0;
  constexpr double euler = 0.57721566490153286;
  const double root = std::sqrt(2 * std::log(n));
  return root - (std::log(std::log(n)) + std::log(4 * std::numbers::pi)) / (2 * root) + euler / root;
}

// Mean and variance of the mean of what was added.
struct Moments {
  double count = 0;
  double sum = 0;
  double squares = 0;
  void add(double value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  [[nodiscard]] double mean() const { return sum / count; }
  [[nodiscard]] double variance() const {
    return std::max(0.0, squares / count - mean() * mean()) * count / std::max(1.0, count - 1);
  }
  // Half of the two-sided 99 % interval of the mean, relative; requires two values. Student's t to 2 % from seven
  // degrees of freedom on.
  [[nodiscard]] double interval() const {
    const double t = 2.58 + 6.4 / (count - 1);
    return t * std::sqrt(variance() / count) / mean();
  }
};

}  // namespace

DramRates::DramRates(hbm::Part part, Sampling sampling, std::shared_ptr<DramWindows> windows)
    : part_(std::move(part)),
      sampling_(sampling),
      windows_(std::move(windows)),
      text_(text_of(part_)),
      channel_(one_channel(part_)),
      grain_(static_cast<std::int64_t>(hbm::map_of(channel_).grain())),
      deviations_(largest_of(part_.geometry.all_channels())) {}

// Shares of the same kind together, in order.
std::uint32_t DramRates::mix_of(const DramMix& mix) {
  sums_.clear();
  double whole = 0;
  for (const DramShare& share : mix) {
    const bool is_stream = together_in_channel(share.piece, part_.geometry.all_channels(), grain_) >= longest_run;
    const std::int64_t granule = part_.geometry.transaction_bytes;
    const std::int64_t piece = is_stream ? 0 : sim::ceil_divide(share.piece, granule) * granule;
    const auto same =
        std::ranges::find_if(sums_, [&](const Sum& sum) { return sum.write == share.write && sum.piece == piece; });
    Sum& sum = same != sums_.end() ? *same : sums_.emplace_back(Sum{share.write, piece});
    sum.bytes += static_cast<double>(share.bytes);
    whole += static_cast<double>(share.bytes);
  }
  std::ranges::sort(sums_, {}, [](const Sum& sum) { return std::pair(sum.write, sum.piece); });
  key_.clear();
  for (const Sum& sum : sums_) {
    const std::int64_t parts = rounded_share(sum.bytes / whole);
    key_.insert(key_.end(), {sum.write ? 1 : 0, sum.piece, std::max<std::int64_t>(parts, 1)});
  }
  return intern(key_);
}

std::uint32_t DramRates::intern(const Key& key) {
  const auto [place, is_new] = ids_.try_emplace(key, static_cast<std::uint32_t>(known_.size()));
  if (is_new) known_.push_back({.key = key, .shares = shares_of(key), .rate = {.rate = {}, .mix = place->second}});
  return place->second;
}

const DramRate& DramRates::together(std::span<const MixWeight> mixes) {
  if (mixes.size() == 1) return rate_of(mixes.front().mix);
  std::int64_t whole = 0;
  for (const MixWeight& one : mixes) whole += one.weight;
  pair_.clear();
  for (const MixWeight& one : mixes) {
    const std::int64_t eighths = std::max<std::int64_t>(1, sim::round_divide(8 * one.weight, whole));
    pair_.insert(pair_.end(), {one.mix, eighths});
  }
  const auto known = pairs_.find(pair_);
  if (known != pairs_.end()) return rate_of(known->second);
  DramMix all;
  for (std::size_t i = 0; i + 1 < pair_.size(); i += 2) {
    for (DramShare share : known_[static_cast<std::size_t>(pair_[i])].shares) {
      share.bytes *= pair_[i + 1];
      all.push_back(share);
    }
  }
  return rate_of(pairs_.emplace(pair_, mix_of(all)).first->second);
}

double DramRates::lag(const DramRate& rate, double seconds) const {
  return std::min(deviations_ * std::sqrt(rate.scatter * seconds), seconds * (part_.geometry.all_channels() - 1));
}

const DramRate& DramRates::sampled_rate(Known& known) {
  if (known.is_sampled) return known.rate;
  known.is_sampled = true;
  const std::uint32_t mix = known.rate.mix;
  const std::optional<DramRate> found = windows_ ? windows_->find(text_, known.key) : std::nullopt;
  known.rate = found ? *found : sample(known.shares);
  known.rate.mix = mix;  // windows that another machine has run know it by another number
  if (found) return known.rate;
  ++sampled_;
  if (windows_) windows_->keep(text_, known.key, known.rate);
  return known.rate;
}

DramRate DramRates::sample(const DramMix& mix) const {
  ChannelLoop loop(channel_, mix, part_.geometry.all_channels());
  Tick before = loop.run(sampling_.warm_up);
  const hbm::Counters earlier = loop.counters();
  Moments windows;
  while (windows.count < static_cast<double>(sampling_.most_windows)) {
    const Tick after = loop.run(sampling_.window);
    windows.add(static_cast<double>(after - before));
    before = after;
    if (windows.count >= static_cast<double>(sampling_.windows) && windows.interval() <= sampling_.enough) break;
  }
  const double tick = 1 / (2 * channel_.clock_rate().per_second());
  const double bytes = static_cast<double>(sampling_.window) * channel_.geometry.transaction_bytes;
  const double each = bytes / (windows.mean() * tick);
  DramRate rate;
  rate.rate = std::min(sim::Bandwidth::per_second(each * part_.geometry.all_channels()), part_.peak());
  rate.error = std::max(windows.interval(), least_error);
  rate.scatter = scatter_of(mix, each);
  rate.causes = causes_of(loop.counters().since(earlier));
  rate.windows = static_cast<std::int64_t>(windows.count);
  return rate;
}

// Pieces fall on channels at random: of m cuts that a channel has on average, m more or less squared is m. Pieces that
// go round all channels load them alike.
double DramRates::scatter_of(const DramMix& mix, double rate) const {
  double whole = 0;
  double squares = 0;
  for (const DramShare& share : mix) {
    const auto bytes = static_cast<double>(share.bytes);
    whole += bytes;
    if (share.piece == 0 || share.piece >= grain_ * part_.geometry.all_channels()) continue;
    const auto piece = static_cast<double>(share.piece);
    const auto grain = static_cast<double>(grain_);
    const std::int64_t step = alignment_in(share.piece, grain_, part_.geometry.transaction_bytes);
    const double grains = piece / grain + 1 - static_cast<double>(step) / grain;  // that one touches
    squares += bytes * piece / grains;
  }
  return squares / whole / rate;
}

}  // namespace kvtraffic::hardware
