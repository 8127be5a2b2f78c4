// One point of a scenario: re-evaluated on a built setup, and with everything that a run does around it.
// Leaves out what the first point of a setup costs beside (graph, windows of DRAM commands).
#include <benchmark/benchmark.h>

#include <sstream>

#include "reports/writer.hpp"
#include "scenarios/run/runner.hpp"
#include "scenarios/run/setup.hpp"
#include "sim/config/yaml.hpp"

namespace kvtraffic::scenarios {
namespace {

sim::Node scenario(const std::string& text) {
  sim::Diagnostics diagnostics;
  return sim::read_yaml(text, "bench", diagnostics);
}

std::shared_ptr<const Setup> setup_of(const std::string& model, const std::string& fidelity) {
  const std::string text = "model: " + model + "\nhardware: 8x-h200-sxm\nfidelity: " + fidelity +
                           "\ncapacity: ignore\nworkload: {phase: decode, batch: 64, context: 128K}\n";
  sim::Diagnostics diagnostics;
  const Scenario read = read_scenario(scenario(text), diagnostics);
  return build_setup(read, Catalog(KVTRAFFIC_ROOT), ".", diagnostics);
}

void evaluate(benchmark::State& state, const std::string& model, const std::string& fidelity) {
  Evaluator evaluator(setup_of(model, fidelity));
  std::int64_t context = 4096;
  for (auto _ : state) {
    benchmark::DoNotOptimize(evaluator.evaluate(64, context, {}));
    context = context % 1000000 + 4099;
  }
}
BENCHMARK_CAPTURE(evaluate, roofline_v32, "deepseek-v3.2", "roofline")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate, roofline_v41, "deepseek-v4.1-flash", "roofline")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate, flow_v4, "deepseek-v4-flash", "flow")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate, flow_v41, "deepseek-v4.1-flash", "flow")->Unit(benchmark::kMillisecond);

// A step of the README's size on tensor ranks, at three models: an evaluator that has seen it before, so that its
// windows of DRAM commands are known.
void cycle_step(benchmark::State& state, const std::string& model) {
  const std::string text = "model: " + model +
                           "\nhardware: 8x-h200-sxm\nfidelity: cycle\ncapacity: ignore\n"
                           "parallel: {tensor: 8, data: 1, expert: 8}\n"
                           "workload: {phase: decode, batch: 64, context: 128K}\n";
  sim::Diagnostics diagnostics;
  Evaluator evaluator(
      build_setup(read_scenario(scenario(text), diagnostics), Catalog(KVTRAFFIC_ROOT), ".", diagnostics));
  double simulated = evaluator.evaluate(64, 131072, {}).time->seconds;
  for (auto _ : state) {
    simulated = evaluator.evaluate(64, 131072, {}).time->seconds;
    benchmark::DoNotOptimize(simulated);
  }
  state.counters["simulated_us"] = simulated * 1e6;
}
BENCHMARK_CAPTURE(cycle_step, v41_flash, "deepseek-v4.1-flash")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cycle_step, v4_flash, "deepseek-v4-flash")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cycle_step, v32, "deepseek-v3.2")->Unit(benchmark::kMillisecond);

// A whole prompt of a million tokens, whose sums over positions are closed forms.
void prefill_million(benchmark::State& state, const std::string& fidelity) {
  sim::Diagnostics diagnostics;
  const std::string text =
      "model: deepseek-v4.1-flash\nhardware: 8x-h200-sxm\ncapacity: ignore\nfidelity: " + fidelity +
      "\nworkload: {phase: prefill, batch: 1, context: 1M}\n";
  Evaluator evaluator(
      build_setup(read_scenario(scenario(text), diagnostics), Catalog(KVTRAFFIC_ROOT), ".", diagnostics));
  for (auto _ : state) benchmark::DoNotOptimize(evaluator.evaluate(1, 1 << 20, {}));
}
BENCHMARK_CAPTURE(prefill_million, roofline, "roofline")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(prefill_million, flow, "flow")->Unit(benchmark::kMillisecond);

// A sweep of 10,000 roofline points with export, from scenario text to CSV text.
void sweep_to_csv(benchmark::State& state) {
  const Catalog catalog(KVTRAFFIC_ROOT);
  const std::string text =
      "model: deepseek-v4.1-flash\nhardware: 8x-h200-sxm\nfidelity: roofline\ncapacity: ignore\nworkload: {phase: "
      "decode}\n"
      "sweep: {workload.context: {range: {from: 1000, to: 100000, step: 1000}}, workload.batch: {range: {from: 1, to: "
      "100, step: 1}}}\n";
  for (auto _ : state) {
    std::ostringstream out;
    const auto writer = reports::make_writer(reports::Format::csv, {}, out);
    const Plan plan = make_plan(scenario(text), {}, ".", catalog);
    writer->begin({"bench", plan.resolved, {}});
    const std::atomic<bool> stop{false};
    run_points(
        plan, catalog, {}, [&](const sim::PointResult& point) { writer->point(point); }, stop);
    writer->end();
    benchmark::DoNotOptimize(out.str());
  }
  state.SetItemsProcessed(state.iterations() * 10000);
}
BENCHMARK(sweep_to_csv)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kvtraffic::scenarios
