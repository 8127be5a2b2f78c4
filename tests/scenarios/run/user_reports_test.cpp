// What people who plan hardware have suffered from in other tools, as behaviour of this one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Outcome run(const std::string& text, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "-", "--format", "json"});
  return run_program(more, text);
}

json points(const Outcome& outcome) { return json::parse(outcome.out)["points"]; }

std::string decode(const std::string& model, const std::string& hardware, const std::string& more = "") {
  return "model: " + model + "\nhardware: " + hardware +
         "\nfidelity: roofline\nworkload: {phase: decode, batch: 8, context: 32K}\n" + more;
}

double sum_of(const json& level) {
  double sum = 0;
  for (const json& kind : level) sum += kind.value("read", 0.0) + kind.value("write", 0.0);
  return sum;
}

TEST(Capacity, AModelLargerThanTheDeviceIsRefusedNotTimed) {
  const Outcome outcome = run(decode("llama-3.1-405b", "h100-sxm"));
  EXPECT_EQ(outcome.code, 1);
  const json point = points(outcome)[0];
  EXPECT_EQ(point["status"], "infeasible");
  EXPECT_TRUE(point["time"].is_null());
  EXPECT_THAT(point["reason"].get<std::string>(), testing::AllOf(HasSubstr("needs "), HasSubstr(" has ")));
}

TEST(Capacity, ThePoolFollowsFromMemoryWeightsAndReserve) {
  const json s = points(run(decode("deepseek-v3", "8x-h200-sxm", "parallel: {tensor: 8}\n")))[0]["storage"];
  const std::int64_t room = s["capacity_bytes_per_device"].get<std::int64_t>() -
                            s["reserve_bytes_per_device"].get<std::int64_t>() -
                            s["weight_bytes_per_device"].get<std::int64_t>();
  const std::int64_t each = 61 * 1152 * std::int64_t{32768};  // MLA latents: every tensor rank holds all of them
  EXPECT_EQ(s["allocated_bytes_per_request"], each);
  EXPECT_EQ(s["max_batch"], room / each);
}

TEST(Capacity, ASweepAndASinglePointGiveTheSameVerdictAndBytes) {
  const std::string single = decode("deepseek-v3", "8x-h100-sxm");
  const json alone = points(run(single))[0];
  const json swept = points(run(single + "sweep: {workload.batch: [4, 8, 16]}\n"))[1];
  EXPECT_EQ(alone["storage"], swept["storage"]);
  EXPECT_EQ(alone["status"], swept["status"]);
  EXPECT_EQ(alone["reason"], swept["reason"]);
}

TEST(Layout, ExpertsSpreadWithoutTensorRanks) {
  for (const char* experts : {"8", "4", "1"}) {
    const Outcome outcome = run(
        decode("deepseek-v3", "8x-h200-sxm", std::string("parallel: {tensor: 1, data: 8, expert: ") + experts + "}\n"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

TEST(Names, AnUnknownOneEndsInOneErrorWithThoseThatAreValid) {
  for (const auto& [text, valid] : {std::pair{decode("deepseek-v9", "8x-h200-sxm"), "deepseek-v3.2"},
                                    {decode("deepseek-v3", "h900"), "h200-sxm"}}) {
    const Outcome outcome = run(text);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr("error: "), HasSubstr(valid)));
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("terminate")));
  }
}

TEST(Files, AFileOfAnotherKindIsToldKeyByKey) {
  const Outcome outcome = run("steps:\n  - name: build\n    args: [a, b]\nimages: [x]\n");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err,
              testing::AllOf(HasSubstr("<stdin>:1:1: error: steps: unknown key"),
                             HasSubstr("<stdin>:4:1: error: images: unknown key"), HasSubstr("missing key 'model'")));
}

TEST(Sweeps, TakeAnyValuesNotPowersOfTwoAlone) {
  const json all = points(
      run(decode("deepseek-v3.2", "8x-h200-sxm",
                 "capacity: ignore\nsweep:\n  workload.context: [1000, 3000, 50000]\n  workload.batch: [1, 7, 30]\n")));
  ASSERT_EQ(all.size(), 9U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t n = std::array{1000, 3000, 50000}[i / 3], batch = std::array{1, 7, 30}[i % 3];
    EXPECT_EQ(all[i]["traffic"]["logical"]["index_key"]["read"], 61 * 132 * n * batch);
  }
}

TEST(Bounds, NoModelNeedsMoreThanThePinsCarryAtTheRoofline) {
  const json all = points(
      run(decode("deepseek-v3", "8x-h200-sxm", "capacity: ignore\nsweep: {workload.batch: [1, 32, 64, 256]}\n")));
  for (const json& point : all) {
    double dram = 0;
    for (const json& kind : point["traffic"]["dram"]) dram += kind.value("read", 0.0) + kind.value("write", 0.0);
    EXPECT_LE(dram / 8, 4.8e12 * point["time"]["seconds"].get<double>() * (1 + 1e-9)) << point["parameters"];
  }
}

