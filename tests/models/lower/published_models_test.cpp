// The published figures of the models beside V3.2, V4-Flash and V4.1 (published_bytes_test.cpp), and what engines make
// of all of them. Arithmetic beside each figure; sources stand in the catalog files.
#include <gtest/gtest.h>

#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

using sim::DataKind;

constexpr std::int64_t k128 = 131072;
constexpr std::int64_t m1 = 1048576;
constexpr double gib = 1073741824.0;
constexpr double mib = 1048576.0;

double growing(const std::string& model, const std::string& format = "deployed", std::int64_t draft = 0) {
  return Case(model, format, {}, "", draft).lowered.demand.growing_bytes_per_token();
}

TEST(StoredPerToken, OfHeadsAndLatents) {
  EXPECT_EQ(growing("mha-v2"), 60 * 128 * (128 + 128) * 2);     // 3,932,160
  EXPECT_EQ(growing("deepseek-67b"), 95 * 2 * 8 * 128 * 2);     // 389,120
  EXPECT_EQ(growing("deepseek-v2"), 60 * (512 + 64) * 2);       // 69,120
  EXPECT_EQ(growing("deepseek-v2-lite"), 27 * (512 + 64) * 2);  // 31,104
  EXPECT_EQ(growing("deepseek-v3"), 61 * (512 + 64) * 2);       // 70,272
  EXPECT_EQ(growing("deepseek-v3.1"), growing("deepseek-v3"));
  EXPECT_EQ(growing("llama-3.1-70b"), 80 * 2 * 8 * 128 * 2);    // 327,680
  EXPECT_EQ(growing("llama-3.1-405b"), 126 * 2 * 8 * 128 * 2);  // 516,096
  EXPECT_EQ(growing("gpt3-175b"), 96 * 2 * 96 * 128 * 2);       // 4,718,592
  EXPECT_EQ(growing("qwen3-235b-a22b"), 94 * 2 * 4 * 128 * 2);  // 192,512
}

TEST(StoredPerToken, OfV4Pro) {
  EXPECT_EQ(growing("deepseek-v4-pro"), 30 * 652 / 4.0 + 31 * 584 / 128.0);            // 5,031.4375
  EXPECT_EQ(growing("deepseek-v4-pro", "bf16"), 30 * 1280 / 4.0 + 31 * 1024 / 128.0);  // 9,848
}

TEST(StoredPerToken, IsWhatTheEngineMakesOfIt) {
  EXPECT_EQ(growing("deepseek-v3.2", "hf-reference"), 61 * (1152 + 132));           // 78,324
  EXPECT_EQ(growing("deepseek-v4.1-flash", "vllm-hopper"), 2.5 * (584 + 132));      // 1,790
  EXPECT_EQ(growing("deepseek-v4.1-flash", "sglang-hopper"), 2.5 * (584 + 132));    // 1,790
  EXPECT_EQ(growing("deepseek-v4.1-flash", "trtllm"), 2.5 * (288 + 68));            // 890
  EXPECT_EQ(growing("deepseek-v4.1-flash", "sglang-blackwell"), 2.5 * (288 + 68));  // 890
  EXPECT_EQ(growing("deepseek-v3", "llama-cpp-q8"), 61 * (512 + 64) / 32 * 34);
}

// The other Hopper figure of the reference: V4's entries with FP4 keys.
TEST(StoredPerToken, OnHopperWithFp4Keys) {
  sim::Diagnostics diagnostics;
  const std::string keys = "{parts: [{values: index_dim, bits: 4, scale_bits: 8, scale_group: 32}], page_entries: 64}";
  const CacheFormat fp4 =
      read_format(entry("formats/sglang-hopper.yaml", "families: {v4.1: {index: " + keys + "}}"), diagnostics);
  ASSERT_EQ(diagnostics.render(), "");
  const Model v41 = model("deepseek-v4.1-flash");
  EXPECT_EQ(lower_decode(v41, fp4, plan(), {}).demand.growing_bytes_per_token(), 2.5 * (584 + 68));  // 1,630
}

TEST(StoredPerToken, CountsADraftLayerWhenItRuns) {
  EXPECT_EQ(growing("deepseek-v3", "deployed", 1), 62 * 1152);                       // 71,424
  EXPECT_EQ(growing("deepseek-v3.2", "deployed", 1), 62 * (656 + 132));              // + 788
  EXPECT_EQ(growing("deepseek-v4-pro", "deployed", 1), growing("deepseek-v4-pro"));  // a window alone
}

