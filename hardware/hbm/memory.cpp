// Feeds channels from one sequence of transactions. Leaves out linear streams that need not be spelled out
// (stream_run.cpp).
#include "hardware/hbm/memory.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include "hardware/hbm/channels.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::size_t chunk_size = std::size_t{1} << 16U;

class Stopwatch {
 public:
  void start() { since_ = Clock::now(); }
  void stop() { seconds_ += std::chrono::duration<double>(Clock::now() - since_).count(); }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_;
  double seconds_ = 0;
};

// Channels do not hear of each other: each runs as far as its own line reaches.
class SaturatedFeed {
 public:
  SaturatedFeed(Channels& channels, int jobs) : channels_(&channels), lines_(channels.size()), arena_(jobs) {}

  void take(const Transaction& transaction) {
    const Place place = channels_->place_of(transaction.address);
    lines_[place.channel].push_back({.place = place, .kind = transaction.write ? Kind::write : Kind::read});
  }
  void run() {
    arena_.execute([this] {
      tbb::parallel_for(std::size_t{0}, lines_.size(), [this](std::size_t i) {
        for (Offer& offer : lines_[i]) saturate((*channels_)[i], offer);
        lines_[i].clear();
      });
    });
  }
  void finish() {
    arena_.execute([this] {
      tbb::parallel_for(std::size_t{0}, lines_.size(), [this](std::size_t i) { drain((*channels_)[i]); });
    });
  }

 private:
  Channels* channels_;
  std::vector<std::vector<Offer>> lines_;
  tbb::task_arena arena_;
};

// One request after the other; `clock_` is when the latest was taken. Channels follow as far as they are asked.
class OrderedFeed {
 public:
  OrderedFeed(Channels& channels, Feed feed) : channels_(&channels), feed_(feed) {}

  void take(const Transaction& transaction) {
    const Place place = channels_->place_of(transaction.address);
    Controller& channel = (*channels_)[place.channel];
    catch_up(channel, clock_);
    Offer offer{.place = place, .kind = transaction.write ? Kind::write : Kind::read, .asked = clock_};
    while (!channel.offer(offer, clock_)) {
      channel.advance(channel.next());
      clock_ = channel.now();
      offer.held_by = Cause::queue;
      offer.asked = clock_;
    }
    if (feed_ != Feed::one_at_a_time) return;
    drain(channel);
    clock_ = std::max(clock_, channel.last_answer());
  }
  void finish() {
    for (std::size_t i = 0; i < channels_->size(); ++i) drain((*channels_)[i]);
  }

 private:
  Channels* channels_;
  Feed feed_;
  Tick clock_ = 0;
};

// Requests are asked for at fixed times, whatever becomes of those before.
class RateFeed {
 public:
  RateFeed(Channels& channels, const Part& part, sim::Bandwidth rate)
      : channels_(&channels),
        ticks_each_(2 * part.clock_rate().per_second() * part.geometry.transaction_bytes / rate.per_second()) {
    const double slowest = static_cast<double>(part.geometry.transaction_bytes) / longest_pause;
    if (rate.per_second() < slowest) {
      throw std::invalid_argument(fmt::format("a rate below {} leaves more than a millisecond between two requests",
                                              to_text(sim::Bandwidth::per_second(slowest))));
    }
  }

  void take(const Transaction& transaction) {
    const double when = ticks_each_ * static_cast<double>(count_++);
    if (when > static_cast<double>(never) / 2) throw std::invalid_argument("at this rate the clock runs out");
    const auto asked = static_cast<Tick>(when);
    const Place place = channels_->place_of(transaction.address);
    Controller& channel = (*channels_)[place.channel];
    catch_up(channel, asked);
    Offer offer{.place = place, .kind = transaction.write ? Kind::write : Kind::read, .asked = asked};
    while (!channel.offer(offer, std::max(asked, channel.now()))) {
      channel.advance(channel.next());
      offer.held_by = Cause::queue;
    }
  }
  void finish() {
    for (std::size_t i = 0; i < channels_->size(); ++i) drain((*channels_)[i]);
  }

