// Bytes, arithmetic and messages of single operations, each derived from its definition.
#include "sim/run/tally.hpp"

#include <gtest/gtest.h>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

Deployment devices(std::int64_t tensor, std::int64_t data, std::int64_t expert) {
  Deployment d;
  d.devices = tensor * data;
  d.tensor = tensor;
  d.data = data;
  d.expert = expert;
  return d;
}

Access access(Per per, std::int64_t ways, Count count = {}) {
  Access a;
  a.per = per;
  a.ways = ways;
  a.count = count;
  return a;
}

// One operation in one vertex, with 256 experts of which a token chooses 8.
Tally tally_of(Operation operation, const Layout& layout, const Deployment& deployment, const Point& point) {
  StepGraph graph;
  static_cast<void>(graph.add_layout(layout));
  static_cast<void>(graph.add_role("role"));
  static_cast<void>(graph.add_experts({256, 8}));
  graph.add_vertex(graph.add_operation(std::move(operation)), -1);
  graph.finish();
  Tally tally;
  tally_point(graph, deployment, point, tally);
  return tally;
}

AccessBytes bytes_of(const Access& a, const Layout& layout, const Deployment& deployment, const Point& point) {
  Operation operation;
  operation.accesses = {a};
  return tally_of(operation, layout, deployment, point).accesses.at(0);
}

OperationWork work_of(const Work& work, const Deployment& deployment, const Point& point) {
  Operation operation;
  operation.work = {work};
  return tally_of(operation, Layout::blob("blob", 32), deployment, point).operations.at(0);
}

OperationWork message_of(Collective::Kind kind, const Deployment& deployment, const Point& point) {
  Operation operation;
  operation.collective = {kind, 1000};
  return tally_of(operation, Layout::blob("blob", 32), deployment, point).operations.at(0);
}

// 70 B in a row are 96 B of sectors when each entry starts one, and 6 B of scales in a sector of their own.
Layout entry() {
  Layout layout;
  layout.name = "entry";
  layout.row = 70;
  layout.apart = 0;
  layout.page_bytes = 96;
  return layout;
}

TEST(TallyPerToken, CountsEveryTokenOnEveryRankThatHoldsACopy) {
  // 16 tensor ranks share 8 heads: 8 parts, 2 copies. Batch 5 over 2 data ranks: 3 tokens on the fullest.
  const AccessBytes b = bytes_of(access(Per::token, 8), entry(), devices(16, 2, 1), Point::decode(5, 100));
  EXPECT_EQ(b.logical, 5 * 70);
  EXPECT_EQ(b.rounding, 5 * 26);
  EXPECT_EQ(b.tensor_copies, 5 * 96);
  EXPECT_EQ(b.data_copies, 0);
  EXPECT_EQ(b.sector, 2 * 5 * 96);
  EXPECT_EQ(b.device, 3 * 96 / 8);
}

TEST(TallyPerToken, ScalesApartAreAReasonOfTheirOwn) {
  Layout layout = entry();
  layout.row = 64;
  layout.apart = 8;
  layout.page_entries = 4;
  const Access a = [] {
    Access gather = access(Per::token, 1, {Count::Kind::capped, 1, 10});
    gather.pattern = Pattern::gather;
    return gather;
  }();
  const AccessBytes b = bytes_of(a, layout, devices(1, 1, 1), Point::decode(3, 100));
  EXPECT_EQ(b.logical, 3 * 10 * 72);
  EXPECT_EQ(b.apart, 3 * 10 * (32 - 8));
  EXPECT_EQ(b.rounding, 0);
}

TEST(TallyPerRank, ReadsWeightsOnceForEachRankWithTokens) {
  // Batch 3 leaves 5 of 8 data ranks empty.
  const AccessBytes b = bytes_of(access(Per::rank, divides_freely), entry(), devices(4, 8, 1), Point::decode(3, 100));
  EXPECT_EQ(b.logical, 70);
  EXPECT_EQ(b.rounding, 26);
  EXPECT_EQ(b.tensor_copies, 0);
  EXPECT_EQ(b.data_copies, 2 * 96);
  EXPECT_EQ(b.sector, 3 * 96);
  EXPECT_EQ(b.device, 96 / 4);
}

