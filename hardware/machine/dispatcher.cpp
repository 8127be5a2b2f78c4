// Two things happen here: a kernel ends and others become ready, or a launch ends and the next begins.
// Leaves out limits of the driver's queue.
#include "hardware/machine/dispatcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace kvtraffic::hardware {

using sim::Instant;

Dispatcher::Dispatcher(const Device& device)
    : Component("dispatcher"),
      gap_(std::max(device.launch_gap, sim::tick)),
      start_(std::max(device.kernel_start, sim::tick)) {}

void Dispatcher::connect(SmPool& pool) {
  launches_ = pool.launches.connect(*this, 16);
  pool.finished = finished.connect(pool, 2 * SmPool::most_kernels);
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
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (graph.waits_for(v) == 0) make_ready(v, base);
  }
  release_successors(base);
  wake_changed();
}

Instant Dispatcher::wake() const {
  Instant earliest = finished.next();
  if (launching_ != Cause::none) return std::min(earliest, std::max(launched_at_, launches_.earliest_send()));
  return ready_.empty() ? earliest : std::min(earliest, base_);  // only before the first launch is anything ready here
}

void Dispatcher::advance(Instant now) {
  while (const auto message = finished.receive(now)) take(*message);
  if (launching_ != Cause::none && launched_at_ <= now && launches_.can_send(now)) {
    launches_.send(now, {launching_}, works_[launching_].folded ? sim::tick : start_ + works_[launching_].lead);
    launching_ = Cause::none;
  }
  if (launching_ == Cause::none && !ready_.empty()) begin_launch(now);
}

void Dispatcher::take(const Finished& message) {
  sim::VertexTime& time = (*times_)[message.vertex];
  time.end = since_base(message.at);
  time.bound_by = bound_of(message);
  last_finished_ = message.vertex;
  --remaining_;
  done_.push_back(message.vertex);
  release_successors(message.at);
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
  // What it waited for longest: the launch before it, if that has only just ended.
  if (last_launched_ != Cause::none && launched_at_ == now) causes_[vertex] = {last_launched_, true};
  launching_ = last_launched_ = vertex;
  launched_at_ = now + (works_[vertex].folded ? sim::tick : gap_);
}

// What took most of the vertex's time. Launch, start, latency and the limit of what an SM can load are what no resource
// explains.
sim::Bound Dispatcher::bound_of(const Finished& message) const {
  const auto most = std::max_element(message.taken.begin(), message.taken.end());
  const sim::Duration all = (*times_)[message.vertex].end - (*times_)[message.vertex].start;
  if (all - *most > *most) return sim::Bound::latency;
  return static_cast<sim::Bound>(most - message.taken.begin());
}

std::string Dispatcher::waiting_for() const {
  if (done()) return {};
  return fmt::format("{} of {} kernels", remaining_, graph_->vertices().size());
}

}  // namespace kvtraffic::hardware
