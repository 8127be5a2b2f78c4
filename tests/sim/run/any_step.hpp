// Random steps and deployments for property tests. Leaves out the dependencies: sums do not ask for them.
#pragma once

#include <rapidcheck.h>

#include <string>

#include "sim/run/tally.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

inline Layout any_layout(std::uint32_t number) {
  Layout layout;
  layout.name = "layout " + std::to_string(number);
  layout.row = *rc::gen::inRange<std::int64_t>(32, 700);
  layout.apart = *rc::gen::inRange<std::int64_t>(0, 20);
  layout.page_entries = *rc::gen::element<std::int64_t>(1, 2, 3, 64);
  layout.page_bytes = round_up_to(layout.page_entries * layout.entry_bytes(), sector_bytes);
  return layout;
}

// Counts that never shrink with the position, so that bytes must not either.
inline Count any_growing_count() {
  Count count;
  count.kind = *rc::gen::element(Count::Kind::one, Count::Kind::window, Count::Kind::entries, Count::Kind::capped);
  count.ratio = *rc::gen::inRange<std::int64_t>(1, 6);
  count.limit = *rc::gen::inRange<std::int64_t>(1, 600);
  return count;
}

inline Access any_access(StepGraph& graph, std::uint32_t number) {
  Access access;
  access.kind = static_cast<DataKind>(*rc::gen::inRange<int>(0, static_cast<int>(kind_count)));
  access.direction = *rc::gen::element(Direction::read, Direction::write);
  access.pattern = *rc::gen::element(Pattern::stream, Pattern::gather);
  access.place = *rc::gen::element(Place::device, Place::device, Place::host, Place::remote);
  access.per = *rc::gen::element(Per::token, Per::rank, Per::expert, Per::routed);
  if (access.per == Per::expert && access.place == Place::remote) access.place = Place::host;  // none lies there
  access.ways = *rc::gen::element<std::int64_t>(1, 2, 8, divides_freely);
  access.count = any_growing_count();
  access.only_new = *rc::gen::arbitrary<bool>();
  access.queries = *rc::gen::element<std::int64_t>(0, 0, 1, 2, 128);
  access.role = graph.add_role("role");
  access.layout = graph.add_layout(any_layout(number));
  return access;
}

// Three operations of two accesses each, in two layers and outside them. `queries` and spans are a prefill's.
inline StepGraph any_step(bool prefill = false) {
  StepGraph graph;
  static_cast<void>(
      graph.add_experts({*rc::gen::element<std::int64_t>(8, 64, 256), *rc::gen::inRange<std::int64_t>(1, 9),
                         *rc::gen::element<std::int64_t>(0, 3, 8)}));
  graph.add_layer({"csa2", "full", 0, 0});
  graph.add_layer({"csa2", "reuse", 0, 0});
  for (std::uint32_t i = 0; i < 3; ++i) {
    Operation operation;
    operation.name = "operation " + std::to_string(i);
    operation.accesses = {any_access(graph, 2 * i), any_access(graph, 2 * i + 1)};
    operation.collective = {*rc::gen::element(Collective::Kind::none, Collective::Kind::all_reduce), 512};
    for (Access& access : operation.accesses) {
      if (!prefill) access.queries = 0;
    }
    if (prefill)
      operation.span = graph.add_span({*rc::gen::element<std::int64_t>(0, 1, 128), *rc::gen::arbitrary<bool>()});
    const auto added = graph.add_operation(operation);
    for (const std::int32_t layer : {-1, 0, 1}) graph.add_vertex(added, layer);
  }
  graph.finish();
  return graph;
}

inline Deployment any_deployment() {
  Deployment d;
  d.tensor = *rc::gen::inRange<std::int64_t>(1, 9);
  d.data = *rc::gen::inRange<std::int64_t>(1, 9);
  d.devices = d.tensor * d.data;
  d.expert = *rc::gen::element(std::int64_t{1}, d.tensor, d.data, d.devices);
  return d;
}

inline Point any_decode() {
  return Point::decode(*rc::gen::inRange<std::int64_t>(1, 300), *rc::gen::inRange<std::int64_t>(1, 5000),
                       *rc::gen::element<std::int64_t>(1, 1, 4, 128));
}

// A chunk anywhere in a prompt, which may replay what stands before it.
inline Point any_chunk() {
  const auto context = *rc::gen::inRange<std::int64_t>(1, 5000);
  const auto first = *rc::gen::inRange<std::int64_t>(1, context + 1);
  const auto last = *rc::gen::inRange<std::int64_t>(first, context + 1);
  return Point::prefill(*rc::gen::inRange<std::int64_t>(1, 300), context, first, last,
                        *rc::gen::inRange<std::int64_t>(0, std::min<std::int64_t>(first, 129)));
}

inline Tally tallied(const StepGraph& graph, const Deployment& deployment, const Point& point) {
  Tally tally;
  tally_point(graph, deployment, point, tally);
  return tally;
}

}  // namespace kvtraffic::sim
