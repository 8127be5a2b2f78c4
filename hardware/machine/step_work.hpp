// A point before time starts: what L2 holds, and what each kernel then asks of every resource. Shared by the machines
// that place kernels in time. Leaves out when kernels run (flow_device.hpp).
#pragma once

#include <vector>

#include "hardware/machine/access_table.hpp"
#include "hardware/machine/gathers.hpp"
#include "hardware/machine/kernel_work.hpp"
#include "hardware/machine/l2_model.hpp"
#include "hardware/machine/rereads.hpp"
#include "hardware/spec/hardware.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/plan/locality.hpp"
#include "sim/run/machine.hpp"

namespace kvtraffic::hardware {

class StepWork {
 public:
  StepWork(const Device& device, const sim::KernelPlan& plan, const sim::Selection& selection = {});
  // One element per vertex; fills outcome.dram, outcome.evicted, outcome.left and outcome.needs.
  std::vector<KernelWork>& fill(const sim::StepGraph& graph, const sim::Tally& tally, sim::Outcome& outcome);
  [[nodiscard]] const AccessTable& table() const { return table_; }

 private:
  Device device_;
  sim::KernelPlan plan_;
  AccessTable table_;
  Rereads rereads_;
  Gathers gathers_;
  L2Model l2_;
  KernelWorks works_;
};

}  // namespace kvtraffic::hardware
