// Linear streams without spelling every transaction out. Channels that see the same requests are simulated once, and a
// channel whose state repeats is moved to the end of the repetition. Leaves out every other sequence (memory.cpp).
//
// What repeats: an unhashed map sends a stream round all banks of all channels, then to the next row. One such round is
// a period: the requests of the next are the same, one row on. If the state of a channel at the end of two periods is
// the same, up to time and rows, everything between them repeats until the stream ends. The refresh counter is part of
// the state, so a jump may cross refreshes. What does not: a hashed map orders banks and pseudo-channels anew in every
// row, so its rows have no period; its channels still see the same requests as one another.
#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <vector>

#include "hardware/hbm/channels.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

// A stream cut into blocks in each of which every channel gets `each` transactions with equal coordinates.
struct Shape {
  std::uint64_t granule = 0;
  std::uint64_t each = 0;
  std::uint64_t block = 0;        // transactions of all channels
  std::uint64_t first_block = 0;  // whole blocks: [first_block, end_block)
  std::uint64_t end_block = 0;
  std::uint64_t period = 0;  // blocks after which the row has advanced by one; zero: never
};

Shape shape_of(const LinearStream& stream, const AddressMap& map, const Geometry& geometry) {
  Shape shape;
  shape.granule = static_cast<std::uint64_t>(geometry.transaction_bytes);
  shape.each = map.grain() / shape.granule;
  shape.block = map.block() / shape.granule;
  const std::uint64_t first = stream.first / shape.granule;
  const std::uint64_t end = first + stream.count;
  shape.first_block = (first + shape.block - 1) / shape.block;
  shape.end_block = std::max(end / shape.block, shape.first_block);
  if (map.row_period() % map.block() == 0) shape.period = map.row_period() / map.block();
  return shape;
}

using Places = std::vector<Place>;

// What each channel gets of the transactions [from, to), with the channel itself blotted out.
std::vector<Places> shares(std::uint64_t from, std::uint64_t to, std::uint64_t granule, const Channels& channels) {
  std::vector<Places> result(channels.size());
  for (std::uint64_t i = from; i < to; ++i) {
    Place place = channels.place_of(i * granule);
    const std::size_t channel = place.channel;
    place.channel = 0;
    result[channel].push_back(place);
  }
  return result;
}

// Channels that see the same requests up to the end of the whole blocks, and those of them that do so to the end.
struct Tail {
  Places places;
  std::uint64_t channels = 0;
};
struct Class {
  Places head;
  std::vector<Tail> tails;
};

std::vector<Class> classes_of(std::vector<Places> heads, std::vector<Places> tails) {
  std::vector<Class> classes;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    auto group = std::ranges::find(classes, heads[i], &Class::head);
    if (group == classes.end()) group = classes.insert(classes.end(), {std::move(heads[i]), {}});
    auto tail = std::ranges::find(group->tails, tails[i], &Tail::places);
    if (tail == group->tails.end()) tail = group->tails.insert(group->tails.end(), {std::move(tails[i]), 0});
    ++tail->channels;
  }
  return classes;
}

// Remembers states at the ends of periods and finds the one that has come back.
class Recurrence {
 public:
  struct Seen {
    std::vector<std::int64_t> state;
    Controller::Mark mark;
    std::uint64_t period = 0;
  };

  // The earlier visit to this state, if there was one; otherwise it is remembered.
  const Seen* visit(const Controller& channel, std::int64_t row, std::uint64_t period) {
    Controller::Mark mark = channel.mark(row);
    text_.clear();
    channel.tell(text_, mark.epoch);
    const std::uint64_t hash = text_.hash();
    const auto found = seen_.find(hash);
    if (found != seen_.end() && found->second.state == text_.words()) return &found->second;
    if (seen_.size() >= most) seen_.clear();
    seen_.insert_or_assign(hash, Seen{text_.words(), std::move(mark), period});
    return nullptr;
  }

 private:
  static constexpr std::size_t most = 256;  // states of 10 to 40 KB
  StateText text_;
  std::unordered_map<std::uint64_t, Seen> seen_;  // only looked up, never walked
};

// Runs one channel of a class through the whole stream.
class ClassRun {
 public:
  ClassRun(const ControllerPlan& plan, const Channels& channels, const Shape& shape, Kind kind)
      : controller_(plan), channels_(&channels), shape_(&shape), rows_(plan.rules.geometry.rows) {
    offer_.kind = kind;
  }

