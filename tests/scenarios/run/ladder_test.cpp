// The three fidelities, rung by rung: bytes are equal where they must be, the bound is one, and flow and cycle stay as
// close as README says. Leaves out what makes them differ (tests/hardware/machine).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "scenarios/run/runner.hpp"
#include "sim/config/yaml.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios::test {
namespace {

const Catalog& catalog() {
  static const Catalog instance{KVTRAFFIC_ROOT};
  return instance;
}

// Cycle's time over flow's, lowest and highest, and how many points it was seen at.
struct Band {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  int points = 0;
  int infeasible = 0;
  void add(double ratio) {
    low = std::min(low, ratio);
    high = std::max(high, ratio);
    ++points;
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{:.2f} and {:.2f}", std::floor(low * 100) / 100, std::ceil(high * 100) / 100);
  }
};

std::string fidelity_of(const sim::PointResult& point) {
  for (const auto& [key, value] : point.parameters) {
    if (key == "fidelity") return value.text();
  }
  return "nothing";
}

void expect_same(const sim::PointResult& a, const sim::PointResult& b, sim::Level level) {
  for (std::size_t kind = 0; kind < sim::kind_count; ++kind) {
    const auto which = static_cast<sim::DataKind>(kind);
    EXPECT_EQ(a.traffic->at(level, which).read, b.traffic->at(level, which).read) << name_of(level) << name_of(which);
    EXPECT_EQ(a.traffic->at(level, which).write, b.traffic->at(level, which).write) << name_of(level) << name_of(which);
  }
}

// One point at roofline, flow and cycle.
void hold(const std::vector<sim::PointResult>& rungs, Band& band) {
  const sim::PointResult &bound = rungs[0], &flow = rungs[1], &cycle = rungs[2];
  ASSERT_THAT((std::vector{fidelity_of(bound), fidelity_of(flow), fidelity_of(cycle)}),
              testing::ElementsAre("roofline", "flow", "cycle"));
  ASSERT_EQ(bound.status, cycle.status) << cycle.reason;
  ASSERT_EQ(flow.status, cycle.status) << cycle.reason;
  for (const sim::PointResult* one : {&bound, &flow}) {
    expect_same(*one, cycle, sim::Level::logical);
    expect_same(*one, cycle, sim::Level::sector);  // infeasible: empty
    EXPECT_EQ(one->storage->used_bytes_per_device, cycle.storage->used_bytes_per_device);
    EXPECT_EQ(one->storage->max_batch, cycle.storage->max_batch);
  }
  if (cycle.status == sim::Status::infeasible) {
    ++band.infeasible;
    return;
  }
  expect_same(flow, cycle, sim::Level::dram);
  EXPECT_LE(bound.time->seconds, flow.time->seconds);
  EXPECT_LE(bound.time->seconds, cycle.time->seconds);
  EXPECT_EQ(flow.time->roofline_seconds, bound.time->seconds);
  EXPECT_EQ(cycle.time->roofline_seconds, bound.time->seconds);
  EXPECT_GT(cycle.time->sampling_error, 0);
  band.add(cycle.time->seconds / flow.time->seconds);
}

// The first `most` points of a scenario at all fidelities, on one thread.
void climb(const sim::Node& scenario, std::size_t most, Band& band) {
  const std::vector<std::string> all{"expect=null", "sweep.fidelity=[roofline, flow, cycle]"};
  const Plan plan = make_plan(scenario, all, "", catalog());
  std::atomic<bool> stop{false};
  std::vector<sim::PointResult> rungs;
  std::size_t points = 0;
  const auto sink = [&](const sim::PointResult& point) {
    rungs.push_back(point);
    if (rungs.size() < 3) return;
    SCOPED_TRACE(fmt::format("point {}", points));
    hold(rungs, band);
    rungs.clear();
    stop = ++points == most;
  };
  run_points(plan, catalog(), {}, sink, stop);
  EXPECT_TRUE(rungs.empty());
}

Band climb_library(std::size_t most) {
  Band band;
  for (const std::string& name : catalog().names(CatalogKind::scenario)) {
    SCOPED_TRACE(name);
    climb(yaml(contents(catalog().path_of(CatalogKind::scenario, name))), most, band);
  }
  testing::Test::RecordProperty("points", band.points);
  testing::Test::RecordProperty("infeasible", band.infeasible);
  return band;
}

void expect_in_readme(const std::string& sentence) {
  std::string text = contents(std::string(KVTRAFFIC_ROOT) + "/README.md");
  std::ranges::replace(text, '\n', ' ');
  EXPECT_TRUE(text.find(sentence) != std::string::npos) << "README.md should say: " << sentence;
}

// Of long sweeps the first sixteen points.
TEST(Ladder, HoldsOnTheLibraryAndReadmeTellsHowFarFlowAndCycleAre) {
  const Band band = climb_library(16);
  EXPECT_GT(band.points, 25);
  EXPECT_LT(band.infeasible, band.points / 4);
  expect_in_readme("`cycle` takes between " + band.text() + " times as long as `flow`");
}

TEST(LadderSlow, HoldsAtEveryPointOfTheLibrary) {
  const Band band = climb_library(std::numeric_limits<std::size_t>::max());
  EXPECT_GT(band.low, 0.9);
  EXPECT_LT(band.high, 1.1);
}

// One sequence and many, of dense, latent and sparse caches.
std::string question(const std::string& hardware) {
  return "model: deepseek-v2\nhardware: " + hardware +
         "\ncapacity: ignore\nworkload: {phase: decode, batch: 1, context: 32K}\nsweep:\n"
         "  model: [deepseek-67b, deepseek-v2, deepseek-v2-lite, deepseek-v3.2, deepseek-v4-flash, deepseek-v4-pro,\n"
         "          deepseek-v4.1-flash]\n  workload.batch: [1, 64]\n";
}

bool names_a_part(const std::string& hardware) {
  try {
    static_cast<void>(make_plan(yaml(question(hardware)), {"sweep=null", "fidelity=cycle"}, "", catalog()));
    return true;
  } catch (const sim::ConfigError&) {
    return false;
  }
}

TEST(LadderSlow, HoldsOnEveryDeviceWithADramPartAndReadmeTellsHowFar) {
  Band band;
  for (const std::string& name : catalog().names(CatalogKind::hardware)) {
    SCOPED_TRACE(name);
    if (names_a_part(name)) climb(yaml(question(name)), std::numeric_limits<std::size_t>::max(), band);
  }
  EXPECT_GT(band.points, 300);
  expect_in_readme("and between " + band.text() + " times on all devices that name a part");
}

// Threads share windows, and each meets mixes in an order of its own.
TEST(Fidelities, CycleIsTheSameAtAnyNumberOfJobs) {
  const std::string sweep =
      "model: deepseek-v4-flash\nhardware: 8x-h200-sxm\nworkload: {phase: decode, batch: 8, context: 4K}\n"
      "sweep:\n  model: [deepseek-v4-flash, deepseek-v2-lite]\n  workload.batch: [1, 8, 64]\n"
      "  workload.context: {log2: {from: 4K, to: 128K}}\n";
  for (const char* format : {"csv", "jsonl"}) {
    const auto run = [&](const char* jobs) {
      return run_program({"run", "-", "--jobs", jobs, "--layers", "--format", format}, sweep);
    };
    const Outcome alone = run("1");
    ASSERT_EQ(alone.code, 0) << alone.err;
    EXPECT_TRUE(alone.out == run("2").out) << format;
  }
}

using nlohmann::json;

// The words of the table's rows that name a fidelity.
std::vector<std::vector<std::string>> rows_of(const std::string& table) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> row{std::istream_iterator<std::string>(words), {}};
    if (!row.empty() && (row[0] == "roofline" || row[0] == "flow" || row[0] == "cycle")) rows.push_back(row);
  }
  return rows;
}

TEST(Fidelities, StandSideBySideInTableAndJson) {
  const std::string path = catalog().path_of(CatalogKind::scenario, "decode-128k");
  const Outcome shown = run_program({"run", path, "--fidelity", "all", "--format", "json"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  const json points = json::parse(shown.out)["points"];
  const auto rows = rows_of(run_program({"run", path, "--fidelity", "all"}).out);
  ASSERT_EQ(points.size(), 3U);
  ASSERT_EQ(rows.size(), 3U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(points[i]["parameters"]["fidelity"], rows[i][0]);
    const double milliseconds = points[i]["time"]["seconds"].get<double>() * 1e3;
    EXPECT_NEAR(std::stod(rows[i][1]) / milliseconds, 1, 1e-3);
    EXPECT_EQ(points[i]["time"]["bound_by"], rows[i][2]);
    EXPECT_EQ(points[i]["traffic"]["logical"], points[0]["traffic"]["logical"]);
    EXPECT_EQ(points[i]["traffic"]["sector"], points[0]["traffic"]["sector"]);
  }
  EXPECT_EQ(points[1]["traffic"]["dram"], points[2]["traffic"]["dram"]);
}

}  // namespace
}  // namespace kvtraffic::scenarios::test
