// What a drawn routing changes in a result, and what not: bytes in every fidelity, time, messages, seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/writer.hpp"
#include "scenarios/run/runner.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::DataKind;
using sim::Level;
using testing::ElementsAre;

const Catalog& catalog() {
  static const Catalog instance{KVTRAFFIC_ROOT};
  return instance;
}

std::vector<sim::PointResult> points(const std::string& text) {
  const std::atomic<bool> stop{false};
  std::vector<sim::PointResult> told;
  (void)run_points(
      make_plan(test::yaml(text), {}, "", catalog()), catalog(), {},
      [&](const sim::PointResult& result) { told.push_back(result); }, stop);
  return told;
}

sim::PointResult point(const std::string& routing, const std::string& more = "fidelity: flow\n",
                       const std::string& workload = "phase: decode, batch: 64, context: 8K",
                       const std::string& model = "deepseek-v3.2") {
  return points("model: " + model + "\nhardware: 8x-h200-sxm\nengine: deepseek\n" + more + "workload: {" + workload +
                (routing.empty() ? "" : ", routing: " + routing) + "}\n")
      .at(0);
}

TEST(DrawnRouting, AsksForTheSameBytesInEveryFidelity) {
  for (const char* workload :
       {"phase: decode, batch: 64, context: 8K", "phase: prefill, batch: 2, context: 3000, chunk: 1000"}) {
    const auto at = [&](const char* fidelity) {
      return point("{seed: 3, skew: 0.7}", std::string("fidelity: ") + fidelity + "\n", workload);
    };
    const sim::PointResult bound = at("roofline");
    for (const sim::PointResult& result : {at("flow"), at("cycle")}) {
      for (std::size_t k = 0; k < sim::kind_count; ++k) {
        for (const Level level : {Level::logical, Level::sector, Level::host, Level::link}) {
          EXPECT_EQ(result.traffic->at(level, static_cast<DataKind>(k)),
                    bound.traffic->at(level, static_cast<DataKind>(k)));
        }
      }
      EXPECT_LE(bound.time->seconds, result.time->seconds);
      EXPECT_EQ(result.time->roofline_seconds, bound.time->seconds);
    }
  }
}

TEST(DrawnRouting, EvenIsTheDefault) {
  EXPECT_EQ(reports::point_json(point("")), reports::point_json(point("even")));
  EXPECT_NE(reports::point_json(point("")), reports::point_json(point("{}")));
}

TEST(DrawnRouting, EqualSeedsAreEqualResultsAndOthersAreNot) {
  EXPECT_EQ(reports::point_json(point("{seed: 4, skew: 1}")), reports::point_json(point("{seed: 4, skew: 1}")));
  EXPECT_NE(reports::point_json(point("{seed: 4, skew: 1}")), reports::point_json(point("{seed: 5, skew: 1}")));
}

// Every expert has tokens, so that the bytes of weights are equal: what takes longer is the fullest device's work.
TEST(DrawnRouting, UnevenExpertsTakeTime) {
  const auto seconds = [](const std::string& routing) {
    return point(routing, "fidelity: flow\nparallel: {tensor: 1, data: 8, expert: 8}\n",
                 "phase: prefill, batch: 8, context: 4K")
        .time->seconds;
  };
  const double even = seconds("even"), alike = seconds("{seed: 1}"), skewed = seconds("{seed: 1, skew: 0.5}"),
               steep = seconds("{seed: 1, skew: 1}");
  EXPECT_GT(alike, even);
  EXPECT_LT(alike, 1.1 * even) << "64 experts of a thousand tokens each differ little";
  EXPECT_GT(skewed, alike);
  EXPECT_GT(steep, skewed);
}

TEST(DrawnRouting, ReadsFewerExpertsTheSteeperItIs) {
  const auto read = [](const std::string& routing) {
    return point(routing).traffic->at(Level::logical, DataKind::weight).read;
  };
  EXPECT_LT(read("{skew: 0.5}"), read("{skew: 0}"));
  EXPECT_LT(read("{skew: 1}"), read("{skew: 0.5}"));
  EXPECT_NEAR(static_cast<double>(read("{skew: 0}")), static_cast<double>(read("even")),
              0.02 * static_cast<double>(read("even")));
}

TEST(DrawnRouting, OfExpertsInHostMemoryAddsUp) {
  for (const char* share : {"0%", "30%", "100%"}) {
    const sim::PointResult result =
        point("{seed: 2, skew: 0.5}", std::string("fidelity: flow\nplacement: {host_experts: ") + share + "}\n");
    EXPECT_EQ(result.traffic->at(Level::logical, DataKind::weight),
              point("{seed: 2, skew: 0.5}").traffic->at(Level::logical, DataKind::weight));
    EXPECT_EQ(result.traffic->at(Level::host, DataKind::weight).read > 0, std::string(share) != "0%");
  }
}

TEST(DrawnRouting, CanBeSweptFromEvenOn) {
  const auto results = points(
      "model: deepseek-v3.2\nhardware: 8x-h200-sxm\nfidelity: roofline\n"
      "workload: {phase: decode, batch: 64, context: 8K}\n"
      "sweep: {workload.routing: [even, {seed: 1}, {seed: 1, skew: 1}]}\n");
  ASSERT_EQ(results.size(), 3U);
  EXPECT_LT(results[0].time->seconds, results[1].time->seconds);
  EXPECT_NE(results[1].time->seconds, results[2].time->seconds);
  const auto seeds = points(
      "model: deepseek-v3.2\nhardware: 8x-h200-sxm\nfidelity: roofline\n"
      "workload: {phase: decode, batch: 64, context: 8K}\n"
      "sweep: {workload.routing.seed: [1, 2], workload.context: [4K, 8K]}\n");
  ASSERT_EQ(seeds.size(), 4U);
  const auto weight = [&](std::size_t i) { return seeds[i].traffic->at(Level::logical, DataKind::weight).read; };
  EXPECT_EQ(weight(0), weight(1)) << "a longer context draws no other experts";
  EXPECT_NE(weight(0), weight(2));
}

TEST(DrawnRouting, WarnsWhereThereIsNothingToRoute) {
  EXPECT_THAT(point("{seed: 1}", "fidelity: flow\n", "phase: decode, batch: 1, context: 4K", "llama-3.1-70b").warnings,
              ElementsAre("workload.routing: 'llama-3.1-70b' has no routed experts"));
  EXPECT_THAT(point("even", "fidelity: flow\n", "phase: decode, batch: 1, context: 4K", "llama-3.1-70b").warnings,
              ElementsAre());
}

}  // namespace
}  // namespace kvtraffic::scenarios
