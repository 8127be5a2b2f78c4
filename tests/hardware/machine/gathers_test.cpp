// How many lines picked entries take up, and what they are picked from.
#include "hardware/machine/gathers.hpp"

#include <gtest/gtest.h>

#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware::testing {
namespace {

// One token of one sequence at position `context` picks up to `limit` entries of `layout`.
AccessCost picks(const sim::Layout& layout, std::int64_t limit, std::int64_t context, std::int64_t ratio = 1,
                 sim::Count::Kind kind = sim::Count::Kind::capped) {
  sim::StepGraph graph;
  sim::Operation attend;
  sim::Access access;
  access.layout = graph.add_layout(layout);
  access.role = graph.add_role("main");
  access.pattern = sim::Pattern::gather;
  access.count = {kind, ratio, limit};
  attend.accesses = {access};
  graph.add_vertex(graph.add_operation(attend), -1);
  graph.finish();
  sim::Tally tally;
  sim::tally_point(graph, {}, sim::Point::decode(1, context), tally);
  AccessTable table;
  table.fill(graph, tally);
  Gathers().fill(graph, tally, table);
  return table.costs[0];
}

sim::Layout page_of(std::int64_t entries, std::int64_t row, std::int64_t apart) {
  sim::Layout layout = sim::Layout::packed("rows", row);
  layout.page_entries = entries;
  layout.apart = apart;
  layout.page_bytes = sim::round_up_to(entries * (row + apart), sim::sector_bytes);
  return layout;
}

TEST(Gathers, EntriesTakeUpWholeLines) {
  EXPECT_EQ(picks(page_of(64, 128, 0), 100, 10'000).lines, 100);
  // Rows of 192 B lie in two lines each, those that begin on one and those that begin in its middle.
  EXPECT_EQ(picks(page_of(64, 192, 0), 100, 10'000).lines, 200);
  // Rows of 64 B lie in one line, and so do 4 B of scales apart from them.
  EXPECT_EQ(picks(page_of(64, 64, 4), 100, 10'000).lines, 200);
}

TEST(Gathers, PickFromAllThatIsThere) {
  const AccessCost cost = picks(page_of(64, 128, 0), 100, 10'000, 4);
  EXPECT_EQ(cost.footprint, 100 * 128);
  EXPECT_EQ(cost.pool, 10'000 / 4 * 128);
}

TEST(Gathers, NeighboursShareLinesWhereAllArePicked) {
  const AccessCost cost = picks(page_of(64, 64, 0), 100, 100);
  EXPECT_EQ(cost.pool, cost.footprint);
  EXPECT_EQ(cost.lines, 100 * 64 / 128);
}

TEST(Gathers, AreSelectionsOnly) {
  const AccessCost cost = picks(page_of(64, 64, 0), 100, 10'000, 1, sim::Count::Kind::window);
  EXPECT_EQ(cost.pool, 0);
  EXPECT_EQ(cost.lines, 0);
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
