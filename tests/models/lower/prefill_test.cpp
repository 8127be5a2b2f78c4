// Prefill of the catalog's models: layer positions, causal sums of arithmetic, entries written, chunks, cached
// prefixes. Arithmetic beside each figure.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <map>

#include "tests/models/prefill_case.hpp"

namespace kvtraffic::models::test {
namespace {

using sim::DataKind;
using sim::Point;

constexpr std::int64_t k128 = 131072;

double triangle(std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n + 1) / 2; }

// ---- which positions run ----

TEST(LayerPositions, OfBoundedReplayAre20NAnd20TimesTheWindow) {
  const PrefillCase v41("deepseek-v4.1-flash");
  for (const std::int64_t n : {1L, 127L, 128L, 129L, 4096L, k128}) {
    EXPECT_EQ(v41.layer_positions(v41.whole(n)), 20 * n + 20 * std::min<std::int64_t>(n, 128)) << n;
  }
  const double share = static_cast<double>(v41.layer_positions(v41.whole(k128))) / (40.0 * k128);
  EXPECT_NEAR(share, 0.5005, 0.00005);  // published: "nearly halved"
}

TEST(LayerPositions, OfFullReplayAreAll) {
  const PrefillCase v41("deepseek-v4.1-flash", {.bounded = false});
  EXPECT_EQ(v41.layer_positions(v41.whole(5000)), 40 * 5000);
}

TEST(LayerPositions, WithTheSourceLayerInFullAreOneLayerMore) {
  const PrefillCase v41("deepseek-v4.1-flash", {.bounded = true, .source_in_full = true});
  EXPECT_EQ(v41.layer_positions(v41.whole(k128)), 21 * k128 + 19 * 128);  // vLLM: 52.5 %
}

TEST(LayerPositions, OfModelsWithoutAnEncoderAreAll) {
  const PrefillCase v32("deepseek-v3.2");
  EXPECT_EQ(v32.layer_positions(v32.whole(5000, 3)), 61 * 5000);
}

TEST(LayerPositions, OfACachedPrefixAreTheNewOnesAndTheReplay) {
  const PrefillCase v41("deepseek-v4.1-flash");
  EXPECT_EQ(most_replayed(v41.model), 128);
  EXPECT_EQ(most_replayed(PrefillCase("deepseek-v4-flash").model), 0);
  // 1,000 of 5,000 tokens are new: encoder layers run on them and the 128 before, decoder layers on the last 128.
  EXPECT_EQ(v41.layer_positions(v41.at(Point::prefill(1, 5000, 4001, 5000, 128))), 20 * 1128 + 20 * 128);
  // 10 are new: the decoder's window begins among the replayed ones.
  EXPECT_EQ(v41.layer_positions(v41.at(Point::prefill(1, 5000, 4991, 5000, 128))), 20 * 138 + 20 * 128);
  const PrefillCase full("deepseek-v4.1-flash", {.bounded = false});
  EXPECT_EQ(full.layer_positions(full.at(Point::prefill(1, 5000, 4001, 5000, 128))), 40 * 1128);
}

TEST(LayerPositions, OfChunksAddUp) {
  const PrefillCase v41("deepseek-v4.1-flash");
  std::int64_t sum = 0;  // the window of the last 128 begins in the second chunk
  for (const auto& [first, last] : {std::pair(1L, 4000L), {4001L, 4950L}, {4951L, 5000L}}) {
    sum += v41.layer_positions(v41.at(Point::prefill(1, 5000, first, last)));
  }
  EXPECT_EQ(sum, v41.layer_positions(v41.whole(5000)));
}

// ---- arithmetic ----

TEST(PrefillArithmetic, IndexersScoreAllPairs) {
  const std::int64_t n = 10'000;
  const PrefillCase v32("deepseek-v3.2");
  EXPECT_EQ(v32.flops(v32.whole(n), "index.scan"), 61 * 2.0 * 64 * 128 * triangle(n));
  // V4-Flash: position p sees floor(p / 4) keys. V4.1's decoder scores for the last 128 positions alone.
  double keys = 0;
  for (std::int64_t p = 1; p <= n; ++p) keys += static_cast<double>(p / 4);
  const PrefillCase flash("deepseek-v4-flash");
  EXPECT_EQ(flash.flops(flash.whole(n), "index.scan"), 21 * 2.0 * 64 * 128 * keys);
  double encoder = 0;
  double decoder = 0;
  for (std::int64_t p = 1; p <= n; ++p) {
    encoder += 3 * static_cast<double>(p / 2);
    if (p > n - 128) decoder += static_cast<double>(p + 4 * std::min<std::int64_t>(p, 16384));
  }
  const PrefillCase v41("deepseek-v4.1-flash");
  EXPECT_EQ(v41.flops(v41.whole(n), "index.scan"), 2.0 * 32 * 128 * (encoder + decoder));
}

TEST(PrefillArithmetic, AttentionSumsOverSelectionsAndWindows) {
  const std::int64_t n = 10'000;
  const PrefillCase v32("deepseek-v3.2");
  double picked = 0;
  for (std::int64_t p = 1; p <= n; ++p) picked += static_cast<double>(std::min<std::int64_t>(p, 2048));
  EXPECT_EQ(v32.flops(v32.whole(n), "attention.core"), 61 * 2.0 * 128 * (576 + 512) * picked);
  double flash_entries = 0;
  for (std::int64_t p = 1; p <= n; ++p) {
    flash_entries += static_cast<double>(43 * std::min<std::int64_t>(p, 128) + 21 * std::min<std::int64_t>(512, p / 4) +
                                         20 * (p / 128));
  }
  const PrefillCase flash("deepseek-v4-flash");
  EXPECT_EQ(flash.flops(flash.whole(n), "attention.core"), 4.0 * 64 * 512 * flash_entries);
}

TEST(PrefillArithmetic, WindowsOfTheDecoderAreCutAtTheTail) {
  const std::int64_t n = 10'000;
  const PrefillCase v41("deepseek-v4.1-flash");
  double entries = 0;
  for (std::int64_t p = 1; p <= n; ++p) {
    entries += static_cast<double>(20 * std::min<std::int64_t>(p, 128) + 18 * std::min<std::int64_t>(512, p / 2));
    if (p > n - 128) entries += static_cast<double>(20 * (p - (n - 128)) + 20 * std::min<std::int64_t>(512, p));
  }
  EXPECT_EQ(v41.flops(v41.whole(n), "attention.core"), 4.0 * 64 * 512 * entries);
}

TEST(PrefillArithmetic, TheHeadRunsOncePerPrompt) {
  const PrefillCase v32("deepseek-v3.2");
  EXPECT_EQ(v32.flops(v32.whole(5000, 3), "head"), 3 * 2.0 * 7168 * 129280);
  EXPECT_EQ(v32.flops(v32.at(Point::prefill(3, 5000, 1, 4999)), "head"), 0);
}

// ---- V3.2's short prompts ----

TEST(ShortPrompts, RunAsDenseAttentionWithExpandedHeads) {
  const PrefillCase dense("deepseek-v3.2", {.dense = true});
  const PrefillCase sparse("deepseek-v3.2");
  EXPECT_EQ(longest_dense_prefill(dense.model), 2048);
  EXPECT_EQ(longest_dense_prefill(PrefillCase("deepseek-v4-flash").model), 0);
  EXPECT_FALSE(dense.has("index.scan"));
  EXPECT_FALSE(dense.has("attention.absorb"));
  EXPECT_TRUE(sparse.has("index.scan"));
  EXPECT_FALSE(sparse.has("attention.expand"));
  const sim::Tally tally = dense.whole(2000);
  EXPECT_EQ(dense.flops(tally, "attention.core"), 61 * 2.0 * 128 * (128 + 64 + 128) * triangle(2000));
  EXPECT_EQ(dense.flops(tally, "attention.expand"), 61 * 2.0 * 512 * 128 * (128 + 128) * 2000);
  EXPECT_EQ(dense.logical(tally, DataKind::kv_main), (sim::ReadWrite{61 * 2000 * 656, 61 * 2000 * 656}));
  EXPECT_EQ(dense.logical(tally, DataKind::index_key), (sim::ReadWrite{0, 61 * 2000 * 132}));
}

TEST(ShortPrompts, ExpandTheWholeContextInEveryChunk) {
  const PrefillCase dense("deepseek-v3.2", {.dense = true});
  const double unit = 61 * 2.0 * 512 * 128 * (128 + 128);
  EXPECT_EQ(dense.flops(dense.at(Point::prefill(1, 2000, 1, 1000)), "attention.expand"), unit * 1000);
  EXPECT_EQ(dense.flops(dense.at(Point::prefill(1, 2000, 1001, 2000)), "attention.expand"), unit * 2000);
}

// ---- bytes ----

TEST(PrefillReads, OfTiledScansAreRequestedOnceATile) {
  // 64 index heads: tiles of 2 tokens. 1,000 tokens see 2, 4, ... 1,000 keys of 132 B, whole pages of 64 keys or parts.
  const PrefillCase v32("deepseek-v3.2");
  const sim::Layout key = v32.format.layout(EntryRole::index, v32.model.cache, v32.model.layers[0].attention);
  std::int64_t requested = 0;
  for (std::int64_t p = 2; p <= 1000; p += 2) requested += key.sectors(p, sim::Pattern::stream).bytes;
  const sim::Tally tally = v32.whole(1000);
  EXPECT_EQ(v32.sectors(tally, DataKind::index_key).read, 61 * requested);
  EXPECT_EQ(v32.logical(tally, DataKind::index_key).read, 61 * 1000 * 132);
}

TEST(PrefillReads, OfSelectionsAreRequestedByEachQuery) {
  const PrefillCase v32("deepseek-v3.2");
  const std::int64_t n = 5000;
  std::int64_t picked = 0;
  for (std::int64_t p = 1; p <= n; ++p) picked += std::min<std::int64_t>(p, 2048);
  EXPECT_EQ(v32.sectors(v32.whole(n), DataKind::kv_main).read, 61 * picked * 672);  // 21 sectors an entry
  EXPECT_EQ(v32.logical(v32.whole(n), DataKind::kv_main).read, 61 * n * 656);
}

TEST(PrefillState, IsWrittenOnceAChunkAndReadWhereAChunkBeginsInsideABlock) {
  const PrefillCase flash("deepseek-v4-flash");
  const std::int64_t csa = 2 * 1024 * 4 + 2 * 256 * 4;  // a row of the compressor and of its indexer's, fp32
  const std::int64_t hca = 2 * 512 * 4;
  // Position 1,003: 3 rows of an open block of 4 and the 4 before; 1,003 - 7 x 128 = 107 rows of one of 128.
  const std::int64_t left = 21 * 7 * csa + 20 * 107 * hca;
  EXPECT_EQ(flash.logical(flash.whole(1003), DataKind::state), (sim::ReadWrite{0, left}));
  EXPECT_EQ(flash.logical(flash.at(Point::prefill(1, 2000, 1004, 2000)), DataKind::state).read, left);
  EXPECT_EQ(flash.logical(flash.at(Point::prefill(1, 1024, 1, 1024)), DataKind::state).write, 21 * 4 * csa);
}

// ---- what holds for every model ----

std::vector<std::string> catalog() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(std::string(KVTRAFFIC_ROOT) + "/models/catalog")) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A format that knows the model's caches is not the deployed one for all of them, so those it does not know are left
// out.
const std::vector<std::string>& known_models() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> known;
    for (const std::string& name : catalog()) {
      sim::Diagnostics faults;
      const Model its = read_model(entry("catalog/" + name + ".yaml", ""), 0, faults);
      if (!faults.has_errors()) check_family(format("deployed"), its, {}, faults);
      if (!faults.has_errors()) known.push_back(name);
    }
    return known;
  }();
  return names;
}

