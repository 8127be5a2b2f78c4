// A point in three stages: what each kernel asks for, how fast DRAM serves it, and when it gets it.
// Leaves out DRAM itself (dram_rates.hpp) and the components of the device (flow_device.hpp).
#include "hardware/machine/cycle.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "hardware/machine/dram_channels.hpp"
#include "hardware/machine/dram_flows.hpp"
#include "hardware/machine/dram_mixes.hpp"
#include "hardware/machine/dram_places.hpp"
#include "hardware/machine/dram_rates.hpp"
#include "hardware/machine/flow_device.hpp"
#include "hardware/machine/shared_dram.hpp"
#include "hardware/machine/step_work.hpp"

namespace kvtraffic::hardware {

struct CycleMachine::Parts {
  Parts(const Device& its_device, const hbm::Part& its_part, const sim::KernelPlan& plan, const Mechanisms& all,
        const sim::Locality& locality, bool is_exact, std::shared_ptr<DramWindows> windows)
      : device(its_device),
        part(its_part),
        mechanisms(all),
        exact(is_exact),
        work(its_device, plan, locality.selection),
        places(its_part, locality),
        rates(its_part, {}, std::move(windows)),
        mixes(rates, locality, all.gather) {}

  sim::Duration run_leaning(int lean, const sim::StepGraph& graph, std::span<const KernelWork> works,
                            sim::Outcome& outcome) {
    dram->set_lean(lean);
    running->run(graph, works, outcome);
    return outcome.total;
  }

  void build() {
    running = wired();
    if (order) running->set_order_seed(*order);
  }

  std::unique_ptr<FlowDevice> wired() {
    if (!mechanisms.dram_commands) return std::make_unique<FlowDevice>(device);
    if (exact) return std::make_unique<FlowDevice>(device, std::make_unique<DramChannels>(part, places, device.sms));
    // A part may state a little more than its maker's pin rate; the roofline stays the bound.
    auto shared = std::make_unique<SharedDram>(rates, device.sms, device.pin_bandwidth(), part);
    dram = shared.get();
    return std::make_unique<FlowDevice>(device, std::move(shared));
  }

  Device device;
  hbm::Part part;
  Mechanisms mechanisms;
  bool exact;
  StepWork work;
  DramFlows flows;
  DramPlaces places;
  DramRates rates;
  DramMixes mixes;
  SharedDram* dram = nullptr;  // of `running`
  std::optional<std::uint64_t> order;
  std::unique_ptr<FlowDevice> running;
};

CycleMachine::CycleMachine(const Hardware& hardware, const hbm::Part& part, const sim::KernelPlan& plan,
                           const Mechanisms& mechanisms, const sim::Locality& locality, bool exact,
                           std::shared_ptr<DramWindows> windows)
    : parts_(std::make_unique<Parts>(without_ablated(hardware.device, mechanisms), without_ablated(part, mechanisms),
                                     plan, mechanisms, locality, exact, std::move(windows))) {}

CycleMachine::~CycleMachine() = default;

void CycleMachine::set_order_seed(std::uint64_t seed) {
  parts_->order = seed;
  parts_->running.reset();
}

sim::Frequency CycleMachine::clock() const { return parts_->device.clock; }

void CycleMachine::execute(const sim::StepGraph& graph, const sim::Tally& tally, sim::Outcome& outcome) {
  Parts& parts = *parts_;
  std::vector<KernelWork>& works = parts.work.fill(graph, tally, outcome);
  if (!parts.running || parts.running->is_worn()) parts.build();
  if (parts.exact) {
    parts.flows.fill(graph, outcome.dram, works);
    parts.places.fill(graph, tally, parts.work.table(), parts.flows, works);
  }
  if (parts.dram != nullptr) {
    parts.flows.fill(graph, outcome.dram, works);
    parts.mixes.fill(graph, tally, parts.work.table(), parts.flows);
    parts.dram->set_work(parts.mixes.vertices());
  }
  outcome.sampling_error = 0;
  if (parts.dram == nullptr) return parts.running->run(graph, works, outcome);
  const sim::Duration slow = parts.run_leaning(1, graph, works, outcome);
  const sim::Duration fast = parts.run_leaning(-1, graph, works, outcome);
  const sim::Duration total = parts.run_leaning(0, graph, works, outcome);
  if (total == sim::Duration()) return;
  // The whole of what lies between the ends: the middle is not known to be in the middle.
  const double off = std::max({slow, total, fast}).seconds() - std::min({slow, total, fast}).seconds();
  outcome.sampling_error = std::min(off / total.seconds(), 1.0);
}

}  // namespace kvtraffic::hardware