TEST(Stored, AtAMillionTokens) {
  const auto stored = [](const std::string& name, const std::string& format, std::initializer_list<DataKind> kinds) {
    const Case c(name, format);
    std::int64_t sum = 0;
    for (const DataKind kind : kinds) sum += c.lowered.demand.stored_per_request(m1, kind);
    return static_cast<double>(sum) / gib;
  };
  EXPECT_EQ(stored("deepseek-v3", "bf16", {DataKind::kv_main}), 68.625);                         // 70,272 x 2^20
  EXPECT_EQ(stored("deepseek-v3.2", "bf16", {DataKind::kv_main, DataKind::index_key}), 83.875);  // 85,888 x 2^20
  const double pro = stored("deepseek-v4-pro", "bf16", {DataKind::kv_main, DataKind::index_key});
  EXPECT_EQ(pro, 9848.0 * m1 / gib);  // 9.6172
  const double windows = stored("deepseek-v4-pro", "bf16", {DataKind::kv_local});
  EXPECT_NEAR(pro + windows, 9.6246, 0.00005);
  EXPECT_EQ(windows, 61 * 128 * 1024 / gib);
}

TEST(Stored, OfOneLayerOfV4ProAtAMillionTokens) {
  const auto layer = [](const std::string& kind) {
    const Case c("deepseek-v4-pro", "bf16", {}, "layers: [{attention: {" + kind + "}}]");
    const auto& demand = c.lowered.demand;
    return static_cast<double>(demand.cache_per_request(m1) - demand.stored_per_request(m1, DataKind::state)) / mib;
  };
  EXPECT_EQ(layer("kind: csa, ratio: 4, overlap: true"), ((128 + m1 / 4) * 1024 + m1 / 4 * 256) / mib);  // 320.125
  EXPECT_EQ(layer("kind: csa, ratio: 4, overlap: true"), 320.125);
  EXPECT_EQ(layer("kind: hca, ratio: 128"), 8.125);  // (128 + 8,192) x 1,024
}

TEST(Window, OfV4ProAndOnHopper) {
  const auto local = [](const std::string& name, const std::string& format, std::int64_t draft) {
    return Case(name, format, {}, "", draft).lowered.demand.stored_per_request(1, DataKind::kv_local);
  };
  EXPECT_EQ(local("deepseek-v4-pro", "deployed", 0), 61 * 128 * 584);         // 4,559,872
  EXPECT_EQ(local("deepseek-v4-pro", "deployed", 1), 62 * 128 * 584);         // its draft layer has a window too
  EXPECT_EQ(local("deepseek-v4-pro", "bf16", 0), 61 * 128 * 1024);            // ATOM's documents: 8.0 MB
  EXPECT_EQ(local("deepseek-v4.1-flash", "vllm-hopper", 0), 40 * 128 * 584);  // 2,990,080
}

TEST(State, OfV4ProAndInALongerRing) {
  const auto state = [](const std::string& name, const std::string& format) {
    return Case(name, format).lowered.demand.stored_per_request(1, DataKind::state);
  };
  const std::int64_t csa = 8 * 2 * 1024 * 4 + 8 * 2 * 256 * 4, hca = 128 * 2 * 512 * 4;
  EXPECT_EQ(state("deepseek-v4-pro", "deployed"), 30 * csa + 31 * hca);  // 18,710,528
  EXPECT_EQ(state("deepseek-v4.1-flash", "vllm-hopper"), 3 * 32768);     // 8 rows of 4,096 B
  EXPECT_EQ(state("deepseek-v4.1-flash", "vllm-blackwell"), 3 * 32768);
  EXPECT_EQ(state("deepseek-v4.1-flash", "sglang-blackwell"), 3 * 2 * 4096);  // 2 rows
  for (const std::string format : {"sglang-hopper", "vllm-hopper", "trtllm", "atom", "llama-cpp-f16", "hf-reference"}) {
    EXPECT_EQ(state("deepseek-v4-pro", format), 30 * csa + 31 * hca) << format;
  }
}