const PrefillCase& any_model() {
  static std::map<std::string, PrefillCase> cases;
  const std::string name = *rc::gen::elementOf(known_models());
  const bool bounded = *rc::gen::arbitrary<bool>();
  const bool in_full = *rc::gen::arbitrary<bool>();
  const std::string key = name + (bounded ? "b" : "f") + (in_full ? "f" : "p");
  const PrefillForm form{.bounded = bounded, .source_in_full = in_full, .dense = false};
  return cases.try_emplace(key, name, form).first->second;
}

std::int64_t any_length() { return *rc::gen::inRange<std::int64_t>(2, 1 << *rc::gen::inRange(2, 15)); }

// Boundaries anywhere, inside blocks too.
RC_GTEST_PROP(EveryPrefill, WritesWhatStorageGrowsByHoweverItIsChunked, ()) {
  const PrefillCase& c = any_model();
  const std::int64_t context = any_length(), batch = *rc::gen::inRange<std::int64_t>(1, 5);
  const std::int64_t chunk = *rc::gen::inRange<std::int64_t>(1 + context / 20, context + 1);
  for (const DataKind kind : {DataKind::kv_main, DataKind::index_key}) {
    std::int64_t written = 0;
    for (std::int64_t first = 1; first <= context; first += chunk) {
      const Point point = Point::prefill(batch, context, first, std::min(context, first + chunk - 1));
      written += c.logical(c.at(point), kind).write;
    }
    RC_ASSERT(written == batch * c.lowered.demand.stored_per_request(context, kind));
  }
}

