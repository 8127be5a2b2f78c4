// Published timings of kernels: every row makes a scenario, and no family strays further than is stated here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scenarios/measured/measured_report.hpp"
#include "sim/config/io_error.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

const std::vector<Scored>& scored() {
  static const std::vector<Scored> rows = [] {
    const Catalog catalog{KVTRAFFIC_ROOT};
    std::vector<Scored> result;
    for (const MeasuredRow& row : read_measured(std::string(KVTRAFFIC_ROOT) + "/tests/measurements")) {
      if (!row.predicted) result.push_back(score(row, {}, catalog));
    }
    return result;
  }();
  return rows;
}

struct Limit {
  double median, p90;
};

TEST(Measured, FamiliesStayWithinTheirLimits) {
  // What is reached, rounded up: a change for the worse has to be explained here.
  const std::map<std::string, Limit> limits{{"KDG", {0.06, 0.12}},   {"KDSA", {0.025, 0.06}},  {"KGEMM", {0.03, 0.14}},
                                            {"KIDX", {0.02, 0.12}},  {"KISIM", {0.035, 0.17}}, {"KMHC", {0.06, 0.19}},
                                            {"KMLAD", {0.03, 0.15}}, {"KMLAM", {0.02, 0.035}}, {"KMOE", {0.04, 0.10}},
                                            {"KV4A", {0.03, 0.07}}};
  const std::vector<Spread> families = by_family(scored());
  EXPECT_EQ(families.size(), limits.size());
  for (const Spread& family : families) {
    const Limit limit = limits.at(family.name);
    EXPECT_LT(family.median, limit.median) << family.name;
    EXPECT_LT(family.p90, limit.p90) << family.name;
  }
}

TEST(Measured, TheErrorIsTheLogarithmOfTheRatio) {
  for (const Scored& row : scored()) {
    EXPECT_NEAR(std::exp(row.error), std::max(row.seconds / row.row.seconds, row.row.seconds / row.seconds), 1e-9);
  }
}

TEST(Measured, QuantilesTakeTheRowThatReachesTheShare) {
  std::vector<Scored> rows(10);
  std::vector<const Scored*> pointers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].error = static_cast<double>(i + 1);
    pointers.push_back(&rows[i]);
  }
  const Spread spread = spread_of("ten", pointers);
  EXPECT_EQ(spread.median, 5);
  EXPECT_EQ(spread.p90, 9);
  EXPECT_EQ(spread.worst, 10);
}

TEST(Measured, TheCommandPrintsRowsAndSpreads) {
  const test::Outcome outcome = test::run_program({"measured", "--family", "KGEMM", "--format", "json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"schema\": \"kvtraffic.measured/1\""), std::string::npos);
  EXPECT_EQ(test::run_program({"measured", "--family", "NONE"}).code, 2);
}

// Rows are timed inside the kernel, so that the gap before it is taken off; a bound never had it.
TEST(Measured, ABoundIsComparedWhole) {
  const Catalog catalog{KVTRAFFIC_ROOT};
  MeasuredRow row{"X-1",  "X",  "h200-sxm", "reference", "gemm: {m: 64, n: 64, k: 64, precision: fp8}",
                  "cold", true, 1,          1e-6,        ""};
  const Scored bound = score(row, {.engine = "", .fidelity = "roofline"}, catalog);
  EXPECT_GT(bound.seconds, 0.999 * 64 * (64 + 64) / 4.8e12);  // both operands
  EXPECT_LT(bound.seconds, 0.1e-6);
  EXPECT_TRUE(std::isfinite(bound.error));
}

TEST(Measured, ABoundOfZeroIsInfinitelyFarOff) {
  const Catalog catalog{KVTRAFFIC_ROOT};
  const MeasuredRow row{"X-1",  "X",  "h200-sxm", "reference", "elementwise: {tokens: 64, values: 64}",
                        "warm", true, 1,          1e-6,        ""};
  const Scored bound = score(row, {.engine = "", .fidelity = "roofline"}, catalog);
  EXPECT_EQ(bound.seconds, 0);
  EXPECT_TRUE(std::isinf(bound.error));
}

constexpr const char* head = "id,family,hardware,engine,kernel,cache,timed,repeat,measured_us,source\n";

std::vector<std::string> faults_of(const std::string& text) {
  const test::Folder folder;
  folder.write("x.csv", text);
  try {
    static_cast<void>(read_measured(folder.path()));
  } catch (const sim::ConfigError& fault) {
    return test::messages(fault.diagnostics());
  }
  return {};
}

TEST(Measured, FaultyRowsAreToldTogether) {
  const std::string good = "A,F,h,e,gemm: {},cold,graph,1,2.5,s\n";
  EXPECT_TRUE(faults_of(head + good).empty());
  EXPECT_EQ(faults_of("").size(), 1U);
  EXPECT_EQ(faults_of("id\n" + good).size(), 1U);
  const std::vector<std::string> faults =
      faults_of(head + good + "A,F\nB,F,h,e,k,cold,graph,0,2.5,s\nC,F,h,e,k,cold,graph,1e300,2.5,s\n" +
                "D,F,h,e,k,cold,graph,1,nan,s\nE,F,h,e,k,cold,graph,1,-2,s\n");
  EXPECT_EQ(faults, (std::vector<std::string>{"2 columns", "B: repeat must be between 1 and 1000000",
                                              "C: repeat must be between 1 and 1000000",
                                              "D: measured_us must be a time", "E: measured_us must be a time"}));
}

TEST(Measured, AFolderThatIsNotThereIsNoFaultOfItsContent) {
  const test::Folder folder;
  EXPECT_THROW(static_cast<void>(read_measured(folder.path("none"))), sim::IoError);
}

