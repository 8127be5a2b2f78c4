// The sweep grammar: every form, its ends, its order, and what it refuses.
#include "scenarios/spec/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using test::messages;
using test::yaml;
using testing::ElementsAre;
using testing::IsEmpty;

struct Swept {
  Sweep sweep;
  std::vector<std::string> faults;
};

Swept read(const std::string& axes) {
  sim::Diagnostics diagnostics;
  Swept result{Sweep::read(yaml("sweep: " + axes), diagnostics), {}};
  result.faults = messages(diagnostics);
  return result;
}

// The texts that the only axis takes.
std::vector<std::string> values(const std::string& axis) {
  const Swept swept = read("{" + axis + "}");
  EXPECT_THAT(swept.faults, IsEmpty());
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < swept.sweep.size(); ++i) texts.push_back(swept.sweep.at(i).front().second.text());
  return texts;
}

std::vector<std::string> faults(const std::string& axes) { return read(axes).faults; }

TEST(Sweep, WithoutAxesHasOnePoint) {
  EXPECT_EQ(read("{}").sweep.size(), 1);
  sim::Diagnostics diagnostics;
  EXPECT_EQ(Sweep::read(yaml("name: x"), diagnostics).size(), 1);
}

TEST(Sweep, ListKeepsValuesAsTheyStand) {
  EXPECT_THAT(values("workload.context: [128, 4K, 1M]"), ElementsAre("128", "4K", "1M"));
}

TEST(Sweep, RangeIncludesBothEnds) {
  EXPECT_THAT(values("workload.batch: {range: {from: 1, to: 7, step: 2}}"), ElementsAre("1", "3", "5", "7"));
}

TEST(Sweep, SaysWhichValuesLieAroundAnEndThatIsNotReached) {
  EXPECT_THAT(faults("{workload.batch: {range: {from: 1, to: 6, step: 2}}}"),
              ElementsAre("sweep.workload.batch.range.to: {range: {from: 1, to: 6, step: 2}} does not reach 6: "
                          "1, ..., 5, 7"));
  EXPECT_THAT(faults("{workload.context: {log2: {from: 3K, to: 10K}}}"),
              ElementsAre("sweep.workload.context.log2.to: {log2: {from: 3K, to: 10K}} does not reach 10K: "
                          "3K, 6K, 12K"));
  EXPECT_THAT(faults("{workload.context: {log2: {from: 3K, to: 5K}}}"),
              ElementsAre("sweep.workload.context.log2.to: {log2: {from: 3K, to: 5K}} does not reach 5K: 3K, 6K"));
  EXPECT_THAT(faults("{hardware.memory.capacity: {range: {from: 80 GB, to: 95 GB, step: 10 GB}}}"),
              ElementsAre("sweep.hardware.memory.capacity.range.to: {range: {from: 80 GB, to: 95 GB, step: 10 GB}} "
                          "does not reach 95 GB: 80 GB, 90 GB, 100 GB"));
}

TEST(Sweep, RangeMayCountDown) {
  EXPECT_THAT(values("workload.batch: {range: {from: 3, to: 1, step: -1}}"), ElementsAre("3", "2", "1"));
}

TEST(Sweep, DecimalRangeReachesItsEndDespiteRounding) {
  EXPECT_THAT(values("reserve: {range: {from: 0.1, to: 0.3, step: 0.1}}"), ElementsAre("0.1", "0.2", "0.3"));
}

TEST(Sweep, RangeKeepsTheUnitOfItsEnds) {
  EXPECT_THAT(values("hardware.memory.capacity: {range: {from: 80 GB, to: 100 GB, step: 10 GB}}"),
              ElementsAre("80 GB", "90 GB", "100 GB"));
}

TEST(Sweep, DoublesFrom4KTo1MInNineSteps) {
  // 4,096 x 2^k reaches 1,048,576 = 4,096 x 256 at k = 8.
  const auto contexts = values("workload.context: {log2: {from: 4K, to: 1M}}");
  ASSERT_EQ(contexts.size(), 9U);
  for (std::size_t k = 0; k < contexts.size(); ++k) EXPECT_EQ(contexts[k], std::to_string(4096 << k));
}

TEST(Sweep, LinspaceIsEquallyFarApart) {
  EXPECT_THAT(values("workload.context: {linspace: {from: 0, to: 1K, count: 5}}"),
              ElementsAre("0", "256", "512", "768", "1024"));
}

TEST(Sweep, LinspaceRoundsWhereTheFieldWantsWholeNumbers) {
  EXPECT_THAT(values("workload.batch: {linspace: {from: 1, to: 4, count: 3}}"), ElementsAre("1", "3", "4"));  // 2.5
  EXPECT_THAT(values("reserve: {linspace: {from: 0, to: 1, count: 3}}"), ElementsAre("0", "0.5", "1"));
}

TEST(Sweep, GeomspaceHasEqualRatiosAndBothEnds) {
  EXPECT_THAT(values("workload.batch: {geomspace: {from: 1, to: 1000, count: 4}}"),
              ElementsAre("1", "10", "100", "1000"));
}

