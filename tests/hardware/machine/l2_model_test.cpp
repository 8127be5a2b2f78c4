// What L2 lets through: reuse by distance, write-back, accesses that run side by side, shared selections, the steady
// state. Bytes are counted in lines; a usable L2 has 1,000 unless a test says otherwise.
#include "hardware/machine/l2_model.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/hardware/machine/step.hpp"

namespace kvtraffic::hardware::testing {
namespace {

using Lines = std::vector<std::int64_t>;
using Start = L2Model::Start;

constexpr std::int64_t line = l2::line_bytes;

Use in_lines(Use use) {
  use.bytes *= line;
  return use;
}
Use loads(std::string region, std::int64_t lines) { return in_lines(reads(std::move(region), lines)); }
Use stores(std::string region, std::int64_t lines) { return in_lines(writes(std::move(region), lines)); }

struct Moved {
  Lines dram;
  Lines evicted;
  Lines left;
};

Lines in_lines(const std::vector<std::int64_t>& bytes) {
  Lines lines;
  for (const std::int64_t b : bytes) lines.push_back(b / line);
  return lines;
}

Moved moved_by(Step& step, std::int64_t usable = 1000, Start start = Start::steady) {
  step.finish();
  AccessTable table;
  table.fill(step.graph, step.tally);
  std::vector<std::int64_t> dram;
  L2Model model(sim::Bytes::of(usable * line));
  model.run(step.graph, table, dram, start);
  return {in_lines(dram), in_lines(model.evicted()), in_lines(model.left())};
}

Lines dram_of(Step& step, std::int64_t usable = 1000) { return moved_by(step, usable).dram; }

std::int64_t sum(const Lines& lines) { return std::accumulate(lines.begin(), lines.end(), std::int64_t{0}); }

TEST(L2Model, HoldsASmallRegionForItsNextRead) {
  Step step;
  step.add({loads("keys", 100)});
  step.add({loads("keys", 100)});
  EXPECT_EQ(dram_of(step), (Lines{100, 0}));
}

TEST(L2Model, NeverHoldsARegionThatDoesNotFit) {
  Step step;
  step.add({loads("keys", 1001)});
  step.add({loads("keys", 1001)});
  const Moved moved = moved_by(step);
  EXPECT_EQ(moved.dram, (Lines{1001, 1001}));
  EXPECT_EQ(moved.evicted, (Lines{0, 1001}));
}

TEST(L2Model, ForgetsBeyondItsSize) {
  for (const std::int64_t between : {900, 901}) {
    Step step;
    step.add({loads("keys", 100), loads("stream", between)});
    step.add({loads("keys", 100)});
    EXPECT_EQ(dram_of(step), (Lines{100, between, between + 100 <= 1000 ? 0 : 100}));
  }
}

TEST(L2Model, HoldsNoMoreThanWasBroughtIn) {
  Step step;
  step.add({transient(stores("scores", 10))});
  step.add({transient(loads("scores", 500))});
  step.add({loads("flush", 1000)});
  EXPECT_EQ(dram_of(step)[1], 490);
}

// The part is found, but to read the rest each line pushes out the one that comes next.
TEST(L2Model, APartDoesNotKeepTheWholeYoung) {
  Step step;
  for (const Use& use : {loads("keys", 500), loads("stream", 400), loads("keys", 50), loads("more", 400)}) {
    step.add({use});
  }
  step.add({loads("keys", 500)});
  EXPECT_EQ(dram_of(step), (Lines{500, 400, 0, 400, 450}));
}

TEST(L2Model, WritesOnceWhatIsOverwrittenInTime) {
  Step step;
  step.add({stores("state", 100)});
  step.add({loads("state", 100), stores("state", 100)});
  EXPECT_EQ(dram_of(step), (Lines{0, 100, 100}));
}

TEST(L2Model, WritesTwiceWhatIsOverwrittenLate) {
  Step step;
  step.add({stores("state", 100)});
  step.add({loads("stream", 901)});
  step.add({stores("state", 100)});
  // One line had to make room; to write it again the next one has to, and so on.
  EXPECT_EQ(dram_of(step), (Lines{100, 901, 100}));
}

TEST(L2Model, WritesTheTailThatALaterWriteDoesNotCover) {
  Step step;
  step.add({stores("state", 100)});
  step.add({stores("state", 30)});
  EXPECT_EQ(dram_of(step), (Lines{70, 30}));
}

TEST(L2Model, KeepsTransientBytesOfASmallStepForGood) {
  Step step;
  step.add({transient(stores("hidden", 100))});
  step.add({transient(loads("hidden", 100))});
  EXPECT_EQ(dram_of(step), (Lines{0, 0}));
}

TEST(L2Model, SpillsTransientBytesThatDoNotFit) {
  Step step;
  step.add({transient(stores("scores", 2000))});
  step.add({transient(loads("scores", 2000))});
  const Moved moved = moved_by(step);
  EXPECT_EQ(moved.dram, (Lines{2000, 2000}));
  EXPECT_EQ(moved.evicted, (Lines{0, 2000}));
}

TEST(L2Model, AlwaysMovesWhatTheRooflineCallsCompulsory) {
  Step step;  // fits altogether, so every step would find it in L2
  step.add({loads("weight", 100), stores("state", 50)});
  const Moved moved = moved_by(step);
  EXPECT_EQ(moved.dram, (Lines{100, 50}));
  EXPECT_EQ(moved.evicted, (Lines{0, 0}));
}

TEST(L2Model, LeavesHostMemoryAlone) {
  Step step;
  step.add({loads("keys", 500), on_host(loads("table", 5000))});
  step.add({loads("keys", 500)});
  EXPECT_EQ(dram_of(step), (Lines{500, 0, 0}));
}

TEST(L2Model, WithoutL2EverythingMoves) {
  Step step;
  step.add({loads("keys", 100), transient(stores("hidden", 10))});
  step.add({loads("keys", 100), transient(loads("hidden", 10))});
  EXPECT_EQ(dram_of(step, 0), (Lines{100, 10, 100, 10}));
}

// ---- at the start ----

TEST(L2Model, AColdStepPaysForNothingOfTheStepBefore) {
  Step step;
  step.add({loads("weight", 950)});
  step.add({transient(stores("hidden", 100))});
  const Moved cold = moved_by(step, 1000, Start::cold);
  EXPECT_EQ(cold.dram, (Lines{950, 0}));
  EXPECT_EQ(cold.left, (Lines{0, 100}));
  const Moved steady = moved_by(step);
  EXPECT_EQ(steady.dram, (Lines{950, 100}));  // what was left makes room
  EXPECT_EQ(steady.left, (Lines{0, 0}));
}

// Scores of lines that each vertex of a step reads or writes; none has to reach DRAM.
void add_random_step(Step& step, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int vertex = 0; vertex < 12; ++vertex) {
    std::vector<Use> uses;
    for (std::uint64_t i = random() % 4; i > 0; --i) {
      const auto lines = static_cast<std::int64_t>(random() % 40);
      Use use = loads("r" + std::to_string(random() % 6), lines);
      if (random() % 3 == 0) use.direction = sim::Direction::write;
      uses.push_back(transient(use));
    }
    step.add(uses);
  }
}

// The third of four equal steps, the first of which found nothing, is any step of a long row.
TEST(L2Model, ASteadyStepIsOneOfALongRow) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Step one;
    add_random_step(one, seed);
    Step row;
    for (int i = 0; i < 4; ++i) add_random_step(row, seed);
    const std::int64_t usable = static_cast<std::int64_t>(seed % 80) + 1;
    const Moved steady = moved_by(one, usable);
    const Moved all = moved_by(row, usable, Start::cold);
    const auto each = static_cast<std::ptrdiff_t>(steady.dram.size());
    const auto third = [&](const Lines& lines) { return Lines(lines.begin() + 2 * each, lines.begin() + 3 * each); };
    ASSERT_EQ(steady.dram, third(all.dram)) << seed;
    ASSERT_EQ(steady.evicted, third(all.evicted)) << seed;
  }
}

