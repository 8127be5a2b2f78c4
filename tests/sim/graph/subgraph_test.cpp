// A part of a step keeps what its vertices refer to, and their order.
#include "sim/graph/subgraph.hpp"

#include <gtest/gtest.h>

namespace kvtraffic::sim {
namespace {

// Two layers of two kernels each, in a chain.
StepGraph two_layers() {
  StepGraph graph;
  for (const char* name : {"first", "second"}) {
    Operation operation;
    operation.name = name;
    graph.add_operation(operation);
  }
  for (std::int32_t layer = 0; layer < 2; ++layer) {
    graph.add_layer({});
    for (std::uint32_t operation = 0; operation < 2; ++operation) graph.add_vertex(operation, layer);
  }
  for (std::uint32_t v = 0; v < 3; ++v) graph.add_edge(v, v + 1, "chain");
  graph.finish();
  return graph;
}

TEST(Subgraph, HoldsOneLayerWithItsEdges) {
  const StepGraph part = subgraph(two_layers(), {.layer = 1, .operation = ""});
  ASSERT_EQ(part.vertices().size(), 2U);
  EXPECT_EQ(part.vertices()[0].layer, 1);
  EXPECT_EQ(part.waits_for(0), 0U);
  EXPECT_EQ(part.waits_for(1), 1U);
}

TEST(Subgraph, RunsAnOperationInTheOrderOfTheStep) {
  const StepGraph part = subgraph(two_layers(), {.layer = {}, .operation = "second"});
  ASSERT_EQ(part.vertices().size(), 2U);
  EXPECT_EQ(part.name_of(part.vertices()[0]), "layer 0 second");
  EXPECT_EQ(part.waits_for(1), 1U);
}

}  // namespace
}  // namespace kvtraffic::sim