TEST(TallyPerRank, AReplicatedWeightIsReadByEveryDeviceOfTheRank) {
  const AccessBytes b = bytes_of(access(Per::rank, 1), entry(), devices(4, 8, 1), Point::decode(3, 100));
  EXPECT_EQ(b.tensor_copies, 3 * 96);
  EXPECT_EQ(b.data_copies, 2 * 4 * 96);
  EXPECT_EQ(b.sector, 3 * 4 * 96);
  EXPECT_EQ(b.device, 96);
}

TEST(TallyPerRank, IsReadOnceHoweverManyPositionsAPrefillHas) {
  Point prefill{1, 1000, 1, 1000, 1};
  EXPECT_EQ(bytes_of(access(Per::rank, 1), entry(), devices(1, 1, 1), prefill).logical, 70);
}

TEST(TallyPerExpert, ReadsEachDistinctExpertOnceInTheWholeDeployment) {
  // 32 tokens hit 163 of 256 experts. 4 groups of 2 devices: 41 experts on the fullest, each halved.
  const AccessBytes b =
      bytes_of(access(Per::expert, divides_freely), entry(), devices(2, 4, 4), Point::decode(32, 100));
  EXPECT_EQ(b.logical, 163 * 70);
  EXPECT_EQ(b.sector, 163 * 96);
  EXPECT_EQ(b.tensor_copies + b.data_copies, 0);
  EXPECT_EQ(b.device, 41 * 96 / 2);
}

// 32 tokens hit 256 (1 - (1 - 8/256)^32) = 163.3 of 256 experts: 163, of which 64 in 256 are on the host: 40.75.
TEST(TallyPerExpert, ReadsEachPlaceItsShareOfTheDistinctExperts) {
  StepGraph graph;
  static_cast<void>(graph.add_layout(Layout::blob("expert", 96)));
  static_cast<void>(graph.add_role("role"));
  static_cast<void>(graph.add_experts({256, 8, 64}));
  Access device = access(Per::expert, divides_freely), host = device;
  host.place = Place::host;
  Operation operation;
  operation.accesses = {device, host};
  graph.add_vertex(graph.add_operation(operation), -1);
  graph.finish();
  Tally tally;
  tally_point(graph, devices(1, 4, 4), Point::decode(32, 100), tally);
  EXPECT_EQ(tally.accesses.at(0).logical, (163 - 41) * 96);
  EXPECT_EQ(tally.accesses.at(1).logical, 41 * 96);
  EXPECT_EQ(tally.accesses.at(0).device, (122 + 3) / 4 * 96) << "of four groups the one that reads most from its DRAM";
  EXPECT_EQ(tally.accesses.at(1).device, (41 + 3) / 4 * 96);
}

TEST(TallyPerRouted, CountsPairsOfTokenAndExpert) {
  // 5 tokens x 8 experts are 40 pairs; 10 on each of 4 groups; 2 devices share one or hold a copy each.
  const Deployment deployment = devices(2, 4, 4);
  const AccessBytes shared = bytes_of(access(Per::routed, divides_freely), entry(), deployment, Point::decode(5, 100));
  EXPECT_EQ(shared.logical, 40 * 70);
  EXPECT_EQ(shared.sector, 40 * 96);
  EXPECT_EQ(shared.device, 10 * 96 / 2);
  const AccessBytes copied = bytes_of(access(Per::routed, 1), entry(), deployment, Point::decode(5, 100));
  EXPECT_EQ(copied.tensor_copies, 40 * 96);
  EXPECT_EQ(copied.sector, 2 * 40 * 96);
  EXPECT_EQ(copied.device, 10 * 96);
}

