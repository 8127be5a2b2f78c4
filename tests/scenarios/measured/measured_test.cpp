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
      result.push_back(score(row, {}, catalog));
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
  const std::map<std::string, Limit> limits{{"KDG", {0.06, 0.19}},   {"KDSA", {0.03, 0.07}},   {"KGEMM", {0.13, 0.36}},
                                            {"KIDX", {0.03, 0.13}},  {"KISIM", {0.045, 0.20}}, {"KMHC", {0.06, 0.20}},
                                            {"KMLAD", {0.04, 0.16}}, {"KMLAM", {0.03, 0.06}},  {"KMOE", {0.05, 0.11}},
                                            {"KV4A", {0.04, 0.09}}};
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

TEST(Measured, HoldOutsFitOnOtherDevicesOfTheArchitecture) {
  const Catalog catalog{KVTRAFFIC_ROOT};
  std::vector<MeasuredRow> rows = read_measured(std::string(KVTRAFFIC_ROOT) + "/tests/measurements");
  std::erase_if(rows, [](const MeasuredRow& row) { return row.family != "KIDX"; });
  const std::vector<HoldOut> results = hold_out(rows, "", catalog);
  ASSERT_FALSE(results.empty());
  for (const HoldOut& result : results) {
    if (result.hardware == "b200") {
      EXPECT_EQ(result.fitted_on, 0U);  // the only one of its architecture
    }
    if (result.hardware != "h100-sxm") continue;
    const auto is_other_hopper = [](const MeasuredRow& row) { return row.device() == "h200-sxm"; };
    EXPECT_EQ(result.fitted_on, static_cast<std::size_t>(std::ranges::count_if(rows, is_other_hopper)));
    EXPECT_LT(result.fitted_again.median, 0.15);
  }
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