// A larger selection is cut into more parts, never into larger ones: the window's entries are work of the same kernel.
TEST(CustomModels, ALargerSelectionIsNotFaster) {
  const json all = points(
      run("model: deepseek-v4.1-flash\nhardware: 8x-h200-sxm\nworkload: {phase: decode, batch: 64, context: 128K}\n"
          "sweep: {model.attention.top_k: [64, 128, 256, 512, 1024]}\n"));
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_GE(all[i]["time"]["seconds"].get<double>(), all[i - 1]["time"]["seconds"].get<double>() * 0.9999) << i;
  }
}

TEST(CustomModels, LayersOfOneKindMayHaveTheirOwnRatios) {
  const Outcome outcome =
      run("model:\n  extends: deepseek-v4-flash\n  layers: [{attention: {kind: csa, ratio: 4, overlap: true}}, "
          "{attention: {kind: csa, ratio: 8, "
          "overlap: true}}, {attention: {kind: hca, ratio: 100}}]\nhardware: 8x-h200-sxm\nworkload: {phase: decode, "
          "batch: 1, context: 800}\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(points(outcome)[0]["storage"]["growing_bytes_per_token"], 652 / 4.0 + 652 / 8.0 + 5.84);
}

TEST(Capacity, AnAbsurdBatchIsInfeasibleEvenWhereItsBytesLeave64Bits) {
  const json point = points(run(
      "model: deepseek-v3.1\nhardware: 8x-h100-sxm\nparallel: {tensor: 1}\nworkload: {phase: prefill, batch: 1000000, "
      "context: 1000000}\n"))[0];
  EXPECT_EQ(point["status"], "infeasible");
  EXPECT_FALSE(point["storage"].is_null());
}

TEST(Time, AStepBeyondTheClockKeepsItsStorageAndWhatItAsksFor) {
  const json point =
      points(run("model: deepseek-v3\nhardware: rtx-5090\ncapacity: ignore\nworkload: {phase: prefill, batch: 1000, "
                 "context: 131072}\n"))[0];
  EXPECT_EQ(point["status"], "failed");
  EXPECT_EQ(point["reason"], "the step takes longer than 2.5 hours, the most that the simulated clock holds");
  EXPECT_GT(point["storage"]["cache_bytes_per_request"], 0);
  EXPECT_GT(sum_of(point["traffic"]["logical"]), 0);
}

// Every listed model answers in both phases and fidelities.
class ListedModel : public testing::TestWithParam<std::string> {};

TEST_P(ListedModel, RunsInDecodeAndPrefill) {
  for (const char* phase : {"decode", "prefill"}) {
    for (const char* fidelity : {"roofline", "flow"}) {
      const Outcome outcome =
          run("model: " + GetParam() + "\nhardware: 8x-b300\ncapacity: ignore\nfidelity: " + fidelity +
              "\nworkload: {phase: " + phase + ", batch: 2, context: 1000}\n");
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      const json point = points(outcome)[0];
      EXPECT_GT(point["time"]["seconds"], 0);
      EXPECT_LE(point["time"]["roofline_seconds"], point["time"]["seconds"]);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Catalog, ListedModel, testing::ValuesIn(Catalog(KVTRAFFIC_ROOT).names(CatalogKind::model)),
                         [](const auto& name) {
                           std::string text = name.param;
                           for (char& c : text) c = c == '-' || c == '.' ? '_' : c;
                           return text;
                         });

class ListedHardware : public testing::TestWithParam<std::string> {};

TEST_P(ListedHardware, RunsASmallModel) {
  for (const char* fidelity : {"roofline", "flow"}) {
    const Outcome outcome =
        run("model: deepseek-v2-lite\nhardware: " + GetParam() + "\ncapacity: ignore\nfidelity: " + fidelity +
            "\nworkload: {phase: decode, batch: 8, context: 4K}\n");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GT(points(outcome)[0]["time"]["seconds"], 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Catalog, ListedHardware,
                         testing::ValuesIn(Catalog(KVTRAFFIC_ROOT).names(CatalogKind::hardware)), [](const auto& name) {
                           std::string text = name.param;
                           for (char& c : text) c = c == '-' || c == '.' ? '_' : c;
                           return text;
                         });

TEST(Generations, AreTheGoldenTable) {
  const Outcome outcome = run_program({"run", "generations", "--fidelity", "roofline"});
  const std::string golden = std::string(KVTRAFFIC_ROOT) + "/tests/scenarios/golden/generations.txt";
  EXPECT_EQ(outcome.out, contents(golden))
      << "kvtraffic run generations --fidelity roofline > tests/scenarios/golden/generations.txt";
}

}  // namespace
}  // namespace kvtraffic::scenarios::test
