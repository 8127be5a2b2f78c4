// Host time of one point on a step shaped like a decode step of DeepSeek-V4: 61 layers, 915 vertices, 3,660 vertex
// accesses; of L2 alone on it; and of every DRAM command of one small kernel. Leaves out lowering and tally
// (point_bench): sizes are made up but of the right order.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "hardware/machine/cycle.hpp"
#include "hardware/machine/flow.hpp"
#include "hardware/machine/l2_model.hpp"
#include "hardware/machine/roofline.hpp"
#include "scenarios/device/memory_part.hpp"
#include "tests/hardware/machine/step.hpp"
#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::hardware::testing {
namespace {

constexpr std::uint32_t layers = 61;
constexpr std::uint32_t kernels = 15;  // of a layer
constexpr std::uint32_t layer_kinds = 4;

// The access pattern of one kernel: a weight of its own, two activations of the layer, sometimes the cache.
sim::Operation shared_operation(sim::StepGraph& graph, std::uint32_t kind, std::uint32_t kernel) {
  sim::Operation operation;
  operation.name = fmt::format("kernel{}", kernel);
  constexpr std::array kinds{sim::OperationKind::gemm, sim::OperationKind::elementwise, sim::OperationKind::attention,
                             sim::OperationKind::scan, sim::OperationKind::topk};
  operation.kind = kinds[kernel % kinds.size()];
  operation.shape.columns = 7168;
  operation.shape.depth = 7168;
  operation.shape.heads = 64;
  operation.shape.keys = {sim::Count::Kind::entries, 4, 0};
  const std::uint32_t layout = graph.add_layout(sim::Layout::blob("bytes", 1));
  for (std::uint32_t i = 0; i < 4; ++i) {
    sim::Access access;
    access.layout = layout;
    access.role = graph.add_role(fmt::format("{}.{}.{}", kind, kernel, i));
    access.transient = i >= 2;
    if (i >= 2) access.role = graph.add_role(fmt::format("hidden{}", (kernel + i) % 3));
    access.owner = i >= 2 ? sim::Owner::step : sim::Owner::layer;
    access.direction = i == 3 ? sim::Direction::write : sim::Direction::read;
    access.dependent = i >= 1;
    operation.accesses.push_back(access);
  }
  return operation;
}

struct DecodeStep {
  DecodeStep() {
    for (std::uint32_t k = 0; k < layer_kinds; ++k) {
      for (std::uint32_t i = 0; i < kernels; ++i) add_operation(k, i);
    }
    std::uint32_t before = 0;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      graph.add_layer({"csa2", "", static_cast<std::int32_t>(layer), static_cast<std::int32_t>(layer)});
    }
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      for (std::uint32_t i = 0; i < kernels; ++i) {
        const std::uint32_t v = graph.add_vertex(layer % layer_kinds * kernels + i, static_cast<std::int32_t>(layer));
        if (v > 0) graph.add_edge(before, v, "hidden state");
        if (i == 4) graph.add_edge(v - 3, v, "query");
        before = v;
      }
    }
    graph.finish();
    tally.tokens = tally.tokens_device = 64;
    tally.point = sim::Point::decode(64, 131072);
    tally.spans = {{{1, 131072, 0}, 64, 64}};
  }

  void add_operation(std::uint32_t kind, std::uint32_t kernel) {
    (void)graph.add_operation(shared_operation(graph, kind, kernel));
    const std::int64_t weight = kernel % 5 == 0 ? 14 * mega : 100'000;
    const std::int64_t cache = kernel % 5 == 2 ? 20 * mega : 1000;
    for (const std::int64_t bytes : {weight, cache, std::int64_t{900'000}, std::int64_t{900'000}}) {
      sim::AccessBytes access;
      access.logical = access.sector = access.device = access.footprint = bytes;
      tally.accesses.push_back(access);
    }
    sim::OperationWork work;
    work.flops[static_cast<std::size_t>(sim::Precision::fp8)] = kernel % 5 == 0 ? 6e9 : 0;
    tally.operations.push_back(work);
  }

  sim::StepGraph graph;
  sim::Tally tally;
};

void run(benchmark::State& state, sim::Machine& machine) {
  DecodeStep step;
  sim::Outcome outcome;
  for (auto _ : state) {
    machine.execute(step.graph, step.tally, outcome);
    benchmark::DoNotOptimize(outcome.total);
  }
  state.counters["vertices"] = static_cast<double>(step.graph.vertices().size());
  state.counters["accesses"] = static_cast<double>(step.graph.vertex_accesses());
  state.counters["simulated_us"] = outcome.total.seconds() * 1e6;
}

void roofline_point(benchmark::State& state) {
  RooflineMachine machine(round_hardware());
  run(state, machine);
}
BENCHMARK(roofline_point)->Unit(benchmark::kMicrosecond);

void flow_point(benchmark::State& state) {
  FlowMachine machine(round_hardware(), sim::test::round_plan());
  run(state, machine);
}
BENCHMARK(flow_point)->Unit(benchmark::kMicrosecond);

void l2_walk(benchmark::State& state) {
  const DecodeStep step;
  AccessTable table;
  table.fill(step.graph, step.tally);
  L2Model l2(sim::Bytes::of(8 * mega));
  std::vector<std::int64_t> dram;
  for (auto _ : state) {
    l2.run(step.graph, table, dram);
    benchmark::DoNotOptimize(dram.data());
  }
  state.counters["accesses"] = static_cast<double>(step.graph.vertex_accesses());
}
BENCHMARK(l2_walk)->Unit(benchmark::kMicrosecond);

// 20 MB of a stream, 10 MB of rows of 576 bytes and 4 MB of stores: about a million DRAM commands.
void exact_kernel(benchmark::State& state) {
  const hbm::Part part = scenarios::choose_part(scenarios::Catalog(KVTRAFFIC_ROOT), "hbm3-h100", {}).part;
  Step step;
  step.add_gemm(1000, 0, {reads("stream", 20 * mega), picks("rows", 10 * mega / 576, 576), writes("out", 4 * mega)});
  step.finish();
  CycleMachine machine(round_hardware(), part, sim::test::round_plan(), {}, {}, true);
  sim::Outcome outcome;
  for (auto _ : state) {
    machine.execute(step.graph, step.tally, outcome);
    benchmark::DoNotOptimize(outcome.total);
  }
  state.SetBytesProcessed(state.iterations() * 34 * mega);
}
BENCHMARK(exact_kernel)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kvtraffic::hardware::testing
