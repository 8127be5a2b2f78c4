// The published and computed figures of DeepSeek-V3.2, V4-Flash and V4.1-Flash, derived from the catalog through the
// same layouts, counts and graph that every result uses. Arithmetic beside each figure; sources stand in the catalog
// files.
#include <gtest/gtest.h>

#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

using sim::DataKind;

constexpr std::int64_t k128 = 131072;
constexpr std::int64_t m1 = 1048576;

double growing(const std::string& model, const std::string& format) {
  return Case(model, format).lowered.demand.growing_bytes_per_token();
}

TEST(StoredPerToken, IsThePublishedSizeInDeployedFormats) {
  EXPECT_EQ(growing("deepseek-v3.2", "deployed"), 61 * (656 + 132));                              // 48,068
  EXPECT_EQ(growing("deepseek-v4-flash", "deployed"), 21 * (584 + 68) / 4.0 + 20 * 584 / 128.0);  // 3,514.25
  EXPECT_EQ(growing("deepseek-v4.1-flash", "deployed"), (3 / 2.0 + 1) * (288 + 68));              // 890
}

TEST(StoredPerToken, IsTheReferencesSizeInBf16) {
  EXPECT_EQ(growing("deepseek-v3.2", "bf16"), 61 * (1152 + 256));                        // 85,888
  EXPECT_EQ(growing("deepseek-v4-flash", "bf16"), 21 * 1280 / 4.0 + 20 * 1024 / 128.0);  // 6,880
  EXPECT_EQ(growing("deepseek-v4.1-flash", "bf16"), 2.5 * (1024 + 256));                 // 3,200
}

TEST(Window, IsCountedFullInStorage) {
  const auto local = [](const std::string& name) {
    return Case(name).lowered.demand.stored_per_request(1, DataKind::kv_local);
  };
  EXPECT_EQ(local("deepseek-v3.2"), 0);
  EXPECT_EQ(local("deepseek-v4-flash"), 43 * 128 * 584);    // 3,214,336
  EXPECT_EQ(local("deepseek-v4.1-flash"), 40 * 128 * 528);  // 2,703,360
}

constexpr std::int64_t csa_state = 8 * 2 * 1024 * 4 + 8 * 2 * 256 * 4;  // own and previous block, value and score, fp32
constexpr std::int64_t hca_state = 128 * 2 * 512 * 4;

TEST(State, IsTheReferenceForm) {
  const auto state = [](const std::string& name) {
    return Case(name).lowered.demand.stored_per_request(1, DataKind::state);
  };
  EXPECT_EQ(state("deepseek-v4-flash"), 21 * csa_state + 20 * hca_state);  // 12,206,080
  EXPECT_EQ(state("deepseek-v4.1-flash"), 3 * (2 * 2 * 512 * 4));          // 24,576
}

TEST(DecodeReads, AreThePublishedOnesAt128K) {
  const Case v32("deepseek-v3.2");
  EXPECT_EQ(v32.logical(DataKind::kv_main, 1, k128).read, 61 * 2048 * 656);    // 81,952,768
  EXPECT_EQ(v32.logical(DataKind::index_key, 1, k128).read, 61 * k128 * 132);  // 1,055,391,744
  const Case flash("deepseek-v4-flash");
  const std::int64_t main = (21 * 512 + 20 * (k128 / 128)) * 584;
  const std::int64_t window = 43 * 128 * 584;
  EXPECT_EQ(flash.logical(DataKind::kv_main, 1, k128).read + flash.logical(DataKind::kv_local, 1, k128).read,
            main + window);
  EXPECT_EQ(main + window, (21 * (512 + 128) + 20 * (1024 + 128) + 2 * 128) * 584);   // 21,453,824, the published sum
  EXPECT_EQ(flash.logical(DataKind::index_key, 1, k128).read, 21 * (k128 / 4) * 68);  // 46,792,704
  const Case v41("deepseek-v4.1-flash");
  EXPECT_EQ(v41.logical(DataKind::kv_main, 1, k128).read, 38 * 512 * 288);                              // 5,603,328
  EXPECT_EQ(v41.logical(DataKind::kv_local, 1, k128).read, 40 * 128 * 528);                             // 2,703,360
  EXPECT_EQ(v41.logical(DataKind::index_key, 1, k128).read, (3 * (k128 / 2) + k128 + 4 * 16384) * 68);  // 26,738,688
}

TEST(DecodeReads, OfV4FlashInBf16) {
  const Case flash("deepseek-v4-flash", "bf16");
  const std::int64_t read =
      flash.logical(DataKind::kv_main, 1, k128).read + flash.logical(DataKind::kv_local, 1, k128).read;
  EXPECT_EQ(read, (21 * (512 + 128) + 20 * (k128 / 128 + 128) + 2 * 128) * 1024);      // 37,617,664
  EXPECT_EQ(flash.logical(DataKind::index_key, 1, k128).read, 21 * (k128 / 4) * 256);  // 176,160,768
}

