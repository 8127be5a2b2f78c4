// The Chrome trace of a step: what a viewer needs of it, derived from a point of three operations.
// Leaves out the file (tests/scenarios/cli/timeline_test.cpp).
#include "reports/timeline.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kvtraffic::reports {
namespace {

using nlohmann::json;

sim::OperationResult operation(const std::string& name, double start, double seconds, std::int64_t dram) {
  sim::OperationResult result;
  result.name = name;
  result.layer = 3;
  result.start_seconds = start;
  result.seconds = seconds;
  result.bound_by = "hbm";
  result.traffic.at(sim::Level::dram, sim::DataKind::weight).read = dram;
  return result;
}

// Two that overlap for a microsecond, and one after both.
sim::PointResult point() {
  sim::PointResult result;
  result.operations = {operation("a", 0, 2e-6, 4000), operation("b", 1e-6, 2e-6, 2000),
                       operation("c", 4e-6, 1e-6, 1000)};
  return result;
}

std::vector<json> events(const std::string& text, const std::string& phase) {
  std::vector<json> found;
  const json document = json::parse(text);
  for (const json& event : document.at("traceEvents")) {
    if (event.at("ph") == phase) found.push_back(event);
  }
  return found;
}

TEST(Timeline, TellsEachOperationInMicroseconds) {
  const std::vector<json> slices = events(timeline_of(point(), {}), "X");
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[1]["name"], "b");
  EXPECT_NEAR(slices[1]["ts"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(slices[1]["dur"].get<double>(), 2, 1e-9);
  EXPECT_EQ(slices[1]["args"]["layer"], 3);
  EXPECT_EQ(slices[1]["args"]["dram_bytes"], 2000);
}

TEST(Timeline, GivesOverlappingOperationsTracksOfTheirOwn) {
  const std::vector<json> slices = events(timeline_of(point(), {}), "X");
  EXPECT_EQ(slices[0]["tid"], 1);
  EXPECT_EQ(slices[1]["tid"], 2);
  EXPECT_EQ(slices[2]["tid"], 1);
}

// 4,000 B in 2 us are 2 GB/s, 2,000 B in 2 us are 1 GB/s.
TEST(Timeline, CountsTheRatesOfAllThatRuns) {
  std::vector<double> rates;
  for (const json& counter : events(timeline_of(point(), {}), "C")) rates.push_back(counter["args"]["GB/s"]);
  ASSERT_EQ(rates.size(), 6U);
  const std::vector<double> expected{2, 3, 1, 0, 1, 0};
  for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_NEAR(rates[i], expected[i], 1e-9) << i;
}

// Shares of kernels that overlap add up.
TEST(Timeline, CountsTheUseOfEachResource) {
  sim::PointResult result = point();
  result.operations[0].utilization = {{"hbm", 0.5}, {"compute", 0.1}};
  result.operations[1].utilization = {{"hbm", 0.25}};
  result.operations[2].utilization = {{"hbm", 1.25}};
  std::vector<double> hbm, compute;
  for (const json& counter : events(timeline_of(result, {}), "C")) {
    if (counter["name"] == "hbm busy") hbm.push_back(counter["args"]["%"]);
    if (counter["name"] == "compute busy") compute.push_back(counter["args"]["%"]);
  }
  const std::vector<double> expected{50, 75, 25, 0, 100, 0};
  ASSERT_EQ(hbm.size(), expected.size());
  for (std::size_t i = 0; i < hbm.size(); ++i) EXPECT_NEAR(hbm[i], expected[i], 1e-9) << i;
  EXPECT_EQ(compute.size(), 2U);
}

TEST(Timeline, KeepsToItsWindow) {
  TimelineLimits window;
  window.first_seconds = 2.5e-6;
  window.last_seconds = 3.5e-6;
  const std::vector<json> slices = events(timeline_of(point(), window), "X");
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0]["name"], "b");
}

TEST(Timeline, SaysHowManyOperationsItLeavesOut) {
  TimelineLimits first_only;
  first_only.most_operations = 1;
  const std::string text = timeline_of(point(), first_only);
  EXPECT_EQ(events(text, "X").size(), 1U);
  EXPECT_EQ(json::parse(text)["otherData"]["operations_left_out"], 2);
}

}  // namespace
}  // namespace kvtraffic::reports
