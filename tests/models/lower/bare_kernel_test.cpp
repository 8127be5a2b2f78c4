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

Asked asked_by(const BareKernel& kernel, const DirtyLines& dirty = {}) {
  const Lowered lowered = lower_kernel(kernel, dirty);
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
}

TEST(BareKernel, ADirtyStartWritesBackWhatTheDeviceSays) {
  BareKernel kernel{
      .kind = BareKernel::Kind::scan, .rows = 4, .keys = 4096, .entry_bytes = 132, .heads = 64, .key_width = 128};
  const std::int64_t cold = asked_by(kernel).written;
  kernel.start = BareKernel::Start::dirty;
  EXPECT_EQ(asked_by(kernel).written, cold);  // a device of which nothing is known
  constexpr std::int64_t keys = 4 * 4096 * 132;
  EXPECT_EQ(asked_by(kernel, {0.25, sim::Bytes::of(keys)}).written, cold + keys / 4);
  EXPECT_EQ(asked_by(kernel, {0.25, sim::Bytes::of(1000)}).written, cold + 1000);
}

TEST(BareKernel, AGatherReadsEachEntryByItself) {
  const BareKernel kernel{.kind = BareKernel::Kind::gather, .rows = 3, .keys = 100, .entry_bytes = 40};
  const Lowered lowered = lower_kernel(kernel);
  const sim::Access& read = lowered.graph.operations()[0].accesses[0];
  EXPECT_EQ(read.pattern, sim::Pattern::gather);
  EXPECT_EQ(lowered.graph.layouts()[read.layout].row, 40);
  EXPECT_EQ(asked_by(kernel).read, 3 * 100 * 40);
  sim::Tally tally;
  sim::tally_point(lowered.graph, {}, sim::Point::decode(3, 100), tally);
  // Entries of 40 B start at 0, 8, 16 or 24 of a sector of 32 B: always two sectors.
  EXPECT_EQ(tally.accesses[0].sector, 3 * 100 * 64);
}

// All counts as large as a scenario allows: no kind wraps or converts what 64 bits do not hold.
TEST(BareKernel, BytesThatLeave64BitsAreRefused) {
  using Kind = BareKernel::Kind;
  constexpr std::int64_t most = 1'000'000'000;
  for (const Kind kind : {Kind::gemm, Kind::grouped_gemm, Kind::moe, Kind::attention, Kind::gather, Kind::scan,
                          Kind::topk, Kind::elementwise}) {
    BareKernel kernel{.kind = kind,
                      .rows = most * most,
                      .columns = most,
                      .depth = most,
                      .experts = 65'536,
                      .spread = 0.3,
                      .keys = most,
                      .entry_bytes = 1e9,
                      .heads = most,
                      .key_width = most,
                      .value_width = most,
                      .queries = most,
                      .picked = most,
                      .values = most,
                      .reads = most,
                      .writes = most};
    EXPECT_THROW(static_cast<void>(lower_kernel(kernel)), sim::OverflowError) << static_cast<int>(kind);
  }
}

TEST(BareKernel, TopKSaysHowManyItKeeps) {
  const Lowered lowered = lower_kernel({.kind = BareKernel::Kind::topk, .rows = 2, .keys = 4096, .picked = 512});
  EXPECT_EQ(lowered.graph.operations()[0].shape.picked, 512);
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
