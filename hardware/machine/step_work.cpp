// In the order in which the parts need one another. Leaves out the parts themselves.
#include "hardware/machine/step_work.hpp"

namespace kvtraffic::hardware {
namespace {

sim::Bytes usable_l2(const Device& device) {
  return sim::Bytes::of(static_cast<std::int64_t>(static_cast<double>(device.l2_capacity.count()) * device.l2_usable));
}

}  // namespace

StepWork::StepWork(const Device& device, const sim::KernelPlan& plan, const sim::Selection& selection)
    : plan_(plan),
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
  return works_.fill(graph, tally, table_, outcome.dram);
}

}  // namespace kvtraffic::hardware
