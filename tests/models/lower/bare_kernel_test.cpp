// Bare kernels: bytes and arithmetic of what is asked for, and tokens of experts drawn without chance.
#include "models/lower/bare_kernel.hpp"

#include <gtest/gtest.h>

#include "sim/run/executor.hpp"

namespace kvtraffic::models {
namespace {

using sim::DataKind;
using sim::Direction;

struct Asked {
  std::int64_t read = 0, written = 0;
  double flops = 0;
};

Asked asked_by(const BareKernel& kernel) {
  const Lowered lowered = lower_kernel(kernel);
  sim::Tally tally;
  sim::tally_point(lowered.graph, {}, sim::Point::decode(kernel.rows, kernel.keys), tally);
  Asked asked;
  std::size_t i = 0;
  for (const sim::Operation& operation : lowered.graph.operations()) {
    for (const sim::Access& access : operation.accesses) {
      (access.direction == Direction::read ? asked.read : asked.written) += tally.accesses[i++].logical;
    }
  }
  for (const double flops : sim::logical_flops(lowered.graph, tally)) asked.flops += flops;
  return asked;
}

TEST(BareKernel, GemmReadsBothOperandsAndWritesOne) {
  BareKernel kernel{.precision = sim::Precision::fp8, .rows = 64, .columns = 4096, .depth = 7168, .weight_bits = 8};
  const Asked asked = asked_by(kernel);
  EXPECT_EQ(asked.read, 4096 * 7168 + 64 * 7168);
  EXPECT_EQ(asked.written, 64 * 4096 * 2);
  EXPECT_EQ(asked.flops, 2.0 * 64 * 4096 * 7168);
}

TEST(BareKernel, AttentionReadsEachEntryOnce) {
  BareKernel kernel{.kind = BareKernel::Kind::attention,
                    .rows = 16,
                    .keys = 4096,
                    .entry_bytes = 1152,
                    .heads = 128,
                    .key_width = 576,
                    .value_width = 512};
  const Asked asked = asked_by(kernel);
  EXPECT_EQ(asked.read, 16 * 4096 * 1152 + 16 * 128 * 576 * 2);
  EXPECT_EQ(asked.written, 16 * 128 * 512 * 2);
  EXPECT_EQ(asked.flops, 16.0 * 128 * 4096 * 2 * (576 + 512));
}

TEST(BareKernel, ScanReadsKeysWithTheirScales) {
  BareKernel kernel{.kind = BareKernel::Kind::scan,
                    .precision = sim::Precision::fp8,
                    .rows = 2,
                    .keys = 1000,
                    .entry_bytes = 132,
                    .heads = 64,
                    .key_width = 128};
  EXPECT_EQ(asked_by(kernel).read, 2 * 1000 * 132 + 2 * 64 * 128);
}

TEST(BareKernel, OnlyExpertsWithTokensAreRead) {
  BareKernel kernel{.kind = BareKernel::Kind::moe,
                    .precision = sim::Precision::fp8,
                    .rows = 8,
                    .columns = 2048,
                    .depth = 7168,
                    .weight_bits = 8,
                    .experts = 256};
  const Lowered lowered = lower_kernel(kernel);
  EXPECT_EQ(lowered.graph.vertices().size(), 2U);  // gate and up, then down
  const std::int64_t weights = 8LL * 3 * 2048 * 7168;
  const std::int64_t activations = 8 * (7168 + 2048);
  EXPECT_EQ(asked_by(kernel).read, weights + activations);
}

TEST(BareKernel, WhatIsAskedDoesNotDependOnTheStart) {
  BareKernel kernel{
      .kind = BareKernel::Kind::scan, .rows = 4, .keys = 4096, .entry_bytes = 132, .heads = 64, .key_width = 128};
  const Asked cold = asked_by(kernel);
  kernel.start = BareKernel::Start::warm;
  EXPECT_EQ(asked_by(kernel).read, cold.read);
  kernel.start = BareKernel::Start::dirty;  // a third of what is read is written back
  EXPECT_NEAR(static_cast<double>(asked_by(kernel).written - cold.written), 0.32 * 4 * 4096 * 132, 1);
}

TEST(ExpertRows, AreEvenWithoutSpread) {
  const ExpertRows rows = expert_rows(4, 258, 0);  // 65, 65, 64, 64
  EXPECT_EQ(rows.active, 4);
  EXPECT_EQ(rows.mean, 65);
  EXPECT_EQ(rows.row_tiles_64, 2 + 2 + 1 + 1);
  EXPECT_EQ(rows.row_tiles_128, 4);
  EXPECT_EQ(expert_rows(256, 8, 0).active, 8);
}

TEST(ExpertRows, ASpreadOfOneTokenLeavesHalfOfTheExpertsEmpty) {
  EXPECT_EQ(expert_rows(256, 256, 0.3).active, 128);  // int(0.7 .. 1.3)
}

}  // namespace
}  // namespace kvtraffic::models
