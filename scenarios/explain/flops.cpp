// Operations of the arithmetic units by precision, operations of one name together.
// Leaves out which units run them, and how fast: that is time.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scenarios/explain/derivation.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

std::optional<std::size_t> precision_named(std::string_view name) {
  const auto found = std::ranges::find(sim::precision_names, name);
  if (found == sim::precision_names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sim::precision_names.begin());
}

struct Group {
  std::int64_t uses = 0;
  double flops = 0;
};

}  // namespace

std::optional<Derivation> explain_flops(const Evaluated& point, const std::string& path) {
  constexpr std::string_view head = "flops.";
  if (!path.starts_with(head)) return std::nullopt;
  const auto precision = precision_named(std::string_view(path).substr(head.size()));
  if (!precision || point.result.flops[*precision] <= 0) return std::nullopt;
  Derivation d;
  d.path = path;
  d.formula = "sum over operations of uses x work of the whole batch; copies on ranks count once";
  const sim::StepGraph& graph = point.lowered.graph;
  std::map<std::string, Group> groups;
  for (std::uint32_t i = 0; i < graph.operations().size(); ++i) {
    const double each = point.tally.operations[i].flops_total[*precision];
    if (each <= 0) continue;
    Group& group = groups[graph.operations()[i].name];
    group.uses += graph.uses(i);
    group.flops += static_cast<double>(graph.uses(i)) * each;
  }
  for (const auto& [name, group] : groups) {
    d.terms.push_back({fmt::format("{} x {}", group.uses, name), sim::exact_text(group.flops) + " FLOP"});
  }
  d.value = sim::exact_text(point.result.flops[*precision]) + " FLOP";
  add_scenario_inputs(point, d);
  return d;
}

}  // namespace kvtraffic::scenarios
