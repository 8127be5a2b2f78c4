// How long one point's tally takes on a graph of the size of a 61-layer model: 60 operations in some 900 vertices.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "sim/run/tally.hpp"

namespace kvtraffic::sim {
namespace {

Layout cache_layout() {
  Layout layout;
  layout.name = "cache";
  layout.row = 576;
  layout.apart = 8;
  layout.page_entries = 64;
  layout.page_bytes = 65 * 576;
  return layout;
}

Access access_to(std::uint32_t layout, Per per, Count count, Pattern pattern) {
  Access access;
  access.layout = layout;
  access.per = per;
  access.count = count;
  access.pattern = pattern;
  access.ways = per == Per::token ? 8 : divides_freely;
  return access;
}

// A weight of its own, activations in and out, and entries of a cache that all share.
Operation operation_like(StepGraph& graph, int number, std::uint32_t cache, std::uint32_t activation) {
  const auto weight = graph.add_layout(Layout::blob("weight " + std::to_string(number), 1'000'000 + number));
  const Per per = number % 10 == 0 ? Per::expert : Per::rank;
  const Pattern pattern = number % 2 == 0 ? Pattern::gather : Pattern::stream;
  const Count keys{number % 3 == 0 ? Count::Kind::entries : Count::Kind::capped, 4, 512};
  Operation operation;
  operation.name = "operation " + std::to_string(number);
  operation.accesses = {
      access_to(weight, per, {}, Pattern::stream), access_to(activation, Per::token, {}, Pattern::stream),
      access_to(activation, Per::token, {}, Pattern::stream), access_to(cache, Per::token, keys, pattern)};
  operation.work = {{Precision::fp8, 1e6, Per::token, {}, divides_freely, 0}};
  operation.collective = {number % 20 == 0 ? Collective::Kind::all_reduce : Collective::Kind::none, 10'240};
  return operation;
}

StepGraph model_sized_graph() {
  StepGraph graph;
  static_cast<void>(graph.add_role("role"));
  static_cast<void>(graph.add_experts({256, 8}));
  const auto cache = graph.add_layout(cache_layout());
  const auto activation = graph.add_layout(Layout::blob("activation", 14'336));
  for (int i = 0; i < 60; ++i) graph.add_operation(operation_like(graph, i, cache, activation));
  for (std::int32_t layer = 0; layer < 60; ++layer) {
    graph.add_layer({"csa2", "full", layer, layer});
    for (std::uint32_t i = 0; i < 15; ++i) {
      const std::uint32_t vertex = graph.add_vertex(static_cast<std::uint32_t>(layer % 4) * 15 + i, layer);
      if (vertex > 0) graph.add_edge(vertex - 1, vertex, "hidden state");
    }
  }
  graph.finish();
  return graph;
}

void tally_decode(benchmark::State& state) {
  const StepGraph graph = model_sized_graph();
  Deployment deployment;
  deployment.devices = 16;
  deployment.tensor = 4;
  deployment.data = 4;
  deployment.expert = 8;
  Tally tally;
  std::int64_t context = 1000;
  for (auto _ : state) {
    tally_point(graph, deployment, Point::decode(64, ++context, state.range(0)), tally);
    benchmark::DoNotOptimize(tally.accesses.data());
  }
}
BENCHMARK(tally_decode)->ArgName("period")->Arg(1)->Arg(128)->Unit(benchmark::kMicrosecond);

void finish_graph(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(model_sized_graph().order().data());
}
BENCHMARK(finish_graph)->Unit(benchmark::kMicrosecond);

// One set of experts and span: 384 experts of which a token chooses 8.
void draw_experts(benchmark::State& state) {
  const ExpertSet set{384, 8};
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const Routing routing{.is_drawn = true, .seed = ++seed, .skew = static_cast<double>(state.range(1)) / 10};
    benchmark::DoNotOptimize(draw_tokens(set, routing, {}, state.range(0)));
  }
}
BENCHMARK(draw_experts)->ArgNames({"tokens", "skew_tenths"})->ArgsProduct({{1, 64, 4096, 1'000'000}, {0, 10}});

}  // namespace
}  // namespace kvtraffic::sim
