// The channels run in short steps of time; in between, answers are handed on and windows filled up again.
// Leaves out everything that a controller decides (hardware/hbm).
#include "hardware/machine/dram_channels.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kvtraffic::hardware {

using hbm::Tick;
using sim::Duration;
using sim::Instant;

namespace {

// Short against what a lane keeps on its way (a microsecond), so that no channel runs dry in between.
constexpr Duration step = Duration::of_femtoseconds(16'000'000);

}  // namespace

struct DramChannels::Ear : hbm::Listener {
  explicit Ear(std::vector<Line>& all) : lines(all) {}
  void command(Tick, hbm::Command, hbm::BankAddress, std::int64_t, int) override {}
  void answered(std::uint64_t tag, hbm::Kind kind, Tick, Tick done) override {
    if (kind == hbm::Kind::read) lines[tag].answer(done);
  }
  std::vector<Line>& lines;
};

void DramChannels::Line::answer(Tick done) {
  ++answered;
  last = std::max(last, done);
}

DramChannels::DramChannels(const hbm::Part& part, DramPlaces& places, std::int64_t lanes)
    : MemoryServer("HBM"),
      part_(part),
      places_(places),
      ear_(std::make_unique<Ear>(lines_)),
      queues_(static_cast<std::size_t>(2 * part.geometry.all_channels())),
      lines_(static_cast<std::size_t>(2 * lanes)) {
  for (const hbm::Timing timing : {hbm::Timing::tRCDRD, hbm::Timing::tCL, hbm::Timing::tBL}) {
    idle_ += 2 * part.timings.cycles(timing);
  }
}

DramChannels::~DramChannels() = default;

// Each run begins with idle channels, whatever ran before.
void DramChannels::reset(Instant base) {
  channels_ = std::make_unique<hbm::Channels>(part_, [this](int) { return ear_.get(); });
  for (Queue& queue : queues_) {
    queue.first = queue.count = 0;
    queue.is_held = false;
  }
  owed_.assign(channels_->size(), 0);
  weights_ = {};
  for (Line& line : lines_) line = {};
  asked_.clear();
  free_.clear();
  active_.clear();
  base_ = now_ = base;
  until_ = 0;
  busy_ = {};
  transactions_ = 0;
  std::ranges::fill(asked_for_, 0);
}

Instant DramChannels::wake() const {
  return active_.empty() ? requests.next() : std::min(requests.next(), now_ + step);
}

void DramChannels::advance(Instant now) {
  if (!active_.empty()) busy_ += now - now_;
  now_ = now;
  run_channels(tick_at(now));
  answer(now);
  while (const auto request = requests.receive(now)) take(*request, now);
  for (const std::uint32_t line : active_) ask(line, now);
  weigh();
  run_channels(until_);  // offers what has just been asked for
}

std::string DramChannels::waiting_for() const {
  if (active_.empty()) return {};
  std::uint64_t under_way = 0;
  std::uint64_t not_asked = 0;
  for (const std::uint32_t index : active_) {
    under_way += lines_[index].sent - lines_[index].answered;
    for (const std::uint32_t each : lines_[index].asked) not_asked += asked_[each].walk.left();
  }
  return fmt::format("its channels to answer {} transactions, and {} more, of {} lines of requests", under_way,
                     not_asked, active_.size());
}

Tick DramChannels::tick_at(Instant t) const {
  return sim::scale((t - base_).femtoseconds(), 2, part_.timings.clock.femtoseconds());
}

Instant DramChannels::instant_of(Tick tick) const {
  return base_ + Duration::of_femtoseconds(sim::scale(std::max<Tick>(0, tick), part_.timings.clock.femtoseconds(), 2));
}

void DramChannels::run_channels(Tick until) {
  for (std::size_t i = 0; i < channels_->size(); ++i) run(i, until);
  until_ = until;
}

void DramChannels::run(std::size_t number, Tick until) {
  hbm::Controller& channel = (*channels_)[number];
  Queue& loads = queues_[2 * number];
  Queue& stores = queues_[2 * number + 1];
  const std::int64_t whole = weights_[0] + weights_[1];
  while (true) {
    // One whose turn it is keeps the other waiting, as long as both have something to ask.
    while (loads.count > 0 && stores.count > 0) {
      const std::int64_t owed = owed_[number] + weights_[1];
      const bool store = 2 * owed > whole;
      if (!offer(channel, store ? stores : loads, store ? hbm::Kind::write : hbm::Kind::read)) {
        loads.is_held = stores.is_held = true;
        break;
      }
      owed_[number] = store ? owed - whole : owed;
    }
    while (stores.count == 0 && loads.count > 0 && offer(channel, loads, hbm::Kind::read)) {
    }
    while (loads.count == 0 && stores.count > 0 && offer(channel, stores, hbm::Kind::write)) {
    }
    const Tick edge = channel.next();
    if (edge > until) return;
    channel.advance(edge);
  }
}

