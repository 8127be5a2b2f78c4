// Every number of a result can be explained, and the explanation arrives at that number.
#include "scenarios/explain/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/writer.hpp"
#include "scenarios/run/setup.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* decode = "{phase: decode, batch: 6, context: 5001}";

Plan plan_of(const std::string& changes, const std::string& workload = decode) {
  const std::string base =
      "model: deepseek-v4.1-flash\nhardware: 8x-h200-sxm\nparallel: {tensor: 2, data: 4}\nworkload: " + workload + "\n";
  return make_plan(yaml(base + changes), {}, ".", Catalog(KVTRAFFIC_ROOT));
}

// The number behind "path = ", without the commas of whole ones.
double told(const std::string& text) {
  std::string number = text.substr(text.find(" = ") + 3);
  number = number.substr(0, number.find_first_of(" \n"));
  std::erase(number, ',');
  return std::stod(number);
}

// All numbers below `value` that a reader can ask about, as (path, number).
void numbers(const json& value, const std::string& path, std::vector<std::pair<std::string, double>>& out) {
  if (value.is_number()) out.emplace_back(path, value.get<double>());
  for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
    numbers(value[i], path + "[" + std::to_string(i) + "]", out);
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) numbers(member, path.empty() ? key : path + "." + key, out);
}

json result_of(const Plan& plan) {
  json result;
  const std::atomic<bool> stop{false};
  const auto sink = [&](const sim::PointResult& point) { result = json::parse(reports::point_json(point)); };
  run_points(plan, Catalog(KVTRAFFIC_ROOT), {.detail = {.layers = true, .operations = true}}, sink, stop);
  return result;
}

// Each number takes a run: of layers their times, and all of one that makes a selection.
bool is_of_a_layer_left_out(const std::string& path) {
  return path.starts_with("layers[") && !path.starts_with("layers[2].") && !path.ends_with("].seconds");
}

void expect_all_explained(const std::string& changes, const std::string& workload = decode) {
  const Plan plan = plan_of(changes, workload);
  json result = result_of(plan);
  result.erase("parameters");  // given, not found
  while (result["operations"].size() > 60) result["operations"].erase(60);
  std::vector<std::pair<std::string, double>> all;
  numbers(result, "", all);
  ASSERT_GT(all.size(), 500U);
  for (const auto& [path, number] : all) {
    if (path.ends_with("].layer") || is_of_a_layer_left_out(path)) continue;
    const std::string text = explain_text(plan, Catalog(KVTRAFFIC_ROOT), path);
    EXPECT_DOUBLE_EQ(told(text), number) << path << "\n" << text;
  }
}

TEST(ExplainSlow, ArrivesAtEveryNumberOfACycleRun) { expect_all_explained("fidelity: cycle\n"); }
TEST(ExplainSlow, ArrivesAtEveryNumberOfAFlowRun) { expect_all_explained("fidelity: flow\n"); }
TEST(ExplainSlow, ArrivesAtEveryNumberOfAPrefill) {
  expect_all_explained("", "{phase: prefill, batch: 6, context: 5001, cached: 1003}");
}
TEST(ExplainSlow, ArrivesAtEveryNumberOfAPrefillInChunks) {
  expect_all_explained("", "{phase: prefill, batch: 6, context: 5001, chunk: 1003, replay: full}");
}
TEST(ExplainSlow, ArrivesAtEveryNumberWhereRoutingIsDrawn) {
  expect_all_explained("placement: {host_experts: 25%}\nfidelity: flow\n",
                       "{phase: decode, batch: 6, context: 5001, routing: {seed: 3, skew: 0.5}}");
}
TEST(ExplainSlow, ArrivesAtEveryNumberWhereRoutingIsDrawnForEveryChunk) {
  expect_all_explained("fidelity: flow\n",
                       "{phase: prefill, batch: 6, context: 5001, chunk: 2003, routing: {seed: 3, skew: 1}}");
}
TEST(ExplainSlow, ArrivesAtEveryNumberOfARooflineRun) { expect_all_explained("fidelity: roofline\n"); }

TEST(Explain, ShowsFormulaArithmeticAndInputsWithTheirSources) {
  const std::string text = explain_text(plan_of(""), Catalog(KVTRAFFIC_ROOT), "points[0].traffic.logical.kv_main.read");
  EXPECT_THAT(text, HasSubstr("6 tokens x 512 [min(512, N)] x 288 B = 17,694,720 B"));  // 20 layers x 6 x 512 x 288
  EXPECT_THAT(text, HasSubstr("512 x 4 bit + 32 scales apart x 8 bit = 288 B"));
  EXPECT_THAT(text, HasSubstr("published; https://github.com/huggingface/transformers"));
  EXPECT_EQ(told(text), 6 * 38 * 512 * 288);
}

