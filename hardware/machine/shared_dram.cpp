// A fluid: between two events every lane's rate is constant. Bytes left are real numbers, times whole femtoseconds.
// Leaves out latency, which the lanes add.
#include "hardware/machine/shared_dram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kvtraffic::hardware {

using sim::Duration;
using sim::Instant;

namespace {

constexpr double nothing = 1e-3;  // bytes: less is rounding

// A transaction of each channel.
double bytes_of_a_round(const hbm::Part& part) {
  return static_cast<double>(part.geometry.all_channels()) * part.geometry.transaction_bytes;
}

// For how long a refresh closes what it refreshes.
Duration refresh_of(const hbm::Part& part) {
  if (part.controller.refresh == hbm::Refresh::none) return {};
  const bool all = part.controller.refresh == hbm::Refresh::all_bank;
  return part.timings.length[static_cast<std::size_t>(all ? hbm::Timing::tRFCab : hbm::Timing::tRFCpb)];
}

}  // namespace

SharedDram::SharedDram(DramRates& rates, std::int64_t lanes, sim::Bandwidth most, const hbm::Part& part)
    : MemoryServer("HBM"),
      rates_(rates),
      most_(most),
      posted_(static_cast<double>(part.controller.write_queue) * bytes_of_a_round(part)),
      hold_up_(refresh_of(part).seconds()),
      lines_(static_cast<std::size_t>(2 * lanes)) {
  active_.reserve(lines_.size());
  asked_.reserve(lines_.size());
}

void SharedDram::set_work(std::span<const VertexMixes> mixes) {
  mixes_ = mixes;
  vertices_.resize(mixes.size());
}

void SharedDram::reset(Instant base) {
  for (Line& line : lines_) line = {};
  active_.clear();
  storing_ = 0;
  rate_ = 0;
  now_ = base;
  next_ = Instant::never();
  busy_ = {};
  std::ranges::fill(served_, 0.0);
  std::ranges::fill(vertices_, sim::DramSeconds{});
  spent_ = {};
}

Instant SharedDram::wake() const { return std::min(requests.next(), next_); }

void SharedDram::advance(Instant now) {
  serve_until(now);
  while (const auto request = requests.receive(now)) take(*request, now);
  share();
  next_ = Instant::never();
  for (const std::uint32_t index : active_) next_ = std::min(next_, now + next_of(lines_[index]));
}

std::string SharedDram::waiting_for() const {
  if (active_.empty()) return {};
  double left = 0;
  for (const std::uint32_t index : active_) {
    for (std::uint32_t i = 0; i < lines_[index].count; ++i) left += lines_[index].at(i).left;
  }
  return fmt::format("its pins to move {:.0f} B for {} lines of requests", left, active_.size());
}

void SharedDram::take(const Request& request, Instant now) {
  const std::uint32_t index = 2 * request.lane + (request.write ? 1 : 0);
  Line& line = lines_[index];
  if (line.count == 0) {
    line.since = now;
    line.since_spent = spent_;
    line.behind = active_.empty() || rate_ <= 0 ? 0 : on_their_way() / rate_;
    active_.push_back(index);
    storing_ += request.write ? 1 : 0;
  }
  const VertexMixes& mixes = mixes_[request.vertex];
  line.at(line.count) = {.request = request,
                         .mix = request.write ? mixes.write : mixes.read,
                         .asked = now,
                         .began = now,
                         .left = static_cast<double>(request.bytes)};
  ++line.count;
  tell(line, now);
}

// All that has happened since the last event.
void SharedDram::serve_until(Instant now) {
  const double seconds = (now - now_).seconds();
  if (!active_.empty()) {
    busy_ += now - now_;
    served_[mix_] += seconds;
    spent_ += {seconds / whole_, seconds * row_part_ / whole_};
  }
  now_ = now;
  for (const std::uint32_t index : active_) {
    Line& line = lines_[index];
    line.at(0).left -= line.rate * seconds;
    if (line.at(0).left < nothing) finish(line, now);
  }
  std::erase_if(active_, [&](std::uint32_t index) { return lines_[index].count == 0; });
  storing_ = static_cast<std::uint32_t>(std::ranges::count_if(active_, [](std::uint32_t i) { return i % 2 == 1; }));
  for (const std::uint32_t index : active_) tell(lines_[index], now);
}

// The line's first request is through; the last load of all waits for the slowest channel.
void SharedDram::finish(Line& line, Instant now) {
  const Waiting done = line.at(0);
  vertices_[done.request.vertex] += spent_on(line);
  line.since_spent = spent_;
  line.first = (line.first + 1) % most_requests;
  --line.count;
  double late = lean_ > 0 ? hold_up_ + line.behind : 0;
  line.behind = 0;
  if (line.count > 0) {
    line.at(0).began = now;
  } else if (!done.request.write) {
    late += rates_.lag(rates_.rate_of(done.mix), (now - line.since).seconds()) * (1 + lean_);
  }
  if (!done.is_answered) answer(done, Duration::of_seconds(late), now);
}

