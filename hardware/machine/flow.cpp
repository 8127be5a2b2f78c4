// A point in three stages: what L2 holds, what each kernel asks for, and when it gets it.
// Leaves out the components themselves (flow_device.hpp and what it includes).
#include "hardware/machine/flow.hpp"

#include "hardware/machine/access_table.hpp"
#include "hardware/machine/flow_device.hpp"
#include "hardware/machine/kernel_work.hpp"
#include "hardware/machine/l2_model.hpp"
#include "hardware/machine/rereads.hpp"

namespace kvtraffic::hardware {
namespace {

sim::Bytes usable_l2(const Device& device) {
  return sim::Bytes::of(static_cast<std::int64_t>(static_cast<double>(device.l2_capacity.count()) * device.l2_usable));
}

}  // namespace

struct FlowMachine::Parts {
  Parts(const Device& its_device, const sim::KernelPlan& its_plan)
      : device(its_device),
        plan(its_plan),
        rereads(its_device.sms, usable_l2(its_device)),
        l2(usable_l2(its_device)),
        works(its_device, its_plan) {}
  Device device;
  sim::KernelPlan plan;
  AccessTable table;
  Rereads rereads;
  L2Model l2;
  KernelWorks works;
  std::unique_ptr<FlowDevice> running;
};

FlowMachine::FlowMachine(const Hardware& hardware, const sim::KernelPlan& plan)
    : parts_(std::make_unique<Parts>(hardware.device, plan)) {}

FlowMachine::~FlowMachine() = default;

sim::Frequency FlowMachine::clock() const { return parts_->device.clock; }

void FlowMachine::execute(const sim::StepGraph& graph, const sim::Tally& tally, sim::Outcome& outcome) {
  Parts& parts = *parts_;
  parts.table.fill(graph, tally);
  parts.rereads.fill(graph, tally, parts.plan, parts.table);
  parts.l2.run(graph, parts.table, outcome.dram);
  const std::vector<KernelWork>& works = parts.works.fill(graph, tally, parts.table, outcome.dram);
  if (!parts.running || parts.running->is_worn()) parts.running = std::make_unique<FlowDevice>(parts.device);
  parts.running->run(graph, works, outcome);
}

}  // namespace kvtraffic::hardware
