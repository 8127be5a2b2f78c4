// Which positions of a prefill count, for whom: spans, tails, replays, and what is taken once a sequence.
#include <gtest/gtest.h>

#include "sim/run/tally.hpp"

namespace kvtraffic::sim {
namespace {

// One operation that asks for an entry of 32 B a token, a weight, and what the test adds.
class Prefill : public testing::Test {
 protected:
  Prefill() {
    static_cast<void>(graph.add_layout(Layout::blob("entry", 32)));
    static_cast<void>(graph.add_role("role"));
    static_cast<void>(graph.add_experts({256, 8}));
    layers = graph.add_span({.tail = 0, .replays = true});
    tail = graph.add_span({.tail = 128, .replays = true});
    last = graph.add_span({.tail = 1, .replays = false});
  }
  void add(std::uint32_t span, const Access& access, const Work& work = {}) {
    Operation operation;
    operation.span = span;
    operation.accesses = {access};
    operation.work = {work};
    graph.add_vertex(graph.add_operation(std::move(operation)), -1);
  }
  Tally at(const Point& point) {
    if (!finished) graph.finish();
    finished = true;
    Tally tally;
    tally_point(graph, {}, point, tally);
    return tally;
  }

  StepGraph graph;
  std::uint32_t layers = 0, tail = 0, last = 0;
  bool finished = false;
};

Access counted(Count count, Per per = Per::token) {
  Access access;
  access.count = count;
  access.per = per;
  return access;
}

TEST_F(Prefill, ATailIsTheEndOfThePromptWhateverTheChunk) {
  const auto tokens = [this](std::int64_t first, std::int64_t end) {
    return at(Point::prefill(3, 1000, first, end)).spans[tail].tokens;
  };
  EXPECT_EQ(tokens(1, 1000), 3 * 128);
  EXPECT_EQ(tokens(1, 872), 0);
  EXPECT_EQ(tokens(1, 873), 3);
  EXPECT_EQ(tokens(873, 1000), 3 * 128);
  EXPECT_EQ(tokens(901, 1000), 3 * 100);
  EXPECT_EQ(at(Point::prefill(3, 100, 1, 100)).spans[tail].tokens, 3 * 100);  // all of a short prompt
}

TEST_F(Prefill, ReplayedPositionsAreComputedAgainWhereAnOperationReplays) {
  const Tally tally = at(Point::prefill(2, 1000, 901, 1000, 128));
  EXPECT_EQ(tally.tokens, 2 * 100);
  EXPECT_EQ(tally.spans[layers].tokens, 2 * 228);
  EXPECT_EQ(tally.spans[tail].tokens, 2 * 128);  // 28 of them replayed
  EXPECT_EQ(tally.spans[last].tokens, 2);
}

TEST_F(Prefill, WhatIsCachedIsNotWrittenAgain) {
  Access entry = counted({});
  entry.only_new = true;
  add(layers, entry);
  EXPECT_EQ(at(Point::prefill(2, 1000, 901, 1000, 128)).accesses[0].logical, 2 * 100 * 32);
}

TEST_F(Prefill, AWindowIsCutWhereTheReplayOrTheTailBegins) {
  add(layers, counted({Count::Kind::window, 1, 128}));
  add(tail, counted({Count::Kind::window, 1, 128}));
  const Tally tally = at(Point::prefill(1, 1000, 901, 1000, 128));
  std::int64_t replayed = 0;  // from position 773 on
  for (std::int64_t p = 773; p <= 1000; ++p) replayed += std::min<std::int64_t>(128, p - 772);
  EXPECT_EQ(tally.accesses[0].logical, 32 * replayed);
  EXPECT_EQ(tally.accesses[1].logical, 32 * 128 * 129 / 2);  // 1, 2, ... 128 entries
}

TEST_F(Prefill, AWindowReachesIntoTheCacheWhereNothingIsReplayed) {
  add(0, counted({Count::Kind::window, 1, 128}));
  EXPECT_EQ(at(Point::prefill(1, 1000, 901, 1000)).accesses[0].logical, 32 * 128 * 100);
}

TEST_F(Prefill, AnOperationWithoutTokensDoesNothing) {
  add(last, counted({}, Per::rank), {Precision::bf16, 10, Per::token, {}, 1, 0});
  const Tally tally = at(Point::prefill(1, 1000, 1, 999));
  EXPECT_TRUE(tally.is_idle(graph.operations()[0]));
  EXPECT_EQ(tally.accesses[0].sector, 0);
  EXPECT_EQ(tally.operations[0].flops_total[static_cast<std::size_t>(Precision::bf16)], 0);
}

TEST_F(Prefill, OnceASequenceMeansAtItsLastPosition) {
  const Count entries{Count::Kind::entries, 4, 0};
  add(0, counted(entries, Per::sequence), {Precision::bf16, 10, Per::sequence, entries, 1, 0});
  const Tally tally = at(Point::prefill(3, 1000, 501, 1000));
  EXPECT_EQ(tally.accesses[0].logical, 3 * 250 * 32);
  EXPECT_EQ(tally.operations[0].flops_total[static_cast<std::size_t>(Precision::bf16)], 3 * 250 * 10.0);
}

TEST_F(Prefill, ExpertsAreThoseOfTheTokensThatRunTheLayer) {
  const Tally tally = at(Point::prefill(1, 1000, 1, 1000));
  EXPECT_EQ(tally.distinct_experts[layers], 256);
  EXPECT_EQ(tally.distinct_experts[last], 8);
}

TEST_F(Prefill, ArithmeticOfCausalAttentionIsATriangle) {
  add(0, counted({}), {Precision::bf16, 4, Per::token, {Count::Kind::entries, 1, 0}, 1, 0});
  const Tally tally = at(Point::prefill(2, 1000, 1, 1000));
  EXPECT_EQ(tally.operations[0].flops_total[static_cast<std::size_t>(Precision::bf16)], 2 * 4.0 * 1000 * 1001 / 2);
}

TEST_F(Prefill, RefusesPointsThatAreNone) {
  EXPECT_THROW(at(Point::prefill(1, 100, 1, 101)), std::logic_error);
  EXPECT_THROW(at(Point::prefill(1, 100, 5, 100, 5)), std::logic_error);
}

}  // namespace
}  // namespace kvtraffic::sim
