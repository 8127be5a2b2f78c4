// `run --timeline`: the file, its window, and what is refused. Leaves out the trace's content
// (tests/reports/timeline_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string small =
    "model: deepseek-v4.1-flash\n"
    "hardware: 8x-h200-sxm\n"
    "workload: {phase: decode, batch: 8, context: 4K}\n";

Outcome run_with(const std::vector<std::string>& options, const std::string& text = small) {
  std::vector<std::string> arguments{"run", "-"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return run_program(arguments, text);
}

std::size_t slices(const std::string& text) {
  std::size_t count = 0;
  const json document = json::parse(text);
  for (const json& event : document.at("traceEvents")) count += event.at("ph") == "X" ? 1 : 0;
  return count;
}

TEST(TimelineFile, HoldsEveryOperationThatIsTold) {
  const Folder folder;
  const std::string file = folder.path("step.json");
  const Outcome outcome = run_with({"--timeline", file, "--operations", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(slices(contents(file)), json::parse(outcome.out)["points"][0]["operations"].size());
}

TEST(TimelineFile, IsCutToItsWindow) {
  const Folder folder;
  const std::string file = folder.path("step.json");
  ASSERT_EQ(run_with({"--timeline", file}).code, 0);
  const std::size_t all = slices(contents(file));
  ASSERT_EQ(run_with({"--timeline", file, "--timeline-window", "100us:200us"}).code, 0);
  EXPECT_GT(slices(contents(file)), 0U);
  EXPECT_LT(slices(contents(file)), all / 4);
}

TEST(TimelineFile, ThatCannotBeWrittenIsAnInputOutputError) {
  const Outcome outcome = run_with({"--timeline", "/no/such/folder/step.json"});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write /no/such/folder/step.json"));
}

TEST(TimelineFile, IsNotStandardOutput) {
  const Folder folder;
  const Outcome outcome = run_program({"run", "-", "--timeline", "-"}, small, folder.path());
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("--timeline writes a file, and standard output has the results: name a file"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("-")));
}

TEST(TimelineFile, HasTheUseOfEachResourceInFlowAndCycle) {
  const Folder folder;
  const std::string file = folder.path("step.json");
  for (const std::string fidelity : {"flow", "cycle"}) {
    ASSERT_EQ(run_with({"--timeline", file, "--fidelity", fidelity}).code, 0);
    std::map<std::string, double> most;
    const json document = json::parse(contents(file));
    for (const json& event : document.at("traceEvents")) {
      if (event.at("ph") != "C" || !event["args"].contains("%")) continue;
      double& known = most[event["name"]];
      known = std::max(known, event["args"]["%"].get<double>());
    }
    for (const char* resource : {"hbm", "l2", "compute", "link"}) {
      EXPECT_GT(most[std::string(resource) + " busy"], 0.1) << fidelity << " " << resource;
    }
    EXPECT_LE(most["hbm busy"], 100) << fidelity;
  }
}

TEST(TimelineFile, LeavesLinksAndDevicesWhatTheyAre) {
  const Folder folder;
  folder.write("old.json", "old");
  std::filesystem::create_symlink(folder.path("old.json"), folder.path("link.json"));
  ASSERT_EQ(run_with({"--timeline", folder.path("link.json")}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link.json")));
  EXPECT_GT(slices(contents(folder.path("old.json"))), 0U);
  std::filesystem::create_symlink("/dev/full", folder.path("full"));
  EXPECT_EQ(run_with({"--timeline", folder.path("full")}).code, 5);
  EXPECT_TRUE(std::filesystem::is_character_file(folder.path("full")));
}

TEST(TimelineFile, IsForOnePointThatIsPlacedInTime) {
  const Folder folder;
  const std::string file = folder.path("step.json");
  const Outcome sweep = run_with({"--timeline", file}, small + "sweep: {workload.batch: [8, 16]}\n");
  EXPECT_EQ(sweep.code, 2);
  EXPECT_THAT(sweep.err, HasSubstr("--timeline shows one point"));
  const Outcome bound = run_with({"--timeline", file, "--fidelity", "roofline"});
  EXPECT_EQ(bound.code, 2);
  EXPECT_THAT(bound.err, HasSubstr("needs fidelity flow or cycle"));
}

TEST(TimelineFile, RefusesWindowsThatAreNone) {
  for (const char* window : {"5", "5us", "x:1us", "2us:1us"}) {
    const Outcome outcome = run_with({"--timeline", "unused.json", "--timeline-window", window});
    EXPECT_EQ(outcome.code, 2) << window;
    EXPECT_THAT(outcome.err, HasSubstr("--timeline-window")) << window;
  }
  EXPECT_EQ(run_with({"--timeline-window", "0us:1us"}).code, 2);
}

}  // namespace
}  // namespace kvtraffic::scenarios::test
