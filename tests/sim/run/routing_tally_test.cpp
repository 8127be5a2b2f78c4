// Bytes, arithmetic and messages where the experts of tokens are drawn, each from the tokens that were drawn.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/run/chunks.hpp"
#include "sim/run/tally.hpp"
#include "sim/units/quantity.hpp"
#include "tests/sim/run/any_step.hpp"

namespace kvtraffic::sim {
namespace {

constexpr ExpertSet experts{64, 6, 16};
constexpr std::int64_t entry = 96;

Deployment devices(std::int64_t tensor, std::int64_t data, std::int64_t expert) {
  Deployment d;
  d.devices = tensor * data;
  d.tensor = tensor;
  d.data = data;
  d.expert = expert;
  return d;
}

Routing drawn(double skew = 1, std::uint64_t seed = 5) { return {.is_drawn = true, .seed = seed, .skew = skew}; }

Point drawn_decode(std::int64_t batch, const Routing& routing = drawn()) {
  Point point = Point::decode(batch, 100);
  point.routing = routing;
  return point;
}

Access access(Per per, Place place = Place::device, bool at_home = false) {
  Access a;
  a.per = per;
  a.place = place;
  a.at_home = at_home;
  a.ways = per == Per::expert ? divides_freely : 1;
  return a;
}

// Reads experts on the device (0) and on the host (1), tokens of experts (2) and the same at home (3); multiplies; and
// a dispatch.
StepGraph step() {
  StepGraph graph;
  static_cast<void>(graph.add_layout(Layout::blob("entry", entry)));
  static_cast<void>(graph.add_role("role"));
  static_cast<void>(graph.add_experts(experts));
  Operation operation;
  operation.accesses = {access(Per::expert), access(Per::expert, Place::host), access(Per::routed),
                        access(Per::routed, Place::device, true)};
  operation.work = {{Precision::fp8, 10, Per::routed, {}, divides_freely, 0}};
  operation.collective = {Collective::Kind::dispatch, 1000};
  graph.add_vertex(graph.add_operation(operation), -1);
  graph.finish();
  return graph;
}

ExpertLoad load_at(const Point& point, const Deployment& where, std::int64_t tokens) {
  return load_of(draw_tokens(experts, point.routing, {}, tokens), experts, where);
}

TEST(DrawnTally, ReadsTheExpertsThatWereDrawn) {
  const Point point = drawn_decode(9);
  const Deployment where = devices(2, 4, 4);  // two devices share each expert
  const ExpertLoad load = load_at(point, where, 9);
  const Tally tally = tallied(step(), where, point);
  EXPECT_EQ(tally.distinct_experts.at(0), load.distinct.total);
  EXPECT_EQ(tally.distinct_experts_device.at(0), load.distinct.device);
  EXPECT_EQ(tally.accesses.at(0).logical, load.in_device_memory.total * entry);
  EXPECT_EQ(tally.accesses.at(0).device, load.in_device_memory.device * entry / 2);
  EXPECT_EQ(tally.accesses.at(1).logical, load.in_host_memory.total * entry);
  EXPECT_EQ(tally.accesses.at(1).device, load.in_host_memory.device * entry / 2);
  EXPECT_GT(load.in_host_memory.total, 0);
}

TEST(DrawnTally, CountsThePairsOfTheFullestDevice) {
  const Point point = drawn_decode(9);
  const Deployment where = devices(1, 8, 8);
  const ExpertLoad load = load_at(point, where, 9);
  const Tally tally = tallied(step(), where, point);
  EXPECT_EQ(tally.accesses.at(2).logical, 9 * 6 * entry);
  EXPECT_EQ(tally.accesses.at(2).device, load.pairs_device * entry);
  EXPECT_EQ(tally.accesses.at(3).logical, 9 * 6 * entry);
  EXPECT_EQ(tally.accesses.at(3).device, ceil_divide(9 * 6, 8) * entry) << "at home all have as many";
  const auto fp8 = static_cast<std::size_t>(Precision::fp8);
  EXPECT_EQ(tally.operations.at(0).flops.at(fp8), 10.0 * static_cast<double>(load.pairs_device));
  EXPECT_EQ(tally.operations.at(0).flops_total.at(fp8), 10.0 * 9 * 6);
}

// Of P pairs, those of the rank's own tokens stay: one in as many as there are data ranks.
TEST(DrawnTally, TheFullestRankReceivesWhatItsExpertsWorkOn) {
  const Point point = drawn_decode(64);
  for (const Deployment& where : {devices(1, 8, 8), devices(2, 4, 8), devices(1, 8, 2)}) {
    const ExpertLoad load = load_at(point, where, 64);
    const OperationWork work = tallied(step(), where, point).operations.at(0);
    EXPECT_EQ(work.sent, ceil_divide(load.pairs_rank * (where.data - 1) * 1000, where.data));
    const OperationWork even = tallied(step(), where, Point::decode(64, 100)).operations.at(0);
    EXPECT_GT(work.sent, even.sent);
    EXPECT_EQ(work.sent_total, even.sent_total);
  }
}

TEST(DrawnTally, OneExpertGroupIsReachedByEachTokenOnceWhoeverIsPopular) {
  const Deployment where = devices(2, 4, 1);
  EXPECT_EQ(tallied(step(), where, drawn_decode(8)).operations.at(0).sent,
            tallied(step(), where, Point::decode(8, 100)).operations.at(0).sent);
}

TEST(DrawnTally, EqualSeedsAreEqualAndOthersAreNot) {
  const auto bytes = [](std::uint64_t seed) {
    return tallied(step(), devices(1, 8, 8), drawn_decode(16, drawn(0.5, seed))).accesses.at(2).device;
  };
  std::int64_t others = 0;
  for (std::uint64_t seed = 2; seed < 12; ++seed) others += bytes(seed) == bytes(1) ? 0 : 1;
  EXPECT_EQ(bytes(1), bytes(1));
  EXPECT_GT(others, 3);
}

TEST(DrawnTally, LeavesNothingBehindForAnEvenPoint) {
  const StepGraph graph = step();
  Tally used = tallied(graph, devices(1, 8, 8), drawn_decode(16));
  EXPECT_EQ(used.drawn.size(), 1U);
  tally_point(graph, devices(1, 8, 8), Point::decode(16, 100), used);
  EXPECT_TRUE(used.drawn.empty());
  EXPECT_EQ(used.distinct_experts, tallied(graph, devices(1, 8, 8), Point::decode(16, 100)).distinct_experts);
}

TEST(DrawnTally, ChunksChooseAnewAndKeepTheirFavourites) {
  const StepGraph graph = step();
  const auto chunk = [&](std::int64_t number) {
    Point point = Point::prefill(1, 800, 100 * number + 1, 100 * number + 100);
    point.routing = drawn(2);
    point.chunk = number;
    return tallied(graph, devices(1, 8, 8), point);
  };
  Tally sum = chunk(0);
  const Tally next = chunk(1);
  EXPECT_NE(sum.drawn.at(0).pairs_device, next.drawn.at(0).pairs_device);
  const std::int64_t both = sum.accesses.at(2).device + next.accesses.at(2).device;
  add_chunk(next, sum);
  EXPECT_EQ(sum.accesses.at(2).device, both);
  EXPECT_EQ(sum.drawn.at(0).pairs_device, next.drawn.at(0).pairs_device);
}

RC_GTEST_PROP(DrawnTallyProperty, ReasonsAddUpAndTheFullestDeviceHasItsShare, ()) {
  const bool prefill = *rc::gen::arbitrary<bool>();
  const Deployment deployment = any_deployment();
  Point point = prefill ? any_chunk() : any_decode();
  point.routing = drawn(*rc::gen::element(0.0, 0.5, 2.0), *rc::gen::inRange<std::uint64_t>(0, 100));
  for (const AccessBytes& b : tallied(any_step(prefill), deployment, point).accesses) {
    RC_ASSERT(b.logical + b.rounding + b.apart + b.rereads + b.tensor_copies + b.data_copies == b.sector);
    RC_ASSERT(b.logical >= 0 && b.logical <= b.sector);
    RC_ASSERT(b.device <= b.sector);
    RC_ASSERT(b.device * deployment.devices >= b.sector - deployment.devices);
  }
}

RC_GTEST_PROP(DrawnTallyProperty, WholeBytesDoNotDependOnTheDeployment, ()) {
  const StepGraph graph = any_step();
  Point point = any_decode();
  point.routing = drawn(0.5, *rc::gen::inRange<std::uint64_t>(0, 100));
  const Tally a = tallied(graph, any_deployment(), point), b = tallied(graph, any_deployment(), point);
  for (std::size_t i = 0; i < a.accesses.size(); ++i) RC_ASSERT(a.accesses[i].logical == b.accesses[i].logical);
}

}  // namespace
}  // namespace kvtraffic::sim
