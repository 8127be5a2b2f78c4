// A scenario that looks at a layer, an operation or a kernel by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/run/runner.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using test::yaml;

const Catalog& catalog() {
  static const Catalog instance{KVTRAFFIC_ROOT};
  return instance;
}

sim::PointResult run(const std::string& text) {
  const Plan plan = make_plan(yaml(text), {}, "", catalog());
  std::atomic<bool> stop{false};
  sim::PointResult result;
  RunOptions options;
  options.detail = {true, true};
  static_cast<void>(run_points(
      plan, catalog(), options, [&](const sim::PointResult& point) { result = point; }, stop));
  return result;
}

sim::PointResult step(const std::string& scope, const std::string& engine = "reference") {
  return run("model: deepseek-v3.2\nhardware: 8x-h200-sxm\nengine: " + engine +
             "\nworkload: {phase: decode, batch: 64, context: 16K, scope: " + scope + "}\n");
}

sim::PointResult kernel(const std::string& kernel, const std::string& engine, const std::string& cache = "cold") {
  return run("hardware: h200-sxm\nengine: " + engine + "\nworkload: {cache: " + cache + ", scope: {kernel: {" + kernel +
             "}}}\n");
}

TEST(Scope, ALayerIsPartOfItsStep) {
  const sim::PointResult whole = step("step"), layer = step("{layer: 20}");
  ASSERT_EQ(layer.status, sim::Status::ok) << layer.reason;
  EXPECT_EQ(layer.storage->weight_bytes_per_device, whole.storage->weight_bytes_per_device);
  EXPECT_LT(layer.time->seconds, whole.time->seconds / 30);
  EXPECT_NEAR(*layer.layers[20].seconds, *whole.layers[20].seconds, 0.05 * *whole.layers[20].seconds);
}

TEST(Scope, AnOperationRunsWhereverItIs) {
  const sim::PointResult scan = step("{operation: index.scan}");
  ASSERT_EQ(scan.status, sim::Status::ok) << scan.reason;
  EXPECT_EQ(scan.operations.size(), 61U);
  EXPECT_EQ(step("{layer: 20, operation: index.scan}").operations.size(), 1U);
}

TEST(Scope, APartThatIsNotThereFailsWithItsName) {
  EXPECT_EQ(step("{operation: index.scam}").status, sim::Status::failed);
  EXPECT_EQ(step("{layer: 61}").status, sim::Status::failed);
}

TEST(Scope, AKernelNeedsNoModel) {
  const sim::PointResult point = kernel("gemm: {m: 64, n: 7168, k: 16384, precision: fp8}", "reference");
  ASSERT_EQ(point.status, sim::Status::ok) << point.reason;
  EXPECT_EQ(point.operations.size(), 1U);
  // 117 MB at 4.8 TB/s cannot take less than 24 us, and no more than a third more with launch and latency.
  EXPECT_GT(point.time->seconds, 24e-6);
  EXPECT_LT(point.time->seconds, 33e-6);
}

TEST(Scope, AWarmKernelReadsFromL2) {
  const std::string scan = "scan: {batch: 1, keys: 64K, heads: 64, width: 128, precision: fp8, entry_bytes: 132}";
  EXPECT_LT(kernel(scan, "reference", "warm").time->seconds, kernel(scan, "reference").time->seconds);
}

TEST(Scope, EnginesCutAttentionInTheirOwnWay) {
  const std::string attention =
      "attention: {batch: 16, context: 16K, heads: 128, key_width: 576, value_width: 512, precision: bf16}";
  const double plain = kernel(attention, "reference").time->seconds;
  EXPECT_GT(kernel(attention, "deepseek").time->seconds, plain);
  EXPECT_EQ(kernel(attention, "deepseek").time->seconds, kernel(attention, "vllm").time->seconds);
}

}  // namespace
}  // namespace kvtraffic::scenarios