// 1, 1.5, 2 and 1, 2^(1/3), 2^(2/3), 2 round to 1 and 2.
TEST(Sweep, RefusesWholeNumbersThatRoundingMakesTheSame) {
  EXPECT_THAT(faults("{workload.batch: {linspace: {from: 1, to: 2, count: 3}}}"),
              ElementsAre("sweep.workload.batch.linspace.count: gives 3 values but 2 distinct whole numbers"));
  EXPECT_THAT(faults("{workload.batch: {geomspace: {from: 1, to: 2, count: 4}}}"),
              ElementsAre("sweep.workload.batch.geomspace.count: gives 4 values but 2 distinct whole numbers"));
  EXPECT_THAT(faults("{workload.batch: {range: {from: 1, to: 2, step: 0.5}}}"),
              ElementsAre("sweep.workload.batch.range.step: gives 3 values but 2 distinct whole numbers"));
}

TEST(Sweep, MultipliesAxesWithTheFirstSlowest) {
  const Sweep sweep = read("{workload.batch: [1, 2], workload.context: [8, 16, 32]}").sweep;
  ASSERT_EQ(sweep.size(), 2 * 3);
  std::string order;
  for (std::int64_t i = 0; i < sweep.size(); ++i) {
    for (const auto& [path, value] : sweep.at(i)) order += value.text() + " ";
  }
  EXPECT_EQ(order, "1 8 1 16 1 32 2 8 2 16 2 32 ");
}

TEST(Sweep, ZipTiesPathsAndCountsAsOneAxis) {
  const Sweep sweep =
      read("{zip: {workload.batch: [1, 64], hardware: [h200-sxm, 8x-h200-sxm]}, workload.context: [8, 16]}").sweep;
  ASSERT_EQ(sweep.size(), 2 * 2);
  EXPECT_EQ(sweep.at(0)[0].second.text(), "1");
  EXPECT_EQ(sweep.at(0)[1].second.text(), "h200-sxm");
  EXPECT_EQ(sweep.at(3)[0].second.text(), "64");
  EXPECT_EQ(sweep.at(3)[1].second.text(), "8x-h200-sxm");
  EXPECT_EQ(sweep.at(3)[2].second.text(), "16");
}

TEST(Sweep, ZipOfFormsIsCountedOut) {
  const Sweep sweep = read("{zip: {workload.batch: {log2: {from: 1, to: 4}}, workload.context: [8, 16, 32]}}").sweep;
  ASSERT_EQ(sweep.size(), 3);
  EXPECT_EQ(sweep.at(2)[0].second.text(), "4");
}

TEST(Sweep, ZipOfUnequalLengthsSaysBoth) {
  EXPECT_THAT(faults("{zip: {workload.batch: [1, 2], workload.context: [8]}}"),
              ElementsAre("sweep.zip: 'workload.batch' has 2 values and 'workload.context' has 1"));
}

TEST(Sweep, RefusesAnAxisWithoutValues) {
  EXPECT_THAT(faults("{workload.batch: []}"), ElementsAre("sweep.workload.batch: has no values"));
  EXPECT_THAT(faults("{workload.batch: null}"), ElementsAre("sweep.workload.batch: has no values"));
}

TEST(Sweep, RefusesASingleValue) {
  EXPECT_THAT(faults("{workload.batch: 4}"), ElementsAre("sweep.workload.batch: does not say which values"));
}

TEST(Sweep, RefusesAnUnknownForm) {
  EXPECT_THAT(faults("{workload.batch: {logspace: {from: 1, to: 2}}}"),
              ElementsAre("sweep.workload.batch: unknown form 'logspace'"));
}

TEST(Sweep, RefusesAPathThatNoFieldHas) {
  EXPECT_THAT(faults("{workload.batchh: [1]}"), ElementsAre("workload.batchh: no field 'batchh' that could be set"));
  EXPECT_THAT(faults("{workload.batch.size: [1]}"),
              ElementsAre("workload.batch.size: 'batch' holds one value and no keys"));
}

TEST(Sweep, RefusesAPathSweptTwice) {
  EXPECT_THAT(faults("{workload.batch: [1], zip: {workload.batch: [1]}}"),
              ElementsAre("sweep.zip.workload.batch: is swept twice"));
}

TEST(Sweep, RefusesAPathInsideAnother) {
  EXPECT_THAT(faults("{workload: [{batch: 1}, {batch: 2}], workload.batch: [4, 8]}"),
              ElementsAre("sweep.workload.batch: is swept twice: 'workload' is swept too"));
  EXPECT_THAT(faults("{workload.batch: [4, 8], zip: {workload: [{batch: 1}, {batch: 2}]}}"),
              ElementsAre("sweep.zip.workload: is swept twice: 'workload.batch' is swept too"));
  EXPECT_THAT(faults("{model: [a, b], model.layers: [1, 2]}"), testing::IsEmpty());
}

TEST(Sweep, RefusesStepsThatLeadAway) {
  EXPECT_THAT(faults("{workload.batch: {range: {from: 1, to: 3, step: -1}}}"),
              ElementsAre("sweep.workload.batch.range.step: -1 does not lead from 1 to 3"));
  EXPECT_THAT(faults("{workload.batch: {range: {from: 1, to: 3, step: 0}}}"),
              ElementsAre("sweep.workload.batch.range.step: 0 does not lead from 1 to 3"));
}

