// A point in three stages: what each kernel asks for, how fast DRAM serves it, and when it gets it.
// Leaves out DRAM itself (dram_rates.hpp) and the components of the device (flow_device.hpp).
#include "hardware/machine/cycle.hpp"

#include <algorithm>

#include "hardware/machine/dram_rates.hpp"
#include "hardware/machine/flow_device.hpp"
#include "hardware/machine/step_work.hpp"

namespace kvtraffic::hardware {

struct CycleMachine::Parts {
  Parts(const Device& its_device, const hbm::Part& part, const sim::KernelPlan& plan, const Mechanisms& all,
        const sim::Locality& its_locality)
      : device(its_device), mechanisms(all), locality(its_locality), work(its_device, plan), rates(part) {}

  // What a vertex moves over the pins, by how it lies.
  const DramMix& mix_of(const sim::StepGraph& graph, const sim::Vertex& vertex, const sim::Outcome& outcome) {
    mix.clear();
    const auto& accesses = graph.operations()[vertex.operation].accesses;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const std::int64_t bytes = outcome.dram[vertex.first_access + i];
      if (bytes == 0 || accesses[i].place != sim::Place::device) continue;
      const bool gathers = mechanisms.gather && accesses[i].pattern == sim::Pattern::gather;
      const std::int64_t piece = gathers ? graph.layouts()[accesses[i].layout].row : 0;
      mix.push_back({accesses[i].direction == sim::Direction::write, piece, bytes});
    }
    return mix;
  }

  Device device;
  Mechanisms mechanisms;
  sim::Locality locality;
  StepWork work;
  DramRates rates;
  DramMix mix;
  std::unique_ptr<FlowDevice> running;
};

CycleMachine::CycleMachine(const Hardware& hardware, const hbm::Part& part, const sim::KernelPlan& plan,
                           const Mechanisms& mechanisms, const sim::Locality& locality)
    : parts_(std::make_unique<Parts>(without_ablated(hardware.device, mechanisms), without_ablated(part, mechanisms),
                                     plan, mechanisms, locality)) {}

CycleMachine::~CycleMachine() = default;

sim::Frequency CycleMachine::clock() const { return parts_->device.clock; }

void CycleMachine::execute(const sim::StepGraph& graph, const sim::Tally& tally, sim::Outcome& outcome) {
  Parts& parts = *parts_;
  std::vector<KernelWork>& works = parts.work.fill(graph, tally, outcome);
  double uncertain = 0;  // seconds
  for (std::size_t v = 0; parts.mechanisms.dram_commands && v < works.size(); ++v) {
    const DramMix& mix = parts.mix_of(graph, graph.vertices()[v], outcome);
    if (mix.empty()) continue;
    const DramRate rate = parts.rates.of(mix);
    // A part may state a little more than its maker's pin rate; the roofline stays the bound.
    works[v].hbm_rate = std::min(rate.rate, parts.device.pin_bandwidth());
    uncertain += rate.error * static_cast<double>(works[v].hbm_read + works[v].hbm_write) / rate.rate.per_second();
  }
  if (!parts.running || parts.running->is_worn()) parts.running = std::make_unique<FlowDevice>(parts.device);
  parts.running->run(graph, works, outcome);
  const double total = outcome.total.seconds();
  outcome.sampling_error = total > 0 ? std::min(uncertain / total, 1.0) : 0;
}

}  // namespace kvtraffic::hardware
