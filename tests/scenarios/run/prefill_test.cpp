// Prefill from scenario to result: every model in both fidelities, chunks, cached prefixes, V3.2's short prompts,
// rates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/run/setup.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios::test {
namespace {

using sim::DataKind;
using sim::Level;

const Catalog& catalog() {
  static const Catalog its(KVTRAFFIC_ROOT);
  return its;
}

// nullptr when the deployed formats do not know the model's caches.
std::shared_ptr<const Setup> setup_of(const std::string& model, const std::string& workload,
                                      const std::string& fidelity = "flow") {
  const sim::Node node = yaml("model: " + model + "\nhardware: 8x-h100-sxm\ncapacity: ignore\nfidelity: " + fidelity +
                              "\nworkload: {phase: prefill, batch: 2, context: 8K" + workload + "}\n");
  sim::Diagnostics diagnostics;
  return build_setup(read_scenario(node, diagnostics), catalog(), ".", diagnostics);
}

sim::PointResult prefill(const std::string& model, std::int64_t context, const std::string& workload = "",
                         const std::string& fidelity = "flow") {
  Evaluator evaluator(setup_of(model, workload, fidelity));
  return evaluator.evaluate(2, context, {.layers = true, .operations = true});
}

constexpr const char* v41 = "deepseek-v4.1-flash";

void expect_levels_explained(const sim::PointResult& point) {
  for (std::size_t k = 0; k < sim::kind_count; ++k) {
    const auto kind = static_cast<DataKind>(k);
    std::int64_t explained = 0;
    for (const sim::Amplification& a : point.amplification) {
      if (a.from == Level::logical && a.kind == kind) explained += a.bytes;
    }
    EXPECT_EQ(point.traffic->at(Level::logical, kind).total() + explained,
              point.traffic->at(Level::sector, kind).total());
  }
}

TEST(Prefill, OfEveryModelAsksForTheSameInBothFidelitiesAndTakesNoLessThanTheBound) {
  for (const std::string& model : catalog().names(CatalogKind::model)) {
    if (setup_of(model, "") == nullptr) continue;
    for (const char* workload : {"", ", cached: 1003", ", chunk: 2000"}) {
      SCOPED_TRACE(model + workload);
      const sim::PointResult flow = prefill(model, 5001, workload);
      const sim::PointResult bound = prefill(model, 5001, workload, "roofline");
      ASSERT_EQ(flow.status, sim::Status::ok) << flow.reason;
      for (std::size_t k = 0; k < sim::kind_count; ++k) {
        const auto kind = static_cast<DataKind>(k);
        for (const Level level : {Level::logical, Level::sector, Level::host, Level::link}) {
          EXPECT_EQ(flow.traffic->at(level, kind), bound.traffic->at(level, kind));
        }
        EXPECT_LE(bound.traffic->at(Level::dram, kind).total(), flow.traffic->at(Level::dram, kind).total());
        EXPECT_LE(flow.traffic->at(Level::dram, kind).total(), flow.traffic->at(Level::sector, kind).total());
      }
      EXPECT_EQ(flow.flops, bound.flops);
      EXPECT_EQ(flow.time->roofline_seconds, bound.time->seconds);
      EXPECT_LE(bound.time->seconds, flow.time->seconds);
      expect_levels_explained(flow);
    }
  }
}

TEST(Prefill, InChunksWritesTheSameAndReadsWeightsForEach) {
  const sim::PointResult whole = prefill(v41, 8000);
  const sim::PointResult chunked = prefill(v41, 8000, ", chunk: 2001");  // four chunks, boundaries inside blocks
  for (const DataKind kind : {DataKind::kv_main, DataKind::kv_local, DataKind::index_key}) {
    EXPECT_EQ(chunked.traffic->at(Level::logical, kind).write, whole.traffic->at(Level::logical, kind).write);
  }
  EXPECT_EQ(chunked.layer_positions, whole.layer_positions);
  for (std::size_t p = 0; p < sim::precision_count; ++p) {
    EXPECT_NEAR(chunked.flops[p], whole.flops[p], 1e-9 * whole.flops[p]);
  }
  const auto weights = [](const sim::PointResult& r) {
    return static_cast<double>(r.traffic->at(Level::logical, DataKind::weight).read);
  };
  // Decoder layers, half of the weights, run in the last chunk alone.
  EXPECT_GT(weights(chunked), 2 * weights(whole));
  EXPECT_LT(weights(chunked), 3 * weights(whole));
  EXPECT_GT(chunked.traffic->at(Level::logical, DataKind::index_key).read,
            whole.traffic->at(Level::logical, DataKind::index_key).read);  // earlier keys are asked for again
  EXPECT_GT(chunked.time->seconds, whole.time->seconds);
}

TEST(Prefill, InOneChunkIsTheWhole) {
  for (const char* chunk : {", chunk: 5000", ", chunk: 100000", ", chunk: 0"}) {
    EXPECT_EQ(*prefill(v41, 5000, chunk).traffic, *prefill(v41, 5000).traffic);
    EXPECT_EQ(prefill(v41, 5000, chunk).time->seconds, prefill(v41, 5000).time->seconds);
  }
}

TEST(Prefill, InChunksTellsLayersAndOperationsThatAddUp) {
  const sim::PointResult chunked = prefill(v41, 8000, ", chunk: 2001");
  double seconds = 0;
  sim::Traffic traffic;
  for (const sim::LayerResult& layer : chunked.layers) seconds += layer.seconds.value_or(0);
  EXPECT_LE(seconds, chunked.time->seconds * (1 + 1e-9));
  EXPECT_GE(seconds, 0.9 * chunked.time->seconds);
  for (const sim::OperationResult& operation : chunked.operations) {
    EXPECT_LE(*operation.start_seconds + *operation.seconds, chunked.time->seconds * (1 + 1e-9));
    traffic += operation.traffic;
  }
  EXPECT_EQ(traffic.total(Level::sector), chunked.traffic->total(Level::sector));
}

TEST(Prefill, OfACachedPromptComputesTheRestAndTheReplay) {
  const sim::PointResult half = prefill(v41, 8000, ", cached: 4000");
  EXPECT_EQ(half.layer_positions, 20 * (4000 + 128) + 20 * 128);
  EXPECT_EQ(half.traffic->at(Level::logical, DataKind::kv_main).write, 2 * 4000 * 5 / 2 * 288);
  EXPECT_EQ(prefill(v41, 8000, ", cached: 100").layer_positions, 20 * 8000 + 20 * 128);  // all of it is replayed
  EXPECT_EQ(prefill("deepseek-v3.2", 8000, ", cached: 4000").layer_positions, 61 * 4000);
}

TEST(Prefill, CountsPromptTokensThatItComputes) {
  const sim::PointResult half = prefill(v41, 8000, ", cached: 3000");
  EXPECT_DOUBLE_EQ(half.throughput->tokens_per_second, 2 * 5000 / half.time->seconds);
  EXPECT_DOUBLE_EQ(half.throughput->tokens_per_second_per_user, 5000 / half.time->seconds);
}

TEST(Prefill, OfV32IsDenseUpToItsSelectionAndSparseBeyond) {
  const auto has_scan = [](const sim::PointResult& point) {
    return std::ranges::any_of(point.operations, [](const auto& o) { return o.name == "index.scan"; });
  };
  EXPECT_FALSE(has_scan(prefill("deepseek-v3.2", 2048)));
  EXPECT_TRUE(has_scan(prefill("deepseek-v3.2", 2049)));
}

TEST(Prefill, WithTheSourceLayerInFullRunsOneLayerMore) {
  EXPECT_EQ(prefill(v41, 8000, ", source_layer: full").layer_positions, 21 * 8000 + 19 * 128);
  EXPECT_GT(prefill(v41, 8000, ", source_layer: full").time->seconds, prefill(v41, 8000).time->seconds);
  EXPECT_EQ(prefill(v41, 8000, ", replay: full").layer_positions, 40 * 8000);
}

TEST(Prefill, DividesLayersOverAllDevicesByDefault) { EXPECT_EQ(setup_of(v41, "")->deployment.tensor, 8); }

TEST(Prefill, InTooManyChunksFailsAndSaysHowMany) {
  const sim::PointResult point = prefill(v41, 8192 * 16, ", chunk: 1");
  EXPECT_EQ(point.status, sim::Status::failed);
  EXPECT_EQ(point.reason, "the prompt falls into 131,072 chunks, more than 16,384");
}

TEST(Prefill, OfAPromptThatIsCachedWholeFailsWhereTheOthersRun) {
  const Outcome outcome = run_program({"run", "-", "--format", "jsonl"},
                                      "model: deepseek-v3.2\nhardware: 8x-h200-sxm\nworkload: {phase: prefill, batch: "
                                      "1, cached: 4K}\nsweep: {workload.context: [2K, 8K]}\n");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("cached 4,096 leaves nothing of a prompt of 2,048 tokens to compute"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("\"layer_positions\":249856"));  // 61 x 4,096
}

TEST(Prefill, IsToldInWords) {
  const Outcome outcome = run_program({"run", "-"},
                                      "model: deepseek-v4.1-flash\nhardware: 8x-h200-sxm\nworkload: {phase: prefill, "
                                      "batch: 64, context: 128K, cached: 64K, chunk: 16K, replay: full}\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("prefill of 64 prompts of 131,072 tokens\n"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("65,536 tokens cached, in chunks of 16,384 tokens, replay full\n"));
}

}  // namespace
}  // namespace kvtraffic::scenarios::test