// 6 tokens choose 6 of 256 experts each: their weights are what was drawn, and pairs add up.
TEST(Explain, NamesWhatWasDrawnForTheExperts) {
  const std::string text =
      explain_text(plan_of("", "{phase: decode, batch: 6, context: 5001, routing: {seed: 3, skew: 0.5}}"),
                   Catalog(KVTRAFFIC_ROOT), "traffic.logical.weight.read");
  EXPECT_THAT(text, HasSubstr("distinct experts [drawn] x"));
  EXPECT_THAT(text, HasSubstr("workload.routing, drawn = seed 3, skew 0.5"));
  EXPECT_THAT(text, HasSubstr("experts with tokens of set 0, 6 tokens x "));
  EXPECT_THAT(text, testing::Not(HasSubstr("(1 - (1 - ")));
}

TEST(Explain, OfALayerCountsThatLayerAlone) {
  const std::string text =
      explain_text(plan_of(""), Catalog(KVTRAFFIC_ROOT), "layers[20].traffic.logical.index_key.read");
  EXPECT_EQ(told(text), 6 * 5001 * 68);
}

// "TEXT = NUMBER s (...)" in an explanation.
double term(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name + " = ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 3));
}

TEST(Explain, OfATimeNamesWhatDramIsServedAt) {
  const Catalog catalog(KVTRAFFIC_ROOT);
  const std::string cycle = explain_text(plan_of("fidelity: cycle\n"), catalog, "time.seconds");
  EXPECT_THAT(cycle, HasSubstr("memory.part of h200-sxm = hbm3e-h200"));
  EXPECT_THAT(cycle, testing::Not(HasSubstr("stream_efficiency")));
  const std::string flow = explain_text(plan_of("fidelity: flow\n"), catalog, "time.seconds");
  EXPECT_THAT(flow, HasSubstr("memory.stream_efficiency of h200-sxm = 0.93"));
}

// The error is the distance of the step's times at both ends of what windows leave open.
TEST(Explain, OfTheSamplingErrorShowsThreeTimesAndTheWindows) {
  const std::string text = explain_text(plan_of("fidelity: cycle\n"), Catalog(KVTRAFFIC_ROOT), "time.sampling_error");
  const double slow = term(text, "step with rates at their low end, and waits for refreshes and full queues");
  const double middle = term(text, "step with rates in the middle");
  const double fast = term(text, "step with rates at their high end, and no waits for the slowest channel");
  EXPECT_GE(slow, middle);
  EXPECT_GE(middle, fast);
  EXPECT_GT(fast, 0) << text;
  EXPECT_NEAR(told(text), (slow - fast) / middle, 1e-12) << text;
  EXPECT_THAT(text, HasSubstr("% reads in streams"));
  EXPECT_THAT(text, HasSubstr(" windows\n"));
  EXPECT_THAT(text, HasSubstr("memory.part of h200-sxm = hbm3e-h200"));
}

TEST(Explain, OfTheSamplingErrorOfFlowSaysThatNothingIsSampled) {
  const std::string text = explain_text(plan_of("fidelity: flow\n"), Catalog(KVTRAFFIC_ROOT), "time.sampling_error");
  EXPECT_EQ(told(text), 0);
  EXPECT_THAT(text, HasSubstr("no time is derived from windows"));
}

TEST(Explain, OfDramTimeNamesTheMixesThatItWasSpentOn) {
  const std::string text =
      explain_text(plan_of("fidelity: cycle\n"), Catalog(KVTRAFFIC_ROOT), "time.dram_time.row_cycle");
  EXPECT_GT(told(text), 0);
  EXPECT_LT(told(text), 0.2);
  EXPECT_THAT(text, HasSubstr("% reads in streams"));
}

TEST(Explain, OfALayersTimeShowsBothEnds) {
  for (const char* path : {"layers[0].seconds", "layers[20].seconds"}) {
    const std::string text = explain_text(plan_of(""), Catalog(KVTRAFFIC_ROOT), path);
    const double end = term(text, "end of the layer's last operation"), before = term(text, "end of all before it");
    EXPECT_GT(before, 0) << text;
    EXPECT_NEAR(told(text), end - before, 1e-14) << text;
  }
}

TEST(Explain, RefusesWhatNoResultHas) {
  for (const char* path : {"storage.nothing", "traffic.logical.kv_main", "points[1].time.seconds",
                           "points[x].time.seconds", "layers[99].seconds", "time", "x"}) {
    EXPECT_THROW((void)explain_text(plan_of(""), Catalog(KVTRAFFIC_ROOT), path), sim::ConfigError) << path;
  }
}

TEST(Explain, SaysWhyAnInfeasiblePointHasNoTime) {
  try {
    (void)explain_text(plan_of("reserve: 99%\n"), Catalog(KVTRAFFIC_ROOT), "time.seconds");
    FAIL();
  } catch (const sim::ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the point is infeasible: needs"));
  }
}

}  // namespace
}  // namespace kvtraffic::scenarios::test
