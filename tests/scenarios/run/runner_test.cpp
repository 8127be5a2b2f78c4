// Points run in order, alone and together; stopping leaves no gap; a plan finds faults before anything runs.
#include "scenarios/run/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/run/points.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using test::messages;
using test::yaml;
using testing::ElementsAre;

const Catalog& catalog() {
  static const Catalog instance{KVTRAFFIC_ROOT};
  return instance;
}

std::string scenario(const std::string& sweep = "") {
  const std::string base =
      "model: deepseek-v4.1-flash\nhardware: 8x-h200-sxm\nfidelity: roofline\ncapacity: ignore\n"
      "workload: {phase: decode, batch: 8, context: 4K}\n";
  return sweep.empty() ? base : base + "sweep: " + sweep + "\n";
}

Plan plan_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  return make_plan(yaml(text), settings, "", catalog());
}

std::vector<std::string> faults_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    static_cast<void>(plan_of(text, settings));
  } catch (const sim::ConfigError& error) {
    return messages(error.diagnostics());
  }
  return {};
}

std::string parameter(const sim::PointResult& point, const std::string& name) {
  for (const auto& [key, value] : point.parameters) {
    if (key == name) return value.text();
  }
  return "nothing";
}

// The batches of the points that were told when the run is stopped at the point with batch `last`.
std::vector<std::string> batches(const Plan& plan, int jobs, const std::string& last = "") {
  std::atomic<bool> stop{false};
  std::vector<std::string> told;
  RunOptions options;
  options.jobs = jobs;
  const auto sink = [&](const sim::PointResult& point) {
    told.push_back(parameter(point, "batch"));
    if (told.back() == last) stop = true;
  };
  const RunSummary summary = run_points(plan, catalog(), options, sink, stop);
  EXPECT_EQ(static_cast<std::size_t>(summary.ok), told.size());
  return told;
}

std::vector<std::string> counted(std::size_t n) {
  std::vector<std::string> texts;
  for (std::size_t i = 1; i <= n; ++i) texts.push_back(std::to_string(i));
  return texts;
}

TEST(RunPoints, TellsPointsInOrderForAnyNumberOfJobs) {
  const Plan plan = plan_of(scenario("{workload.batch: {range: {from: 1, to: 1000, step: 1}}}"));
  for (const int jobs : {1, 2, 8}) EXPECT_EQ(batches(plan, jobs), counted(1000)) << jobs;
}

TEST(RunPoints, StopsAtOnceWhenAlone) {
  const Plan plan = plan_of(scenario("{workload.batch: {range: {from: 1, to: 1000, step: 1}}}"));
  EXPECT_EQ(batches(plan, 1, "17"), counted(17));
}

// Chunks in flight end anywhere when the run is stopped, so it is stopped many times.
TEST(RunPoints, LeavesNoGapWhenStoppedTogether) {
  const Plan plan = plan_of(scenario("{workload.batch: {range: {from: 1, to: 3000, step: 1}}}"));
  for (int stop = 1; stop < 600; stop += 30) {
    const auto told = batches(plan, 4, std::to_string(stop));
    EXPECT_LT(told.size(), 3000U);
    ASSERT_EQ(told, counted(told.size()));
  }
}

TEST(RunPoints, PassesOnWhatTheSinkThrows) {
  const Plan plan = plan_of(scenario("{workload.batch: [1, 2, 4, 8]}"));
  for (const int jobs : {1, 4}) {
    RunOptions options;
    options.jobs = jobs;
    const std::atomic<bool> stop{false};
    const auto sink = [](const sim::PointResult&) { throw std::runtime_error("full"); };
    EXPECT_THROW(static_cast<void>(run_points(plan, catalog(), options, sink, stop)), std::runtime_error) << jobs;
  }
}

TEST(RunPoints, FailsAPointThatLeaves64Bits) {
  const Plan plan = plan_of(scenario("{model.attention.window: [128, 1000000000]}"),
                            {"workload.batch=1000000000", "workload.context=1000000000"});
  std::vector<sim::Status> statuses;
  const std::atomic<bool> stop{false};
  const auto sink = [&](const sim::PointResult& point) {
    statuses.push_back(point.status);
    EXPECT_EQ(point.reason.empty(), point.status == sim::Status::ok);
  };
  static_cast<void>(run_points(plan, catalog(), {}, sink, stop));
  ASSERT_EQ(statuses.size(), 2U);
  EXPECT_EQ(statuses[1], sim::Status::failed);
}

