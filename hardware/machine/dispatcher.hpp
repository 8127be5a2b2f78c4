// Walks a step graph: launches a kernel when all that it waits for is done, one launch after another.
// Leaves out what kernels do (sm_pool.hpp) and how many launches fit into the device's queue.
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

// One stream: of the kernels that are ready, the first in execution order is launched next. A launch takes the gap,
// then blocks need `kernel_start` to get going. A vertex's time runs from the beginning of its launch to its last
// store. Where kernels come from a host (KernelWork::host_time), it launches them in execution order from the beginning
// of the step on, ahead of the device if it can: a gap ends no earlier than the host has got so far. Where launches
// overlap, a kernel that waits for one other alone is launched when that one's last tiles begin: what of gap and start
// has passed when it ends is not paid again.
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
  void send_launch(sim::Instant now);
  void place_launches();
  void launch_early(std::uint32_t vertex, sim::Instant now);
  [[nodiscard]] std::uint32_t first_ready() const { return graph_->order()[ready_.front()]; }
  [[nodiscard]] bool waited_for_host(std::uint32_t vertex, sim::Instant now) const {
    return due_[vertex] == now && now > base_;
  }
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
  std::vector<sim::Instant> due_;       // before which no launch begins, per vertex
  std::vector<sim::Instant> launched_;  // when the host has launched all of its kernels, per vertex
  std::vector<sim::Instant> early_;     // when it was launched ahead of time; never: it was not
  std::uint32_t launching_ = Cause::none;
  std::uint32_t last_launched_ = Cause::none;
  std::uint32_t last_finished_ = Cause::none;
  sim::Instant launched_at_;
  sim::Duration start_left_;  // of the kernel that is being launched
  std::size_t remaining_ = 0;
};

}  // namespace kvtraffic::hardware
