// The lower bound as a machine: the largest of compulsory work over pin-rate peak, per resource and along dependencies.
// Knows no launch, no efficiency, no latency; every other fidelity takes at least as long.
#pragma once

#include <vector>

#include "hardware/machine/access_table.hpp"
#include "hardware/spec/hardware.hpp"
#include "sim/run/machine.hpp"

namespace kvtraffic::hardware {

class RooflineMachine : public sim::Machine {
 public:
  explicit RooflineMachine(const Hardware& hardware);
  // Outcome::dram holds compulsory bytes: each distinct byte of the step once (of accesses to one region, the largest;
  // reads and writes apart), nothing of what is made and used up within the step. Outcome::vertices stays empty.
  void execute(const sim::StepGraph& graph, const sim::Tally& tally, sim::Outcome& outcome) override;
  [[nodiscard]] sim::Frequency clock() const override { return device_.clock; }
  [[nodiscard]] std::string_view saving_reason() const override { return "counted once"; }

 private:
  struct Totals {  // seconds of each resource, and along the longest path
    double hbm = 0, compute = 0, link = 0, host = 0, path = 0;
  };
  void cost_operations(const sim::StepGraph& graph, const sim::Tally& tally, Totals& totals);
  void walk(const sim::StepGraph& graph, std::vector<std::int64_t>& dram, Totals& totals);
  [[nodiscard]] double bytes_from(sim::Place place, AccessTable::Range range, bool only_dependent) const;

  Device device_;
  double seconds_per_byte_ = 0;  // over the pins
  std::vector<double> seconds_per_flop_;
  AccessTable table_;
  std::vector<std::int64_t> largest_;  // per region and direction: most bytes any access asked of it so far
  std::vector<double> own_;            // per operation: seconds that cannot overlap what it waits for, DRAM aside
  std::vector<double> finish_;         // per vertex: earliest end along dependencies, seconds
};

}  // namespace kvtraffic::hardware
