// Operations are cut once per point; their vertices differ only in what L2 holds for them.
// Leaves out activations that every tile of a GEMM reads again (they are L2 traffic that no access states).
#include "hardware/machine/kernel_work.hpp"

#include <algorithm>

#include "hardware/machine/peaks.hpp"
#include "sim/plan/tiling.hpp"

namespace kvtraffic::hardware {
namespace {

// What a link takes until it answers, beside the bytes: a whole kernel's floor without launch and start.
sim::Duration link_latency(const Device& device, sim::Duration floor) {
  return std::max(floor - device.launch_gap - device.kernel_start, device.memory_latency);
}

void add_elsewhere(KernelWork& work, const AccessCost& cost, const Device& device) {
  std::int64_t& bytes = cost.place == sim::Place::host ? work.host : work.remote;
  bytes = sim::checked_add(bytes, cost.bytes);
  // No read from another node is measured: it takes what the smallest exchange with another device does.
  if (work.remote > 0) work.link_latency = std::max(work.link_latency, link_latency(device, device.all_to_all_floor));
}

void add_access(KernelWork& work, const AccessCost& cost, std::int64_t dram, const Device& device) {
  if (cost.place != sim::Place::device) return add_elsewhere(work, cost, device);
  std::int64_t& hbm = cost.write ? work.hbm_write : work.hbm_read;
  std::int64_t& l2 = cost.write ? work.l2_write : work.l2_read;
  hbm = sim::checked_add(hbm, dram);
  l2 = sim::checked_add(l2, cost.bytes);
}

}  // namespace

void KernelWorks::cut(KernelWork& work, std::int64_t tiles) const {
  work.tiles = tiles;
  work.depth = sim::ceil_divide(sim::ceil_divide(tiles, device_.sms), most_groups);
}

void KernelWorks::set_arithmetic(KernelWork& work, const sim::OperationWork& amount) const {
  double seconds = 0;
  for (std::size_t p = 0; p < sim::precision_count; ++p) {
    if (amount.flops[p] <= 0) continue;
    seconds += amount.flops[p] * seconds_per_flop(device_, static_cast<sim::Precision>(p), Roof::sustained);
  }
  work.compute_time = sim::Duration::of_seconds(seconds);
  work.tile_time =
      sim::Duration::of_seconds(seconds * static_cast<double>(device_.sms) / static_cast<double>(work.tiles));
}

// Floors were measured on whole kernels in a replayed graph, so launch and start are part of them. A message is one
// group: its barriers are paid once.
void KernelWorks::set_message(KernelWork& work, const sim::Operation& operation, std::int64_t sent) const {
  if (sent == 0 || device_.link_bandwidth.is_zero()) return;
  const bool reduces = operation.collective.kind == sim::Collective::Kind::all_reduce;
  const sim::Duration floor = reduces ? device_.all_reduce_floor : device_.all_to_all_floor;
  work.sent = sent;
  work.link_latency = link_latency(device_, floor);
  work.depth = sim::ceil_divide(work.tiles, device_.sms);
}

KernelWork KernelWorks::of_operation(const sim::StepGraph& graph, const sim::Tally& tally,
                                     std::uint32_t operation) const {
  KernelWork work;
  if (tally.is_idle(graph.operations()[operation])) {
    work.tiles = 0;
    return work;
  }
  cut(work, sim::tiles_of(plan_, graph, operation, tally, device_.sms));
  set_arithmetic(work, tally.operations[operation]);
  set_message(work, graph.operations()[operation], tally.operations[operation].sent);
  return work;
}

std::vector<KernelWork>& KernelWorks::fill(const sim::StepGraph& graph, const sim::Tally& tally,
                                           const AccessTable& table, const std::vector<std::int64_t>& dram) {
  operations_.clear();
  for (std::uint32_t i = 0; i < graph.operations().size(); ++i) operations_.push_back(of_operation(graph, tally, i));
  vertices_.clear();
  for (const sim::Vertex& vertex : graph.vertices()) {
    KernelWork& work = vertices_.emplace_back(operations_[vertex.operation]);
    const AccessTable::Range range = table.ranges[vertex.operation];
    for (std::uint32_t i = 0; i < range.count; ++i) {
      add_access(work, table.costs[range.first + i], dram[vertex.first_access + i], device_);
    }
  }
  return vertices_;
}

}  // namespace kvtraffic::hardware