// ---- side by side ----

constexpr std::int64_t large = 400'000;  // lines: 51.2 MB, so that accesses take eight turns

TEST(L2Model, AccessesOfAnOperationTakeTurns) {
  Step step;
  step.add({transient(stores("out", 8000))});
  step.add({loads("stream", large), transient(loads("out", 8000))});
  // Before an eighth of "out" has its turn, those before it and as many eighths of the stream have passed, of 50,000
  // lines each; L2 has room for "out" and 75,000 lines. Two eighths are found, the others are pushed out by then.
  EXPECT_EQ(dram_of(step, 8000 + 75'000)[2], 6000);
}

TEST(L2Model, WhatTilesOfAGemmReadAgainStays) {
  for (const bool is_gemm : {true, false}) {
    Step step;
    sim::Operation operation;
    operation.kind = is_gemm ? sim::OperationKind::gemm : sim::OperationKind::grouped_gemm;
    step.add({transient(stores("input", 5000))});
    step.add(operation, {loads("weight", large), transient(loads("input", 5000))});
    step.add({transient(loads("input", 5000))});
    const Lines dram = dram_of(step, 80'000);
    EXPECT_EQ(dram[0], is_gemm ? 0 : 5000);
    EXPECT_EQ(dram[2] == 0, is_gemm);
    EXPECT_EQ(dram[3] == 0, is_gemm);
  }
}

// ---- selections ----

// Layers of one cache; each picks `picked` of `there` entries of a line. Equal sources: the same entries.
struct Layers {
  std::vector<std::int32_t> sources;
  std::int64_t picked = 100;
  std::int64_t there = 1000;
};

Lines read_by(const Layers& layers, double alike, std::int64_t usable = 1000) {
  sim::StepGraph graph;
  sim::Operation attend;
  sim::Access access;
  access.layout = graph.add_layout(sim::Layout::blob("entry", line));
  access.role = graph.add_role("main");
  access.owner = sim::Owner::kv_source;
  access.pattern = sim::Pattern::gather;
  attend.accesses = {access};
  const std::uint32_t operation = graph.add_operation(attend);
  for (const std::int32_t source : layers.sources) {
    graph.add_layer({"csa2", "", 0, source});
    graph.add_vertex(operation, static_cast<std::int32_t>(graph.layers().size()) - 1);
  }
  graph.finish();
  AccessTable table;
  AccessCost cost;
  cost.bytes = cost.footprint = cost.compulsory = layers.picked * line;
  cost.lines = layers.picked;
  cost.pool = layers.there * line;
  table.costs = {cost};
  table.ranges = {{0, 1}};
  std::vector<std::int64_t> dram;
  L2Model(sim::Bytes::of(usable * line), alike).run(graph, table, dram);
  return in_lines(dram);
}

TEST(L2Model, LayersThatShareASelectionReadItOnce) {
  EXPECT_EQ(read_by({.sources = {0, 0, 0}}, 0), (Lines{100, 0, 0}));
}

TEST(L2Model, OtherSelectionsFindWhatChanceGives) {
  // 100 of 1,000 entries are there: a tenth of the next 100. Then 190 are: 19 of the next.
  EXPECT_EQ(read_by({.sources = {0, 1, 2, 2}}, 0), (Lines{100, 90, 81, 0}));
}

TEST(L2Model, OtherSelectionsFindWhatIsSaidToBeAlike) {
  EXPECT_EQ(read_by({.sources = {0, 1}}, 0.3), (Lines{100, 70}));
  EXPECT_EQ(read_by({.sources = {0, 1}}, 0.05), (Lines{100, 90})) << "chance gives more";
  EXPECT_EQ(read_by({.sources = {0, 1}}, 1), (Lines{100, 0}));
}

TEST(L2Model, WhatIsAlikeMustStillBeHeld) {
  // 50 lines: half of the first selection is left when the second asks for it.
  EXPECT_EQ(read_by({.sources = {0, 1}}, 0.3, 50), (Lines{100, 85}));
}

TEST(L2Model, ASelectionOfEverythingIsTheSameForAll) {
  EXPECT_EQ(read_by({.sources = {0, 1}, .picked = 100, .there = 100}, 0), (Lines{100, 0}));
}

// ---- what always holds ----

void add_any_step(Step& step, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int vertex = 0; vertex < 20; ++vertex) {
    sim::Operation operation;
    operation.kind = random() % 2 == 0 ? sim::OperationKind::gemm : sim::OperationKind::elementwise;
    std::vector<Use> uses;
    for (std::uint64_t i = random() % 5; i > 0; --i) {
      Use use =
          reads("r" + std::to_string(random() % 10), static_cast<std::int64_t>(random() % 60'000'000 >> random() % 20));
      if (random() % 3 == 0) use.direction = sim::Direction::write;
      if (random() % 2 == 0) {
        use.region += "t";
        use.transient = true;
      }
      uses.push_back(use);
    }
    step.add(operation, uses);
  }
  step.finish();
}

TEST(L2Model, ALargerOneNeverMovesMore) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const Start start : {Start::steady, Start::cold}) {
      Step step;
      add_any_step(step, seed);
      AccessTable table;
      table.fill(step.graph, step.tally);
      std::int64_t before = INT64_MAX;
      for (const std::int64_t usable : {0, 100'000, 1'000'000, 3'000'000, 10'000'000, 100'000'000}) {
        std::vector<std::int64_t> dram;
        L2Model(sim::Bytes::of(usable)).run(step.graph, table, dram, start);
        ASSERT_LE(sum(dram), before) << seed;
        before = sum(dram);
      }
    }
  }
}

TEST(L2Model, MovesNoMoreThanIsAskedFor) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Step step;
    add_any_step(step, seed);
    AccessTable table;
    table.fill(step.graph, step.tally);
    std::vector<std::int64_t> dram;
    L2Model model(sim::Bytes::of(2'000'000));
    model.run(step.graph, table, dram, Start::cold);
    for (std::size_t i = 0; i < dram.size(); ++i) {
      ASSERT_GE(model.evicted()[i], 0);
      ASSERT_LE(model.evicted()[i], dram[i]);
      // A write's last sector may be a longer write's, too.
      ASSERT_LE(dram[i] + model.left()[i], table.costs[i].bytes + (table.costs[i].write ? 31 : 0)) << seed << " " << i;
    }
  }
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