RC_GTEST_PROP(EveryPrefill, ComputesTheSameHoweverItIsChunked, ()) {
  const PrefillCase& c = any_model();
  const std::int64_t context = any_length();
  const std::int64_t middle = *rc::gen::inRange<std::int64_t>(1, context);
  const sim::Tally whole = c.whole(context);
  const sim::Tally front = c.at(Point::prefill(1, context, 1, middle));
  const sim::Tally back = c.at(Point::prefill(1, context, middle + 1, context));
  for (const sim::Operation& operation : c.lowered.graph.operations()) {
    if (operation.name == "attention.expand") continue;  // made again for every chunk
    const double sum = c.flops(front, operation.name) + c.flops(back, operation.name);
    RC_ASSERT(std::abs(sum - c.flops(whole, operation.name)) <= 1e-9 * sum);
  }
}

RC_GTEST_PROP(EveryPrefill, OfOneTokenReadsWhatADecodeStepReads, ()) {
  const PrefillCase& c = any_model();
  if (c.has("attention.expand")) return;  // another algorithm: the latents are expanded
  const std::int64_t context = any_length();
  const Case decode(c.model.name);
  const sim::Tally last = c.at(Point::prefill(1, context, context, context));
  const bool encodes = most_replayed(c.model) > 0;
  for (const DataKind kind : {DataKind::kv_main, DataKind::index_key}) {
    RC_ASSERT(c.logical(last, kind).read == decode.logical(kind, 1, context).read);
    RC_ASSERT(c.logical(last, kind).write == decode.logical(kind, 1, context).write);
  }
  if (!encodes) {
    RC_ASSERT(c.logical(last, DataKind::kv_local) == decode.logical(DataKind::kv_local, 1, context));
  }
}

RC_GTEST_PROP(EveryPrefill, RequestsWhatTheAlgorithmAsksForAndSaysWhyMore, ()) {
  const PrefillCase& c = any_model();
  const std::int64_t context = any_length();
  const auto first = *rc::gen::inRange<std::int64_t>(1, context + 1);
  const auto last = *rc::gen::inRange<std::int64_t>(first, context + 1);
  const std::int64_t replay = std::min(first - 1, most_replayed(c.model));
  for (const sim::AccessBytes& a : c.at(Point::prefill(3, context, first, last, replay)).accesses) {
    RC_ASSERT(a.logical + a.rounding + a.apart + a.rereads + a.tensor_copies + a.data_copies == a.sector);
    RC_ASSERT(a.logical <= a.footprint && a.footprint <= a.device && a.device <= a.sector);
  }
}

}  // namespace
}  // namespace kvtraffic::models::test
