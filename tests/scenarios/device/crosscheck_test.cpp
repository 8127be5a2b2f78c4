// Our cycles held against recorded runs of public simulators (tests/crosscheck): 5 % is required, a few cycles are
// expected. Leaves out why they differ: the files' heads tell that.
#include "scenarios/device/crosscheck.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "scenarios/device/crosscheck_report.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

std::vector<Recorded> all_runs() { return read_crosscheck(Catalog(KVTRAFFIC_ROOT)); }

std::string described(const Compared& row) {
  const Recorded& recorded = row.recorded;
  return recorded.part + " " + recorded.map + " " + recorded.refresh + " " + recorded.trace + ": ours " +
         std::to_string(row.cycles) + ", theirs " + std::to_string(recorded.cycles);
}

void expect_inside(const std::vector<Recorded>& runs) {
  ASSERT_FALSE(runs.empty());
  for (const Compared& row : compare(runs, Catalog(KVTRAFFIC_ROOT), 2)) {
    EXPECT_TRUE(row.is_inside()) << described(row);
    EXPECT_TRUE(row.is_inside_span()) << described(row);
  }
}

// The main traces of an HBM3 stack under the usual map, whole, and everything that is short.
bool is_everyday(const Recorded& run) {
  const std::set<std::string> main{"stream", "rand64", "gather656", "gather1152", "stream_rd_wr", "scan132"};
  if (run.part == "hbm3-h100") return run.map == "i256" && run.refresh == "all-bank" && main.contains(run.trace);
  if (run.part == "hbm3e-h200") return run.refresh == "all-bank" && run.trace == "gather656";
  return main.contains(run.trace);
}

TEST(Crosscheck, HasTheRecordedRuns) {
  std::map<std::string, int> counts;
  for (const Recorded& run : all_runs()) {
    ++counts[run.part];
    EXPECT_DOUBLE_EQ(run.tolerance, 0.05);
  }
  constexpr int traces = 14, refreshes = 2;
  const std::map<std::string, int> expected{{"hbm3-h100", 3 * refreshes * traces},
                                            {"hbm3e-h200", refreshes * traces},
                                            {"xhbm2", 2 * refreshes * traces},
                                            {"xhbm3", 2 * refreshes * traces}};
  EXPECT_EQ(counts, expected);
}

TEST(Crosscheck, HasOtherSimulatorsWhereTheirQueuesAreEqual) {
  std::map<std::string, int> counts;
  for (const Recorded& run : all_runs()) counts[run.part] += static_cast<int>(run.others.size());
  constexpr int rows = 2 * 2 * 5;  // maps, refreshes, traces
  EXPECT_EQ(counts["xhbm2"], 2 * rows);
  EXPECT_EQ(counts["xhbm3"], rows);
}

TEST(Crosscheck, EverydayRunsAgree) {
  std::vector<Recorded> runs = all_runs();
  std::erase_if(runs, [](const Recorded& run) { return !is_everyday(run); });
  expect_inside(runs);
}

TEST(CrosscheckSlow, AllRunsAgree) { expect_inside(all_runs()); }

TEST(CrosscheckSlow, TheCommandTellsAllRuns) {
  const test::Outcome outcome = test::run_program({"device", "--crosscheck", "--format", "json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document.at("schema"), "kvtraffic.crosscheck/1");
  EXPECT_EQ(document.at("runs").size(), all_runs().size());
  EXPECT_EQ(document.at("inside"), all_runs().size());
}

Compared row(std::int64_t ours, std::int64_t theirs, std::vector<std::pair<std::string, std::int64_t>> others = {}) {
  Compared result;
  result.recorded.part = "part";
  result.recorded.cycles = theirs;
  result.recorded.tolerance = 0.05;
  result.recorded.others = std::move(others);
  result.cycles = ours;
  return result;
}

TEST(Crosscheck, IsInsideUpToItsTolerance) {
  EXPECT_TRUE(row(1050, 1000).is_inside());
  EXPECT_TRUE(row(950, 1000).is_inside());
  EXPECT_FALSE(row(1051, 1000).is_inside());
  EXPECT_FALSE(row(949, 1000).is_inside());
}

TEST(Crosscheck, TheSpanReachesFromTheLeastToTheMostOfAllPeers) {
  EXPECT_TRUE(row(1200, 1000, {{"a", 1200}}).is_inside_span());
  EXPECT_FALSE(row(1200, 1000, {{"a", 900}}).is_inside_span());
}

TEST(Crosscheck, TellsTheSpanBesideTheToleranceOfThePeer) {
  const std::vector<Compared> compared{row(1200, 1000, {{"a", 1200}})};
  const nlohmann::json run = nlohmann::json::parse(crosscheck_json(compared)).at("runs").at(0);
  EXPECT_EQ(run.at("verdict"), "outside");
  EXPECT_EQ(run.at("span_verdict"), "inside");
  EXPECT_THAT(crosscheck_table(compared), AllOf(HasSubstr("in the peers' span"), ContainsRegex("NO +yes")));
}

TEST(Crosscheck, TheTableCountsWhatIsOutside) {
  const std::string table = crosscheck_table({row(1000, 1000), row(1001, 1000), row(2000, 1000)});
  EXPECT_THAT(table, HasSubstr("3 runs: 2 inside the tolerance, 1 outside; 2 within a cycle; largest difference "
                               "100.000 %\n"));
  EXPECT_THAT(table, HasSubstr("NO"));
}

TEST(Crosscheck, ARunOutsideExitsWithFour) {
  const test::Folder folder;
  for (const char* room : {"models", "hardware", "scenarios"}) {
    std::filesystem::create_directory_symlink(std::filesystem::path(KVTRAFFIC_ROOT) / room, folder.path(room));
  }
  std::filesystem::create_directories(folder.path("tests/crosscheck"));
  folder.write("tests/crosscheck/false.yaml",
               "peer: nobody\nsource: nowhere\npart: xhbm2\nsettings: []\nscale: 1\ntolerance: 5%\n"
               "runs: [{map: map-A, refresh: none, trace: gather288_1, cycles: 1}]\n");
  const test::Outcome outcome =
      test::run_program({"device", "--crosscheck"}, "", "", {"KVTRAFFIC_DATA=" + folder.path()});
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 runs: 0 inside the tolerance, 1 outside"));
}

TEST(Crosscheck, WithoutRecordedRunsExitsWithFiveAndTheReason) {
  const test::Folder folder;
  for (const char* room : {"models", "hardware"}) {
    std::filesystem::create_directory_symlink(std::filesystem::path(KVTRAFFIC_ROOT) / room, folder.path(room));
  }
  const auto crosscheck = [&] {
    return test::run_program({"device", "--crosscheck"}, "", "", {"KVTRAFFIC_DATA=" + folder.path()});
  };
  const test::Outcome missing = crosscheck();
  EXPECT_EQ(missing.code, 5);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("cannot read the folder"), HasSubstr("No such file or directory")));
  std::filesystem::create_directories(folder.path("tests/crosscheck"));
  const test::Outcome empty = crosscheck();
  EXPECT_EQ(empty.code, 5);
  EXPECT_THAT(empty.err, HasSubstr("no recorded runs in"));
}

}  // namespace
}  // namespace kvtraffic::scenarios
