// From `{model: ..., context: 1M}` to a scenario: workload keys moved to their place, the rest of the question fixed.
// Leaves out checking what the scenario says; whoever evaluates it does.
#include "scenarios/claims/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "scenarios/spec/paths.hpp"
#include "scenarios/spec/scenario.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Node;

constexpr std::string_view usual_hardware = "8x-h200-sxm";  // logical bytes and storage do not depend on it

constexpr std::array<std::string_view, 6> workload_keys{"phase", "batch", "context", "position", "cached", "replay"};
// What every point of the ledger is asked alike, or not at all.
constexpr std::array<std::string_view, 5> fixed_keys{"fidelity", "capacity", "sweep", "expect", "workload"};

Node usual_scenario() {
  Node workload = Node::map({});
  workload.set("phase", Node::scalar("decode"));
  workload.set("batch", Node::scalar("1"));
  workload.set("context", Node::scalar("128K"));
  Node scenario = Node::map({});
  scenario.set("hardware", Node::scalar(std::string(usual_hardware)));
  scenario.set("fidelity", Node::scalar("roofline"));
  scenario.set("capacity", Node::scalar("ignore"));
  scenario.set("workload", std::move(workload));
  return scenario;
}

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

std::vector<std::string> point_keys() {
  std::vector<std::string> keys{workload_keys.begin(), workload_keys.end()};
  for (const sim::Field& field : scenario_table().fields) {
    if (!is_among(fixed_keys, field.name)) keys.emplace_back(field.name);
  }
  return keys;
}

Node scenario_of(const Node& point, const std::string& path, Diagnostics& diagnostics) {
  if (!point.is_map()) {
    diagnostics.error(point.mark(), path, "expected a point, such as {model: NAME, context: 128K}");
    return usual_scenario();
  }
  Node scenario = usual_scenario();
  Node workload = *scenario.find("workload");
  for (const Node::Member& member : point.members()) {
    if (is_among(fixed_keys, member.key)) {
      diagnostics.error(member.key_mark, fmt::format("{}.{}", path, member.key),
                        "is the same for all points of the ledger");
    } else if (is_among(workload_keys, member.key)) {
      workload.set(member.key, member.value, member.key_mark);
    } else if (field_at(member.key) != nullptr) {
      scenario.set(member.key, member.value, member.key_mark);
    } else {
      diagnostics.error(member.key_mark, fmt::format("{}.{}", path, member.key), "no key of a point", "",
                        sim::nearest_name(member.key, point_keys()));
    }
  }
  scenario.set("workload", std::move(workload));
  return scenario;
}

const Node* find_point(const std::vector<Node>& outer, const Node& own, std::string_view name) {
  if (const Node* found = own.find(name)) return found;
  for (auto map = outer.rbegin(); map != outer.rend(); ++map) {
    if (const Node* found = map->find(name)) return found;
  }
  return nullptr;
}

std::vector<std::string> known_names(const std::vector<Node>& outer, const Node& own) {
  std::vector<std::string> names;
  for (const Node::Member& member : own.members()) names.push_back(member.key);
  for (const Node& map : outer) {
    for (const Node::Member& member : map.members()) names.push_back(member.key);
  }
  return names;
}

// A plain scalar stands in the file as it is read; a quoted one starts one character later. A text folded over lines
// has no such place.
bool shows(const sim::Mark& mark, const std::string& text) {
  if (!mark.file || mark.line <= 0) return false;
  std::size_t start = 0;
  for (int line = 1; line < mark.line; ++line) {
    start = mark.file->text.find('\n', start);
    if (start == std::string::npos) return false;
    ++start;
  }
  const auto column = static_cast<std::size_t>(mark.column - 1);
  return mark.file->text.compare(start + column, text.size(), text) == 0;
}

}  // namespace

std::vector<std::pair<std::string, Node>> named_points(const std::vector<Formula>& formulas,
                                                       const std::vector<Node>& outer, const Node& own,
                                                       const std::string& path, Diagnostics& diagnostics) {
  std::vector<std::pair<std::string, Node>> points;
  const auto is_listed = [&points](std::string_view name) {
    return std::ranges::any_of(points, [name](const auto& point) { return point.first == name; });
  };
  for (const Formula& formula : formulas) {
    for (const Reference* reference : references_of(formula.expression)) {
      const std::string& name = reference->point;
      if (is_listed(name)) continue;
      const Node* point = find_point(outer, own, name);
      if (point == nullptr) {
        diagnostics.error(formula.mark, formula.path, fmt::format("no point is named {}", sim::in_quotes(name)), "",
                          sim::nearest_name(name, known_names(outer, own)));
      }
      points.emplace_back(name, point == nullptr
                                    ? usual_scenario()
                                    : scenario_of(*point, fmt::format("{}.points.{}", path, name), diagnostics));
    }
  }
  for (const Node::Member& member : own.members()) {
    if (is_listed(member.key)) continue;
    diagnostics.error(member.key_mark, fmt::format("{}.points.{}", path, member.key), "no formula names this point");
  }
  return points;
}

void tell_fault(const Formula& formula, const ExpressionFault& fault, Diagnostics& diagnostics) {
  sim::Mark mark = formula.mark;
  sim::Mark behind_quote = mark;
  ++behind_quote.column;
  const auto shift = static_cast<int>(fault.position);
  if (shows(behind_quote, formula.text)) mark = behind_quote;
  if (shows(mark, formula.text)) mark.column += shift;
  diagnostics.error(std::move(mark), formula.path, fmt::format("{} (character {})", fault.message, fault.position + 1));
}

}  // namespace kvtraffic::scenarios
