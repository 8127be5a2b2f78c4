// Wiring, one run, and what is said about it afterwards.
#include "hardware/machine/flow_device.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kvtraffic::hardware {

using sim::Bound;
using sim::Duration;
using sim::Instant;

namespace {

std::unique_ptr<MemoryServer> stream_server(const Device& device) {
  return std::make_unique<Server>("HBM", Bound::hbm, device.pin_bandwidth() * device.stream_efficiency);
}

}  // namespace

FlowDevice::FlowDevice(const Device& device, std::unique_ptr<MemoryServer> hbm)
    : pool_(device),
      dispatcher_(device),
      hbm_(hbm ? std::move(hbm) : stream_server(device)),
      l2_("L2", Bound::l2, device.l2_bandwidth),
      link_("link", Bound::link, device.link_bandwidth * device.link_efficiency),
      host_("host", Bound::host, device.host_bandwidth * device.host_efficiency) {
  pool_.connect(*hbm_, Bound::hbm);
  pool_.connect(l2_, Bound::l2);
  pool_.connect(link_, Bound::link);
  pool_.connect(host_, Bound::host);
  dispatcher_.connect(pool_);
  for (sim::Component* component : {static_cast<sim::Component*>(&dispatcher_), static_cast<sim::Component*>(&pool_),
                                    static_cast<sim::Component*>(hbm_.get()), static_cast<sim::Component*>(&l2_),
                                    static_cast<sim::Component*>(&link_), static_cast<sim::Component*>(&host_)}) {
    loop_.add(*component);
  }
}

void FlowDevice::run(const sim::StepGraph& graph, std::span<const KernelWork> works, sim::Outcome& outcome) {
  reset(graph, works, outcome);
  running_ = true;
  const sim::LoopEnd end = loop_.run(Instant::never(), [this] { return dispatcher_.done(); });
  running_ = false;
  if (!works.empty()) base_ = end.now + sim::tick;
  conclude(works, outcome);
}

void FlowDevice::reset(const sim::StepGraph& graph, std::span<const KernelWork> works, sim::Outcome& outcome) {
  dispatcher_.reset(graph, works, base_, outcome.vertices);
  pool_.reset(works);
  hbm_->reset(base_);
  for (Server* server : {&l2_, &link_, &host_}) server->reset(base_);
}

void FlowDevice::conclude(std::span<const KernelWork> works, sim::Outcome& outcome) const {
  outcome.total = {};
  for (const sim::VertexTime& time : outcome.vertices) outcome.total = std::max(outcome.total, time.end - Instant());
  outcome.bound_by = bound_of_path(outcome.vertices, dispatcher_.causes(), dispatcher_.last_finished());
  Duration compute;
  for (const KernelWork& work : works) compute += work.compute_time;
  outcome.busy.clear();
  const auto add = [&](Bound bound, Duration busy) {
    outcome.busy.emplace_back(bound, outcome.total > Duration() ? busy.seconds() / outcome.total.seconds() : 0);
  };
  add(Bound::hbm, hbm_->busy());
  add(Bound::l2, l2_.busy());
  add(Bound::compute, compute);
  add(Bound::link, link_.busy());
  add(Bound::host, host_.busy());
}

Bound bound_of_path(std::span<const sim::VertexTime> times, std::span<const Cause> causes, std::uint32_t last) {
  std::array<Duration, sim::bound_names.size()> sums{};
  for (std::uint32_t v = last; v != Cause::none;) {
    sums[index_of(times[v].bound_by)] += times[v].end - times[v].start;
    Cause cause = causes[v];
    for (; cause.launch; v = cause.vertex, cause = causes[v]) {
      sums[index_of(Bound::latency)] += times[v].start - times[cause.vertex].start;
    }
    v = cause.vertex;
  }
  const auto most = std::max_element(sums.begin(), sums.end());  // of equals the first
  return *most == Duration() ? Bound::latency : static_cast<Bound>(most - sums.begin());
}

}  // namespace kvtraffic::hardware
