// The exact machine taken apart, so that a test sees how many transactions DRAM was asked for.
// Leaves out mechanisms and selections.
#pragma once

#include <memory>

#include "hardware/machine/dram_channels.hpp"
#include "hardware/machine/dram_flows.hpp"
#include "hardware/machine/dram_places.hpp"
#include "hardware/machine/flow_device.hpp"
#include "hardware/machine/step_work.hpp"
#include "tests/hardware/machine/step.hpp"
#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::hardware::testing {

class ExactRig {
 public:
  ExactRig(const Device& device, const hbm::Part& part, const sim::KernelPlan& plan = sim::test::round_plan())
      : granule_(part.geometry.transaction_bytes), work_(device, plan), places_(part, {}) {
    auto channels = std::make_unique<DramChannels>(part, places_, device.sms);
    channels_ = channels.get();
    running_ = std::make_unique<FlowDevice>(device, std::move(channels));
  }

  // Of a finished step.
  sim::Outcome run(const Step& step) {
    sim::Outcome outcome;
    const std::vector<KernelWork>& works = work_.fill(step.graph, step.tally, outcome);
    flows_.fill(step.graph, outcome.dram, works);
    places_.fill(step.graph, step.tally, work_.table(), flows_, works);
    channels_->set_work(works.size());
    running_->run(step.graph, works, outcome);
    asked_ = 0;
    for (std::uint32_t v = 0; v < step.graph.vertices().size(); ++v) {
      for (const DramFlow& flow : flows_.of(v)) asked_ += sim::ceil_divide(flow.bytes, granule_);
    }
    return outcome;
  }

  // Of the last run: of all flows, each rounded up; and what the channels were given.
  [[nodiscard]] std::int64_t asked() const { return asked_; }
  [[nodiscard]] std::int64_t served() const { return static_cast<std::int64_t>(channels_->transactions()); }

 private:
  std::int64_t granule_;
  StepWork work_;
  DramFlows flows_;
  DramPlaces places_;
  DramChannels* channels_ = nullptr;  // of `running_`
  std::unique_ptr<FlowDevice> running_;
  std::int64_t asked_ = 0;
};

}  // namespace kvtraffic::hardware::testing
