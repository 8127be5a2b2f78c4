// How operations are cut into tiles: one rule per kind, splits only for SMs that would idle.
#include "sim/plan/tiling.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::sim {
namespace {

constexpr std::int64_t sms = 132;

struct Case {
  Case() { plan.gemm_depth = 4096; }

  std::int64_t tiles() {
    StepGraph graph = step();
    return tiles_of(plan, graph, 0, tally, sms);
  }
  Cut cut(const KernelClass& its) {
    StepGraph graph = step();
    return cut_of(plan, its, graph, 0, tally, sms);
  }

  StepGraph step() {
    StepGraph graph;
    (void)graph.add_experts({256, 8});
    (void)graph.add_operation(operation);
    graph.finish();
    tally.spans = {{{tally.point.first, tally.point.last, 0}, tally.tokens, tally.tokens_device}};
    return graph;
  }

  void tokens(std::int64_t count) { tally.tokens = tally.tokens_device = count; }
  void context(std::int64_t positions) { tally.point = Point::decode(1, positions); }

  KernelPlan plan = test::round_plan();
  Operation operation;
  Tally tally;
};

Case gemm(std::int64_t tokens, std::int64_t columns, std::int64_t depth) {
  Case c;
  c.operation.kind = OperationKind::gemm;
  c.operation.shape.columns = columns;
  c.operation.shape.depth = depth;
  c.tokens(tokens);
  return c;
}

TEST(Tiling, GemmIsCutIntoRowsAndColumns) {
  EXPECT_EQ(gemm(64, 128 * 200, 4096).tiles(), 200);
  EXPECT_EQ(gemm(65, 128 * 200, 4096).tiles(), 400);
  EXPECT_EQ(gemm(64, 128 * 200 + 1, 4096).tiles(), 201);
}

TEST(Tiling, GemmIsSplitAlongItsDepthForIdleSms) {
  EXPECT_EQ(gemm(1, 128 * 10, 4096).tiles(), 10);          // too short to split
  EXPECT_EQ(gemm(1, 128 * 10, 3 * 4096).tiles(), 30);      // three parts of the least depth
  EXPECT_EQ(gemm(1, 128 * 10, 100 * 4096).tiles(), 130);   // thirteen parts fit 132 SMs
  EXPECT_EQ(gemm(1, 128 * 100, 100 * 4096).tiles(), 100);  // two parts would take a second wave
}

TEST(Tiling, TensorRanksShareColumns) {
  Case c = gemm(1, 128 * 200, 4096);
  c.operation.work.push_back({});
  c.operation.work.back().ways = divides_freely;
  c.tally.deployment.devices = c.tally.deployment.tensor = 8;
  EXPECT_EQ(c.tiles(), 200 / 8);
  c.operation.work.back().ways = 1;
  EXPECT_EQ(c.tiles(), 200);
}

TEST(Tiling, EachExpertHasItsOwnRows) {
  Case c;
  c.operation.kind = OperationKind::grouped_gemm;
  c.operation.shape.columns = 128 * 4;
  c.tokens(1024);
  c.tally.distinct_experts = {256};
  c.tally.distinct_experts_device = {32};
  EXPECT_EQ(c.tiles(), 32 * 1 * 4);  // 1024 x 8 pairs over 256 experts: 32 rows of 64
  c.tokens(4096);
  EXPECT_EQ(c.tiles(), 32 * 2 * 4);  // 128 rows
}

TEST(Tiling, DrawnExpertsFillTheirTilesEachForItself) {
  Case c;
  c.operation.kind = OperationKind::grouped_gemm;
  c.operation.shape.columns = 128 * 4;
  c.tokens(1024);
  c.tally.distinct_experts = {256};
  c.tally.distinct_experts_device = {32};
  ExpertLoad load;
  load.distinct = {256, 32};
  load.pairs_device = 1024;
  load.row_tiles_64 = 41;
  load.row_tiles_128 = 35;
  c.tally.drawn = {load};
  EXPECT_EQ(c.tiles(), 41 * 4);
  c.plan.gemm_rows = 128;
  EXPECT_EQ(c.tiles(), 35 * 4);
}

Case attention(std::int64_t requests, std::int64_t keys, std::int64_t heads = 64) {
  Case c;
  c.operation.kind = OperationKind::attention;
  c.operation.shape.heads = heads;
  c.operation.shape.keys = {Count::Kind::entries, 1, 0};
  c.tokens(requests);
  c.context(keys);
  return c;
}

TEST(Tiling, AttentionIsSplitAlongKeysForIdleSms) {
  EXPECT_EQ(attention(1, 63).tiles(), 1);
  EXPECT_EQ(attention(1, 1024).tiles(), 16);  // pieces of 64 entries
  EXPECT_EQ(attention(1, 128 * 1024).tiles(), 132);
  EXPECT_EQ(attention(50, 128 * 1024).tiles(), 100);
  EXPECT_EQ(attention(128, 128 * 1024).tiles(), 128);
  EXPECT_EQ(attention(128, 128 * 1024, 65).tiles(), 256);
}

TEST(Tiling, ScanIsCutAlongKeys) {
  Case c = attention(3, 1000);
  c.operation.kind = OperationKind::scan;
  EXPECT_EQ(c.tiles(), 3 * 4);  // 256 keys each
}

TEST(Tiling, TopKHasATileForEachRow) {
  Case c = attention(7, 1000);
  c.operation.kind = OperationKind::topk;
  EXPECT_EQ(c.tiles(), 7);
}

// On 132 SMs 16 rows of eight blocks run at once, 17 do not.
TEST(Tiling, TopKSpreadsRowsOverBlocksOnlyWhileAllRunAtOnce) {
  KernelClass its{.kind = OperationKind::topk, .keys = 100, .blocks = 8};
  for (const auto& [rows, blocks] : {std::pair<std::int64_t, std::int64_t>{1, 8}, {16, 8}, {17, 1}, {1024, 1}}) {
    Case c = attention(rows, 8000);
    c.operation.kind = OperationKind::topk;
    const Cut cut = c.cut(its);
    EXPECT_EQ(cut.tiles, rows * blocks) << rows;
    EXPECT_EQ(cut.blocks, 8000 / blocks / 100) << rows;
  }
}

TEST(Tiling, EverythingElseIsCutByBytes) {
  for (const auto& [bytes, tiles] : {std::pair<std::int64_t, std::int64_t>{0, 1}, {32768, 1}, {32769, 2}}) {
    Case c;
    c.tally.spans.resize(1);
    StepGraph graph;
    Access access;
    access.layout = graph.add_layout(Layout::blob("bytes", 1));
    access.role = graph.add_role("a");
    c.operation.accesses = {access, access};
    (void)graph.add_operation(c.operation);
    graph.finish();
    c.tally.accesses.resize(2);
    c.tally.accesses[0].device = bytes / 2;
    c.tally.accesses[1].device = bytes - bytes / 2;
    EXPECT_EQ(tiles_of(c.plan, graph, 0, c.tally, sms), tiles) << bytes;
  }
}

TEST(Tiling, PrefillLooksAtTheMeanOfItsPositions) {
  Case c = attention(1, 1);
  c.operation.kind = OperationKind::scan;
  c.tally.point.first = 1;
  c.tally.point.last = 2048;
  c.tokens(2048);
  EXPECT_EQ(c.tiles(), 2048 * 5);  // 1,025 keys
}

}  // namespace
}  // namespace kvtraffic::sim
