// A point in two stages: what each kernel asks for, and when it gets it.
// Leaves out the components themselves (flow_device.hpp and what it includes).
#include "hardware/machine/flow.hpp"

#include "hardware/machine/flow_device.hpp"
#include "hardware/machine/step_work.hpp"

namespace kvtraffic::hardware {

struct FlowMachine::Parts {
  Parts(const Device& its_device, const sim::KernelPlan& plan, const sim::Locality& locality)
      : device(its_device), work(its_device, plan, locality.selection) {}
  Device device;
  StepWork work;
  std::unique_ptr<FlowDevice> running;
};

FlowMachine::FlowMachine(const Hardware& hardware, const sim::KernelPlan& plan, const Mechanisms& mechanisms,
                         const sim::Locality& locality)
    : parts_(std::make_unique<Parts>(without_ablated(hardware.device, mechanisms), plan, locality)) {}

FlowMachine::~FlowMachine() = default;

sim::Frequency FlowMachine::clock() const { return parts_->device.clock; }

void FlowMachine::execute(const sim::StepGraph& graph, const sim::Tally& tally, sim::Outcome& outcome) {
  Parts& parts = *parts_;
  const std::vector<KernelWork>& works = parts.work.fill(graph, tally, outcome);
  if (!parts.running || parts.running->is_worn()) parts.running = std::make_unique<FlowDevice>(parts.device);
  parts.running->run(graph, works, outcome);
  outcome.sampling_error = 0;
}

}  // namespace kvtraffic::hardware
