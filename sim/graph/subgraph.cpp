// Everything that vertices refer to is taken along, so that numbers stay the same.
#include "sim/graph/subgraph.hpp"

#include <vector>

namespace kvtraffic::sim {
namespace {

// All but vertices and edges.
StepGraph without_vertices(const StepGraph& graph) {
  StepGraph part;
  for (const Layout& layout : graph.layouts()) static_cast<void>(part.add_layout(layout));
  for (const std::string& role : graph.roles()) static_cast<void>(part.add_role(role));
  for (const ExpertSet& set : graph.expert_sets()) static_cast<void>(part.add_experts(set));
  for (const Span& span : graph.spans()) static_cast<void>(part.add_span(span));
  for (const Operation& operation : graph.operations()) part.add_operation(operation);
  for (const LayerInfo& layer : graph.layers()) part.add_layer(layer);
  return part;
}

}  // namespace

bool PartOfStep::holds(const StepGraph& graph, const Vertex& vertex) const {
  if (layer && vertex.layer != *layer) return false;
  const Operation& its = graph.operation_of(vertex);
  if (module != Module::none && its.module != module) return false;
  return operation.empty() || its.name == operation;
}

StepGraph subgraph(const StepGraph& graph, const PartOfStep& part) {
  StepGraph result = without_vertices(graph);
  std::vector<std::optional<std::uint32_t>> place(graph.vertices().size());
  std::optional<std::uint32_t> last;
  for (const std::uint32_t v : graph.order()) {
    const Vertex& vertex = graph.vertices()[v];
    if (!part.holds(graph, vertex)) continue;
    place[v] = result.add_vertex(vertex.operation, vertex.layer);
    if (last && !part.layer) result.add_edge(*last, *place[v], "order of the step");
    last = place[v];
  }
  for (const Edge& edge : graph.edges()) {
    if (place[edge.from] && place[edge.to]) result.add_edge(*place[edge.from], *place[edge.to], edge.why);
  }
  result.finish();
  return result;
}

}  // namespace kvtraffic::sim
