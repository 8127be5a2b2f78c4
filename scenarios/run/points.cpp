// Numbering points and reading their counts ahead, so that a point of a large sweep costs no parsing.
// Leaves out checking: the plan's values are checked already.
#include "scenarios/run/points.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "scenarios/spec/paths.hpp"
#include "sim/units/parse.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Node;

constexpr std::string_view batch_path = "workload.batch";
constexpr std::string_view context_path = "workload.context";

// Swept or not, a result names these.
bool is_always_named(std::string_view path) {
  constexpr std::array<std::string_view, 5> names{"model", "hardware", "format", "engine", "fidelity"};
  for (const std::string_view name : names) {
    if (path == name) return true;
  }
  return false;
}

std::string on_one_line(const Node& node) {
  std::vector<std::string> parts;
  for (const Node& item : node.items()) parts.push_back(on_one_line(item));
  for (const Node::Member& member : node.members()) parts.push_back(member.key + ": " + on_one_line(member.value));
  if (node.is_list()) return fmt::format("[{}]", fmt::join(parts, ", "));
  if (node.is_map()) return fmt::format("{{{}}}", fmt::join(parts, ", "));
  return node.is_null() ? "null" : node.text();
}

// A parameter is a scalar: a map or list is shown as text.
Node shown_value(const std::string& path, const Node& value) {
  if (value.is_scalar()) return canonical(field_at(path), value);
  return Node::scalar(on_one_line(value), value.mark(), true);
}

// The values that need another setup, as text that only equal values share.
std::string setup_text(const Axis& axis, std::size_t step) {
  std::string text;
  for (std::size_t p = 0; p < axis.paths.size(); ++p) {
    if (!is_count(axis.paths[p])) text += to_yaml(axis.values[step][p]);
  }
  return text;
}

std::vector<std::int64_t> column(const Axis& axis, std::string_view path,
                                 sim::Parsed<std::int64_t> (*parse)(std::string_view)) {
  std::vector<std::int64_t> numbers;
  for (std::size_t p = 0; p < axis.paths.size(); ++p) {
    if (axis.paths[p] != path) continue;
    for (const auto& values : axis.values) numbers.push_back(parse(values[p].text()).value_or(0));
  }
  return numbers;
}

}  // namespace

bool is_count(std::string_view path) { return path == batch_path || path == context_path; }

Node unswept(const Node& scenario) {
  Node point = scenario;
  point.remove("sweep");
  point.remove("expect");
  return point;
}

PointSpace::PointSpace(const Plan& plan) : plan_(plan), size_(plan.sweep.size()) {
  for (const Axis& axis : plan.sweep.axes()) axes_.push_back(steps_of(axis));
  std::int64_t stride = 1;
  for (std::size_t a = axes_.size(); a-- > 0;) {
    axes_[a].stride = stride;
    stride *= axes_[a].length;
  }
}

PointSpace::AxisSteps PointSpace::steps_of(const Axis& axis) {
  AxisSteps steps;
  steps.length = static_cast<std::int64_t>(axis.values.size());
  steps.batch = column(axis, batch_path, sim::parse_integer);
  steps.context = column(axis, context_path, sim::parse_tokens);
  std::map<std::string, std::int64_t> classes;
  for (std::size_t step = 0; step < axis.values.size(); ++step) {
    const auto next = static_cast<std::int64_t>(classes.size());
    steps.class_of.push_back(classes.emplace(setup_text(axis, step), next).first->second);
    Shown& shown = steps.shown.emplace_back();
    for (std::size_t p = 0; p < axis.paths.size(); ++p) {
      if (is_always_named(axis.paths[p])) continue;
      shown.emplace_back(axis.paths[p], shown_value(axis.paths[p], axis.values[step][p]));
    }
  }
  steps.classes = static_cast<std::int64_t>(classes.size());
  return steps;
}

std::size_t PointSpace::step_at(const AxisSteps& axis, std::int64_t index) {
  return static_cast<std::size_t>(index / axis.stride % axis.length);
}

std::int64_t PointSpace::combination(std::int64_t index) const {
  std::int64_t number = 0;
  for (const AxisSteps& axis : axes_) number = number * axis.classes + axis.class_of[step_at(axis, index)];
  return number;
}

std::optional<std::int64_t> PointSpace::batch(std::int64_t index) const {
  for (const AxisSteps& axis : axes_) {
    if (!axis.batch.empty()) return axis.batch[step_at(axis, index)];
  }
  return std::nullopt;
}

std::optional<std::int64_t> PointSpace::context(std::int64_t index) const {
  for (const AxisSteps& axis : axes_) {
    if (!axis.context.empty()) return axis.context[step_at(axis, index)];
  }
  return std::nullopt;
}

Node PointSpace::scenario(std::int64_t index, sim::Diagnostics& diagnostics) const {
  Node point = unswept(plan_.node);
  set_values(point, plan_.sweep.at(index), diagnostics);
  return point;
}

void PointSpace::append_swept(std::int64_t index, std::vector<std::pair<std::string, Node>>& parameters) const {
  for (const AxisSteps& axis : axes_) {
    const Shown& shown = axis.shown[step_at(axis, index)];
    parameters.insert(parameters.end(), shown.begin(), shown.end());
  }
}

std::vector<std::pair<std::string, Node>> PointSpace::described(std::int64_t index) const {
  auto values = plan_.sweep.at(index);
  for (auto& [path, value] : values) value = shown_value(path, value);
  return values;
}

}  // namespace kvtraffic::scenarios
