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

sim::PointResult gather(std::int64_t entries, std::int64_t entry_bytes, const std::string& more = "") {
  return run("hardware: h200-sxm\nengine: reference\nfidelity: cycle\n" + more +
             "workload: {scope: {kernel: {gather: {batch: 64, entries: " + std::to_string(entries) +
             ", entry_bytes: " + std::to_string(entry_bytes) + "}}}}\n");
}

TEST(Scope, SmallEntriesAreGatheredMoreSlowlyThanLargeOnes) {
  const sim::PointResult small = gather(65536, 64), large = gather(1024, 4096);
  ASSERT_EQ(small.status, sim::Status::ok) << small.reason;
  EXPECT_EQ(small.traffic->total(sim::Level::sector), large.traffic->total(sim::Level::sector));
  EXPECT_GT(small.time->seconds, 1.1 * large.time->seconds);
  const std::string off = "ablate: {gather: off}\n";
  EXPECT_EQ(gather(65536, 64, off).time->seconds, gather(1024, 4096, off).time->seconds);
}

TEST(Scope, AKernelWhoseBytesLeave64BitsFailsAndSaysSo) {
  const sim::PointResult point =
      kernel("gather: {batch: 1000000000, entries: 1000000000, entry_bytes: 1000000000}", "reference");
  EXPECT_EQ(point.status, sim::Status::failed);
  EXPECT_THAT(point.reason, testing::HasSubstr("the kernel's bytes leave 64 bits"));
}

// What a kernel's tiles read again may leave 64 bits where its bytes do not.
TEST(Scope, AKernelThatOutlastsTheClockFails) {
  const sim::PointResult point = kernel("gemm: {m: 1000000, n: 1000000000, k: 1000000000, precision: fp8}", "deepseek");
  EXPECT_EQ(point.status, sim::Status::failed);
}

// Half of usable L2 is dirty, and a scan of 138 MB puts all of it out.
TEST(Scope, ADirtyStartWritesBackWhatFitsIntoTheDevicesL2) {
  const auto written = [](const std::string& cache) {
    const sim::PointResult point =
        run("hardware: {extends: h800-sxm, l2: {capacity: 40 MB, usable: 0.5, flushed: 0.5, written_back: 0.25}}\n"
            "engine: deepseek\nworkload: {cache: " +
            cache +
            ", scope: {kernel: {scan: {batch: 64, keys: 16K, heads: 64, width: 128, precision: fp8, entry_bytes: "
            "132}}}}\n");
    EXPECT_EQ(point.status, sim::Status::ok) << point.reason;
    return point.traffic->at(sim::Level::dram, sim::DataKind::activation).write;
  };
  EXPECT_EQ(written("dirty") - written("cold"), 10'000'000);  // 40 MB x 0.5 x 0.5
}

// Read and write of every kind.
std::vector<std::int64_t> bytes_of(const sim::Traffic& traffic, sim::Level level) {
  std::vector<std::int64_t> bytes;
  for (std::size_t kind = 0; kind < sim::kind_count; ++kind) {
    const sim::ReadWrite& cell = traffic.at(level, static_cast<sim::DataKind>(kind));
    bytes.insert(bytes.end(), {cell.read, cell.write});
  }
  return bytes;
}

TEST(Scope, APartIsWhatAModuleOfTheLayerRuns) {
  const sim::PointResult part = step("{layer: 20, part: attention}");
  ASSERT_EQ(part.status, sim::Status::ok) << part.reason;
  EXPECT_EQ(part.operations.front().name, "attention.down");
  EXPECT_EQ(part.operations.back().name, "attention.output");
  const auto named = [&](std::string_view name) {
    return std::ranges::any_of(part.operations, [&](const auto& o) { return o.name == name; });
  };
  EXPECT_FALSE(named("attention.norm") || named("attention.residual") || named("router.scores"));
  EXPECT_EQ(step("{layer: 20, part: feed_forward}").operations.front().name, "router.scores");
}

TEST(Scope, SmallKernelsMoveNothingAndTakeTheirLaunches) {
  const sim::PointResult part = step("{layer: 20, part: attention}", "vllm");
  ASSERT_EQ(part.status, sim::Status::ok) << part.reason;
  ASSERT_EQ(part.operations.front().name, "attention.small");
  // 29 kernels of 3 us: gap 1.26, start 1, arguments 0.33, and the engine's 0.41.
  EXPECT_NEAR(*part.operations.front().seconds, 29 * 3.0e-6, 0.3e-6);
}

TEST(Scope, EnginesOnOneStreamRunOneKernelAfterAnother) {
  const sim::PointResult part = step("{layer: 20, part: attention}", "vllm");
  for (std::size_t i = 1; i < part.operations.size(); ++i) {
    const auto& before = part.operations[i - 1];
    EXPECT_GE(*part.operations[i].start_seconds, *before.start_seconds + *before.seconds - 1e-12) << before.name;
  }
}

TEST(Scope, AnOperationDoneInAnotherKernelKeepsItsBytesAndLosesItsLaunch) {
  const auto rope = [](const std::string& engine) {
    const sim::PointResult point = step("{layer: 20, operation: attention.query_rope}", engine);
    EXPECT_EQ(point.operations.size(), 1U) << point.reason;
    return point.operations.at(0);
  };
  const auto alone = rope("reference"), folded = rope("vllm");
  EXPECT_EQ(bytes_of(folded.traffic, sim::Level::logical), bytes_of(alone.traffic, sim::Level::logical));
  EXPECT_LT(*folded.seconds, *alone.seconds - 2e-6);  // gap 1.26 us and start 1 us
}

TEST(Scope, EnginesThatStateNoFormatAskForTheSameBytes) {
  for (const std::string model : {"deepseek-v3", "deepseek-v3.2", "deepseek-v4-pro", "deepseek-v4.1-flash"}) {
    const auto traffic = [&](const std::string& engine) {
      return *run("model: " + model + "\nhardware: 8x-h200-sxm\ncapacity: ignore\nengine: " + engine +
                  "\nworkload: {phase: decode, batch: 64, context: 16K}\n")
                  .traffic;
    };
    const auto reference = traffic("reference");
    for (const std::string engine : {"vllm", "sglang", "trtllm", "deepseek", "flashinfer"}) {
      const auto its = traffic(engine);
      EXPECT_EQ(bytes_of(its, sim::Level::logical), bytes_of(reference, sim::Level::logical)) << model << " " << engine;
      EXPECT_EQ(bytes_of(its, sim::Level::sector), bytes_of(reference, sim::Level::sector)) << model << " " << engine;
    }
  }
}

}  // namespace
}  // namespace kvtraffic::scenarios
