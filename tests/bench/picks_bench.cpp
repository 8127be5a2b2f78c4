// How long picks take to draw, for each model, at the selections of the DeepSeek designs: 512 of 64K entries, 2,048 of
// 128K. Reported per pick; a draw like another draws its base too. Then what it takes to find where they lie.
#include <benchmark/benchmark.h>

#include "hardware/machine/picks.hpp"
#include "hardware/machine/pieces.hpp"

namespace kvtraffic::hardware {
namespace {

using Model = sim::Selection::Model;

void report(benchmark::State& state) {
  const auto picks = static_cast<double>(state.iterations() * state.range(0));
  state.counters["per_pick"] =
      benchmark::Counter(picks, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);  // seconds
}

void draw(benchmark::State& state, Model model) {
  sim::Selection selection;
  selection.model = model;
  const Picks picks(selection);
  std::vector<std::int64_t> into;
  std::uint64_t identity = 0;
  for (auto _ : state) {
    picks.draw(state.range(1), state.range(0), ++identity, into);
    benchmark::DoNotOptimize(into.data());
  }
  report(state);
}

void draw_like(benchmark::State& state, Model model) {
  sim::Selection selection;
  selection.model = model;
  const Picks picks(selection);
  std::vector<std::int64_t> into;
  std::uint64_t identity = 0;
  for (auto _ : state) {
    picks.draw_like(state.range(1), state.range(0), ++identity, 0, 0.5, into);
    benchmark::DoNotOptimize(into.data());
  }
  report(state);
}

void selections(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"count", "entries"})->Args({512, 64 * 1024})->Args({2048, 128 * 1024})->Args({512, 1024 * 1024});
}
BENCHMARK_CAPTURE(draw, uniform, Model::uniform)->Apply(selections);
BENCHMARK_CAPTURE(draw, recency, Model::recency)->Apply(selections);
BENCHMARK_CAPTURE(draw, clustered, Model::clustered)->Apply(selections);
BENCHMARK_CAPTURE(draw_like, uniform, Model::uniform)->Apply(selections);
BENCHMARK_CAPTURE(draw_like, clustered, Model::clustered)->Apply(selections);

void gather(benchmark::State& state, sim::PageOrder order) {
  sim::Layout layout;
  layout.row = 576;
  layout.apart = 8;
  layout.page_entries = 64;
  layout.page_bytes = 584 * 64;
  const PageTable pages(order, static_cast<std::uint64_t>(state.range(1) / 64), 1);
  std::vector<std::int64_t> picks;
  Picks(sim::Selection{}).draw(state.range(1), state.range(0), 1, picks);
  std::vector<Piece> into;
  for (auto _ : state) {
    into.clear();
    gather_pieces(picks, layout, pages, 0, into);
    benchmark::DoNotOptimize(into.data());
  }
  report(state);
}
BENCHMARK_CAPTURE(gather, sequential, sim::PageOrder::sequential)->Apply(selections);
BENCHMARK_CAPTURE(gather, shuffled, sim::PageOrder::shuffled)->Apply(selections);
BENCHMARK_CAPTURE(gather, aged, sim::PageOrder::aged)->Apply(selections);

}  // namespace
}  // namespace kvtraffic::hardware
