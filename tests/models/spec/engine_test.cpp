// What an engine file must say.
#include "models/spec/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/yaml.hpp"
#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

TEST(ReadEngine, EveryTileIsStated) {
  for (const std::string path :
       {"gemm.rows", "gemm.columns", "gemm.depth", "attention.heads", "attention.keys", "attention.prefill_rows",
        "attention.prefill_queries", "scan.keys", "scan.prefill_rows", "stream.bytes"}) {
    const std::size_t dot = path.find('.');
    const std::string group = path.substr(0, dot), tile = path.substr(dot + 1);
    sim::Node file = entry("engines/reference.yaml");
    sim::Node without = *file.find(group);
    without.remove(tile);
    file.set(group, without);
    sim::Diagnostics diagnostics;
    (void)read_engine(file, diagnostics);
    EXPECT_THAT(diagnostics.render(), testing::HasSubstr("missing key '" + tile + "'")) << path;
  }
}

TEST(ReadEngine, EveryShippedOneStatesThem) {
  for (const std::string& name : names_in("engines")) {
    sim::Diagnostics diagnostics;
    (void)read_engine(entry("engines/" + name + ".yaml"), diagnostics);
    EXPECT_EQ(diagnostics.render(), "") << name;
  }
}

sim::Operation operation_of(sim::OperationKind kind, const std::string& layers = "") {
  sim::Operation operation;
  operation.kind = kind;
  operation.attention = layers;
  return operation;
}

sim::KernelPlan plan_with(const std::string& kernels, sim::Diagnostics& diagnostics) {
  sim::Node file = entry("engines/reference.yaml");
  file.set("kernels", *sim::read_yaml("kernels: " + kernels, "engine.yaml", diagnostics).find("kernels"));
  return read_engine(file, diagnostics).plan;
}

TEST(ReadEngine, TheReferenceHasNoKernelClasses) {
  sim::Diagnostics diagnostics;
  EXPECT_TRUE(read_engine(entry("engines/reference.yaml"), diagnostics).plan.classes.empty());
}

