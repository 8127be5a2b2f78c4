// What a model or format file may not say, and what it says when it does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/lower/weights.hpp"
#include "models/spec/model.hpp"
#include "sim/config/yaml.hpp"
#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

using testing::HasSubstr;

std::string faults(const std::string& base, const std::string& changes, std::int64_t draft = 0) {
  sim::Diagnostics diagnostics;
  (void)read_model(entry("catalog/" + base + ".yaml", changes), draft, diagnostics);
  return diagnostics.render();
}

TEST(ReadModel, NamesAKindWithoutItsFields) {
  EXPECT_THAT(faults("deepseek-v3.2", "layers: [{attention: {kind: csa2, mode: full}, dense_width: 8}]"),
              testing::AllOf(HasSubstr("layers[0].attention: kind 'csa2' needs 'head_dim'"),
                             HasSubstr("kind 'csa2' needs 'ratio'")));
}

TEST(ReadModel, ReuseNeedsAFullLayerBefore) {
  EXPECT_THAT(faults("deepseek-v4.1-flash", "layers: [{attention: {kind: csa2, mode: reuse, ratio: 2}}]"),
              HasSubstr("changes:1:10: error: layers[0].attention: mode 'reuse' has no 'full' layer before it"));
}

TEST(ReadModel, ReadersHaveTheRatioOfTheirSource) {
  EXPECT_THAT(faults("deepseek-v4.1-flash", "changes: [{layers: [21], attention: {ratio: 2}}]"),
              HasSubstr("layers[21].attention: ratio 2 differs from the ratio 1 of layer 20, whose cache it reads"));
}

std::string of_v41(const std::string& layers, const std::string& attention) {
  return faults("deepseek-v4.1-flash", "changes: [{layers: [" + layers + "], attention: {" + attention + "}}]");
}

TEST(ReadModel, ReadersHaveTheWidthsOfTheirSource) {
  EXPECT_THAT(of_v41("21", "head_dim: 256"),
              HasSubstr("layers[21].attention: head_dim 256 differs from the head_dim 512 of layer 20, whose cache it "
                        "reads"));
  EXPECT_THAT(of_v41("21", "rope_dim: 32"),
              HasSubstr("layers[21].attention: rope_dim 32 differs from the rope_dim 64 of layer 20, whose cache it "
                        "reads"));
}

TEST(ReadModel, ReindexingLayersScoreTheKeysOfTheirSource) {
  EXPECT_THAT(of_v41("24", "index_dim: 64"),
              HasSubstr("layers[24].attention: index_dim 64 differs from the index_dim 128 of layer 20, whose index "
                        "keys it reads"));
  EXPECT_THAT(of_v41("24", "index_heads: 16"),
              HasSubstr("layers[24].attention: index_heads 16 differs from the index_heads 32 of layer 20"));
}

TEST(ReadModel, ReusingLayersScoreNothing) { EXPECT_EQ(of_v41("21", "index_dim: 64, index_heads: 16"), ""); }

TEST(ReadModel, ASelectionIsAsLargeAsItsReadersTakeIt) {
  EXPECT_THAT(of_v41("25", "top_k: 256"),
              HasSubstr("layers[25].attention: top_k 256 differs from the top_k 512 of layer 24, whose selection it "
                        "reads"));
  EXPECT_EQ(of_v41("24, 25, 26, 27", "top_k: 256"), "") << "a layer that selects again may select fewer";
}

TEST(ReadModel, ASelectionComesFromItsCandidates) {
  EXPECT_EQ(of_v41("24", "candidates: 512"), "");
  EXPECT_THAT(of_v41("24", "candidates: 504"),
              HasSubstr("layers[24].attention: top_k 512 is more than the 504 candidates it scores"));
}

TEST(ReadModel, TablesHaveAnEnd) {
  EXPECT_EQ(faults("deepseek-v4.1-flash", "changes: [{layers: [1], engram: {rows: 1000000000000}}]"), "");
  EXPECT_THAT(faults("deepseek-v4.1-flash", "changes: [{layers: [1], engram: {rows: 1000000000001}}]"),
              HasSubstr("engram.rows: must be between 1 and 1000000000000"));
}

TEST(Model, ThatLeavesSixtyFourBitsSaysSo) {
  const std::string wide = "{rows: 1000000000000, row_values: 1000000}";  // 10^18 values a table, 10 tables
  const Model many =
      model("deepseek-v4.1-flash", "changes: [{layers: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], engram: " + wide + "}]");
  EXPECT_THROW((void)count_parameters(many), sim::OverflowError);
  const Model experts = model("deepseek-v3", "hidden: 1000000\nexperts: {width: 1000000, routed: 1000000}");
  EXPECT_THROW((void)count_parameters(experts), sim::OverflowError);  // 3 x 10^18 in one layer, of 58
}

