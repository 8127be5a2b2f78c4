// How many positions the layers of a point compute, layers that run the same positions together.
// Leaves out draft layers: they are no part of the count.
#include <fmt/format.h>

#include <map>

#include "scenarios/explain/derivation.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

std::string span_text(const sim::Span& span) {
  std::string text = span.tail > 0 ? fmt::format("the last {} positions", span.tail) : "all new positions";
  return span.replays ? text + ", replayed ones included" : text;
}

}  // namespace

std::optional<Derivation> explain_positions(const Evaluated& point, const std::string& path) {
  if (path != "layer_positions" || !point.result.layer_positions) return std::nullopt;
  Derivation d;
  d.path = path;
  d.formula = "sum over main layers of the positions that they compute, of one sequence";
  const sim::StepGraph& graph = point.lowered.graph;
  std::map<std::uint32_t, std::int64_t> layers;
  for (std::size_t i = 0; i < static_cast<std::size_t>(point.setup.model.main_layers); ++i) {
    ++layers[graph.layers()[i].span];
  }
  for (const auto& [span, count] : layers) {
    const std::int64_t positions = point.tally.spans[span].tokens / point.tally.point.batch;
    d.terms.push_back(
        {fmt::format("{} layers x {} [{}]", count, sim::with_commas(positions), span_text(graph.spans()[span])),
         sim::with_commas(count * positions)});
  }
  d.value = sim::with_commas(*point.result.layer_positions);
  add_scenario_inputs(point, d);
  return d;
}

}  // namespace kvtraffic::scenarios