TEST(ReadEngine, AClassIsFoundByKindDeviceAndPrecision) {
  sim::Diagnostics diagnostics;
  const sim::KernelPlan plan = plan_with(
      "[{kernel: attention, architecture: hopper, precision: fp8, split: xqa, soft: 0.7 us, load_rate: 40 GB/s}, "
      "{kernel: attention, architecture: hopper, split: flashmla, heads: 64, combine: 50 ns}]",
      diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
  const auto of = [&](sim::Precision precision) {
    return plan.class_of(operation_of(sim::OperationKind::attention), sim::Architecture::hopper, precision);
  };
  EXPECT_EQ(of(sim::Precision::fp8).split, sim::SplitRule::xqa);
  EXPECT_EQ(of(sim::Precision::fp8).soft, sim::Duration::of_femtoseconds(700'000'000));
  EXPECT_EQ(of(sim::Precision::bf16).split, sim::SplitRule::flashmla);
  EXPECT_EQ(of(sim::Precision::bf16).heads, 64);
  const sim::KernelClass none =
      plan.class_of(operation_of(sim::OperationKind::attention), sim::Architecture::blackwell, sim::Precision::bf16);
  EXPECT_EQ(none.split, sim::SplitRule::even);
  EXPECT_EQ(none.start, sim::Duration());
}

TEST(ReadEngine, WhatAMatrixMultiplicationAddsIsRead) {
  sim::Diagnostics diagnostics;
  const sim::KernelPlan plan = plan_with(
      "[{kernel: gemm, architecture: hopper, split: deepgemm-2026, casts: true, outside: 0.29 us, refetch: 0.9}]",
      diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
  ASSERT_EQ(plan.classes.size(), 1U);
  EXPECT_EQ(plan.classes[0].split, sim::SplitRule::deepgemm_2026);
  EXPECT_TRUE(plan.classes[0].casts);
  EXPECT_EQ(plan.classes[0].outside, sim::Duration::of_femtoseconds(290'000'000));
  EXPECT_EQ(plan.classes[0].refetch, 0.9);
}

TEST(ReadEngine, AMisspeltRuleIsTold) {
  sim::Diagnostics diagnostics;
  (void)plan_with("[{kernel: attention, architecture: hopper, split: flashmia}]", diagnostics);
  EXPECT_THAT(diagnostics.render(), testing::HasSubstr("did you mean 'flashmla'?"));
}

TEST(ReadEngine, TheReferenceFoldsNothingAndAddsNoKernels) {
  sim::Diagnostics diagnostics;
  const sim::KernelPlan plan = read_engine(entry("engines/reference.yaml"), diagnostics).plan;
  EXPECT_FALSE(plan.in_order);
  EXPECT_FALSE(plan.folds("attention.store"));
  EXPECT_EQ(plan.small_kernels(sim::Module::attention, "dsa"), 0);
}

TEST(ReadEngine, SmallKernelsAreOfAModuleAndAKindOfLayer) {
  sim::KernelPlan plan;
  plan.small = {{sim::Module::attention, "mla", 3}, {sim::Module::attention, "", 5}};
  EXPECT_EQ(plan.small_kernels(sim::Module::attention, "mla"), 3);
  EXPECT_EQ(plan.small_kernels(sim::Module::attention, "dsa"), 5);
  EXPECT_EQ(plan.small_kernels(sim::Module::feed_forward, "mla"), 0);
}

TEST(ReadEngine, AClassMayBeOfSomeLayersOnly) {
  sim::Diagnostics diagnostics;
  const sim::KernelPlan plan =
      plan_with("[{kernel: topk, architecture: hopper, layers: [dsa], start: 7 us}]", diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
  const auto start = [&](const std::string& layers) {
    return plan.class_of(operation_of(sim::OperationKind::topk, layers), sim::Architecture::hopper, {}).start;
  };
  EXPECT_GT(start("dsa"), sim::Duration());
  EXPECT_EQ(start("csa"), sim::Duration());
  EXPECT_EQ(start(""), sim::Duration());
}

TEST(ReadEngine, AClassMayBeOfKernelsThatKeepSoManyEntries) {
  sim::Diagnostics diagnostics;
  const sim::KernelPlan plan = plan_with(
      "[{kernel: topk, architecture: hopper, picked: 2048, start: 7 us}, "
      "{kernel: topk, architecture: hopper, start: 2 us}]",
      diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
  const auto start = [&](std::int64_t picked) {
    sim::Operation operation = operation_of(sim::OperationKind::topk);
    operation.shape.picked = picked;
    return plan.class_of(operation, sim::Architecture::hopper, {}).start;
  };
  EXPECT_EQ(start(2048), sim::Duration::of_femtoseconds(7'000'000'000));
  EXPECT_EQ(start(512), sim::Duration::of_femtoseconds(2'000'000'000));
}

// Top-k by itself costs what it does in a layer: engines that have classes for it have one that needs no layer.
TEST(ReadEngine, ShippedTopKClassesAreFoundByKernelsByThemselves) {
  for (const std::string& name : names_in("engines")) {
    sim::Diagnostics diagnostics;
    const sim::KernelPlan plan = read_engine(entry("engines/" + name + ".yaml"), diagnostics).plan;
    for (const sim::KernelClass& its : plan.classes) {
      EXPECT_TRUE(its.kind != sim::OperationKind::topk || its.layers.empty()) << name;
    }
  }
}

TEST(ReadEngine, ShippedOnesReplayGraphsUnlessTheySayOtherwise) {
  for (const std::string& name : names_in("engines")) {
    sim::Diagnostics diagnostics;
    const sim::KernelPlan plan = read_engine(entry("engines/" + name + ".yaml"), diagnostics).plan;
    EXPECT_EQ(plan.launch, sim::LaunchMode::graph) << name;
    EXPECT_EQ(plan.host_gap, sim::Duration()) << name;
  }
}

TEST(ReadEngine, TheLaunchIsRead) {
  sim::Diagnostics diagnostics;
  sim::Node file = entry("engines/reference.yaml");
  file.set("launch",
           *sim::read_yaml("launch: {mode: overlapped, host_gap: 30 us}", "engine.yaml", diagnostics).find("launch"));
  const sim::KernelPlan plan = read_engine(file, diagnostics).plan;
  EXPECT_EQ(diagnostics.render(), "");
  EXPECT_EQ(plan.launch, sim::LaunchMode::overlapped);
  EXPECT_EQ(plan.host_gap, sim::Duration::of_femtoseconds(30'000'000'000));
}

}  // namespace
}  // namespace kvtraffic::models::test