TEST(Sweep, RefusesEndsInDifferentUnits) {
  EXPECT_THAT(faults("{hardware.memory.capacity: {range: {from: 80 GB, to: 1 TB, step: 10 GB}}}"),
              ElementsAre("sweep.hardware.memory.capacity.range.to: '80 GB' and '1 TB' are not in one unit"));
}

TEST(Sweep, RefusesDoublingFromZero) {
  EXPECT_THAT(faults("{workload.batch: {log2: {from: 0, to: 8}}}"),
              ElementsAre("sweep.workload.batch.log2.from: must be above zero"));
}

TEST(Sweep, RefusesMoreThanABillionPoints) {
  const std::string thousand_and_one = "{range: {from: 1, to: 1001, step: 1}}";
  const std::string million = "{range: {from: 1, to: 1000000, step: 1}}";
  EXPECT_EQ(read("{workload.batch: " + million + "}").sweep.size(), 1'000'000);
  EXPECT_THAT(faults("{workload.batch: " + million + ", workload.context: " + thousand_and_one + "}"),
              ElementsAre("sweep: has more than 1,000,000,000 points"));
}

TEST(Sweep, RefusesMoreValuesThanAnAxisMayHave) {
  EXPECT_THAT(faults("{workload.batch: {range: {from: 0, to: 1000000, step: 1}}}"),
              ElementsAre("sweep.workload.batch.range.step: gives more values than one axis may have"));
}

TEST(Sweep, GeneratedValuesStandWhereTheirFormStands) {
  const Sweep sweep = read("{workload.batch: {log2: {from: 1, to: 2}}}").sweep;
  EXPECT_EQ(sweep.at(1)[0].second.mark().line, 1);
  EXPECT_GT(sweep.at(1)[0].second.mark().column, 1);
}

// ---- set_value ----

std::string after_setting(const std::string& scenario, const std::string& path, const std::string& value) {
  sim::Node node = yaml(scenario);
  set_value(node, path, sim::Node::scalar(value));
  return to_yaml(node);
}

TEST(SetValue, ReplacesAField) {
  EXPECT_EQ(after_setting("{workload: {batch: 1}}", "workload.batch", "8"), to_yaml(yaml("workload: {batch: 8}")));
}

TEST(SetValue, TurnsANameIntoAMapThatExtendsIt) {
  EXPECT_EQ(after_setting("{model: m}", "model.attention.top_k", "256"),
            to_yaml(yaml("model: {extends: m, attention: {top_k: 256}}")));
}

TEST(SetValue, AddsToAMapThatExtendsAlready) {
  EXPECT_EQ(after_setting("{model: {extends: m, hidden: 8}}", "model.vocabulary", "9"),
            to_yaml(yaml("model: {extends: m, hidden: 8, vocabulary: 9}")));
}

TEST(SetValue, ExtendsTheDefaultWhereTheFieldIsNotWritten) {
  EXPECT_EQ(after_setting("{model: m}", "format.summary", "mine"),
            to_yaml(yaml("{model: m, format: {extends: deployed, summary: mine}}")));
}

TEST(SetValue, OpensTheDeviceOfANode) {
  EXPECT_EQ(after_setting("{hardware: {extends: n, device: d}}", "hardware.device.sm.count", "7"),
            to_yaml(yaml("hardware: {extends: n, device: {extends: d, sm: {count: 7}}}")));
}

// ---- parse_setting ----

TEST(ParseSetting, ReadsValuesAsYaml) {
  sim::Diagnostics faults;
  EXPECT_EQ(parse_setting("workload.batch=64", faults).second.text(), "64");
  EXPECT_TRUE(parse_setting("sweep.workload.batch=[1, 2]", faults).second.is_list());
  EXPECT_TRUE(parse_setting("model={extends: m}", faults).second.is_map());
  EXPECT_EQ(parse_setting("name=a=b", faults).second.text(), "a=b");
  EXPECT_FALSE(faults.has_errors()) << faults.render();
}

TEST(ParseSetting, MarksTheValueInTheWholeSetting) {
  sim::Diagnostics faults;
  const sim::Node value = parse_setting("workload.batch=64", faults).second;
  EXPECT_EQ(value.mark().file->name, "<--set>");
  EXPECT_EQ(value.mark().file->text, "workload.batch=64");
  EXPECT_EQ(value.mark().column, 16);  // behind the 14 letters of the path and '='
}

TEST(ParseSetting, RefusesWhatSetsNothing) {
  sim::Diagnostics faults;
  static_cast<void>(parse_setting("workload.batch", faults));
  static_cast<void>(parse_setting("=4", faults));
  static_cast<void>(parse_setting("name=", faults));
  EXPECT_THAT(messages(faults),
              ElementsAre("'workload.batch' sets nothing", "'=4' sets nothing", "name: has no value"));
}

}  // namespace
}  // namespace kvtraffic::scenarios