  void run_head(const Places& head, const RunSettings& settings) {
    for (const Place& place : head) take(place);
    std::uint64_t block = shape_->first_block;
    bool may_jump = shape_->period != 0;
    while (block < shape_->end_block) {
      take_block(block++);
      if (may_jump && (block - shape_->first_block) % shape_->period == 0) {
        const std::uint64_t jumped = jump(block);
        block += jumped;
        may_jump = jumped == 0;
      }
      if (settings.progress && block % 4096 == 0) settings.progress((block - shape_->first_block) * shape_->block);
    }
  }
  // Before copies are made, one for each tail.
  void forget_states() { recurrence_ = {}; }
  void run_tail(const Places& tail) {
    for (const Place& place : tail) take(place);
    drain(controller_);
  }

  void rest_until(Tick end) { catch_up(controller_, end); }
  [[nodiscard]] const Controller& controller() const { return controller_; }
  [[nodiscard]] std::uint64_t simulated() const { return simulated_; }

 private:
  void take(const Place& place) {
    offer_.place = place;
    saturate(controller_, offer_);
    ++simulated_;
  }
  void take_block(std::uint64_t block) {
    Place place = channels_->place_of(block * shape_->block * shape_->granule);
    for (std::uint64_t i = 0; i < shape_->each; ++i, ++place.column) take(place);
  }
  // Blocks that were skipped because the state at the end of this period has been here before.
  std::uint64_t jump(std::uint64_t block) {
    const std::uint64_t period = block / shape_->period;
    const auto row = static_cast<std::int64_t>(period % static_cast<std::uint64_t>(rows_));
    const Recurrence::Seen* earlier = recurrence_.visit(controller_, row, period);
    if (earlier == nullptr) return 0;
    const std::uint64_t length = (period - earlier->period) * shape_->period;
    const std::uint64_t times = (shape_->end_block - block) / length;
    controller_.jump(earlier->mark, row, times);
    return times * length;
  }

  Controller controller_;
  const Channels* channels_;
  const Shape* shape_;
  std::int64_t rows_;
  Offer offer_;
  Recurrence recurrence_;
  std::uint64_t simulated_ = 0;
};

// Spells a stream out, for maps without blocks and for exact runs.
class LinearSource final : public TransactionSource {
 public:
  LinearSource(const LinearStream& stream, std::uint64_t granule) : stream_(stream), granule_(granule) {}
  [[nodiscard]] std::size_t read(std::span<Transaction> into) override {
    const std::size_t count = std::min<std::uint64_t>(into.size(), stream_.count - done_);
    for (std::size_t i = 0; i < count; ++i) into[i] = {stream_.first + (done_ + i) * granule_, stream_.write};
    done_ += count;
    return count;
  }

 private:
  LinearStream stream_;
  std::uint64_t granule_;
  std::uint64_t done_ = 0;
};

MemoryResult run_classes(const Part& part, const LinearStream& stream, const RunSettings& settings) {
  const Channels channels(part, {});
  const AddressMap map = map_of(part);
  const Shape shape = shape_of(stream, map, part.geometry);
  const std::uint64_t first = stream.first / shape.granule;
  const std::uint64_t end = first + stream.count;
  const std::uint64_t body = std::min(shape.first_block * shape.block, end);
  const std::uint64_t after = std::max(shape.end_block * shape.block, body);
  const std::vector<Class> classes =
      classes_of(shares(first, body, shape.granule, channels), shares(after, end, shape.granule, channels));
  const ControllerPlan plan(part);
  MemoryResult result = empty_result(part, stream.count);
  std::vector<std::pair<ClassRun, std::uint64_t>> runs;  // and how many channels each stands for
  for (const Class& group : classes) {
    ClassRun head(plan, channels, shape, stream.write ? Kind::write : Kind::read);
    head.run_head(group.head, settings);
    head.forget_states();
    result.simulated_requests += head.simulated();
    for (const Tail& tail : group.tails) {
      runs.emplace_back(head, tail.channels);
      runs.back().first.run_tail(tail.places);
      result.simulated_requests += tail.places.size();
    }
  }
  for (const auto& [run, count] : runs) result.ticks = std::max(result.ticks, run.controller().last_answer());
  for (auto& [run, count] : runs) {
    run.rest_until(result.ticks);
    add_channel(result, run.controller(), count);
  }
  return result;
}

}  // namespace

MemoryResult run_stream(const Part& part, const LinearStream& stream, const RunSettings& settings) {
  const AddressMap map = map_of(part);
  const auto granule = static_cast<std::uint64_t>(part.geometry.transaction_bytes);
  const bool wraps = stream.first + stream.count * granule > map.capacity();
  if (settings.exact || settings.listen || settings.feed != Feed::saturated || map.block() == 0 || wraps) {
    LinearSource source(stream, granule);
    return run_memory(part, source, settings);
  }
  const auto start = std::chrono::steady_clock::now();
  MemoryResult result = run_classes(part, stream, settings);
  result.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace kvtraffic::hardware::hbm
