// What becomes of output that is lost, cut short or interrupted: whole records, and the proper exit code.
// Leaves out what the output says (program_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using nlohmann::json;
using test::Folder;
using test::Outcome;
using test::run_program;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string small =
    "model: deepseek-v4.1-flash\n"
    "hardware: 8x-h200-sxm\n"
    "fidelity: roofline\n"
    "workload: {phase: decode, batch: 8, context: 4K}\n";

TEST(Output, OfAFullDiskIsToldWithExitCodeFive) {
  const std::string command = std::string(KVTRAFFIC_BINARY) + " list > /dev/full 2> /dev/null";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST(Output, OfASweepToAFullDiskOrAClosedPipeSaysWhy) {
  const Folder folder;
  folder.write("s.yaml", small + "sweep: {workload.batch: {range: {from: 1, to: 3000, step: 1}}}\n");
  const std::string run = std::string(KVTRAFFIC_BINARY) + " run " + folder.path("s.yaml") + " --format jsonl --jobs 4";
  int status = std::system((run + " > /dev/full 2> " + folder.path("err")).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 5);
  EXPECT_EQ(test::contents(folder.path("err")),
            "kvtraffic: cannot write to standard output: No space left on device\n");
  const std::string ignoring = "trap '' PIPE; { " + run + "; echo $? > " + folder.path("code") + "; }";
  status = std::system((ignoring + " 2> " + folder.path("err") + " | head -n 1 > " + folder.path("out")).c_str());
  EXPECT_EQ(test::contents(folder.path("err")), "");
  EXPECT_EQ(test::contents(folder.path("code")), "5\n");
}

TEST(Output, OfAnInterruptedRunIsWhole) {
  const Folder folder;
  folder.write("s.yaml", small +
                             "sweep: {reserve: {linspace: {from: 0.1, to: 0.1, count: 1000}}, workload.batch: {range: "
                             "{from: 1, to: 1000, step: 1}}}\n");
  for (const char* jobs : {"1", "4"}) {
    const std::string command = std::string("timeout --preserve-status -s INT 1 ") + KVTRAFFIC_BINARY + " run " +
                                folder.path("s.yaml") + " --format jsonl --jobs " + jobs + " > " + folder.path("out") +
                                " 2> " + folder.path("err");
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 130);
    const std::string lines = test::contents(folder.path("out"));
    const auto points = std::ranges::count(lines, '\n');
    ASSERT_GT(points, 0);
    EXPECT_LT(points, 1'000'000);
    ASSERT_EQ(lines.back(), '\n');
    const json last = json::parse(lines.substr(lines.rfind('\n', lines.size() - 2) + 1));
    EXPECT_EQ(last["parameters"]["batch"], (points - 1) % 1000 + 1);
    EXPECT_EQ(test::contents(folder.path("err")),
              "kvtraffic: interrupted; the results are those of the points before\n");
  }
}

// A GEMM of 14 GB in full takes a minute or more.
TEST(Output, OfASinglePointInFullEndsAtOnce) {
  const Folder folder;
  folder.write(
      "s.yaml",
      "hardware: h200-sxm\nexact: on\nworkload: {scope: {kernel: {gemm: {m: 64, n: 70000, k: 100000, precision: "
      "bf16}}}}\n");
  const std::string command = std::string("timeout -k 20 --preserve-status -s TERM 1 ") + KVTRAFFIC_BINARY + " run " +
                              folder.path("s.yaml") + " > " + folder.path("out") + " 2> " + folder.path("err");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 130);
}

TEST(Output, ThatNobodyReadsEndsQuietly) {
  const Folder folder;
  folder.write("s.yaml", small + "sweep: {workload.batch: {range: {from: 1, to: 3000, step: 1}}}\n");
  const std::string command = std::string(KVTRAFFIC_BINARY) + " run " + folder.path("s.yaml") + " --format jsonl 2> " +
                              folder.path("err") + " | head -n 1 > " + folder.path("out");
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(test::contents(folder.path("err")), "");
  EXPECT_THAT(test::contents(folder.path("out")), StartsWith("{\"parameters\""));
}

TEST(Output, KeepsTheExitCodeWhereStandardErrorTakesNothing) {
  const Folder folder;
  folder.write("broken.yaml", "model: nothing\n");
  folder.write("expect.yaml", small + "expect: {'points[0].status': failed}\n");
  const std::vector<std::pair<std::string, int>> mistakes{{"rnu", 2},
                                                          {"run " + folder.path("broken.yaml"), 3},
                                                          {"run " + folder.path("expect.yaml"), 4},
                                                          {"run ./none", 5}};
  for (const auto& [arguments, code] : mistakes) {
    for (const char* lost : {" 2> /dev/full", " 2>&-"}) {
      const int status = std::system((std::string(KVTRAFFIC_BINARY) + " " + arguments + " > /dev/null" + lost).c_str());
      ASSERT_TRUE(WIFEXITED(status)) << arguments << lost;
      EXPECT_EQ(WEXITSTATUS(status), code) << arguments << lost;
    }
  }
}

TEST(Output, OfAFileThatMayNotGrowEndsWithAWholeRecord) {
  const Folder folder;
  folder.write("s.yaml", small + "sweep: {workload.batch: {range: {from: 1, to: 3000, step: 1}}}\n");
  for (const std::string format : {"jsonl", "csv"}) {
    const std::string whole = std::string(KVTRAFFIC_BINARY) + " run " + folder.path("s.yaml") + " --format " + format;
    ASSERT_EQ(std::system((whole + " > " + folder.path("whole")).c_str()), 0);
    folder.write("out", "before\n");
    const int status =
        std::system(("ulimit -f 100; " + whole + " >> " + folder.path("out") + " 2> " + folder.path("err")).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 5);
    EXPECT_THAT(test::contents(folder.path("err")), StartsWith("kvtraffic: cannot write to standard output"));
    const std::string out = test::contents(folder.path("out"));
    ASSERT_THAT(out, StartsWith("before\n"));
    EXPECT_GT(std::ranges::count(out, '\n'), 2);
    EXPECT_EQ(out.back(), '\n');
    EXPECT_THAT(test::contents(folder.path("whole")), StartsWith(out.substr(7)));
  }
}

TEST(Output, OfATerminatedRunIsWholeToo) {
  const Folder folder;
  folder.write("s.yaml", small +
                             "sweep: {reserve: {linspace: {from: 0.1, to: 0.1, count: 1000}}, workload.batch: {range: "
                             "{from: 1, to: 1000, step: 1}}}\n");
  for (const char* signal : {"TERM", "HUP"}) {
    const std::string command = std::string("timeout --preserve-status -s ") + signal + " 0.7 " + KVTRAFFIC_BINARY +
                                " run " + folder.path("s.yaml") + " --format json > " + folder.path("out") + " 2> " +
                                folder.path("err");
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 130) << signal;
    EXPECT_TRUE(json::accept(test::contents(folder.path("out")))) << signal;
  }
}

TEST(Output, OfErrorsHasNoControlCharacters) {
  const Outcome outcome = run_program({"run", "a\x1b[31mb"});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.err, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace kvtraffic::scenarios