// A longer ring is kept, not read: a closing block still reads the rows that it pools.
TEST(State, OfALongerRingIsReadNoFurtherThanTheBlock) {
  const Case ring("deepseek-v4.1-flash", "vllm-hopper");
  EXPECT_EQ(ring.logical(DataKind::state, 1, 8), (sim::ReadWrite{3 * 2 * 4096, 3 * 4096}));
  EXPECT_EQ(ring.logical(DataKind::state, 1, 7), (sim::ReadWrite{0, 3 * 4096}));
}

TEST(DecodeReads, OfHeadsLatentsAndV4ProAt128K) {
  const auto main = [](const std::string& name) { return Case(name).logical(DataKind::kv_main, 1, k128).read; };
  EXPECT_EQ(main("mha-v2"), k128 * 3'932'160);  // 515,396,075,520
  EXPECT_EQ(main("deepseek-67b"), k128 * 389'120);
  EXPECT_EQ(main("deepseek-v2"), 9'059'696'640);
  EXPECT_EQ(main("deepseek-v2-lite"), k128 * 31'104);
  EXPECT_EQ(main("deepseek-v3"), k128 * 70'272);
  const Case pro("deepseek-v4-pro");
  const std::int64_t window = 61 * 128 * 584;
  EXPECT_EQ(pro.logical(DataKind::kv_local, 1, k128).read, window);
  EXPECT_NEAR(static_cast<double>(main("deepseek-v4-pro") + window), 41.04e6, 0.005e6);
  EXPECT_NEAR(static_cast<double>(pro.logical(DataKind::index_key, 1, k128).read), 66.85e6, 0.005e6);
  EXPECT_NEAR(static_cast<double>(pro.logical(DataKind::kv_main, 1, m1).read + window), 170.8e6, 0.05e6);
}

// The reference's batch-1 weight reads of V4-Pro: routed, shared, attention projections and the BF16 head.
TEST(WeightReads, OfV4ProAtBatchOne) {
  const Case c("deepseek-v4-pro");
  std::int64_t sum = c.model.vocabulary * c.model.hidden * 2;
  for (const char* part : {"expert gate and up", "expert down", "shared gate and up", "shared down", "query down",
                           "key-value down", "query up", "output a", "output b"}) {
    sum += c.weight_reads(part, 1);
  }
  EXPECT_NEAR(static_cast<double>(sum), 37.0e9, 0.03 * 37.0e9);
}

// A tied head is stored once and still read by every step.
TEST(TiedEmbedding, IsStoredOnce) {
  const Case tied("gpt3-175b"), apart("gpt3-175b", "deployed", {}, "tied_embedding: false");
  const std::int64_t matrix = 50257L * 12288;
  EXPECT_EQ(apart.lowered.parameters.total - tied.lowered.parameters.total, matrix);
  EXPECT_EQ(apart.lowered.demand.weights_per_device({}) - tied.lowered.demand.weights_per_device({}), 2 * matrix);
  EXPECT_EQ(tied.weight_reads("head", 1), 2 * matrix);
}

TEST(FeedForward, WithoutAGateHasTwoMatrices) {
  const Case c("gpt3-175b");
  EXPECT_EQ(c.weight_reads("dense up", 1), 96 * 2 * 12288L * 49152);
  EXPECT_EQ(c.weight_reads("dense down", 1), 96 * 2 * 12288L * 49152);
  EXPECT_EQ(c.weight_reads("gate", 1), 0);
}

// The expanded form caches what MHA would: 128 heads of 128 + 64 key and 128 value values.
TEST(ExpandedLatents, AreCachedAsHeads) {
  const Case c("deepseek-v2", "deployed", {}, "cache: heads\nattention: {form: expanded}");
  EXPECT_EQ(c.lowered.demand.growing_bytes_per_token(), 60 * 128 * (128 + 64 + 128) * 2);
  EXPECT_EQ(c.logical(DataKind::kv_main, 1, 777).read, 777 * 60 * 128L * 320 * 2);
  EXPECT_EQ(c.lowered.parameters.total, Case("deepseek-v2").lowered.parameters.total);
}

// Hashed layers look the experts up: 6 ids of 4 B for a token.
TEST(HashedRouting, ReadsARowOfTheTable) {
  EXPECT_EQ(Case("deepseek-v4-flash").weight_reads("expert table", 1), 3 * 6 * 4);
  EXPECT_EQ(Case("deepseek-v3").weight_reads("expert table", 1), 0);
}

}  // namespace
}  // namespace kvtraffic::models::test
