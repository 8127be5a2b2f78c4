// The order of components within an instant cannot be noticed, and the fast loop does what the obvious one does.
// Leaves out speed; see tests/bench/kernel_bench.cpp.
#include <gtest/gtest.h>

#include "tests/sim/kernel/network.hpp"

namespace kvtraffic::sim::testing {
namespace {

constexpr std::uint32_t nodes = 12;
constexpr int letters_each = 40;

// Asks everybody before every instant; no tournament, no notices from ports.
void run_obviously(Network& network) {
  for (;;) {
    Instant now = Instant::never();
    for (const Node& node : network.nodes) now = std::min(now, node.wake());
    if (now == Instant::never()) return;
    std::vector<Node*> due;
    for (Node& node : network.nodes) {
      if (node.wake() == now) due.push_back(&node);
    }
    for (Node* node : due) node->advance(now);
  }
}

std::vector<std::vector<Received>> obvious_logs(std::uint64_t seed) {
  Network network(nodes, seed, letters_each);
  run_obviously(network);
  return network.logs();
}

class RandomNetwork : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomNetwork, ::testing::Range(std::uint64_t{1}, std::uint64_t{9}));

TEST_P(RandomNetwork, DeliversEveryLetter) {
  std::size_t received = 0;
  for (const auto& log : obvious_logs(GetParam())) received += log.size();
  EXPECT_EQ(received, nodes * std::size_t{letters_each});
}

TEST_P(RandomNetwork, RunsInTheFastLoopAsInTheObviousOne) {
  Network network(nodes, GetParam(), letters_each);
  Loop loop;
  network.join(loop);
  EXPECT_EQ(loop.run().ending, Ending::Idle);
  EXPECT_EQ(network.logs(), obvious_logs(GetParam()));
}

TEST_P(RandomNetwork, DoesNotNoticeTheOrderWithinAnInstant) {
  const auto expected = obvious_logs(GetParam());
  for (std::uint64_t order = 0; order < 50; ++order) {
    Network network(nodes, GetParam(), letters_each);
    Loop loop;
    loop.set_order_seed(order);
    network.join(loop);
    loop.run();
    ASSERT_EQ(network.logs(), expected) << "order seed " << order;
  }
}

TEST_P(RandomNetwork, MayBeRunInSlices) {
  Network network(nodes, GetParam(), letters_each);
  Loop loop;
  network.join(loop);
  std::int64_t limit = 0;
  while (loop.run(Instant::at_femtoseconds(limit)).ending == Ending::Limit) limit += 7;
  EXPECT_EQ(network.logs(), obvious_logs(GetParam()));
}

// Without this the shuffling test could pass by shuffling nothing.
TEST(OrderSeed, ChangesTheTurnsWithinAnInstant) {
  struct Witness : Component {
    Witness(std::string name, std::string& turns) : Component(std::move(name)), turns_(turns) {}
    Instant wake() const override { return next_; }
    void advance(Instant) override {
      turns_ += name();
      next_ = Instant::never();
    }
    std::string& turns_;
    Instant next_;
  };
  const auto turns_with = [](std::optional<std::uint64_t> seed) {
    std::string turns;
    Witness a("a", turns), b("b", turns), c("c", turns), d("d", turns);
    Loop loop;
    if (seed) loop.set_order_seed(*seed);
    for (Witness* witness : {&a, &b, &c, &d}) loop.add(*witness);
    loop.run();
    return turns;
  };
  EXPECT_EQ(turns_with(std::nullopt), "abcd");
  bool differs = false;
  for (std::uint64_t seed = 0; seed < 10; ++seed) differs |= turns_with(seed) != "abcd";
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace kvtraffic::sim::testing
