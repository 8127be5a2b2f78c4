// A result's sums, reasons, times and rates, from a machine that answers what the test tells it to.
#include "sim/run/executor.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <tuple>

#include "tests/sim/run/any_step.hpp"

namespace kvtraffic::sim {
namespace {

class StubMachine final : public Machine {
 public:
  void execute(const StepGraph&, const Tally&, Outcome&) override {}
  [[nodiscard]] Frequency clock() const override { return Frequency::per_second(1.83e9); }
  [[nodiscard]] std::string_view saving_reason() const override { return "held in L2"; }
};

constexpr Detail everything{true, true};

Access access(StepGraph& graph, DataKind kind, Direction direction, Place place = Place::device) {
  Access a;
  a.kind = kind;
  a.direction = direction;
  a.place = place;
  a.role = graph.add_role("role");
  a.layout = graph.add_layout(Layout::blob("70 bytes", 70));  // 96 B of sectors
  return a;
}

Instant at(std::int64_t n) { return Instant::at_femtoseconds(n * 1'000'000); }  // nanoseconds

// "attend" in two layers reads and writes the cache and looks a row up in host memory; "head" outside reads it.
class Step : public testing::Test {
 protected:
  void SetUp() override {
    graph.add_layer({"csa2", "full", 0, 0});
    graph.add_layer({"csa2", "reuse", 0, 0});
    Operation attend;
    attend.name = "attend";
    attend.accesses = {access(graph, DataKind::kv_main, Direction::read),
                       access(graph, DataKind::kv_main, Direction::write),
                       access(graph, DataKind::engram, Direction::read, Place::host)};
    attend.collective = {Collective::Kind::all_reduce, 1000};
    Operation head;
    head.name = "head";
    head.accesses = {access(graph, DataKind::weight, Direction::read)};
    const auto attends = graph.add_operation(attend);
    const auto last = graph.add_vertex(graph.add_operation(head), -1);
    const auto first = graph.add_vertex(attends, 0);
    const auto second = graph.add_vertex(attends, 1);
    graph.add_edge(first, second, "hidden state");
    graph.add_edge(second, last, "hidden state");
    graph.finish();

    deployment.devices = 4;
    deployment.tensor = 2;
    deployment.data = 2;
    tally_point(graph, deployment, Point::decode(4, 10), tally);  // 2 tokens on a rank: 192 B on each device

    outcome.total = Duration::of_femtoseconds(1'000'000'000);  // 1 us
    outcome.bound_by = Bound::hbm;
    outcome.busy = {{Bound::hbm, 0.75}};
    outcome.dram = {192, /* layer 0 */ 192, 96, 0, /* layer 1 */ 48, 192, 0};
    outcome.vertices = {{at(60), at(90), Bound::compute}, {at(0), at(10), Bound::hbm}, {at(10), at(35), Bound::link}};
  }
  PointResult tell(Detail detail = everything) {
    PointResult result;
    tell_outcome(graph, tally, outcome, StubMachine(), Duration::of_femtoseconds(500'000'000), detail, result);
    return result;
  }
  StepGraph graph;
  Deployment deployment;
  Tally tally;
  Outcome outcome;
};

TEST_F(Step, AddsUpLogicalAndSectorBytesOfAllVertices) {
  const Traffic t = *tell().traffic;
  EXPECT_EQ(t.at(Level::logical, DataKind::kv_main), (ReadWrite{2 * 4 * 70, 2 * 4 * 70}));
  EXPECT_EQ(t.at(Level::sector, DataKind::kv_main), (ReadWrite{2 * 2 * 4 * 96, 2 * 2 * 4 * 96}));  // copied on 2 ranks
  EXPECT_EQ(t.at(Level::logical, DataKind::weight), (ReadWrite{4 * 70, 0}));
  EXPECT_EQ(logical_traffic(graph, tally).at(Level::logical, DataKind::kv_main),
            t.at(Level::logical, DataKind::kv_main));
  EXPECT_EQ(logical_traffic(graph, tally).total(Level::sector), 0);
}

TEST_F(Step, ScalesTheFullestDevicesDramToAll) {
  // 768 sector bytes in all for 192 on the fullest device: a factor of 4.
  EXPECT_EQ(tell().traffic->at(Level::dram, DataKind::kv_main), (ReadWrite{4 * (192 + 48), 4 * (96 + 192)}));
}

TEST_F(Step, HostMemoryDoesNotTouchTheDevicesDram) {
  const Traffic t = *tell().traffic;
  EXPECT_EQ(t.at(Level::host, DataKind::engram).read, 2 * 2 * 4 * 96);
  EXPECT_EQ(t.at(Level::dram, DataKind::engram).read, 0);
}

TEST(RemoteMemory, IsReadOverTheLinkAndNotFromDram) {
  StepGraph graph;
  Operation lookup;
  lookup.accesses = {access(graph, DataKind::engram, Direction::read, Place::remote)};
  graph.add_vertex(graph.add_operation(lookup), -1);
  graph.finish();
  Tally tally;
  tally_point(graph, {}, Point::decode(4, 10), tally);
  Outcome outcome;
  outcome.dram = {0};
  PointResult r;
  tell_outcome(graph, tally, outcome, StubMachine(), {}, {}, r);
  EXPECT_EQ(r.traffic->at(Level::link, DataKind::engram), (ReadWrite{4 * 96, 0}));
  EXPECT_EQ(r.traffic->total(Level::dram) + r.traffic->total(Level::host), 0);
  ASSERT_EQ(r.amplification.size(), 2U);
  EXPECT_EQ(r.amplification[1].reason, "read from another node");
  EXPECT_EQ(r.amplification[1].bytes, -4 * 96);
}

TEST_F(Step, CountsMessagesSentAndReceived) {
  const std::int64_t sent = 2 * (2 * (2 - 1) * 4 * 1000);  // two vertices; 2 (t - 1) x 4 tokens x 1000 B
  EXPECT_EQ(tell().traffic->at(Level::link, DataKind::activation), (ReadWrite{sent, sent}));
}

TEST_F(Step, GivesEveryReasonForItsKind) {
  std::map<std::tuple<Level, std::string, DataKind>, std::int64_t> rows;
  for (const Amplification& a : tell().amplification) rows[{a.from, a.reason, a.kind}] = a.bytes;
  const auto row = [&](Level from, const char* reason, DataKind kind) { return rows[{from, reason, kind}]; };
  EXPECT_EQ(row(Level::logical, "sector rounding", DataKind::kv_main), 2 * 2 * 4 * 26);
  EXPECT_EQ(row(Level::logical, "copies on tensor ranks", DataKind::kv_main), 2 * 2 * 4 * 96);
  EXPECT_EQ(row(Level::sector, "held in L2", DataKind::kv_main), 4 * (48 + 96 - 2 * 192));
  EXPECT_EQ(row(Level::sector, "read from host memory", DataKind::engram), -2 * 2 * 4 * 96);
}

TEST_F(Step, TellsWhatL2DidWithReadsAndWritesApart) {
  outcome.evicted = {0, /* layer 0 */ 0, 0, 0, /* layer 1 */ 40, 0, 0};
  outcome.left = {0, 0, 60, 0, 0, 0, 0};
  const PointResult result = tell();
  std::map<std::pair<std::string, DataKind>, std::int64_t> rows;
  for (const Amplification& a : result.amplification) rows[{a.reason, a.kind}] = a.bytes;
  const auto row = [&](const char* reason) { return rows[{reason, DataKind::kv_main}]; };
  EXPECT_EQ(row("brought into L2 before"), 4 * (48 - 192 - 40));
  EXPECT_EQ(row("evicted before reuse"), 4 * 40);
  EXPECT_EQ(row("left in L2 at the end"), -4 * 60);
  EXPECT_EQ(row("overwritten in L2"), 4 * (96 - 192 + 60));
  EXPECT_EQ(row("held in L2"), 0);
  const auto& last = result.layers[1].amplification;
  const auto evicted =
      std::find_if(last.begin(), last.end(), [](const Amplification& a) { return a.reason == "evicted before reuse"; });
  ASSERT_NE(evicted, last.end());
  EXPECT_EQ(evicted->bytes, 4 * 40);
}

TEST_F(Step, LeavesOutReasonsThatExplainNothing) {
  for (const Amplification& a : tell().amplification) {
    EXPECT_NE(a.bytes, 0);
    EXPECT_NE(a.reason, "scales apart from values");
    EXPECT_NE(a.reason, "copies on data ranks");
  }
}

TEST_F(Step, TellsTimesAndRates) {
  const PointResult r = tell();
  EXPECT_DOUBLE_EQ(r.time->seconds, 1e-6);
  EXPECT_EQ(r.time->cycles, 1830) << "exactly: 1.83 GHz for 1 us, no cycle more";
  EXPECT_DOUBLE_EQ(r.time->clock_hz, 1.83e9);
  EXPECT_DOUBLE_EQ(r.time->roofline_seconds, 5e-7);
  EXPECT_EQ(r.time->bound_by, "hbm");
  EXPECT_EQ(r.time->busy_fraction, (std::vector<std::pair<std::string, double>>{{"hbm", 0.75}}));
  EXPECT_DOUBLE_EQ(r.throughput->tokens_per_second, 4e6);
  EXPECT_DOUBLE_EQ(r.throughput->tokens_per_second_per_user, 1e6);
  EXPECT_DOUBLE_EQ(r.throughput->tokens_per_second_per_device, 1e6);
}

TEST_F(Step, ACycleBegunIsACycle) {
  outcome.total = Duration::of_femtoseconds(1'000'000'001);
  EXPECT_EQ(tell().time->cycles, 1831);
}

TEST_F(Step, AStepWithoutTimeHasNoRate) {
  outcome.total = {};
  EXPECT_FALSE(tell().throughput.has_value());
}

TEST_F(Step, ALayerLastsFromTheEndOfThoseBeforeItToItsOwn) {
  outcome.vertices[2].start = at(2);  // ran ahead: no matter

  const auto layers = tell().layers;
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[1].mode, "reuse");
  EXPECT_DOUBLE_EQ(*layers[0].seconds, 10e-9);
  EXPECT_DOUBLE_EQ(*layers[1].seconds, 25e-9);
  EXPECT_EQ(layers[1].traffic.at(Level::dram, DataKind::kv_main), (ReadWrite{4 * 48, 4 * 192}));
}

// Three kernels in layer 0 and two in layer 1, each by itself.
struct Kernels {
  Kernels() {
    graph.add_layer({"csa2", "full", 0, 0});
    graph.add_layer({"csa2", "reuse", 0, 0});
    Operation kernel;
    kernel.name = "kernel";
    const std::uint32_t operation = graph.add_operation(kernel);
    for (const std::int32_t layer : {0, 0, 0, 1, 1}) graph.add_vertex(operation, layer);
    graph.finish();
    tally_point(graph, {}, Point::decode(1, 10), tally);
  }
  std::vector<LayerResult> layers() const {
    PointResult result;
    tell_outcome(graph, tally, outcome, StubMachine(), {}, everything, result);
    return result.layers;
  }
  StepGraph graph;
  Tally tally;
  Outcome outcome;
};

// Layer 0: 30 ns of links against 20 + 15 ns of DRAM; layer 1: 10 ns of arithmetic against 11 ns of latency.
TEST(LayerBound, IsWhatFillsTheLongestSumOfItsKernelsTimes) {
  Kernels step;
  step.outcome.vertices = {{at(0), at(20), Bound::hbm},
                           {at(0), at(30), Bound::link},
                           {at(30), at(45), Bound::hbm},
                           {at(45), at(55), Bound::compute},
                           {at(55), at(66), Bound::latency}};
  const auto layers = step.layers();
  EXPECT_EQ(layers[0].bound_by, "hbm");
  EXPECT_EQ(layers[1].bound_by, "latency");
  EXPECT_DOUBLE_EQ(*layers[0].seconds, 45e-9);
  EXPECT_DOUBLE_EQ(*layers[1].seconds, 21e-9);
}

TEST(LayerBound, IsNotToldOfWhatHasNoTime) { EXPECT_EQ(Kernels().layers()[0].bound_by, ""); }

TEST(LayerDram, IsTheSumOfItsKernels) {
  Kernels step;
  step.outcome.dram_told.vertices = {{5, 1}, {6, 2}, {}, {7, 3}, {8, 0}};
  const auto layers = step.layers();
  EXPECT_DOUBLE_EQ(*layers[0].dram_seconds, 5 + 6);
  EXPECT_DOUBLE_EQ(*layers[0].row_seconds, 1 + 2);
  EXPECT_DOUBLE_EQ(*layers[1].dram_seconds, 7 + 8);
  EXPECT_DOUBLE_EQ(*layers[1].row_seconds, 3);
  EXPECT_FALSE(Kernels().layers()[0].dram_seconds.has_value());
}

TEST_F(Step, DramTimeIsToldAsSharesOfOne) {
  outcome.dram_told.causes = {{"data_bus", 6e-7}, {"row_cycle", 1.5e-7}, {"refresh", 0}};
  const auto shares = tell().time->dram_time;
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[0].first, "data_bus");
  EXPECT_DOUBLE_EQ(shares[0].second, 0.8);
  EXPECT_DOUBLE_EQ(shares[1].second, 0.2);
  EXPECT_DOUBLE_EQ(shares[0].second + shares[1].second + shares[2].second, 1);
  outcome.dram_told.causes = {{"data_bus", 0}};  // nothing was asked of DRAM
  EXPECT_TRUE(tell().time->dram_time.empty());
}

TEST_F(Step, OperationsComeInTheOrderOfExecution) {
  const auto operations = tell().operations;
  ASSERT_EQ(operations.size(), 3U);
  EXPECT_EQ(operations[0].name, "attend");
  EXPECT_EQ(operations[1].layer, 1);
  EXPECT_DOUBLE_EQ(*operations[1].start_seconds, 10e-9);
  EXPECT_EQ(operations[1].bound_by, "link");
  EXPECT_EQ(operations[2].name, "head");
  EXPECT_EQ(operations[2].layer, -1);
}

TEST_F(Step, NothingIsPlacedInTimeByAMachineThatDoesNot) {
  outcome.vertices.clear();
  const PointResult r = tell();
  EXPECT_FALSE(r.layers[0].seconds.has_value());
  EXPECT_FALSE(r.operations[0].start_seconds.has_value());
  EXPECT_EQ(r.operations[0].bound_by, "");
}

TEST_F(Step, DetailIsToldOnlyWhenAskedFor) {
  const PointResult r = tell({});
  EXPECT_TRUE(r.layers.empty());
  EXPECT_TRUE(r.operations.empty());
}

std::int64_t explained(const std::vector<Amplification>& rows, Level from, DataKind kind) {
  std::int64_t sum = 0;
  for (const Amplification& a : rows) sum += a.from == from && a.kind == kind ? a.bytes : 0;
  return sum;
}

void check_levels(const Traffic& t, const std::vector<Amplification>& rows) {
  for (std::size_t k = 0; k < kind_count; ++k) {
    const auto kind = static_cast<DataKind>(k);
    const std::int64_t logical = t.at(Level::logical, kind).total();
    const std::int64_t sector = t.at(Level::sector, kind).total();
    const std::int64_t dram = t.at(Level::dram, kind).total();
    RC_ASSERT(explained(rows, Level::logical, kind) == sector - logical);
    RC_ASSERT(explained(rows, Level::sector, kind) == dram - sector);
  }
}

// Each device access keeps between nothing and all of its sector bytes on the pins.
Outcome any_outcome(const StepGraph& graph, const Tally& tally) {
  Outcome outcome;
  outcome.total = Duration::of_femtoseconds(1'000'000);
  for (const Vertex& v : graph.vertices()) {
    const std::uint32_t first = graph.first_access_of(v.operation);
    for (std::uint32_t i = 0; i < graph.operation_of(v).accesses.size(); ++i) {
      outcome.dram.push_back(scale(tally.accesses[first + i].device, *rc::gen::inRange<std::int64_t>(0, 101), 100));
    }
  }
  return outcome;
}

RC_GTEST_PROP(ExecutorProperty, TheLevelsReconcileInTheStepAndInEveryLayer, ()) {
  const StepGraph graph = any_step();
  const Tally tally = tallied(graph, any_deployment(), any_decode());
  PointResult r;
  tell_outcome(graph, tally, any_outcome(graph, tally), StubMachine(), {}, everything, r);
  check_levels(*r.traffic, r.amplification);
  Traffic sum;
  for (const LayerResult& layer : r.layers) {
    check_levels(layer.traffic, layer.amplification);
    sum += layer.traffic;
  }
  Traffic of_operations;
  for (const OperationResult& operation : r.operations) {
    of_operations += operation.traffic;
    if (operation.layer < 0) sum += operation.traffic;
  }
  RC_ASSERT(sum == *r.traffic);
  RC_ASSERT(of_operations == *r.traffic);
}

}  // namespace
}  // namespace kvtraffic::sim
