// The components of one device wired together: graph and work in, times out. It is kept from point to point.
// Leaves out what work there is (kernel_work.hpp) and what L2 holds (l2_model.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hardware/machine/dispatcher.hpp"
#include "hardware/machine/kernel_work.hpp"
#include "hardware/machine/server.hpp"
#include "hardware/machine/sm_pool.hpp"
#include "sim/kernel/loop.hpp"

namespace kvtraffic::hardware {

class FlowDevice {
 public:
  // `hbm`: what serves the device's memory; absent: a server at the rate of its streams.
  explicit FlowDevice(const Device& device, std::unique_ptr<MemoryServer> hbm = nullptr);
  // One step; `works` has one element per vertex. Fills total, bound_by, vertices and busy. The step is bound by what
  // bounds the vertices of its critical path for the longest sum of their times; time that only launches explain counts
  // as latency.
  void run(const sim::StepGraph& graph, std::span<const KernelWork> works, sim::Outcome& outcome);
  // Time goes on from run to run. After a while, or after an exception, a new device has to take over.
  [[nodiscard]] bool is_worn() const {
    return running_ || base_ > sim::Instant::at_femtoseconds(600'000'000'000'000'000);
  }
  void set_order_seed(std::uint64_t seed) { loop_.set_order_seed(seed); }  // for tests

 private:
  void reset(const sim::StepGraph& graph, std::span<const KernelWork> works, sim::Outcome& outcome);
  void conclude(std::span<const KernelWork> works, sim::Outcome& outcome) const;

  SmPool pool_;
  Dispatcher dispatcher_;
  std::unique_ptr<MemoryServer> hbm_;
  Server l2_, link_, host_;
  sim::Loop loop_;
  sim::Instant base_;
  bool running_ = false;
};

// The resource whose vertices fill the longest part of the critical path, which is followed back from `last`.
[[nodiscard]] sim::Bound bound_of_path(std::span<const sim::VertexTime> times, std::span<const Cause> causes,
                                       std::uint32_t last);

}  // namespace kvtraffic::hardware
