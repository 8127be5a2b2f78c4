// What one kernel asks of each resource of the device, worked out before time starts: bytes by server, arithmetic per
// tile, and how its tiles are bundled into groups. Leaves out when it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hardware/machine/access_table.hpp"
#include "hardware/spec/hardware.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/plan/tiling.hpp"
#include "sim/run/tally.hpp"

namespace kvtraffic::hardware {

struct KernelWork {
  std::int64_t tiles = 1;     // 0: nothing to do, and no launch
  std::int64_t depth = 1;     // tiles that an SM of a group runs one after another
  std::int64_t hbm_read = 0;  // bytes
  std::int64_t hbm_write = 0;
  std::int64_t l2_read = 0;  // hits and misses
  std::int64_t l2_write = 0;
  std::int64_t host = 0;
  std::int64_t sent = 0;
  std::int64_t remote = 0;     // read from other nodes, over the link
  sim::Duration tile_time;     // arithmetic of one tile on one SM
  sim::Duration compute_time;  // of all tiles on all SMs
  sim::Duration link_latency;  // from the last byte sent until the message is complete
  // What the engine's kernel class adds; zero where it has none.
  sim::Duration lead;        // after the launch, before the first block
  sim::Duration bubble;      // of a tile: neither its own loads nor those of the next tile run meanwhile
  sim::Duration tail;        // after the last store: the kernel that adds up the parts
  sim::Bandwidth load_rate;  // of one SM; zero: the device's
  bool folded = false;       // runs in another kernel: no launch, and its loads come with that kernel's
  std::int64_t again = 0;    // bytes that tiles load from L2 once more, part of l2_read
  sim::Duration host_time;   // that the host needs to launch it, after all that stand before it
  sim::Duration host_rest;   // the same for its further kernels (lead, tail)
  bool overlapped = false;   // launches overlap the last tiles of the kernel before
};

// Of a kernel's bytes, what its tiles 0..tiles - 1 move: shares of neighbours add up to the whole.
[[nodiscard]] inline std::int64_t bytes_of_tiles(std::int64_t bytes, const KernelWork& work, std::int64_t tiles) {
  if (tiles == work.tiles) return bytes;
  const double share = static_cast<double>(tiles) / static_cast<double>(work.tiles);
  return static_cast<std::int64_t>(static_cast<double>(bytes) * share);
}

// A kernel of more waves is run in about this many groups, each of several tiles an SM: total work, the number of waves
// and the idle SMs of the last one stay as they are, only the moments at which loads and stores are asked for become
// coarser.
inline constexpr std::int64_t most_groups = 32;

class KernelWorks {
 public:
  KernelWorks(Device device, sim::KernelPlan plan) : device_(std::move(device)), plan_(std::move(plan)) {}
  // One element per vertex. `dram` as from L2Model::run.
  std::vector<KernelWork>& fill(const sim::StepGraph& graph, const sim::Tally& tally, const AccessTable& table,
                                const std::vector<std::int64_t>& dram);

 private:
  [[nodiscard]] KernelWork of_operation(const sim::StepGraph& graph, const sim::Tally& tally,
                                        std::uint32_t operation) const;
  void cut(KernelWork& work, std::int64_t tiles) const;
  void set_arithmetic(KernelWork& work, const sim::OperationWork& amount, const sim::KernelClass& its,
                      const sim::Cut& cut) const;
  void add_class(KernelWork& work, std::uint32_t operation, const sim::StepGraph& graph, const sim::Tally& tally,
                 const AccessTable& table) const;
  [[nodiscard]] sim::Duration cast_time(const sim::Cut& cut, double stream) const;
  [[nodiscard]] sim::Duration launch_behind(sim::Duration launch, sim::Duration tail) const;
  void set_launches(KernelWork& work, std::uint32_t operation, const sim::StepGraph& graph) const;
  void add_host_gap(const sim::StepGraph& graph);
  void fetch_again(KernelWork& work, std::uint32_t operation, std::int64_t weights) const;
  void limit_loads(KernelWork& work, std::uint32_t operation) const;
  [[nodiscard]] sim::Duration combine_time(const sim::KernelClass& its, const sim::Cut& cut, double output) const;
  [[nodiscard]] std::optional<sim::Precision> precision_of(const sim::OperationWork& amount) const;
  void set_message(KernelWork& work, const sim::Operation& operation, std::int64_t sent) const;

  Device device_;
  sim::KernelPlan plan_;
  std::vector<KernelWork> operations_;     // without bytes
  std::vector<sim::KernelClass> classes_;  // one per operation
  std::vector<sim::Cut> cuts_;             // one per operation
  std::vector<KernelWork> vertices_;
};

}  // namespace kvtraffic::hardware
