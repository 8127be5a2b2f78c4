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
#include "hardware/machine/dram_told.hpp"
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
        places(its_part, locality, all.gather),
        rates(its_part, {}, std::move(windows)),
        mixes(rates, locality, all.gather) {}

  sim::Duration run_leaning(int lean, const sim::StepGraph& graph, std::span<const KernelWork> works,
                            sim::Outcome& outcome) const {
    dram->set_lean(lean);
    running->run(graph, works, outcome);
    return outcome.total;
  }

  // The step three times: the middle of what windows leave open is its time, and what lies between the ends its error,
  // as the middle is not known to be in the middle.
  void run_at_both_ends(const sim::StepGraph& graph, std::span<const KernelWork> works, sim::Outcome& outcome) {
    sim::DramTold& told = outcome.dram_told;
    told.slow = run_leaning(1, graph, works, outcome);
    told.fast = run_leaning(-1, graph, works, outcome);
    const sim::Duration total = run_leaning(0, graph, works, outcome);
    tell(*dram, rates, told);
    told.left_open = std::min(total, std::max({told.slow, total, told.fast}) - std::min({told.slow, total, told.fast}));
    if (total > sim::Duration()) outcome.sampling_error = told.left_open.seconds() / total.seconds();
  }

  void build() {
    running = wired();
    if (order) running->set_order_seed(*order);
  }

  std::unique_ptr<FlowDevice> wired() {
    if (!mechanisms.dram_commands) return std::make_unique<FlowDevice>(device);
    if (exact) {
      auto all = std::make_unique<DramChannels>(part, places, device.sms);
      channels = all.get();
      return std::make_unique<FlowDevice>(device, std::move(all));
    }
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
  SharedDram* dram = nullptr;  // of `running`, either or none
  DramChannels* channels = nullptr;
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
  if (parts.channels != nullptr) {
    parts.channels->set_work(works.size());
    parts.flows.fill(graph, outcome.dram, works);
    parts.places.fill(graph, tally, parts.work.table(), parts.flows, works);
  }
  if (parts.dram != nullptr) {
    parts.flows.fill(graph, outcome.dram, works);
    parts.mixes.fill(graph, tally, parts.work.table(), parts.flows);
    parts.dram->set_work(parts.mixes.vertices());
  }
  outcome.sampling_error = 0;
  if (parts.dram == nullptr) {
    outcome.dram_told = {};
    parts.running->run(graph, works, outcome);
    if (parts.channels != nullptr) tell(*parts.channels, outcome.dram_told);
    return;
  }
  parts.run_at_both_ends(graph, works, outcome);
}

}  // namespace kvtraffic::hardware