 private:
  static constexpr double longest_pause = 1e-3;  // seconds: every refresh of a pause is simulated

  Channels* channels_;
  double ticks_each_;
  std::uint64_t count_ = 0;
};

template <class Consumer>
std::uint64_t pull(TransactionSource& source, const RunSettings& settings, Stopwatch& watch, Consumer consume) {
  std::vector<Transaction> chunk(chunk_size);
  std::uint64_t requests = 0;
  while (const std::size_t count = source.read(chunk)) {
    watch.start();
    consume(std::span(chunk).first(count));
    watch.stop();
    requests += count;
    if (settings.progress) settings.progress(requests);
  }
  return requests;
}

std::uint64_t feed(Channels& channels, const Part& part, TransactionSource& source, const RunSettings& settings,
                   Stopwatch& watch) {
  const auto drive = [&](auto& feeder, auto after) {
    const std::uint64_t requests = pull(source, settings, watch, [&](std::span<const Transaction> transactions) {
      for (const Transaction& transaction : transactions) feeder.take(transaction);
      after();
    });
    watch.start();
    feeder.finish();
    watch.stop();
    return requests;
  };
  switch (settings.feed) {
    case Feed::saturated: {
      SaturatedFeed feeder(channels, settings.listen ? 1 : settings.jobs);
      return drive(feeder, [&feeder] { feeder.run(); });
    }
    case Feed::in_order:
    case Feed::one_at_a_time: {
      OrderedFeed feeder(channels, settings.feed);
      return drive(feeder, [] {});
    }
    case Feed::rate: {
      RateFeed feeder(channels, part, settings.rate);
      return drive(feeder, [] {});
    }
  }
  return 0;
}

}  // namespace

double MemoryResult::seconds() const { return static_cast<double>(ticks) / (2 * clock.per_second()); }

double MemoryResult::bandwidth() const { return peak.per_second() * peak_fraction(); }

double MemoryResult::peak_fraction() const { return ticks == 0 ? 0 : bound_by(Cause::data_bus); }

double MemoryResult::mean_latency_seconds() const {
  if (counters.reads == 0) return 0;
  return static_cast<double>(counters.latency_ticks) / static_cast<double>(counters.reads) / (2 * clock.per_second());
}

double MemoryResult::latency_seconds(double quantile) const {
  return static_cast<double>(latencies.quantile(quantile)) / (2 * clock.per_second());
}

double MemoryResult::bound_by(Cause cause) const {
  if (ticks == 0) return cause == Cause::feed ? 1 : 0;
  return static_cast<double>(counters.ticks[static_cast<std::size_t>(cause)]) /
         (static_cast<double>(ticks) * data_buses);
}

EnergyUse energy_of(const MemoryResult& result, const Part& part) {
  constexpr double pico = 1e-12;
  const auto times = [&](Command command) { return static_cast<double>(result.count(command)); };
  const double refreshed =
      times(Command::refresh_bank) + times(Command::refresh_all) * part.geometry.banks_of_pseudo_channel();
  return {.activate = times(Command::activate) * part.energy.activate * pico,
          .read = (times(Command::read) + times(Command::read_auto)) * part.energy.read * pico,
          .write = (times(Command::write) + times(Command::write_auto)) * part.energy.write * pico,
          .refresh = refreshed * part.energy.refresh_bank * pico,
          .background = part.energy.background_watts * part.geometry.stacks * result.seconds()};
}

MemoryResult run_memory(const Part& part, TransactionSource& source, const RunSettings& settings) {
  Stopwatch watch;
  watch.start();
  Channels channels(part, settings.listen);
  watch.stop();
  const std::uint64_t requests = feed(channels, part, source, settings, watch);
  MemoryResult result = empty_result(part, requests);
  result.simulated_requests = requests;
  for (std::size_t i = 0; i < channels.size(); ++i) result.ticks = std::max(result.ticks, channels[i].last_answer());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    catch_up(channels[i], result.ticks);  // a channel that is done earlier is refreshed until all are
    add_channel(result, channels[i], 1);
  }
  result.host_seconds = watch.seconds();
  return result;
}

}  // namespace kvtraffic::hardware::hbm