void SharedDram::answer(const Waiting& served, Duration late, Instant now) {
  const Reply reply{.lane = served.request.lane,
                    .buffer = served.request.buffer,
                    .write = served.request.write,
                    .admits = !served.is_admitted,
                    .serves = true,
                    .server = sim::Bound::hbm,
                    .began = served.began,
                    .ended = now + late,
                    .taken = now + late - served.asked};
  replies.send(now, reply, std::max(sim::tick, late + served.request.acknowledge));
}

void SharedDram::tell(Line& line, Instant now) {
  if (line.at(0).request.write) {
    post(line, now);
  } else {
    admit(line, now);
  }
}

double SharedDram::on_their_way() const {
  double bytes = 0;
  for (const std::uint32_t index : active_) {
    const Waiting& head = lines_[index].at(0);
    bytes += std::min(head.left, static_cast<double>(head.request.window));
  }
  return bytes;
}

// Bytes of one line of stores that write queues hold.
double SharedDram::postable() const { return posted_ / std::max<std::uint32_t>(1, storing_); }

void SharedDram::post(Line& line, Instant now) {
  Waiting& head = line.at(0);
  if (head.is_answered || head.left > postable() + nothing) return;
  head.is_answered = true;
  answer(head, {}, now);
}

// Tells the lane that it may ask for more.
void SharedDram::admit(Line& line, Instant now) {
  Waiting& last = line.at(line.count - 1);
  double left = 0;
  for (std::uint32_t i = 0; i < line.count; ++i) left += line.at(i).left;
  if (last.is_admitted || left > static_cast<double>(last.request.window) + nothing) return;
  last.is_admitted = true;
  replies.send(now, admission(last.request, now), sim::tick);
}

// Rates from now on: DRAM's on the mix of all, divided by what the lanes keep on their way.
void SharedDram::share() {
  rate_ = 0;
  if (active_.empty()) return;
  asked_.clear();
  double whole = 0;
  for (const std::uint32_t index : active_) {
    const Waiting& head = lines_[index].at(0);
    const std::int64_t weight = weight_of(head.request);
    whole += static_cast<double>(weight);
    const auto same = std::ranges::find(asked_, head.mix, &MixWeight::mix);
    if (same != asked_.end()) {
      same->weight += weight;
    } else {
      asked_.push_back({head.mix, weight});
    }
  }
  std::ranges::sort(asked_, {}, &MixWeight::mix);
  const DramRate& all = rates_.together(asked_);
  mix_ = all.mix;
  row_part_ = row_part(all.causes);
  whole_ = whole;
  if (served_.size() <= mix_) served_.resize(mix_ + 1);  // a mix that was never served before
  rate_ = std::min(all.rate * (1 - lean_ * all.error), most_).per_second();
  for (const std::uint32_t index : active_) {
    Line& line = lines_[index];
    line.rate = rate_ * static_cast<double>(weight_of(line.at(0).request)) / whole;
  }
}

// Until the line's first request is through, or can be answered, or its last one can be admitted.
Duration SharedDram::next_of(const Line& line) const {
  const Waiting& head = line.at(0);
  const Waiting& last = line.at(line.count - 1);
  double bytes = head.left;
  if (head.request.write) {
    if (!head.is_answered) bytes = std::min(bytes, head.left - postable());
  } else if (!last.is_admitted) {
    double left = 0;
    for (std::uint32_t i = 0; i < line.count; ++i) left += line.at(i).left;
    bytes = std::min(bytes, left - static_cast<double>(last.request.window));
  }
  return std::max(sim::tick, Duration::of_seconds(std::max(0.0, bytes) / line.rate));
}

sim::DramSeconds SharedDram::spent_on(const Line& line) const {
  const auto weight = static_cast<double>(weight_of(line.at(0).request));
  return {weight * (spent_.all - line.since_spent.all), weight * (spent_.rows - line.since_spent.rows)};
}

// A step is over when its last stores have been posted; what DRAM has done for them until then counts.
void SharedDram::tell_vertices(std::vector<sim::DramSeconds>& all) const {
  all.assign(vertices_.begin(), vertices_.end());
  for (const std::uint32_t index : active_) all[lines_[index].at(0).request.vertex] += spent_on(lines_[index]);
}

// Summed in an order that is the same whatever ran before: sums of real numbers depend on it.
CauseTimes SharedDram::causes() const {
  CauseTimes seconds{};
  for (const auto& [shares, mix] : rates_.by_shares()) {
    if (mix >= served_.size() || served_[mix] <= 0) continue;
    const CauseTimes& causes = rates_.rate_of(mix).causes;
    for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += served_[mix] * causes[i];
  }
  return seconds;
}

}  // namespace kvtraffic::hardware