TEST(Measured, FaultyContentExitsWithThree) {
  const test::Folder folder;
  for (const char* room : {"models", "hardware", "scenarios"}) {
    std::filesystem::create_directory_symlink(std::filesystem::path(KVTRAFFIC_ROOT) / room, folder.path(room));
  }
  std::filesystem::create_directories(folder.path("tests/measurements"));
  folder.write("tests/measurements/x.csv", std::string(head) + "A,F\n");
  const test::Outcome outcome = test::run_program({"measured"}, "", "", {"KVTRAFFIC_DATA=" + folder.path()});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("x.csv:2:1: error: 2 columns"), std::string::npos) << outcome.err;
}

// Rows that no constant is fitted on: they make scenarios, and are told by themselves.
TEST(Measured, PredictedRowsAreToldApart) {
  const test::Outcome outcome = test::run_program({"measured", "--family", "KTOPK", "--family", "KGEMM"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t fitted = outcome.out.find("\nfamily "), predicted = outcome.out.find("\npredicted ");
  ASSERT_NE(fitted, std::string::npos);
  ASSERT_NE(predicted, std::string::npos);
  EXPECT_LT(fitted, predicted);
  EXPECT_EQ(outcome.out.substr(fitted, predicted - fitted).find("KTOPK"), std::string::npos);
  EXPECT_NE(outcome.out.find("KTOPK", predicted), std::string::npos);
}

TEST(Measured, UnknownNamesAreToldWithTheNearest) {
  const auto told = [](std::vector<std::string> arguments, const std::string& nearest) {
    const test::Outcome outcome = test::run_program(std::move(arguments));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("did you mean '" + nearest + "'?"), std::string::npos) << outcome.err;
  };
  told({"measured", "--family", "KMLDA"}, "KMLAD");
  told({"measured", "--leave-out", "h200-sxn"}, "h200-sxm");
  told({"measured", "--engine", "vlm"}, "vllm");
}

std::vector<MeasuredRow> rows_of(const std::string& family) {
  std::vector<MeasuredRow> rows = read_measured(std::string(KVTRAFFIC_ROOT) + "/tests/measurements");
  std::erase_if(rows, [&](const MeasuredRow& row) { return row.family != family; });
  return rows;
}

TEST(Measured, HoldOutsFitOnTheOtherDevices) {
  const Catalog catalog{KVTRAFFIC_ROOT};
  const std::vector<MeasuredRow> rows = rows_of("KIDX");
  const HoldOut result = hold_out(rows, "", catalog);
  ASSERT_EQ(result.devices.size(), 3U);  // b200, h100-sxm, h200-sxm
  for (const HoldOutDevice& device : result.devices) {
    const auto is_other = [&](const MeasuredRow& row) { return row.device() != device.hardware; };
    EXPECT_EQ(device.fitted_on, static_cast<std::size_t>(std::ranges::count_if(rows, is_other)));
    EXPECT_GT(device.constants, 0U);
  }
  for (const HoldOutGroup& group : result.groups) EXPECT_LT(group.fitted.median, 0.15) << group.hardware;
}

TEST(Measured, WhatNoOtherRowTellsStandsInFromTheOtherArchitecture) {
  const Catalog catalog{KVTRAFFIC_ROOT};
  const HoldOut result = hold_out(rows_of("KIDX"), "", catalog);
  const auto b200 = std::ranges::find(result.devices, std::string("b200"), &HoldOutDevice::hardware);
  ASSERT_NE(b200, result.devices.end());
  ASSERT_EQ(b200->unknown.size(), 1U);
  EXPECT_EQ(b200->unknown[0].name, "sglang scan on blackwell");
  EXPECT_EQ(b200->unknown[0].stands_in, "sglang scan on hopper");
}

// The rows of a device have no say in what predicts them.
TEST(Measured, TimesOfTheDeviceThatIsLeftOutDoNotMatter) {
  const Catalog catalog{KVTRAFFIC_ROOT};
  std::vector<MeasuredRow> rows = rows_of("KIDX");
  const auto simulated = [&](const HoldOut& result) {
    const auto group = std::ranges::find_if(
        result.groups, [](const HoldOutGroup& g) { return g.hardware == "h100-sxm" && g.family == "KIDX"; });
    return group->fitted;
  };
  const Spread before = simulated(hold_out(rows, "", catalog));
  for (MeasuredRow& row : rows) {
    if (row.device() == "h100-sxm") row.seconds *= 1000;
  }
  const Spread after = simulated(hold_out(rows, "", catalog));
  EXPECT_GT(after.worst, std::log(1000.0) - before.worst - 1e-9);  // the same predictions, a thousand times too fast
}

TEST(Measured, AKernelThatNobodyElseTimedIsSaidToBeUnknown) {
  const Catalog catalog{KVTRAFFIC_ROOT};
  const HoldOut result = hold_out(rows_of("KGEMM"), "", catalog);
  ASSERT_EQ(result.devices.size(), 1U);
  EXPECT_EQ(result.devices[0].fitted_on, 0U);
  ASSERT_EQ(result.devices[0].unknown.size(), 1U);
  EXPECT_EQ(result.devices[0].unknown[0].stands_in, "");
}

TEST(Measured, ARowOfEightRanksBelongsToItsDevice) {
  MeasuredRow row;
  row.hardware = "8x-h200-sxm";
  EXPECT_EQ(row.device(), "h200-sxm");
  row.hardware = "h20";
  EXPECT_EQ(row.device(), "h20");
}

}  // namespace
}  // namespace kvtraffic::scenarios
