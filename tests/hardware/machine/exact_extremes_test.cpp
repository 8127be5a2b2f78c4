// Every DRAM command of kernels that no model would write: nothing at all, single bytes, more than the part holds. Each
// ends, and each transaction is served once. Leaves out time (exact_test.cpp).
#include <gtest/gtest.h>

#include "hardware/machine/cycle.hpp"
#include "tests/hardware/hbm/parts.hpp"
#include "tests/hardware/machine/exact_rig.hpp"
#include "tests/hardware/machine/random_steps.hpp"

namespace kvtraffic::hardware::testing {
namespace {

hbm::Part h100() { return hbm::part_named("hbm3-h100"); }

// Runs the step command by command; returns the transactions served, which are those that its flows ask for.
std::int64_t served(Step& step, const hbm::Part& part = h100()) {
  step.finish();
  ExactRig rig(hardware_on(part).device, part);
  const sim::Outcome outcome = rig.run(step);
  EXPECT_EQ(rig.served(), rig.asked());
  for (const auto& [bound, busy] : outcome.busy) EXPECT_LE(busy, 1 + 1e-9);
  for (const sim::VertexTime& time : outcome.vertices) EXPECT_GE(time.end, time.start);
  return rig.served();
}

TEST(ExactExtremes, ServesEveryTransactionOfRandomStepsOnce) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Step step = random_step(seed, 4 + seed % 18);
    static_cast<void>(served(step));
  }
}

TEST(ExactExtremes, ARegionOfNothingIsNotRead) {
  Step step;
  step.add({reads("nothing", 0), writes("neither", 0)});
  step.add_gemm(100, 1e6, {picks("none", 0, 576)});
  EXPECT_EQ(served(step), 0);
}

TEST(ExactExtremes, OneByteIsOneTransaction) {
  for (const std::int64_t tiles : {1, 7, 3000}) {
    Step step;
    step.add_gemm(tiles, 0, {reads("a", 1), reads("b", 1), writes("c", 1), picks("d", 1, 1)});
    EXPECT_EQ(served(step), 4);
  }
}

TEST(ExactExtremes, BytesThatAreNoMultipleAreRoundedUp) {
  Step step;
  step.add_gemm(997, 0, {reads("a", 33), reads("b", 1'000'001), writes("c", 65), picks("d", 777, 33)});
  EXPECT_EQ(served(step), 2 + 31251 + 3 + sim::ceil_divide(777 * 33, 32));
}

// Few bytes and many small lanes, which are left over while another kernel has the other SMs: shares of a few tiles
// round to no byte at all.
TEST(ExactExtremes, FewBytesOfManyTilesAreAllServed) {
  for (std::int64_t bytes = 1; bytes < 260; bytes += 3) {
    SCOPED_TRACE(bytes);
    Step step;
    for (int i = 0; i < 4; ++i) step.add_gemm(97 - 13 * i, 1e8, {reads("long" + std::to_string(i), 1000)});
    step.add_gemm(1000, 1e6, {reads("few", bytes), reads("fewer", bytes / 2), writes("out", bytes)});
    static_cast<void>(served(step));
  }
}

// A gather of more picks than its pool has entries picks all of them, again and again.
TEST(ExactExtremes, MorePicksThanEntriesReadThemAgain) {
  Step step;
  Use use = picks("pool", 5000, 576);
  use.count = {sim::Count::Kind::capped, 1, 4000};  // of a context of one token: a pool of one entry
  step.add_gemm(500, 0, {use});
  EXPECT_EQ(served(step), 5000 * 576 / 32);
}

// The part begins again at its first byte.
TEST(ExactExtremes, FlowsLargerThanThePartWrap) {
  hbm::Part part = h100();
  part.geometry.stacks = 1;
  part.geometry.rows = 64;  // of 16,384
  const std::int64_t capacity = part.geometry.capacity().count();
  Step step;
  step.add_gemm(2000, 0, {reads("a", 2 * capacity + 100), picks("b", capacity / 576 / 2, 576)});
  step.add_gemm(2000, 0, {reads("beyond", 1000), writes("far", capacity / 3)});
  EXPECT_GT(served(step, part), 2 * capacity / 32);
}

TEST(ExactExtremes, GranulesOfSixtyFourBytesServeHalfAsManyTransactions) {
  hbm::Part part = h100();
  part.geometry.transaction_bytes = 64;
  part.geometry.columns /= 2;
  Step step;
  step.add_gemm(300, 0, {reads("a", mega), writes("b", 100'001), picks("c", 1000, 96), picks("d", 100, 32)});
  EXPECT_EQ(served(step, part), mega / 64 + 1563 + 1500 + 50);  // the last two: 96,000 and 3,200 bytes
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Step random = random_step(seed, 20);
    static_cast<void>(served(random, part));
  }
}

TEST(ExactExtremes, KernelsThatOnlyWriteEnd) {
  Step step;
  step.add_gemm(1000, 0, {writes("a", 10 * mega)});
  step.add({writes("b", 77)});
  step.after(0, 1);
  EXPECT_EQ(served(step), 10 * mega / 32 + 3);
}

TEST(ExactExtremes, AFoldedKernelIsServedWithoutALaunch) {
  Step step;
  step.add_gemm(100, 0, {reads("a", mega)});
  sim::Operation folded;
  folded.folded = true;
  step.add(folded, {reads("b", 64 * 1000), writes("c", 64)});
  step.after(0, 1);
  EXPECT_EQ(served(step), mega / 32 + 2000 + 2);
}

// 128 rows in two rows of tiles, of which the second fetches half of the weights once more: L2 does not count them.
TEST(ExactExtremes, WeightsThatTilesFetchAgainAreServedAgain) {
  sim::KernelPlan plan = sim::test::round_plan();
  sim::KernelClass its;
  its.kind = sim::OperationKind::gemm;
  its.split = sim::SplitRule::deepgemm_2026;
  its.refetch = 0.5;
  plan.classes = {its};
  sim::Operation product;
  product.kind = sim::OperationKind::gemm;
  product.shape.columns = 5376;
  product.shape.depth = 1024;
  Use weights = reads("weights", 8 * mega);
  weights.kind = sim::DataKind::weight;
  Step step;
  step.add(product, {weights, reads("input", mega)});
  step.finish();
  step.tally.spans = {{{1, 1, 0}, 128, 128}};
  ExactRig rig(hardware_on(h100()).device, h100(), plan);
  const sim::Outcome outcome = rig.run(step);
  EXPECT_EQ(rig.served(), rig.asked());
  EXPECT_EQ(rig.served() * 32, (8 + 4 + 1) * mega);
  EXPECT_EQ(outcome.dram, (std::vector<std::int64_t>{8 * mega, mega}));
}

// Bytes that lie in one granule and are asked for a hundred thousand times, as without L2.
TEST(ExactExtremes, OneGranuleReadOverAndOverEnds) {
  const hbm::Part part = h100();
  Device device = hardware_on(part).device;
  device.l2_usable = 0;
  Step step;
  step.add_gemm(1000, 0, {reads("a", 3'200'000)});
  step.finish();
  step.tally.accesses.back().footprint = 32;
  ExactRig rig(device, part);
  static_cast<void>(rig.run(step));
  EXPECT_EQ(rig.served(), rig.asked());
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
