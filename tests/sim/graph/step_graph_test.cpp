// Order, cycles, regions and the flat arrays of a step graph.
#include "sim/graph/step_graph.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <utility>

namespace kvtraffic::sim {
namespace {

using testing::Test;

std::uint32_t named(StepGraph& graph, std::string name) {
  Operation operation;
  operation.name = std::move(name);
  return graph.add_operation(std::move(operation));
}

std::vector<std::uint32_t> order_of(const StepGraph& graph) { return {graph.order().begin(), graph.order().end()}; }

std::string cycle_of(StepGraph& graph) {
  try {
    graph.finish();
  } catch (const CycleError& error) {
    return error.what();
  }
  return "no cycle";
}

// Vertices 0 to n - 1 outside the layers, all running one operation.
StepGraph graph_of(std::uint32_t n, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  StepGraph graph;
  const auto operation = named(graph, "op");
  for (std::uint32_t v = 0; v < n; ++v) graph.add_vertex(operation, -1);
  for (const auto& [from, to] : edges) graph.add_edge(from, to, "why");
  return graph;
}

TEST(StepGraph, RunsTheSmallestIndexAmongThoseReady) {
  StepGraph graph = graph_of(5, {{4, 0}, {3, 1}});
  graph.finish();
  // Ready at first: 2, 3, 4. Vertex 3 frees 1, which then goes before 4.
  EXPECT_EQ(order_of(graph), (std::vector<std::uint32_t>{2, 3, 1, 4, 0}));
}

TEST(StepGraph, WaitsOnceForAVertexItNeedsForTwoReasons) {
  StepGraph graph = graph_of(2, {{0, 1}, {0, 1}});
  graph.finish();
  EXPECT_EQ(graph.edges().size(), 2U);
  EXPECT_EQ(graph.waits_for(1), 1U);
  EXPECT_EQ(graph.successors(0).size(), 1U);
  EXPECT_TRUE(graph.successors(1).empty());
}

TEST(StepGraph, PrintsACycleAsAChainOfNamesAndReasons) {
  StepGraph graph;
  for (int i = 0; i < 4; ++i) graph.add_layer({"csa2", "", 3, 3});
  const auto before = graph.add_vertex(named(graph, "embedding"), -1);
  const auto a = graph.add_vertex(named(graph, "a"), 3);
  const auto b = graph.add_vertex(named(graph, "b"), 3);
  const auto c = graph.add_vertex(named(graph, "c"), -1);
  graph.add_edge(before, a, "hidden state");
  graph.add_edge(a, b, "hidden state");
  graph.add_edge(b, c, "selection");
  graph.add_edge(c, a, "scores");
  EXPECT_EQ(cycle_of(graph), "layer 3 a -(hidden state)-> layer 3 b -(selection)-> c -(scores)-> layer 3 a");
}

TEST(StepGraph, PrintsAVertexThatWaitsForItself) {
  StepGraph graph = graph_of(1, {{0, 0}});
  EXPECT_EQ(cycle_of(graph), "op -(why)-> op");
}

TEST(StepGraph, CannotBeChangedOnceFinished) {
  StepGraph graph = graph_of(2, {});
  graph.finish();
  EXPECT_THROW(static_cast<void>(graph.add_layout(Layout::blob("w", 1))), std::logic_error);
  EXPECT_THROW(static_cast<void>(graph.add_role("w")), std::logic_error);
  EXPECT_THROW(static_cast<void>(graph.add_experts({})), std::logic_error);
  EXPECT_THROW(graph.add_operation({}), std::logic_error);
  EXPECT_THROW(graph.add_layer({}), std::logic_error);
  EXPECT_THROW(graph.add_vertex(0, -1), std::logic_error);
  EXPECT_THROW(graph.add_edge(0, 1, "why"), std::logic_error);
  EXPECT_THROW(graph.finish(), std::logic_error);
}

TEST(StepGraph, RefusesReferencesToWhatIsNotThere) {
  StepGraph no_layer = graph_of(0, {});
  no_layer.add_vertex(0, 7);
  EXPECT_THROW(no_layer.finish(), std::logic_error);
  StepGraph no_operation = graph_of(0, {});
  no_operation.add_vertex(1, -1);
  EXPECT_THROW(no_operation.finish(), std::logic_error);
  StepGraph no_vertex = graph_of(1, {{0, 1}});
  EXPECT_THROW(no_vertex.finish(), std::logic_error);
  StepGraph no_layout;
  Operation operation;
  operation.accesses.emplace_back();
  no_layout.add_operation(operation);
  EXPECT_THROW(no_layout.finish(), std::logic_error);
}

TEST(StepGraph, EqualNamesAreOneLayoutAndOneRole) {
  StepGraph graph;
  EXPECT_EQ(graph.add_layout(Layout::blob("a", 64)), 0U);
  EXPECT_EQ(graph.add_layout(Layout::blob("b", 64)), 1U);
  EXPECT_EQ(graph.add_layout(Layout::blob("a", 64)), 0U);
  EXPECT_THROW(static_cast<void>(graph.add_layout(Layout::blob("a", 65))), std::logic_error);
  EXPECT_EQ(graph.add_role("main"), 0U);
  EXPECT_EQ(graph.add_role("index"), 1U);
  EXPECT_EQ(graph.add_role("main"), 0U);
}

// Two layers of which the second reads the cache of the first, and a head; the operation reads a weight of its own, the
// main cache of its source and a table of the whole step.
class Regions : public Test {
 protected:
  void SetUp() override {
    const auto layout = graph.add_layout(Layout::blob("blob", 64));
    graph.add_layer({"csa2", "full", 0, 0});
    graph.add_layer({"csa2", "reuse", 0, 0});
    Operation operation;
    operation.name = "attend";
    for (const auto& [role, owner] :
         {std::pair{"weight", Owner::layer}, {"main", Owner::kv_source}, {"table", Owner::step}}) {
      Access access;
      access.layout = layout;
      access.role = graph.add_role(role);
      access.owner = owner;
      operation.accesses.push_back(access);
    }
    const auto attend = graph.add_operation(operation);
    for (const std::int32_t layer : {0, 1, -1}) graph.add_vertex(attend, layer);
    graph.finish();
  }
  [[nodiscard]] std::uint32_t region(std::uint32_t vertex, std::uint32_t access) const {
    return graph.regions()[graph.vertices()[vertex].first_access + access];
  }
  StepGraph graph;
};

TEST_F(Regions, ALayerOwnsItsWeights) { EXPECT_NE(region(0, 0), region(1, 0)); }

TEST_F(Regions, AReaderSharesTheCacheOfItsSource) { EXPECT_EQ(region(0, 1), region(1, 1)); }

TEST_F(Regions, TheStepOwnsOneOfItsKind) {
  EXPECT_EQ(region(0, 2), region(1, 2));
  EXPECT_EQ(region(0, 2), region(2, 2));
}

TEST_F(Regions, AreDenseAndCounted) {
  // Weights of two layers and of the head, the cache of layer 0 and one outside the layers, one table.
  EXPECT_EQ(graph.region_count(), 3U + 2U + 1U);
  std::vector<std::uint32_t> ids(graph.regions().begin(), graph.regions().end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  EXPECT_EQ(ids.size(), graph.region_count());
  EXPECT_EQ(ids.back(), graph.region_count() - 1);
}

TEST_F(Regions, NumbersAccessesOfOperationsAndOfVertices) {
  EXPECT_EQ(graph.operation_accesses(), 3U);
  EXPECT_EQ(graph.vertex_accesses(), 9U);
  EXPECT_EQ(graph.vertices()[2].first_access, 6U);
  EXPECT_EQ(graph.uses(0), 3);
  EXPECT_EQ(graph.name_of(graph.vertices()[1]), "layer 1 attend");
  EXPECT_EQ(graph.name_of(graph.vertices()[2]), "attend");
}

TEST_F(Regions, AccessesThatCostTheSameShareACharge) {
  EXPECT_EQ(graph.charges().size(), 1U);
  EXPECT_EQ(graph.charge_of(2), 0U);
}

// Slow and obvious: again and again the first vertex all of whose predecessors have run.
std::vector<std::uint32_t> naive_order(std::uint32_t n,
                                       const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  std::vector<std::uint32_t> order;
  const auto has_run = [&](std::uint32_t v) { return std::find(order.begin(), order.end(), v) != order.end(); };
  while (order.size() < n) {
    for (std::uint32_t v = 0; v < n; ++v) {
      const bool ready =
          std::all_of(edges.begin(), edges.end(), [&](const auto& e) { return e.second != v || has_run(e.first); });
      if (has_run(v) || !ready) continue;
      order.push_back(v);
      break;
    }
  }
  return order;
}

RC_GTEST_PROP(StepGraphProperty, AnyAcyclicGraphRunsInTheNaiveOrder, ()) {
  const auto n = *rc::gen::inRange<std::uint32_t>(1, 12);
  // Edges follow a random ranking, so that indices and dependencies disagree but no cycle can arise.
  const auto rank = *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, 5));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = 0; b < n; ++b) {
      if (rank[a] < rank[b] && *rc::gen::arbitrary<bool>()) edges.emplace_back(a, b);
    }
  }
  StepGraph graph = graph_of(n, edges);
  graph.finish();
  RC_ASSERT(order_of(graph) == naive_order(n, edges));
}

}  // namespace
}  // namespace kvtraffic::sim