TEST(RunPoints, TakesCountsOfATieFromTheirStep) {
  const Plan plan =
      plan_of(scenario("{zip: {workload.batch: [1, 2, 3], hardware: [h200-sxm, 8x-h200-sxm, h200-sxm]}}"));
  EXPECT_EQ(batches(plan, 1), counted(3));
}

TEST(PointSpace, SharesOneCombinationAmongPointsThatDifferInCounts) {
  const Plan plan = plan_of(scenario(
      "{zip: {hardware: [h200-sxm, 8x-h200-sxm, h200-sxm], workload.batch: [1, 2, 3]}, workload.context: [1K, 2K]}"));
  const PointSpace points(plan);
  std::vector<std::int64_t> combinations;
  for (std::int64_t i = 0; i < points.size(); ++i) combinations.push_back(points.combination(i));
  EXPECT_THAT(combinations, ElementsAre(0, 0, 1, 1, 0, 0));
  EXPECT_EQ(points.batch(4), 3);
  EXPECT_EQ(points.context(3), 2048);
}

// ---- plans ----

TEST(MakePlan, ChecksEveryValueOfEveryAxis) {
  EXPECT_THAT(faults_of(scenario("{workload.batch: [1, 0], draft: [0, 99], capacity: [enforce, never]}")),
              ElementsAre("workload.batch: must be between 1 and 1000000000",
                          "draft: 99 draft layers asked for, 'deepseek-v4.1-flash' has 3",
                          "capacity: 'never' is not one of enforce, ignore"));
}

TEST(MakePlan, DoesNotMissAFieldWhoseAxisIsFaulty) {
  EXPECT_THAT(faults_of("model: deepseek-v4.1-flash\nhardware: h200-sxm\nworkload: {phase: decode, context: 1K}\n"
                        "sweep: {workload.batch: []}\n"),
              ElementsAre("sweep.workload.batch: has no values"));
}

TEST(MakePlan, MissesAFieldThatNeitherFileNorSweepSets) {
  EXPECT_THAT(faults_of("model: deepseek-v4.1-flash\nhardware: h200-sxm\nworkload: {phase: decode}\n"
                        "sweep: {workload.batch: [1]}\n"),
              ElementsAre("workload: missing key 'context'"));
}

TEST(MakePlan, ReadsEntriesOfEveryStep) {
  EXPECT_THAT(faults_of(scenario("{model.attention.top_k: [512, few]}")),
              ElementsAre("attention.top_k: 'few' is not a number"));
}

TEST(MakePlan, TellsALayoutThatNoPointCanHave) {
  EXPECT_EQ(faults_of(scenario("{workload.batch: [1, 2]}"), {"parallel.tensor=16"}).size(), 1U);
  EXPECT_EQ(faults_of(scenario("{parallel.tensor: [16, 8]}")).size(), 0U);
}

TEST(MakePlan, TakesAKeyAwayWithNull) {
  EXPECT_EQ(plan_of(scenario("{workload.batch: [1, 2]}"), {"sweep=null"}).sweep.size(), 1);
  EXPECT_EQ(plan_of(scenario(), {"fidelity=null"}).resolved.find("fidelity")->text(), "cycle");
}

TEST(MakePlan, SetsAModelBeforeWhatIsInsideIt) {
  const Plan plan = plan_of(scenario("{model.max_positions: [2K], model: [deepseek-v4-flash]}"));
  sim::Diagnostics faults;
  const sim::Node point = PointSpace(plan).scenario(0, faults);
  EXPECT_EQ(point.find_path("model.extends")->text(), "deepseek-v4-flash");
  EXPECT_EQ(point.find_path("model.max_positions")->text(), "2K");
}

TEST(MakePlan, RefusesAListItemThatTheScenarioDoesNotWrite) {
  EXPECT_THAT(faults_of(scenario(), {"model.layers[3].side=encoder"}),
              ElementsAre("model.layers[3].side: names a list item that the scenario does not write"));
}

TEST(MakePlan, SetsWholeAxes) {
  EXPECT_EQ(plan_of(scenario(), {"sweep.workload.batch={log2: {from: 1, to: 8}}"}).sweep.size(), 4);
}

TEST(MakePlan, ResolvesTheLayoutWhereItIsTheSameForAllPoints) {
  EXPECT_EQ(plan_of(scenario("{workload.batch: [1, 2]}")).resolved.find_path("parallel.data")->text(), "8");
  EXPECT_EQ(plan_of(scenario("{hardware: [h200-sxm, 8x-h200-sxm]}")).resolved.find_path("parallel.data"), nullptr);
}

}  // namespace
}  // namespace kvtraffic::scenarios
