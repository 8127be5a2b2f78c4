// In the order in which the parts need one another. Leaves out the parts themselves.
#include "hardware/machine/step_work.hpp"

namespace kvtraffic::hardware {
namespace {

sim::Bytes usable_l2(const Device& device) {
  return sim::Bytes::of(static_cast<std::int64_t>(static_cast<double>(device.l2_capacity.count()) * device.l2_usable));
}

// HBM at the rate of its pins, links and the host at that of their lanes, arithmetic at what it sustains.
sim::Needs needs_of(const KernelWork& work, const Device& device) {
  const auto moving = [](std::int64_t bytes, sim::Bandwidth rate) {
    return bytes == 0 || rate.is_zero() ? sim::Duration() : sim::time_to_move(sim::Bytes::of(bytes), rate);
  };
  return {moving(work.hbm_read + work.hbm_write, device.pin_bandwidth()),
          moving(work.l2_read + work.l2_write, device.l2_bandwidth), work.compute_time,
          moving(work.sent + work.remote, device.link_bandwidth), moving(work.host, device.host_bandwidth)};
}

}  // namespace

StepWork::StepWork(const Device& device, const sim::KernelPlan& plan, const sim::Selection& selection)
    : device_(device),
      plan_(plan),
      rereads_(device.sms, usable_l2(device), selection.queries),
      l2_(usable_l2(device), selection.layers),
      works_(device, plan) {}

std::vector<KernelWork>& StepWork::fill(const sim::StepGraph& graph, const sim::Tally& tally, sim::Outcome& outcome) {
  table_.fill(graph, tally);
  rereads_.fill(graph, tally, plan_, table_);
  gathers_.fill(graph, tally, table_);
  l2_.run(graph, table_, outcome.dram, tally.point.cold ? L2Model::Start::cold : L2Model::Start::steady);
  outcome.evicted = l2_.evicted();
  outcome.left = l2_.left();
  std::vector<KernelWork>& works = works_.fill(graph, tally, table_, outcome.dram);
  outcome.needs.clear();
  for (const KernelWork& work : works) outcome.needs.push_back(needs_of(work, device_));
  return works;
}

}  // namespace kvtraffic::hardware
