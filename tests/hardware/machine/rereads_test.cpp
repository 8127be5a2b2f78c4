// What query tiles read again from DRAM, and kernels that have nothing to do. Usable L2 is 1,000 bytes, the device has
// 10 SMs.
#include "hardware/machine/rereads.hpp"

#include <gtest/gtest.h>

#include "hardware/machine/flow.hpp"
#include "tests/hardware/machine/step.hpp"
#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::hardware::testing {
namespace {

// An attention kernel of 100 tokens of one sequence.
struct Kernel {
  sim::Count::Kind count = sim::Count::Kind::entries;
  std::int64_t footprint = 0;
  std::int64_t bytes = 0;
  std::int64_t heads = 64;
  std::int64_t tile_heads = 0;  // 0: 64, as the plan says
  std::int64_t sequences = 1;
};

std::int64_t again(const Kernel& kernel, double alike = 0) {
  sim::StepGraph graph;
  sim::Operation reading;
  reading.kind = sim::OperationKind::attention;
  reading.shape.heads = kernel.heads;
  reading.shape.tile_heads = kernel.tile_heads;
  sim::Access access;
  access.layout = graph.add_layout(sim::Layout::blob("bytes", 1));
  access.role = graph.add_role("entries");
  access.count = {kernel.count, 1, 10};
  access.queries = 1;
  reading.accesses = {access};
  graph.add_vertex(graph.add_operation(reading), -1);
  graph.finish();
  sim::Tally tally;
  tally.point = sim::Point::prefill(kernel.sequences, 100, 1, 100);
  tally.spans = {{{1, 100, 0}, 100 * kernel.sequences, 100 * kernel.sequences}};
  tally.operations.resize(1);
  tally.accesses.resize(1);
  tally.accesses[0].device = tally.accesses[0].sector = kernel.bytes;
  tally.accesses[0].footprint = kernel.footprint;
  AccessTable table;
  table.fill(graph, tally);
  Rereads(10, sim::Bytes::of(1000), alike).fill(graph, tally, sim::test::round_plan(), table);
  return table.costs[0].again;
}

TEST(Rereads, HitWhenASequencesEntriesFit) {
  EXPECT_EQ(again({.footprint = 1000, .bytes = 50'000}), 0);
  EXPECT_EQ(again({.footprint = 3000, .bytes = 150'000, .sequences = 3}), 0);  // one sequence after another
  EXPECT_GT(again({.footprint = 1001, .bytes = 50'000}), 0);
}

TEST(Rereads, OfEntriesThatAllTilesSeeComeOnceAWave) {
  // 100 tiles in 10 waves of 10; each wave reads what its tiles see: a tenth of the requests.
  EXPECT_EQ(again({.footprint = 2000, .bytes = 100'000}), 100'000 / 10 - 2000);
  EXPECT_EQ(again({.footprint = 2000, .bytes = 3000}), 0);  // hardly anything is requested twice
}

TEST(Rereads, HeadsWithKeysOfTheirOwnArePassesOfTheirOwn) {
  EXPECT_EQ(again({.footprint = 4000, .bytes = 100'000, .heads = 4, .tile_heads = 1}), 0);
  EXPECT_EQ(again({.footprint = 4004, .bytes = 100'000, .heads = 4, .tile_heads = 1}), 100'000 / 10 - 4004);
}

TEST(Rereads, OfSelectionsTakeAllEntriesInEachWave) {
  const auto picks = sim::Count::Kind::capped;
  EXPECT_EQ(again({.count = picks, .footprint = 2000, .bytes = 100'000}), 10 * 2000 - 2000);
  EXPECT_EQ(again({.count = picks, .footprint = 2000, .bytes = 15'000}), 13'000);  // all there is
}

// A wave has ten queries: the first asks for all of its picks, each of the others for half.
TEST(Rereads, OfSelectionsThatAreAlikeAreFewer) {
  const auto picks = sim::Count::Kind::capped;
  EXPECT_EQ(again({.count = picks, .footprint = 2000, .bytes = 15'000}, 0.5), 15'000 * 55 / 100 - 2000);
  EXPECT_EQ(again({.count = picks, .footprint = 2000, .bytes = 15'000}, 1), 0);  // 1,500: fewer than there are
}

TEST(Rereads, OfWindowsAlwaysHit) {
  EXPECT_EQ(again({.count = sim::Count::Kind::window, .footprint = 9000, .bytes = 100'000}), 0);
}

TEST(IdleKernels, CostNoLaunch) {
  Step step;
  const std::uint32_t before = step.add({reads("a", mega)});
  const std::uint32_t idle = step.add({});
  const std::uint32_t after = step.add({reads("b", mega)});
  step.after(before, idle);
  step.after(idle, after);
  step.finish();
  const auto run = [&] {
    FlowMachine machine(round_hardware(), {});
    sim::Outcome outcome;
    machine.execute(step.graph, step.tally, outcome);
    return outcome;
  };
  const sim::Outcome busy = run();
  sim::StepGraph graph;  // the same, the middle one in a span without tokens
  const std::uint32_t nothing = graph.add_span({.tail = 1, .replays = false});
  static_cast<void>(graph.add_layout(sim::Layout::blob("bytes", 1)));
  for (const sim::Operation& its : step.graph.operations()) {
    sim::Operation operation = its;
    for (sim::Access& access : operation.accesses) access.role = graph.add_role(step.graph.roles()[access.role]);
    if (operation.accesses.empty()) operation.span = nothing;
    graph.add_vertex(graph.add_operation(operation), -1);
  }
  graph.add_edge(before, idle, "order");
  graph.add_edge(idle, after, "order");
  graph.finish();
  step.tally.spans.push_back({{2, 1, 0}, 0, 0});
  FlowMachine machine(round_hardware(), {});
  sim::Outcome outcome;
  machine.execute(graph, step.tally, outcome);
  EXPECT_EQ(outcome.vertices[idle].start, outcome.vertices[idle].end);
  EXPECT_EQ(outcome.vertices[idle].end, outcome.vertices[before].end);
  const sim::Duration launch = round_device().launch_gap + round_device().kernel_start;
  EXPECT_LE(outcome.total + launch, busy.total);
  EXPECT_EQ(outcome.bound_by, busy.bound_by);
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
