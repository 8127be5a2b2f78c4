// The step on event-driven servers: launches, tiles in waves over SMs, HBM, L2, links and host memory with bandwidth
// and latency. DRAM traffic is sector traffic less what an LRU-like L2 holds between two uses. Knows no DRAM command.
#pragma once

#include <memory>

#include "hardware/machine/ablation.hpp"
#include "hardware/spec/hardware.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/plan/locality.hpp"
#include "sim/run/machine.hpp"

namespace kvtraffic::hardware {

class FlowMachine : public sim::Machine {
 public:
  FlowMachine(const Hardware& hardware, const sim::KernelPlan& plan, const Mechanisms& mechanisms = {},
              const sim::Locality& locality = {});
  ~FlowMachine() override;
  void execute(const sim::StepGraph& graph, const sim::Tally& tally, sim::Outcome& outcome) override;
  [[nodiscard]] sim::Frequency clock() const override;
  [[nodiscard]] std::string_view saving_reason() const override { return "held in L2"; }

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kvtraffic::hardware