TEST(Tally, TheMeanOverAPeriodIsRoundedOnceForTheWholeBatch) {
  // Closing blocks of 4 averages 1/4 entry a token: 70/4 = 17.5 B, for 2 requests 35 B and not 2 x 18.
  const Access a = access(Per::token, 1, {Count::Kind::closes, 4, 0});
  EXPECT_EQ(bytes_of(a, entry(), devices(1, 1, 1), Point::decode(2, 100, 128)).logical, 35);
}

TEST(Tally, APrefillAddsUpItsPositions) {
  const Access a = access(Per::token, 1, {Count::Kind::entries, 1, 0});
  const Point prefill{2, 10, 3, 10, 1};  // positions 3 to 10 of 2 requests
  EXPECT_EQ(bytes_of(a, entry(), devices(1, 1, 1), prefill).logical, 2 * (3 + 4 + 5 + 6 + 7 + 8 + 9 + 10) * 70);
}

TEST(Tally, CountsTokensAndExperts) {
  const Tally t = tally_of({}, entry(), devices(1, 4, 4), Point::decode(33, 100));
  EXPECT_EQ(t.tokens, 33);
  EXPECT_EQ(t.tokens_device, 9);
  EXPECT_EQ(t.distinct_experts.at(0), expected_distinct_experts({256, 8}, 33));
  EXPECT_EQ(t.distinct_experts_device.at(0), (t.distinct_experts.at(0) + 3) / 4);
  const Tally prefill = tally_of({}, entry(), devices(1, 1, 1), {2, 10, 3, 10, 1});
  EXPECT_EQ(prefill.tokens, 2 * 8);
}

TEST(Tally, RefusesAPointWithoutPositions) {
  EXPECT_THROW(tally_of({}, entry(), devices(1, 1, 1), {1, 10, 11, 10, 1}), std::logic_error);
  EXPECT_THROW(tally_of({}, entry(), devices(1, 1, 1), {0, 10, 10, 10, 1}), std::logic_error);
}

TEST(Tally, FailsWhenBytesLeaveSixtyFourBits) {
  const Layout huge = Layout::blob("huge", std::int64_t{1} << 60);
  EXPECT_THROW(bytes_of(access(Per::token, 1), huge, devices(1, 1, 1), Point::decode(64, 1)), OverflowError);
}

TEST(PointDecode, AveragesOverTheAlignedRunThatContainsThePosition) {
  const auto run = [](std::int64_t context) {
    const Point p = Point::decode(1, context, 128);
    return std::pair(p.first, p.last);
  };
  EXPECT_EQ(run(128), std::pair(1L, 128L));
  EXPECT_EQ(run(129), std::pair(129L, 256L));
  EXPECT_EQ(run(256), std::pair(129L, 256L));
  const Point exact = Point::decode(7, 1000);
  EXPECT_EQ(std::tuple(exact.batch, exact.first, exact.last, exact.divisor), std::tuple(7, 1000, 1000, 1));
}

TEST(DistinctExperts, FollowEvenRoutingInExpectation) {
  const ExpertSet v3{256, 8};
  EXPECT_EQ(expected_distinct_experts(v3, 0), 0);
  EXPECT_EQ(expected_distinct_experts(v3, 1), 8);
  EXPECT_EQ(expected_distinct_experts(v3, 32), 163);   // 256 (1 - (31/32)^32) = 163.3
  EXPECT_EQ(expected_distinct_experts(v3, 64), 222);   // 222.4
  EXPECT_EQ(expected_distinct_experts(v3, 256), 256);  // 255.9
  EXPECT_EQ(expected_distinct_experts(v3, std::int64_t{1} << 62), 256);
  EXPECT_EQ(expected_distinct_experts({8, 8}, 2), 8);
}