bool DramChannels::offer(hbm::Controller& channel, Queue& queue, hbm::Kind kind) {
  const Tick now = std::max(channel.now(), until_);
  const Waiting& head = queue.ring[queue.first];
  const hbm::Cause held_by = queue.is_held ? hbm::Cause::queue : hbm::Cause::feed;
  if (!channel.offer({.place = head.place, .kind = kind, .held_by = held_by, .asked = now, .tag = head.line}, now)) {
    queue.is_held = true;
    return false;
  }
  if (kind == hbm::Kind::write) lines_[head.line].answer(now);
  queue.first = (queue.first + 1) & (queue.ring.size() - 1);
  if (--queue.count == 0) queue.is_held = false;
  return true;
}

void DramChannels::weigh() {
  weights_ = {};
  for (const std::uint32_t index : active_) {
    const Request& request = asked_[lines_[index].asked.front()].request;
    weights_[request.write ? 1 : 0] += std::max<std::int64_t>(1, request.window);
  }
}

void DramChannels::take(const Request& request, Instant now) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(asked_.size()));
    asked_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  asked_[index] = {.request = request, .walk = places_.walk(request), .since = now};
  asked_for_[request.vertex] += asked_[index].walk.left();
  const std::uint32_t line = line_of(request);
  if (lines_[line].asked.empty()) active_.push_back(line);
  lines_[line].asked.push_back(index);
}

// Fills the line's window up again, request after request.
void DramChannels::ask(std::uint32_t index, Instant now) {
  Line& line = lines_[index];
  for (const std::uint32_t each : line.asked) {
    Asked& asked = asked_[each];
    if (asked.is_admitted) continue;
    ask_for(asked, index);
    if (asked.walk.left() > 0) return;
    asked.is_admitted = true;
    asked.until = line.sent;
    if (asked.request.write) continue;  // stores wait for nothing
    replies.send(now, admission(asked.request, now), sim::tick);
  }
}

void DramChannels::ask_for(Asked& asked, std::uint32_t index) {
  Line& line = lines_[index];
  const auto granule = static_cast<std::uint64_t>(part_.geometry.transaction_bytes);
  const std::uint64_t window = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(asked.request.window) / granule);
  while (asked.walk.left() > 0 && line.sent - line.answered < window) {
    const hbm::Place place = channels_->place_of(asked.walk.next());
    push(queues_[2 * std::size_t{place.channel} + (asked.request.write ? 1 : 0)], {place, index});
    ++line.sent;
    ++transactions_;
  }
}

// Takes in what the channels have answered; requests that are through leave.
void DramChannels::answer(Instant now) {
  for (const std::uint32_t index : active_) {
    Line& line = lines_[index];
    std::size_t through = 0;
    for (; through < line.asked.size(); ++through) {
      const Asked& asked = asked_[line.asked[through]];
      if (!asked.is_admitted || line.answered < asked.until) break;
      reply(asked, line, now);
      free_.push_back(line.asked[through]);
    }
    line.asked.erase(line.asked.begin(), line.asked.begin() + static_cast<std::ptrdiff_t>(through));
  }
  std::erase_if(active_, [&](std::uint32_t index) { return lines_[index].asked.empty(); });
}

void DramChannels::reply(const Asked& asked, Line& line, Instant now) {
  const Tick spared = asked.request.write ? 0 : idle_;
  const Instant began = std::max(asked.since, line.served);
  const Instant ended = std::max(began, std::min(now, instant_of(line.last - spared)));
  const Instant due = std::max(now + sim::tick, ended + asked.request.acknowledge);
  line.served = ended;
  replies.send(now,
               {.lane = asked.request.lane,
                .buffer = asked.request.buffer,
                .write = asked.request.write,
                .admits = false,
                .serves = true,
                .server = sim::Bound::hbm,
                .began = began,
                .ended = ended,
                .taken = ended - asked.since},
               due - now);
}

void DramChannels::push(Queue& queue, const Waiting& waiting) {
  if (queue.count == queue.ring.size()) {
    std::rotate(queue.ring.begin(), queue.ring.begin() + static_cast<std::ptrdiff_t>(queue.first), queue.ring.end());
    queue.first = 0;
    queue.ring.resize(2 * queue.ring.size());
  }
  queue.ring[(queue.first + queue.count) & (queue.ring.size() - 1)] = waiting;
  ++queue.count;
}

CauseTimes DramChannels::causes() const {
  CauseTimes seconds{};
  Tick end = 0;
  for (std::size_t i = 0; i < channels_->size(); ++i) end = std::max(end, (*channels_)[i].last_answer());
  const double buses = part_.geometry.all_channels() * part_.geometry.pseudo_channels;
  const double tick = 1 / (2 * part_.clock_rate().per_second());
  for (std::size_t i = 0; i < channels_->size(); ++i) {
    const hbm::Counters counters = (*channels_)[i].finished(end);
    for (std::size_t c = 0; c < seconds.size(); ++c)
      seconds[c] += static_cast<double>(counters.ticks[c]) * tick / buses;
  }
  seconds[static_cast<std::size_t>(hbm::Cause::feed)] = 0;
  return seconds;
}

}  // namespace kvtraffic::hardware
