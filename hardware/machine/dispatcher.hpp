// Walks a step graph: launches a kernel when all that it waits for is done, one launch after another.
// Leaves out what kernels do (sm_pool.hpp) and launches that overlap the kernel before (programmatic dependent launch).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hardware/machine/sm_pool.hpp"
#include "hardware/spec/hardware.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/run/machine.hpp"

namespace kvtraffic::hardware {

// What a vertex could not start without.
struct Cause {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t vertex = none;
  bool launch = false;  // the launch of `vertex`; otherwise its end
};

// One stream of a replayed graph: of the kernels that are ready, the first in execution order is launched next. A
// launch takes the gap, then blocks need `kernel_start` to get going. A vertex's time runs from the beginning of its
// launch to its last store.
class Dispatcher : public sim::Component {
 public:
  explicit Dispatcher(const Device& device);
  void connect(SmPool& pool);
  // The graph must outlive the run. `times` gets one element per vertex, relative to `base`. A vertex whose work has no
  // tiles is done as soon as it is ready, without a launch.
  void reset(const sim::StepGraph& graph, std::span<const KernelWork> works, sim::Instant base,
             std::vector<sim::VertexTime>& times);
  [[nodiscard]] bool done() const { return remaining_ == 0; }
  [[nodiscard]] const std::vector<Cause>& causes() const { return causes_; }
  [[nodiscard]] std::uint32_t last_finished() const { return last_finished_; }  // Cause::none before the first

  [[nodiscard]] sim::Instant wake() const override;
  void advance(sim::Instant now) override;
  [[nodiscard]] std::string waiting_for() const override;

  sim::Port<Finished> finished{"finished", *this};

 private:
  void take(const Finished& message);
  void begin_launch(sim::Instant now);
  void make_ready(std::uint32_t vertex, sim::Instant now);
  void release_successors(sim::Instant now);
  [[nodiscard]] sim::Instant since_base(sim::Instant t) const { return sim::Instant() + (t - base_); }
  [[nodiscard]] sim::Bound bound_of(const Finished& message) const;

  sim::Duration gap_;
  sim::Duration start_;
  sim::Outlet<Launch> launches_;
  const sim::StepGraph* graph_ = nullptr;
  std::span<const KernelWork> works_;
  std::vector<sim::VertexTime>* times_ = nullptr;
  sim::Instant base_;
  std::vector<std::uint32_t> place_;    // in execution order, per vertex
  std::vector<std::uint32_t> missing_;  // predecessors that are not done, per vertex
  std::vector<std::uint32_t> ready_;    // places, a heap with the first on top
  std::vector<std::uint32_t> done_;     // whose successors are to be released
  std::vector<Cause> causes_;
  std::uint32_t launching_ = Cause::none;
  std::uint32_t last_launched_ = Cause::none;
  std::uint32_t last_finished_ = Cause::none;
  sim::Instant launched_at_;
  std::size_t remaining_ = 0;
};

}  // namespace kvtraffic::hardware