// At any context: below a window, below a block, off block boundaries, at the model's end.
TEST(DecodeReads, FollowTheFormulasAtEveryContext) {
  const Case v32("deepseek-v3.2"), flash("deepseek-v4-flash"), v41("deepseek-v4.1-flash");
  for (const std::int64_t n : {1L,    2L,    3L,    4L,    5L,    127L,   128L,   129L,   511L,     513L, 1023L,
                               1024L, 2047L, 2048L, 2049L, 4097L, 16383L, 16385L, 99999L, k128 + 1, m1}) {
    EXPECT_EQ(v32.logical(DataKind::kv_main, 1, n).read, 61 * std::min(2048L, n) * 656);
    EXPECT_EQ(v32.logical(DataKind::index_key, 1, n).read, 61 * n * 132);
    EXPECT_EQ(flash.logical(DataKind::kv_main, 1, n).read, (21 * std::min(512L, n / 4) + 20 * (n / 128)) * 584);
    EXPECT_EQ(flash.logical(DataKind::kv_local, 1, n).read, 43 * std::min(128L, n) * 584);
    EXPECT_EQ(flash.logical(DataKind::index_key, 1, n).read, 21 * (n / 4) * 68);
    EXPECT_EQ(v41.logical(DataKind::kv_main, 1, n).read, (18 * std::min(512L, n / 2) + 20 * std::min(512L, n)) * 288);
    EXPECT_EQ(v41.logical(DataKind::kv_local, 1, n).read, 40 * std::min(128L, n) * 528);
    EXPECT_EQ(v41.logical(DataKind::index_key, 1, n).read, (3 * (n / 2) + n + 4 * std::min(n, 16384L)) * 68);
  }
}

TEST(DecodeWrites, HappenInTheStepThatClosesABlock) {
  const Case flash("deepseek-v4-flash");
  EXPECT_EQ(flash.logical(DataKind::kv_main, 1, 127).write, 0);
  EXPECT_EQ(flash.logical(DataKind::kv_main, 1, 124).write, 21 * 584);
  EXPECT_EQ(flash.logical(DataKind::kv_main, 1, 128).write, (21 + 20) * 584);
  EXPECT_EQ(flash.logical(DataKind::index_key, 1, 128).write, 21 * 68);
  EXPECT_EQ(flash.logical(DataKind::kv_local, 1, 77).write, 43 * 584);
  const std::int64_t row = 21 * (2 * 1024 * 4 + 2 * 256 * 4) + 20 * (2 * 512 * 4);
  EXPECT_EQ(flash.logical(DataKind::state, 1, 77), (sim::ReadWrite{0, row}));
  EXPECT_EQ(flash.logical(DataKind::state, 1, 128).read, 21 * csa_state + 20 * hca_state);
  const Case v41("deepseek-v4.1-flash");
  EXPECT_EQ(v41.logical(DataKind::kv_main, 1, 7).write, 288);
  EXPECT_EQ(v41.logical(DataKind::kv_main, 1, 8).write, 4 * 288);
}

TEST(DecodeWrites, AverageToTheGrowthPerToken) {
  for (const std::string name : {"deepseek-v3.2", "deepseek-v4-flash", "deepseek-v4.1-flash"}) {
    const Case c(name);
    for (const std::int64_t n : {1000L, 1024L}) {
      const double written = static_cast<double>(c.logical(DataKind::kv_main, 256, n, true).write +
                                                 c.logical(DataKind::index_key, 256, n, true).write);
      EXPECT_EQ(written, 256 * c.lowered.demand.growing_bytes_per_token()) << name;
    }
  }
}

// The mean over 897..1024 of floor(N / 4) is 239.75 with sums derived here by hand.
TEST(DecodeReads, AverageOverTheAlignedPeriodThatHoldsTheContext) {
  const Case flash("deepseek-v4-flash");
  std::int64_t keys = 0;
  for (std::int64_t n = 897; n <= 1024; ++n) keys += 21 * (n / 4);
  EXPECT_EQ(flash.logical(DataKind::index_key, 128, 1000, true).read, keys * 68);
  EXPECT_EQ(flash.logical(DataKind::index_key, 128, 1024, true).read, keys * 68);
}

TEST(GatheredEntries, CostWholeSectors) {
  const auto sectors = [](const std::string& name, EntryRole role) {
    const Case c(name);
    const Attention& a = c.model.layers.back().attention;
    return c.format.layout(role, c.model.cache, a).sectors(1, sim::Pattern::gather).bytes;
  };
  EXPECT_EQ(sectors("deepseek-v3.2", EntryRole::main), 21 * 32);            // 656 B at multiples of 16: 672
  EXPECT_EQ(sectors("deepseek-v4-flash", EntryRole::main), (18 + 1) * 32);  // 576 B row and an 8 B scale elsewhere: 608
  EXPECT_EQ(sectors("deepseek-v4.1-flash", EntryRole::local), (16 + 1) * 32);  // 544
  EXPECT_EQ(sectors("deepseek-v4.1-flash", EntryRole::main), (8 + 1) * 32);    // 288
}

