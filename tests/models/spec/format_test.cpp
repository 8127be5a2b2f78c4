// How formats lay entries out: pages as each engine documents them, rings of state, and entries that fit no layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/spec/weight_set.hpp"
#include "sim/config/yaml.hpp"
#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

using testing::HasSubstr;

// Layers of V4 with each ratio, and V4.1's first cache owner.
const Attention& csa() {
  static const Model m = model("deepseek-v4-flash");
  return m.layers[2].attention;
}
const Attention& hca() {
  static const Model m = model("deepseek-v4-flash");
  return m.layers[3].attention;
}
const Attention& full() {
  static const Model m = model("deepseek-v4.1-flash");
  return m.layers[2].attention;
}

std::int64_t page(const std::string& name, EntryRole role, const std::string& family, const Attention& a) {
  return format(name).layout(role, family, a).page_bytes;
}

TEST(Pages, OfFlashMlaAreMultiplesOf576) {
  for (const std::int64_t entries : {2, 64, 128, 256}) {
    sim::Diagnostics diagnostics;
    const std::string n = std::to_string(entries);
    const CacheFormat f =
        read_format(entry("formats/flashmla.yaml", "families: {v4: {main: {page_entries: " + n + "}}}"), diagnostics);
    const std::int64_t bytes = entries * 584;  // 1,168 to 1,728; 37,376 to 37,440; 74,752 to 74,880; 149,504 to 149,760
    EXPECT_EQ(f.layout(EntryRole::main, "v4", csa()).page_bytes, (bytes + 575) / 576 * 576);
  }
  EXPECT_EQ(page("flashmla", EntryRole::main, "v4", hca()), 37'440);
  EXPECT_EQ(page("flashmla", EntryRole::index, "v4", csa()), 64 * 64 + 64 * 4);  // 4,352
}

TEST(Pages, OfSglangAreAlignedToEachLayout) {
  EXPECT_EQ(page("sglang-hopper", EntryRole::main, "v4", csa()), 37'440);
  EXPECT_EQ(page("sglang-hopper", EntryRole::main, "v4.1", full()), 37'440);
  EXPECT_EQ(page("sglang-blackwell", EntryRole::local, "v4.1", full()), 33'792);  // 64 x 528 = 66 x 512
  EXPECT_EQ(page("sglang-blackwell", EntryRole::main, "v4.1", full()), 18'432);   // 64 x 288 = 72 x 256
  const Model v32 = model("deepseek-v3.2");
  EXPECT_EQ(page("sglang-hopper", EntryRole::index, "v3.2", v32.layers[0].attention), 8'192 + 256);
}

TEST(Pages, OfVllmCover256TokensInMultiplesOf576) {
  EXPECT_EQ(page("vllm-hopper", EntryRole::main, "v4", csa()), 37'440);
  EXPECT_EQ(page("vllm-hopper", EntryRole::main, "v4", hca()), 1'728);
  EXPECT_EQ(page("vllm-hopper", EntryRole::index, "v4", csa()), 8'640);  // 64 x 132 = 8,448
  EXPECT_EQ(page("vllm-hopper", EntryRole::local, "v4", csa()), 37'440);
  EXPECT_EQ(format("vllm-hopper").layout(EntryRole::local, "v4.1", full()).page_entries, 32);
}

TEST(Pages, OfTensorRtAreNotPaddedTo576) {
  const sim::Layout main = format("trtllm").layout(EntryRole::main, "v4", csa());
  EXPECT_EQ(main.page_entries, 32);                              // 128 tokens
  EXPECT_EQ(2 * main.page_bytes, 64 * 584);                      // 37,376 for 64 entries
  EXPECT_EQ(page("trtllm", EntryRole::main, "v4", hca()), 608);  // one entry, up to the next sector
  EXPECT_EQ(page("trtllm", EntryRole::index, "v4.1", full()), 4'352);
}

TEST(Pages, OfAtomKeepRotatedValuesInAPlaneOfTheirOwn) {
  const sim::Layout main = format("atom").layout(EntryRole::main, "v4", csa());
  EXPECT_EQ(main.row, 448 + 7 + 57);
  EXPECT_EQ(main.apart, 64 * 2);
  EXPECT_EQ(main.page_entries, 64);
  EXPECT_EQ(main.sectors(1, sim::Pattern::gather).bytes, 16 * 32 + 4 * 32);  // both are whole sectors
  EXPECT_EQ(page("atom", EntryRole::index, "v4", csa()), 8'448);
}

TEST(Cells, OfLlamaCppAreAllocatedInMultiplesOf256) {
  const sim::Layout f16 = format("llama-cpp-f16").layout(EntryRole::main, "v4", csa());
  EXPECT_EQ(f16.allocated(1), 256 * 1024);
  EXPECT_EQ(f16.allocated(257), 512 * 1024);
  const sim::Layout q8 = format("llama-cpp-q8").layout(EntryRole::main, "v4", csa());
  EXPECT_EQ(q8.entry_bytes(), 512 / 32 * 34);
  EXPECT_EQ(q8.apart, 0);  // scales stand with their 32 values
}

TEST(StateRows, AreThoseOfTheEngine) {
  const CacheFormat vllm = format("vllm-hopper");
  EXPECT_EQ(4 * vllm.state_row("v4", csa(), 512).row, 32'768);  // its blocks: 4 rows, 8 rows, 4 rows of the indexer
  EXPECT_EQ(8 * vllm.state_row("v4", hca(), 512).row, 32'768);
  EXPECT_EQ(4 * vllm.state_row("v4", csa(), 128).row, 8'192);
  EXPECT_EQ(vllm.state_rows("v4", csa()), 8);
  EXPECT_EQ(vllm.state_rows("v4", hca()), 128);
  EXPECT_EQ(vllm.state_rows("v4.1", full()), 8);
  EXPECT_EQ(format("deployed").state_rows("v4.1", full()), 2);
}

TEST(StateRows, AreNeverFewerThanABlockPools) {
  sim::Diagnostics diagnostics;
  const CacheFormat f = read_format(entry("formats/deployed.yaml", "families: {v4: {state: {rows: 3}}}"), diagnostics);
  EXPECT_EQ(f.state_rows("v4", csa()), 8);
}

std::string misfit(const std::string& model_name, const std::string& changes, const std::string& format_name) {
  sim::Diagnostics diagnostics;
  check_family(format(format_name), model(model_name, changes), {}, diagnostics);
  return diagnostics.render();
}

TEST(Misfits, AreNamedInsteadOfBeingCharged) {
  EXPECT_THAT(misfit("deepseek-v3", "cache: v4", "deployed"),
              HasSubstr("the 'main' entry of family 'v4' in format 'deployed' is made of 'unrotated', which kind 'mla' "
                        "lacks"));
  EXPECT_THAT(misfit("deepseek-v2", "cache: heads", "deployed"),
              HasSubstr("the 'main' entry of family 'heads' in format 'deployed' keeps single heads, but kind 'mla' "
                        "caches one entry for all"));
  EXPECT_THAT(misfit("deepseek-v2", "attention: {form: expanded}", "deployed"),
              HasSubstr("keeps one 'kv_rank' for all heads, but kind 'mla' caches single ones"));
  EXPECT_THAT(misfit("deepseek-v4-flash", "cache: v3.2", "deployed"),
              HasSubstr("has no 'local' entry for family 'v3.2'"));
  EXPECT_THAT(misfit("deepseek-v4-flash", "cache: v3.2", "deployed"), HasSubstr("has no 'state' for family 'v3.2'"));
}

TEST(Misfits, AreToldOnceForAllLayersOfAKind) {
  const std::string text = misfit("deepseek-v2", "cache: heads", "deployed");
  EXPECT_EQ(text.find("keeps single heads"), text.rfind("keeps single heads"));
}

TEST(Heads, MayBeNamedInAFormatFile) {
  sim::Diagnostics diagnostics;
  (void)read_format(
      sim::read_yaml("name: x\nfamilies: {a: {main: {parts: [{values: key_heads, bits: 4}], page_entries: 1}}}", "f",
                     diagnostics),
      diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
}

TEST(Sources, ThatNobodyExplainsAreRefusedInFormatsEnginesAndWeightSets) {
  const auto expect_refused = [](const sim::Diagnostics& faults) {
    EXPECT_THAT(faults.render(), HasSubstr("source: 'hearsay' is no key of `sources`"));
  };
  sim::Diagnostics of_format, of_engine, of_set;
  (void)read_format(entry("formats/bf16.yaml", "families: {mla: {source: hearsay}}"), of_format);
  (void)read_engine(entry("engines/reference.yaml", "score_bits: {value: 16, source: hearsay}"), of_engine);
  check_weight_set(entry("weights/bf16.yaml", "weights: {expert: {bits: {value: 8, source: hearsay}}}"), of_set);
  expect_refused(of_format);
  expect_refused(of_engine);
  expect_refused(of_set);
}

// Of a key as it is stored, and not of what its scales and pads make of it.
TEST(ValueBits, AreThoseOfTheEntrysFirstPart) {
  EXPECT_EQ(format("deployed").value_bits(EntryRole::index, "v4"), 4);
  EXPECT_EQ(format("deployed").value_bits(EntryRole::index, "v3.2"), 8);
  EXPECT_EQ(format("bf16").value_bits(EntryRole::index, "v3.2"), 16);
}

TEST(IndexScores, RunInTheWidthOfTheKeysWhateverTheirScalesTake) {
  sim::Diagnostics diagnostics;
  const std::string keys = "{parts: [{values: index_dim, bits: 8, scale_bits: 32, scale_group: 4}], page_entries: 64}";
  const CacheFormat wide =
      read_format(entry("formats/deployed.yaml", "families: {v3.2: {index: " + keys + "}}"), diagnostics);
  ASSERT_EQ(diagnostics.render(), "");  // 16 bits a key in all, half of them scales
  const Lowered lowered = lower_decode(model("deepseek-v3.2"), wide, plan(), {});
  for (const sim::Operation& operation : lowered.graph.operations()) {
    if (operation.name != "index.scan") continue;
    EXPECT_EQ(operation.work.at(0).precision, sim::Precision::fp8);
  }
}

TEST(ReadFormat, AnEntryHasParts) {
  sim::Diagnostics diagnostics;
  (void)read_format(sim::read_yaml("name: x\nfamilies: {a: {main: {parts: [], page_entries: 64}}}\n", "f", diagnostics),
                    diagnostics);
  EXPECT_THAT(diagnostics.render(), HasSubstr("families.a.main.parts: an entry needs at least one part"));
}

}  // namespace
}  // namespace kvtraffic::models::test
