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

TEST(ChunkSum, RefusesAnotherStepsChunk) {
  Tally sum;
  Tally other;
  other.accesses.emplace_back();
  EXPECT_THROW(add_chunk(other, sum), std::logic_error);
}

}  // namespace
}  // namespace kvtraffic::sim