TEST(IndexKeys, StreamWholePagesWithoutLoss) {
  for (const std::string name : {"deepseek-v3.2", "deepseek-v4-flash", "deepseek-v4.1-flash"}) {
    const Case c(name);
    EXPECT_EQ(c.sectors(DataKind::index_key, 1, k128).read, c.logical(DataKind::index_key, 1, k128).read) << name;
  }
}

TEST(Pages, AreRoundedAsTheKernelsNeed) {
  const Case flash("deepseek-v4-flash");
  const Attention& csa = flash.model.layers[2].attention;
  const Attention& hca = flash.model.layers[3].attention;
  EXPECT_EQ(flash.format.layout(EntryRole::main, "v4", csa).page_bytes, 65 * 576);  // 64 x 584 = 37,376 -> 37,440
  EXPECT_EQ(flash.format.layout(EntryRole::main, "v4", hca).page_bytes, 3 * 576);   // 2 x 584 = 1,168 -> 1,728
}

// The reference's 10.19 GB and 12.3 GB name four parts: routed and shared experts, attention projections, output head.
struct NamedParts {
  std::int64_t layers, hidden, width, active, attention, fp8_group;
  // FP4 with a byte per 32 values, FP8 with one per group, the head in BF16.
  [[nodiscard]] std::int64_t bytes() const {
    const std::int64_t expert = 3 * hidden * width, fp8 = expert + attention;
    return layers * (active * (expert / 2 + expert / 32) + fp8 + fp8 / fp8_group) + 129280 * hidden * 2;
  }
};

TEST(WeightReads, OfTheNamedPartsAtBatchOne) {
  const auto named = [](const Case& c) {
    std::int64_t sum = c.model.vocabulary * c.model.hidden * 2;  // the head, BF16
    for (const char* part : {"expert gate and up", "expert down", "shared gate and up", "shared down", "query down",
                             "key-value down", "query up", "output a", "output b"}) {
      sum += c.weight_reads(part, 1);
    }
    return sum;
  };
  const auto attention = [](std::int64_t hidden, std::int64_t rank) {  // 64 heads, 8 groups of 1,024
    return hidden * rank + rank * 64 * 512 + hidden * 512 + 64 * 512 * 1024 + 8 * 1024 * hidden;
  };
  EXPECT_EQ(named(Case("deepseek-v4-flash")), (NamedParts{43, 4096, 2048, 6, attention(4096, 1024), 16384}.bytes()));
  EXPECT_EQ(named(Case("deepseek-v4.1-flash")), (NamedParts{40, 5120, 2304, 6, attention(5120, 1280), 1024}.bytes()));
}

TEST(Engram, LooksUp48RowsATokenInHostMemory) {
  const Case v41("deepseek-v4.1-flash");
  EXPECT_EQ(v41.logical(DataKind::engram, 1, 1024).read, 48 * 264);     // 12,672
  EXPECT_EQ(v41.sectors(DataKind::engram, 1, 1024).read, 48 * 9 * 32);  // 264 B from any multiple of 8: 9 sectors
  EXPECT_EQ(v41.lowered.demand.host_bytes(), (384'006'168L + 384'016'682) * (256 + 256 / 32));  // FP8, a byte per 32
  EXPECT_EQ(v41.lowered.parameters.engram, (384'006'168L + 384'016'682) * 256);
}

TEST(Overrides, ChangeTopKRatiosModesAndWindow) {
  const Case k256("deepseek-v4.1-flash", "deployed", {}, "attention: {top_k: 256, window: 64}");
  EXPECT_EQ(k256.logical(DataKind::kv_main, 1, k128).read, 38 * 256 * 288);
  EXPECT_EQ(k256.logical(DataKind::kv_local, 1, k128).read, 40 * 64 * 528);
  const Case fewer("deepseek-v4.1-flash", "deployed", {}, "changes: [{layers: [24, 28], attention: {mode: reuse}}]");
  EXPECT_EQ(fewer.logical(DataKind::index_key, 1, k128).read, (3 * (k128 / 2) + k128 + 2 * 16384) * 68);
}

TEST(Draft, AddsItsLayersOnlyWhenAskedFor) {
  const Case with("deepseek-v3.2", "bf16", {}, "", 1);
  EXPECT_EQ(with.lowered.demand.growing_bytes_per_token(), 62 * (1152 + 256));
  EXPECT_EQ(with.lowered.parameters.total, Case("deepseek-v3.2").lowered.parameters.total);
  const Case v41("deepseek-v4.1-flash", "deployed", {}, "", 3);
  EXPECT_EQ(v41.lowered.demand.stored_per_request(1, DataKind::kv_local), 43 * 128 * 528);
}

}  // namespace
}  // namespace kvtraffic::models::test