TEST(Model, HasAPeriodThatFitsOrSaysSo) {
  Model m;
  for (const std::int64_t ratio : {4, 6, 9}) {
    m.layers.emplace_back().attention.ratio = ratio;
  }
  EXPECT_EQ(m.position_period(), 36);
  for (const std::int64_t prime : {999'983, 999'979, 999'961, 999'959}) {  // 10^24
    m.layers.emplace_back().attention.ratio = prime;
  }
  EXPECT_THROW((void)m.position_period(), sim::OverflowError);
}

TEST(ReadModel, ChangesNameLayersThatExist) {
  EXPECT_THAT(faults("deepseek-v4.1-flash", "changes: [{layers: [40], attention: {top_k: 1}}]"),
              testing::AllOf(HasSubstr("changes:1:21: error: changes.layers: there is no layer 40"),
                             HasSubstr("expected: 0 to 39")));
}

TEST(ReadModel, LayersDoNotExplode) {
  EXPECT_THAT(faults("deepseek-v3.2", "layers: [{repeat: 10000, layers: [{repeat: 10000}]}]"),
              HasSubstr("more than 10000 layers after repetition"));
}

TEST(ReadModel, ALayerIsEitherOneOrAGroup) {
  EXPECT_THAT(faults("deepseek-v3.2", "layers: [{dense_width: 3, layers: [{dense_width: 3}]}]"),
              HasSubstr("a layer has either its own fields or 'layers' that are repeated together"));
}

TEST(ReadModel, NoMoreExpertsAreActiveThanThereAre) {
  EXPECT_THAT(faults("deepseek-v3.2", "experts: {active: 300}"), HasSubstr("300 active of 256 routed experts"));
}

TEST(ReadModel, NoMoreDraftLayersThanThereAre) {
  EXPECT_THAT(faults("deepseek-v3.2", "", 2), HasSubstr("draft: 2 draft layers asked for, 'deepseek-v3.2' has 1"));
}

TEST(ReadModel, OutputGroupsDivideTheHeads) {
  EXPECT_THAT(faults("deepseek-v4-flash", "attention: {output_groups: 7}"),
              HasSubstr("7 groups do not divide 64 heads"));
}

TEST(ReadModel, TellsEveryFaultAtOnce) {
  const std::string text = faults("deepseek-v3.2", "hidden: -1\nvocabulary: many\nattention: {heads: 128, topk: 3}\n");
  EXPECT_THAT(text, HasSubstr("changes:1:9: error: hidden: must be between 1 and 1000000"));
  EXPECT_THAT(text, HasSubstr("changes:2:13: error: vocabulary:"));
  EXPECT_THAT(text, HasSubstr("did you mean 'top_k'?"));
}

TEST(ReadFormat, ListsTheFamiliesItKnows) {
  sim::Diagnostics diagnostics;
  Model stranger = model("deepseek-v3.2");
  stranger.cache = "v3.1";
  check_family(format("deployed"), stranger, {}, diagnostics);
  EXPECT_THAT(diagnostics.render(),
              testing::AllOf(HasSubstr("format 'deployed' does not know the caches of 'deepseek-v3.2' (family 'v3.1')"),
                             HasSubstr("expected: a model of one of its families: heads, mla, v3.2, v4, v4.1")));
}

TEST(ReadFormat, RefusesAWidthThatNoAttentionHas) {
  sim::Diagnostics diagnostics;
  (void)read_format(
      sim::read_yaml("name: x\nfamilies: {a: {main: {parts: [{values: head_dims, bits: 8}], page_entries: 64}}}\n", "f",
                     diagnostics),
      diagnostics);
  EXPECT_THAT(
      diagnostics.render(),
      testing::AllOf(
          HasSubstr(
              "f:2:40: error: families.a.main.parts.values: 'head_dims' is neither a number of values nor a width"),
          HasSubstr("did you mean 'head_dim'?")));
}

TEST(ReadModel, ActiveExpertsFitInTheGroupsThatATokenMayUse) {
  EXPECT_EQ(faults("deepseek-v2", "experts: {groups: 80}"), "");  // 3 groups of 2 hold the 6
  EXPECT_THAT(faults("deepseek-v2", "experts: {groups: 160}"),
              HasSubstr("layers[1].experts.active: 6 active experts do not fit in 3 groups of 1"));
}

TEST(ReadModel, ExplainsEverySourceThatItNames) {
  EXPECT_THAT(faults("deepseek-v3.2", "vocabulary: {value: 129280, source: hearsay, certainty: published}"),
              HasSubstr("vocabulary.source: 'hearsay' is no key of `sources`"));
}

}  // namespace
}  // namespace kvtraffic::models::test
