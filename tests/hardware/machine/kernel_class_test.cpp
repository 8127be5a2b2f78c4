// What an engine's kernel classes add to a kernel, against closed forms; and that without them nothing changes.
#include <gtest/gtest.h>

#include "hardware/machine/flow.hpp"
#include "tests/hardware/machine/step.hpp"
#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::hardware::testing {
namespace {

using sim::Architecture;
using sim::KernelClass;
using sim::OperationKind;

constexpr double us = 1e-6;
constexpr double head = 1.3 * us + 1.0 * us + 0.5 * us;  // gap, start, first load
constexpr double few_ticks = 1e-12;

FlowMachine machine_with(std::vector<KernelClass> classes) {
  Hardware hardware = round_hardware();
  hardware.device.architecture = Architecture::hopper;
  sim::KernelPlan plan = sim::test::round_plan();
  plan.classes = std::move(classes);
  return {hardware, plan};
}

double seconds_of(Step& step, std::vector<KernelClass> classes) {
  FlowMachine machine = machine_with(std::move(classes));
  return step.run_on(machine).total.seconds();
}

KernelClass gemm_class() { return {.kind = OperationKind::gemm, .architecture = Architecture::hopper}; }

double gemm_seconds(std::int64_t tiles, double flops, std::int64_t bytes, const KernelClass& its) {
  Step step;
  step.add_gemm(tiles, flops, {reads("a", bytes)});
  return seconds_of(step, {its});
}

TEST(KernelClass, StartIsPaidOnce) {
  KernelClass its = gemm_class();
  its.start = microseconds(7);
  EXPECT_NEAR(gemm_seconds(1000, 0, 80 * mega, its) - gemm_seconds(1000, 0, 80 * mega, gemm_class()), 7 * us,
              few_ticks);
}

// `rows` x 5,376 x 1,024 with 8 MB of weights in DRAM and tiles of DeepGEMM of 2026: on 100 SMs, 84 of 16 x 64 for up
// to 16 rows, and 96 of 64 x 112 for 128 rows.
double product_seconds(std::int64_t rows, const KernelClass& its) {
  Step step;
  sim::Operation operation;
  operation.kind = OperationKind::gemm;
  operation.shape.columns = 5376;
  operation.shape.depth = 1024;
  Use weights = reads("w", 8 * mega);
  weights.kind = sim::DataKind::weight;
  step.add(operation, {weights});
  step.finish();
  step.tally.spans = {{{1, 1, 0}, rows, rows}};
  FlowMachine machine = machine_with({its});
  sim::Outcome outcome;
  machine.execute(step.graph, step.tally, outcome);
  return outcome.total.seconds();
}

KernelClass deepgemm_class() {
  KernelClass its = gemm_class();
  its.split = sim::SplitRule::deepgemm_2026;
  return its;
}

TEST(KernelClass, ACastIsAKernelOfItsOwnBefore) {
  KernelClass its = deepgemm_class();
  its.casts = true;
  const double moved = 3.0 * 16 * 1024 / 0.8e12;  // of 16 x 1,024 values: 16 bits in, 8 out
  EXPECT_NEAR(product_seconds(16, its) - product_seconds(16, deepgemm_class()), 1.3 * us + 0.5 * us + moved, few_ticks);
}

TEST(KernelClass, RowsOutsideOfTheMatrixAreLoadedSlowly) {
  KernelClass its = deepgemm_class();
  its.outside = microseconds(4);
  // One row in a tile of 16: 15/16 lie outside; 1,024 values are eight times 128.
  const double loads = 8 * 4 * us * 15 / 16;
  EXPECT_NEAR(product_seconds(1, its), head + loads, 0.5 * us);
  EXPECT_EQ(product_seconds(16, its), product_seconds(16, deepgemm_class()));
}

TEST(KernelClass, TwoTilesOfRowsFetchWeightsTwice) {
  KernelClass its = deepgemm_class();
  its.refetch = 1;
  EXPECT_NEAR(product_seconds(128, its) - product_seconds(128, deepgemm_class()), 8e6 / 0.8e12, 0.1 * us);
  EXPECT_EQ(product_seconds(16, its), product_seconds(16, deepgemm_class()));
}

TEST(KernelClass, OfAnotherKindOrDeviceCountsForNothing) {
  KernelClass other_kind = gemm_class(), other_device = gemm_class(), other_precision = gemm_class();
  other_kind.kind = OperationKind::scan;
  other_device.architecture = Architecture::blackwell;
  other_precision.precision = sim::Precision::fp8;
  other_kind.start = other_device.start = other_precision.start = microseconds(7);
  Step plain, same;
  plain.add_gemm(100, 80e9);
  same.add_gemm(100, 80e9);
  EXPECT_EQ(seconds_of(same, {other_kind, other_device, other_precision}), seconds_of(plain, {}));
}

TEST(KernelClass, ABubbleOfEachWaveIsHiddenByNothing) {
  KernelClass its = gemm_class();
  its.bubble = microseconds(2);
  // Ten waves of 100 tiles, 8 MB each: 10 us of loads a wave, and 2 us in which nothing is loaded.
  EXPECT_NEAR(gemm_seconds(1000, 0, 80 * mega, its), head + 10 * (10 + 2) * us, 0.1 * us);
}

TEST(KernelClass, SoftTimeAddsToArithmetic) {
  KernelClass its = gemm_class();
  its.soft = microseconds(3);  // of one block a tile
  EXPECT_NEAR(gemm_seconds(100, 80e9, 0, its), head + (1000 + 3) * us, few_ticks);
}

TEST(KernelClass, ALowerLoadRateHoldsUpFewSms) {
  KernelClass its = gemm_class();
  its.load_rate = sim::Bandwidth::per_second(10e9);
  EXPECT_NEAR(gemm_seconds(4, 0, 4 * mega, its), head + 100 * us, few_ticks);  // 4 SMs at 10 GB/s
}

TEST(KernelClass, EfficiencyCountsOnlyWhereItIsMoreThanTheDevices) {
  KernelClass more = gemm_class(), less = gemm_class();
  more.efficiency = 1;
  less.efficiency = 0.5;
  EXPECT_NEAR(gemm_seconds(100, 80e9, 0, more), head + 800 * us, few_ticks);
  EXPECT_NEAR(gemm_seconds(100, 80e9, 0, less), head + 1000 * us, few_ticks);
}

// Requests of 64 heads whose every block of 64 keys is 64 MFLOP.
double attention_seconds(const KernelClass& its, std::int64_t requests, std::int64_t keys) {
  Step step;
  sim::Operation operation;
  operation.kind = OperationKind::attention;
  operation.shape.heads = 64;
  operation.shape.keys = {sim::Count::Kind::fixed, 1, keys};
  step.add(operation, {}, 1e6 * static_cast<double>(requests * keys));
  step.finish();
  step.tally.spans = {{{keys, keys, 0}, requests, requests}};
  FlowMachine machine = machine_with({its});
  sim::Outcome outcome;
  machine.execute(step.graph, step.tally, outcome);
  return outcome.total.seconds();
}

// Positions 1..tokens of one sequence, 640 keys each, one token a block.
double prefill_seconds(const KernelClass& its, std::int64_t tokens) {
  Step step;
  sim::Operation operation;
  operation.kind = OperationKind::attention;
  operation.shape.heads = 64;
  operation.shape.keys = {sim::Count::Kind::fixed, 1, 640};
  step.add(operation, {});
  step.finish();
  step.tally.spans = {{{1, tokens, 0}, tokens, tokens}};
  FlowMachine machine = machine_with({its});
  sim::Outcome outcome;
  machine.execute(step.graph, step.tally, outcome);
  return outcome.total.seconds();
}

TEST(KernelClass, PrefillHasASoftTimeOfItsOwn) {
  KernelClass its{.kind = OperationKind::attention, .architecture = Architecture::hopper};
  its.split = sim::SplitRule::xqa;
  its.soft = microseconds(3);
  const double as_decode = prefill_seconds(its, 100);  // 100 SMs, a token each: ten blocks of 64 keys
  its.prefill_soft = microseconds(1);
  EXPECT_NEAR(as_decode - prefill_seconds(its, 100), 10 * 2 * us, few_ticks);
  EXPECT_NEAR(attention_seconds(its, 100, 640), head + 10 * 83 * us, 1e-10);
}

TEST(KernelClass, AttentionEndsWithItsLongestPart) {
  KernelClass its{.kind = OperationKind::attention, .architecture = Architecture::hopper};
  its.split = sim::SplitRule::xqa;
  its.soft = microseconds(1);
  // 101 requests on 100 SMs: one SM has two. A block of 64 keys is 64 MFLOP at 0.8 TFLOPS: 80 us, and 1 us of soft
  // time.
  EXPECT_NEAR(attention_seconds(its, 100, 640), head + 10 * 81 * us, 1e-10);
  EXPECT_NEAR(attention_seconds(its, 101, 640), head + 20 * 81 * us, 1e-10);
}

TEST(KernelClass, PartsAreAddedUpByAKernelThatWaits) {
  KernelClass its{.kind = OperationKind::attention, .architecture = Architecture::hopper};
  its.split = sim::SplitRule::xqa;
  const double alone = attention_seconds(its, 1, 640);  // ten blocks in ten parts
  its.combine = microseconds(1);
  EXPECT_NEAR(attention_seconds(its, 1, 640) - alone, 1.3 * us + 1.0 * us + 10 * us, few_ticks);
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
