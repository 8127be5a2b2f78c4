// How devices are divided into ranks: defaults, rules and their sentences.
#include "sim/plan/deployment.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/graph/operation.hpp"

namespace kvtraffic::sim {
namespace {

constexpr bool moe = true, dense = false, prefill = true, decode = false;

std::string refusal(std::int64_t devices, const ParallelRequest& request, bool has_experts = moe) {
  const auto deployment = lay_out(devices, request, has_experts, decode);
  return deployment ? "accepted" : deployment.error();
}

void expect_ranks(const Deployment& d, std::int64_t tensor, std::int64_t data, std::int64_t expert) {
  EXPECT_EQ(d.tensor, tensor);
  EXPECT_EQ(d.data, data);
  EXPECT_EQ(d.expert, expert);
}

TEST(LayOut, MixturesOfExpertsDecodeWithOneRankPerDevice) { expect_ranks(*lay_out(8, {}, moe, decode), 1, 8, 8); }

TEST(LayOut, DenseModelsAndPrefillUseAllDevicesAsOneRank) {
  expect_ranks(*lay_out(8, {}, dense, decode), 8, 1, 1);
  expect_ranks(*lay_out(8, {}, moe, prefill), 8, 1, 8);
}

TEST(LayOut, DerivesWhatIsLeftOpen) {
  expect_ranks(*lay_out(8, {.tensor = 2, .data = {}, .expert = {}}, moe, decode), 2, 4, 8);
  expect_ranks(*lay_out(8, {.tensor = {}, .data = 2, .expert = {}}, moe, decode), 4, 2, 8);
  expect_ranks(*lay_out(8, {.tensor = {}, .data = {}, .expert = 4}, moe, decode), 1, 8, 4);
}

TEST(LayOut, DenseModelsIgnoreExpert) {
  expect_ranks(*lay_out(8, {.tensor = {}, .data = {}, .expert = 3}, dense, decode), 8, 1, 1);
}

TEST(LayOut, SaysWhichRuleIsBroken) {
  EXPECT_EQ(refusal(8, {.tensor = 3, .data = 2, .expert = {}}), "tensor 3 x data 2 = 6 is not the 8 devices");
  EXPECT_EQ(refusal(8, {.tensor = {}, .data = {}, .expert = 3}), "expert 3 does not divide 8 devices");
  EXPECT_EQ(refusal(8, {.tensor = 3, .data = {}, .expert = {}}), "tensor 3 does not divide 8 devices");
  EXPECT_EQ(refusal(8, {.tensor = {}, .data = 16, .expert = {}}), "data 16 does not divide 8 devices");
}

TEST(LayOut, RefusesWhatIsNotPositive) {
  EXPECT_EQ(refusal(8, {.tensor = 0, .data = {}, .expert = {}}), "tensor must be at least 1, not 0");
  EXPECT_EQ(refusal(8, {.tensor = -2, .data = -4, .expert = {}}), "tensor must be at least 1, not -2");
  EXPECT_EQ(refusal(8, {.tensor = {}, .data = 0, .expert = {}}), "data must be at least 1, not 0");
  EXPECT_EQ(refusal(8, {.tensor = {}, .data = {}, .expert = -1}), "expert must be at least 1, not -1");
  EXPECT_EQ(refusal(0, {}), "a deployment needs at least 1 device, not 0");
}

TEST(LayOut, RefusesAProductThatLeavesSixtyFourBits) {
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_EQ(refusal(8, {.tensor = big, .data = big, .expert = {}}),
            "tensor 1099511627776 x data 1099511627776 = 1208925819614629174706176 is not the 8 devices");
}

TEST(Deployment, SpreadsABatchSoThatOneRankHasTheRest) {
  Deployment d;
  d.data = 8;
  EXPECT_EQ(d.fullest_requests(64), 8);
  EXPECT_EQ(d.fullest_requests(65), 9);
  EXPECT_EQ(d.active_data_ranks(64), 8);
  EXPECT_EQ(d.active_data_ranks(3), 3) << "a batch below data leaves ranks empty";
  EXPECT_EQ(d.fullest_requests(3), 1);
}

TEST(Deployment, DividesAmongAsManyRanksAsCanShareEvenly) {
  Deployment d;
  d.tensor = 16;
  EXPECT_EQ(d.parts(8), 8) << "8 key-value heads on 16 ranks";
  EXPECT_EQ(d.copies(8), 2);
  EXPECT_EQ(d.parts(1), 1);
  EXPECT_EQ(d.copies(1), 16);
  EXPECT_EQ(d.parts(divides_freely), 16);
  EXPECT_EQ(d.copies(divides_freely), 1);
  d.tensor = 4;
  EXPECT_EQ(d.parts(6), 2) << "6 heads do not divide by 4";
  EXPECT_EQ(d.copies(6), 2);
}

RC_GTEST_PROP(DeploymentProperty, PartsAreTheLargestNumberThatDividesBoth, ()) {
  Deployment d;
  d.tensor = *rc::gen::inRange<std::int64_t>(1, 100);
  const auto ways = *rc::gen::inRange<std::int64_t>(1, 100);
  std::int64_t largest = 0;
  for (std::int64_t n = 1; n <= d.tensor; ++n) {
    if (d.tensor % n == 0 && ways % n == 0) largest = n;
  }
  RC_ASSERT(d.parts(ways) == largest);
  RC_ASSERT(d.parts(ways) * d.copies(ways) == d.tensor);
}

}  // namespace
}  // namespace kvtraffic::sim