TEST(Work, IsSharedLikeTheBytes) {
  const auto at = [](const OperationWork& work, Precision p) { return work.flops[static_cast<std::size_t>(p)]; };
  const Deployment deployment = devices(4, 2, 2);  // expert_tensor 4
  const Point point = Point::decode(6, 100);       // 3 tokens on the fullest rank, 48 pairs, 24 on a group
  const Count keys{Count::Kind::entries, 4, 0};    // 25
  EXPECT_EQ(at(work_of({Precision::fp8, 10, Per::token, keys, divides_freely, 0}, deployment, point), Precision::fp8),
            10.0 * 25 * 3 / 4);
  EXPECT_EQ(at(work_of({Precision::bf16, 10, Per::token, keys, 1, 0}, deployment, point), Precision::bf16),
            10.0 * 25 * 3);
  EXPECT_EQ(at(work_of({Precision::bf16, 10, Per::rank, {}, 2, 0}, deployment, point), Precision::bf16), 10.0 / 2);
  EXPECT_EQ(at(work_of({Precision::fp4, 10, Per::routed, {}, 8, 0}, deployment, point), Precision::fp4), 10.0 * 24 / 4);
  EXPECT_THROW(work_of({Precision::fp4, 10, Per::expert, {}, 1, 0}, deployment, point), std::logic_error);
}

TEST(Messages, AnAllReduceSendsAllButItsOwnPartTwice) {
  const OperationWork w = message_of(Collective::Kind::all_reduce, devices(4, 2, 1), Point::decode(5, 1));
  EXPECT_EQ(w.sent, 2 * 3 * 3 * 1000 / 4);            // 3 tokens on the fullest rank
  EXPECT_EQ(w.sent_total, 4 * 2 * 3 * 5 * 1000 / 4);  // every device of both groups, 5 tokens in all
  EXPECT_EQ(message_of(Collective::Kind::all_reduce, devices(1, 8, 1), Point::decode(8, 1)).sent_total, 0);
}

TEST(Messages, DispatchSendsTokensToOtherGroupsOnly) {
  for (const auto kind : {Collective::Kind::dispatch, Collective::Kind::combine}) {
    const OperationWork w = message_of(kind, devices(1, 8, 8), Point::decode(9, 1));
    EXPECT_EQ(w.sent, 2 * 8 * 1000 * 7 / 8);  // 2 tokens of 8 pairs on the fullest rank, one group in 8 is its own
    EXPECT_EQ(w.sent_total, 9 * 8 * 1000 * 7 / 8);
  }
}

TEST(Messages, TheExpertGroupsOfOnesOwnTensorGroupCostNothing) {
  const OperationWork w = message_of(Collective::Kind::dispatch, devices(2, 4, 8), Point::decode(9, 1));
  EXPECT_EQ(w.sent, 3 * 8 * 1000 * 6 / 8);
}

TEST(Messages, AnExpertGroupOverSeveralTensorGroupsIsSentToEachButOneself) {
  const OperationWork w = message_of(Collective::Kind::dispatch, devices(1, 8, 2), Point::decode(16, 1));
  EXPECT_EQ(w.sent, 2 * 8 * 1000 * (2 * 4 - 1) / 2);  // two groups of four ranks
}

TEST(Messages, OneExpertGroupIsReachedByEachTokenOnce) {
  const OperationWork w = message_of(Collective::Kind::dispatch, devices(2, 4, 1), Point::decode(8, 1));
  EXPECT_EQ(w.sent, 2 * (4 - 1) * 1000);  // two tokens to the three other data ranks
}

TEST(Messages, WithOneDataRankOnlyResultsTravel) {
  EXPECT_EQ(message_of(Collective::Kind::dispatch, devices(8, 1, 8), Point::decode(9, 1)).sent_total, 0);
  const OperationWork combine = message_of(Collective::Kind::combine, devices(8, 1, 8), Point::decode(9, 1));
  EXPECT_EQ(combine.sent, 2 * 7 * 9 * 1000 / 8);
  EXPECT_EQ(combine.sent_total, 2 * 7 * 9 * 1000);
  EXPECT_EQ(message_of(Collective::Kind::combine, devices(1, 1, 1), Point::decode(9, 1)).sent_total, 0);
}

}  // namespace
}  // namespace kvtraffic::sim
