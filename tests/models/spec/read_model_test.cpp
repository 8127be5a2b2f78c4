// What a model or format file may not say, and what it says when it does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kvtraffic::models::test
