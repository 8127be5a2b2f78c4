// What L2 saves, in results: reasons that add up, the same bytes in both simulations, cold and steady steps.
// Leaves out what L2 does (tests/hardware/machine/l2_model_test.cpp).
#include <gtest/gtest.h>

#include "scenarios/run/setup.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios::test {
namespace {

using sim::DataKind;
using sim::Level;

sim::PointResult run(const std::string& model, const std::string& workload, const std::string& fidelity = "flow") {
  static const Catalog catalog(KVTRAFFIC_ROOT);
  const sim::Node node = yaml("model: " + model + "\nhardware: 8x-h200-sxm\ncapacity: ignore\nfidelity: " + fidelity +
                              "\nworkload: {batch: 16, context: 16K, " + workload + "}\n");
  sim::Diagnostics diagnostics;
  Evaluator evaluator(build_setup(read_scenario(node, diagnostics), catalog, ".", diagnostics));
  return evaluator.evaluate(16, 16384, {.layers = true, .operations = false});
}

std::int64_t of_reason(const sim::PointResult& point, const std::string& reason, DataKind kind) {
  std::int64_t bytes = 0;
  for (const sim::Amplification& a : point.amplification) {
    if (a.reason == reason && a.kind == kind) bytes += a.bytes;
  }
  return bytes;
}

void expect_explained(const sim::Traffic& traffic, const std::vector<sim::Amplification>& rows) {
  for (std::size_t k = 0; k < sim::kind_count; ++k) {
    const auto kind = static_cast<DataKind>(k);
    std::int64_t bytes = traffic.at(Level::sector, kind).total();
    for (const sim::Amplification& a : rows) {
      if (a.from == Level::sector && a.kind == kind) bytes += a.bytes;
    }
    EXPECT_EQ(bytes, traffic.at(Level::dram, kind).total()) << sim::name_of(kind);
  }
}

TEST(L2InResults, ReasonsAddUpForTheStepAndForEachLayer) {
  for (const char* model : {"deepseek-v4.1-flash", "deepseek-v3.2"}) {
    for (const char* workload : {"phase: decode", "phase: decode, cache: cold", "phase: prefill, chunk: 3000",
                                 "phase: prefill, cache: cold, chunk: 3000"}) {
      SCOPED_TRACE(std::string(model) + " " + workload);
      const sim::PointResult point = run(model, workload);
      ASSERT_EQ(point.status, sim::Status::ok) << point.reason;
      expect_explained(*point.traffic, point.amplification);
      for (const sim::LayerResult& layer : point.layers) expect_explained(layer.traffic, layer.amplification);
    }
  }
}

TEST(L2InResults, IsTheSameInFlowAndCycle) {
  const sim::PointResult flow = run("deepseek-v4.1-flash", "phase: decode");
  const sim::PointResult cycle = run("deepseek-v4.1-flash", "phase: decode", "cycle");
  ASSERT_EQ(cycle.status, sim::Status::ok) << cycle.reason;
  EXPECT_EQ(*cycle.traffic, *flow.traffic);
}

// Layers 3 to 7 attend with the selection of layer 2, which lies too far back by then: each brings its entries in
// again, and the result says so.
TEST(L2InResults, SharedSelectionsThatWereEvictedAreTold) {
  const sim::PointResult point = run("deepseek-v4.1-flash", "phase: decode");
  const std::int64_t again = of_reason(point, "evicted before reuse", DataKind::kv_main);
  EXPECT_GT(again, 0);
  EXPECT_EQ(of_reason(point, "brought into L2 before", DataKind::kv_main), -again);
}

TEST(L2InResults, AColdStepLeavesWhatTheNextOneWouldPayFor) {
  const sim::PointResult steady = run("deepseek-v4.1-flash", "phase: decode");
  const sim::PointResult cold = run("deepseek-v4.1-flash", "phase: decode, cache: cold");
  EXPECT_LT(cold.traffic->total(Level::dram), steady.traffic->total(Level::dram));
  EXPECT_EQ(cold.traffic->total(Level::sector), steady.traffic->total(Level::sector));
  EXPECT_LT(of_reason(cold, "left in L2 at the end", DataKind::activation), 0);
  EXPECT_EQ(of_reason(steady, "left in L2 at the end", DataKind::activation), 0);
}

TEST(L2InResults, OfAPrefillTheFirstChunkIsCold) {
  const std::int64_t steady = run("deepseek-v4.1-flash", "phase: prefill, chunk: 8K").traffic->total(Level::dram);
  const std::int64_t cold =
      run("deepseek-v4.1-flash", "phase: prefill, chunk: 8K, cache: cold").traffic->total(Level::dram);
  const std::int64_t usable = 8 * std::int64_t{50'000'000};  // of all devices; no more than this can be left
  EXPECT_LE(cold, steady);
  EXPECT_LE(steady - cold, usable);
}

}  // namespace
}  // namespace kvtraffic::scenarios::test
