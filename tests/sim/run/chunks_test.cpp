// Sums over the chunks of a prefill: bytes, work and the common timeline.
#include "sim/run/chunks.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/sim/run/any_step.hpp"

namespace kvtraffic::sim {
namespace {

RC_GTEST_PROP(ChunkSum, AddsUpBytesAndTokensOfItsChunks, ()) {
  const StepGraph graph = any_step(true);
  const Deployment deployment = any_deployment();
  Point chunk = any_chunk();
  chunk.replay = 0;
  const std::int64_t middle = chunk.first + (chunk.last - chunk.first) / 2;
  RC_PRE(middle < chunk.last);
  const Tally front = tallied(graph, deployment, Point::prefill(chunk.batch, chunk.context, chunk.first, middle));
  const Tally back = tallied(graph, deployment, Point::prefill(chunk.batch, chunk.context, middle + 1, chunk.last));
  Tally sum = front;
  add_chunk(back, sum);
  RC_ASSERT(sum.tokens == chunk.batch * (chunk.last - chunk.first + 1));
  for (std::size_t i = 0; i < sum.accesses.size(); ++i) {
    RC_ASSERT(sum.accesses[i].logical == front.accesses[i].logical + back.accesses[i].logical);
    RC_ASSERT(sum.accesses[i].sector == front.accesses[i].sector + back.accesses[i].sector);
  }
  const Tally whole = tallied(graph, deployment, chunk);
  for (std::size_t s = 0; s < sum.spans.size(); ++s) {
    RC_ASSERT(sum.spans[s].tokens == whole.spans[s].tokens);
    if (whole.spans[s].tokens == 0) continue;
    RC_ASSERT(sum.spans[s].at.first == whole.spans[s].at.first);
    RC_ASSERT(sum.spans[s].at.last == whole.spans[s].at.last);
  }
}

Instant at(std::int64_t femtoseconds) { return Instant::at_femtoseconds(femtoseconds); }
Duration lasting(std::int64_t femtoseconds) { return Duration::of_femtoseconds(femtoseconds); }

TEST(OutcomeSum, LaysChunksBehindOneAnother) {
  OutcomeSum sum;
  sum.add({lasting(300),
           Bound::hbm,
           {10, 0},
           {{at(0), at(100), Bound::hbm}, {at(100), at(300), Bound::l2}},
           {{Bound::hbm, 1.0}}});
  sum.add({lasting(100),
           Bound::link,
           {5, 1},
           {{at(0), at(20), Bound::link}, {at(20), at(100), Bound::link}},
           {{Bound::hbm, 0.0}}});
  EXPECT_EQ(sum.sum().total, lasting(400));
  EXPECT_EQ(sum.sum().bound_by, Bound::hbm);  // for 300 of 400
  EXPECT_EQ(sum.sum().dram, (std::vector<std::int64_t>{15, 1}));
  EXPECT_EQ(sum.sum().vertices[1].start, at(120));
  EXPECT_EQ(sum.sum().vertices[1].end, at(400));
  EXPECT_EQ(sum.sum().vertices[1].bound_by, Bound::l2);  // where it took longer
  EXPECT_DOUBLE_EQ(sum.sum().busy[0].second, 0.75);
}

Outcome told_of(double moving, double refreshing, std::vector<ServedMix> mixes, std::int64_t left_open) {
  Outcome outcome;
  outcome.total = lasting(1000);
  outcome.sampling_error = static_cast<double>(left_open) / 1000;
  outcome.dram_told.causes = {{"data_bus", moving}, {"refresh", refreshing}};
  outcome.dram_told.vertices = {{moving + refreshing, refreshing}};
  outcome.dram_told.mixes = std::move(mixes);
  outcome.dram_told.slow = lasting(1000 + left_open);
  outcome.dram_told.fast = lasting(1000);
  outcome.dram_told.left_open = lasting(left_open);
  return outcome;
}

ServedMix mix(bool write, double seconds) { return {.shares = {{write, 0, 1}}, .seconds = seconds, .windows = 8}; }

TEST(OutcomeSum, AddsUpWhatDramTold) {
  OutcomeSum sum;
  sum.add(told_of(3, 1, {mix(false, 4)}, 20));
  sum.add(told_of(6, 1, {mix(true, 2), mix(false, 5)}, 30));
  const DramTold& told = sum.sum().dram_told;
  EXPECT_EQ(told.causes[0], (std::pair<std::string_view, double>("data_bus", 9)));
  EXPECT_EQ(told.causes[1].second, 2);
  EXPECT_EQ(told.vertices[0].all, 4 + 7);
  EXPECT_EQ(told.vertices[0].rows, 1 + 1);
  ASSERT_EQ(told.mixes.size(), 2U);  // reads of both chunks are one
  EXPECT_EQ(told.mixes[0].seconds, 4 + 5);
  EXPECT_EQ(told.slow, lasting(2050));
  EXPECT_EQ(told.left_open, lasting(50));
  EXPECT_DOUBLE_EQ(sum.sum().sampling_error, 50.0 / 2000);
}

TEST(ChunkSum, RefusesAnotherStepsChunk) {
  Tally sum;
  Tally other;
  other.accesses.emplace_back();
  EXPECT_THROW(add_chunk(other, sum), std::logic_error);
}

}  // namespace
}  // namespace kvtraffic::sim
