// Hand-made steps for machines: kernels with the bytes and arithmetic that a test names, and a device of round numbers.
// Leaves out models and byte formats: what the tally would work out is written down here.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hardware/spec/hardware.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/run/machine.hpp"
#include "sim/run/tally.hpp"

namespace kvtraffic::hardware::testing {

inline constexpr std::int64_t mega = 1'000'000;

inline sim::Duration nanoseconds(std::int64_t n) { return sim::Duration::of_femtoseconds(n * 1'000'000); }
inline sim::Duration microseconds(std::int64_t n) { return nanoseconds(n * 1000); }

// 100 SMs; 1 TB/s over the pins, 800 GB/s of a stream; 8 of 10 MB of L2 at 4 TB/s; BF16 100 TFLOPS, of which 80 last.
inline Device round_device() {
  Device d;
  d.name = "round";
  d.sms = 100;
  d.clock = sim::Frequency::per_second(1e9);
  d.peak = {sim::FlopRate{}, sim::FlopRate::per_second(200e12), sim::FlopRate::per_second(100e12),
            sim::FlopRate::per_second(10e12)};
  d.sustained = {0.8, 0.8, 0.8, 0.8};
  d.bus_bits = 8000;
  d.pin_bits_per_second = 1e9;
  d.stream_efficiency = 0.8;
  d.memory_latency = nanoseconds(500);
  d.l2_capacity = sim::Bytes::of(10 * mega);
  d.l2_usable = 0.8;
  d.l2_bandwidth = sim::Bandwidth::per_second(4e12);
  d.l2_latency = nanoseconds(200);
  d.sm_load_rate = sim::Bandwidth::per_second(100e9);
  d.launch_gap = nanoseconds(1300);
  d.kernel_start = nanoseconds(1000);
  d.host_bandwidth = sim::Bandwidth::per_second(50e9);
  d.host_efficiency = 0.8;
  d.host_latency = microseconds(2);
  d.link_bandwidth = sim::Bandwidth::per_second(400e9);
  d.link_efficiency = 0.8;
  d.all_reduce_floor = microseconds(5);
  d.all_to_all_floor = microseconds(12);
  return d;
}

inline Hardware round_hardware() {
  Hardware hardware;
  hardware.device = round_device();
  return hardware;
}

struct Use {
  std::string region;
  std::int64_t bytes = 0;
  sim::Direction direction = sim::Direction::read;
  bool transient = false;
  bool dependent = false;
  sim::Place place = sim::Place::device;
  std::int64_t row = 0;  // of entries that are picked, each by itself; 0: a stream
  sim::Count count{};    // how many of them a token picks
  sim::DataKind kind = sim::DataKind::activation;
};

inline Use reads(std::string region, std::int64_t bytes) { return {std::move(region), bytes}; }
inline Use writes(std::string region, std::int64_t bytes) { return {std::move(region), bytes, sim::Direction::write}; }
inline Use picks(std::string region, std::int64_t entries, std::int64_t row) {
  Use use = reads(std::move(region), entries * row);
  use.row = row;
  return use;
}
inline Use transient(Use use) {
  use.transient = true;
  return use;
}
inline Use dependent(Use use) {
  use.dependent = true;
  return use;
}
inline Use on_host(Use use) {
  use.place = sim::Place::host;
  return use;
}

inline Use in_another_node(Use use) {
  use.place = sim::Place::remote;
  return use;
}

// Each vertex has an operation of its own; regions are named by the test.
class Step {
 public:
  Step() { layout_ = graph.add_layout(sim::Layout::blob("bytes", 1)); }

  std::uint32_t add(const std::vector<Use>& uses, double bf16_flops = 0) {
    return add(sim::Operation{}, uses, bf16_flops);
  }

  std::uint32_t add(sim::Operation operation, const std::vector<Use>& uses, double bf16_flops = 0) {
    operation.name = "kernel";
    for (const Use& use : uses) {
      sim::Access access;
      access.kind = use.kind;
      access.direction = use.direction;
      access.transient = use.transient;
      access.dependent = use.dependent;
      access.place = use.place;
      access.owner = sim::Owner::step;
      access.role = graph.add_role(use.region);
      access.layout = layout_;
      if (use.row > 0) {
        access.pattern = sim::Pattern::gather;
        access.count = use.count;
        access.layout = graph.add_layout(pages_of(use.row));
      }
      operation.accesses.push_back(access);
      sim::AccessBytes bytes;
      bytes.logical = bytes.sector = bytes.device = bytes.footprint = use.bytes;
      tally.accesses.push_back(bytes);
    }
    sim::OperationWork work;
    work.flops[static_cast<std::size_t>(sim::Precision::bf16)] = bf16_flops;
    tally.operations.push_back(work);
    return graph.add_vertex(graph.add_operation(std::move(operation)), -1);
  }

  // Tokens x columns in tiles of 64 x 128: `tiles` tiles.
  // Pages of 64 rows.
  static sim::Layout pages_of(std::int64_t row) {
    sim::Layout layout = sim::Layout::blob("row of " + std::to_string(row), row);
    layout.page_entries = 64;
    layout.page_bytes = 64 * row;
    return layout;
  }

  std::uint32_t add_gemm(std::int64_t tiles, double bf16_flops, const std::vector<Use>& uses = {}) {
    sim::Operation gemm;
    gemm.kind = sim::OperationKind::gemm;
    gemm.shape.columns = 128 * tiles;
    return add(std::move(gemm), uses, bf16_flops);
  }

  std::uint32_t add_message(sim::Collective::Kind kind, std::int64_t sent, const std::vector<Use>& uses = {}) {
    sim::Operation message;
    message.kind = sim::OperationKind::collective;
    message.collective.kind = kind;
    const std::uint32_t vertex = add(std::move(message), uses);
    tally.operations.back().sent = sent;
    return vertex;
  }

  void after(std::uint32_t before, std::uint32_t vertex) { graph.add_edge(before, vertex, "order"); }

  sim::Outcome run_on(sim::Machine& machine) {
    finish();
    sim::Outcome outcome;
    machine.execute(graph, tally, outcome);
    return outcome;
  }

  void finish() {
    if (!finished_) graph.finish();
    finished_ = true;
    tally.tokens = tally.tokens_device = 1;
    tally.spans = {{{1, 1, 0}, 1, 1}};
  }

  sim::StepGraph graph;
  sim::Tally tally;

 private:
  std::uint32_t layout_ = 0;
  bool finished_ = false;
};

inline double busy_of(const sim::Outcome& outcome, sim::Bound bound) {
  for (const auto& [resource, share] : outcome.busy) {
    if (resource == bound) return share;
  }
  return -1;
}

}  // namespace kvtraffic::hardware::testing
