// Two things happen here: a kernel ends and others become ready, or a launch ends and the next begins.
// Leaves out limits of the driver's queue.
#include "hardware/machine/dispatcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace kvtraffic::hardware {

using sim::Duration;
using sim::Instant;

Dispatcher::Dispatcher(const Device& device)
    : Component("dispatcher"),
      gap_(std::max(device.launch_gap, sim::tick)),
      start_(std::max(device.kernel_start, sim::tick)) {}

void Dispatcher::connect(SmPool& pool) {
  launches_ = pool.launches.connect(*this, 16);
  pool.finished = finished.connect(pool, 4 * SmPool::most_kernels);  // each begins its last tiles, and ends
}

void Dispatcher::reset(const sim::StepGraph& graph, std::span<const KernelWork> works, Instant base,
                       std::vector<sim::VertexTime>& times) {
  const std::size_t vertices = graph.vertices().size();
  graph_ = &graph;
  works_ = works;
  times_ = &times;
  base_ = base;
  times.assign(vertices, {});
  causes_.assign(vertices, {});
  place_.resize(vertices);
  missing_.resize(vertices);
  ready_.clear();
  done_.clear();
  ready_.reserve(vertices);
  done_.reserve(vertices);
  launching_ = last_launched_ = last_finished_ = Cause::none;
  remaining_ = vertices;
  for (std::uint32_t place = 0; place < vertices; ++place) place_[graph.order()[place]] = place;
  for (std::uint32_t v = 0; v < vertices; ++v) missing_[v] = graph.waits_for(v);
  early_.assign(vertices, Instant::never());
  place_launches();
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (graph.waits_for(v) == 0) make_ready(v, base);
  }
  release_successors(base);
  wake_changed();
}

// The host works from the beginning of the step on, in execution order.
void Dispatcher::place_launches() {
  due_.resize(works_.size());
  launched_.resize(works_.size());
  Duration host;
  for (const std::uint32_t v : graph_->order()) {
    host += works_[v].host_time;
    due_[v] = base_ + (host - std::min(host, gap_));
    host += works_[v].host_rest;
    launched_[v] = base_ + host;
  }
}

Instant Dispatcher::wake() const {
  Instant earliest = finished.next();
  if (launching_ != Cause::none) return std::min(earliest, std::max(launched_at_, launches_.earliest_send()));
  return ready_.empty() ? earliest : std::min(earliest, due_[first_ready()]);
}

void Dispatcher::advance(Instant now) {
  while (const auto message = finished.receive(now)) take(*message);
  if (launching_ != Cause::none && launched_at_ <= now && launches_.can_send(now)) {
    send_launch(now);
  }
  if (launching_ == Cause::none && !ready_.empty() && due_[first_ready()] <= now) begin_launch(now);
}

void Dispatcher::send_launch(Instant now) {
  const KernelWork& work = works_[launching_];
  Duration delay = start_left_ + work.lead;
  if (launched_[launching_] > now) delay = std::max(delay, launched_[launching_] - now + start_left_);
  launches_.send(now, {launching_}, work.folded ? sim::tick : std::max(delay, sim::tick));
  launching_ = Cause::none;
}

void Dispatcher::take(const Finished& message) {
  if (!message.ends) return launch_early(message.vertex, message.at);
  sim::VertexTime& time = (*times_)[message.vertex];
  time.end = since_base(message.at);
  time.bound_by = bound_of(message);
  last_finished_ = message.vertex;
  --remaining_;
  done_.push_back(message.vertex);
  release_successors(message.at);
}

// Those that wait for the vertex alone; what has nothing to do passes it on.
void Dispatcher::launch_early(std::uint32_t vertex, Instant now) {
  for (const std::uint32_t next : graph_->successors(vertex)) {
    if (missing_[next] != 1) continue;
    if (works_[next].tiles == 0) {
      launch_early(next, now);
    } else {
      early_[next] = now;
    }
  }
}

// Of all vertices in `done_`; those among them that have nothing to do are done at once.
void Dispatcher::release_successors(Instant now) {
  while (!done_.empty()) {
    const std::uint32_t vertex = done_.back();
    done_.pop_back();
    for (const std::uint32_t next : graph_->successors(vertex)) {
      causes_[next] = {vertex, false};
      if (--missing_[next] == 0) make_ready(next, now);
    }
  }
}

void Dispatcher::make_ready(std::uint32_t vertex, Instant now) {
  if (works_[vertex].tiles == 0) {
    (*times_)[vertex].start = (*times_)[vertex].end = since_base(now);
    --remaining_;
    done_.push_back(vertex);
    return;
  }
  ready_.push_back(place_[vertex]);
  std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
}

void Dispatcher::begin_launch(Instant now) {
  std::pop_heap(ready_.begin(), ready_.end(), std::greater<>());
  const std::uint32_t vertex = graph_->order()[ready_.back()];
  ready_.pop_back();
  (*times_)[vertex].start = since_base(now);
  // What it waited for longest: the launch before it, if that has only just ended, or the host.
  if (last_launched_ != Cause::none && (launched_at_ == now || waited_for_host(vertex, now))) {
    causes_[vertex] = {last_launched_, true};
  }
  launching_ = last_launched_ = vertex;
  const Duration ahead = early_[vertex] < now ? now - early_[vertex] : Duration();
  const Duration gap_ahead = std::min(gap_, ahead);
  start_left_ = start_ - std::min(start_, ahead - gap_ahead);
  launched_at_ = now + (works_[vertex].folded ? sim::tick : std::max(gap_ - gap_ahead, sim::tick));
}

// What took most of the vertex's time. Launch, start, latency and the limit of what an SM can load are what no resource
// explains.
sim::Bound Dispatcher::bound_of(const Finished& message) const {
  const auto most = std::max_element(message.taken.begin(), message.taken.end());
  const Duration all = (*times_)[message.vertex].end - (*times_)[message.vertex].start;
  if (all - *most > *most) return sim::Bound::latency;
  return static_cast<sim::Bound>(most - message.taken.begin());
}

std::string Dispatcher::waiting_for() const {
  if (done()) return {};
  return fmt::format("{} of {} kernels", remaining_, graph_->vertices().size());
}

}  // namespace kvtraffic::hardware
