// Laying settings on a scenario.
// Leaves out reading "path=value" (parse_setting).
#include "scenarios/run/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/spec/paths.hpp"
#include "scenarios/spec/sweep.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Node;

void remove_path(Node& node, std::string_view path) {
  const std::string_view key = first_key(path);
  const Node* child = node.find(key);
  if (child == nullptr) return;
  if (key.size() == path.size()) {
    node.remove(key);
    return;
  }
  Node changed = *child;
  remove_path(changed, path.substr(key.size() + 1));
  node.set(key, std::move(changed));
}

// A member whose key is all of the rest: axes and limits are named by dotted paths.
void set_member(Node& scenario, const std::string& map, const std::string& key, const Node& value) {
  const Node* written = scenario.find(map);
  Node changed = written == nullptr ? Node::map({}, value.mark()) : *written;
  if (value.is_null()) {
    changed.remove(key);
  } else {
    changed.set(key, value, value.mark());
  }
  scenario.set(map, std::move(changed), value.mark());
}

// Takes `path` out of the sweep, and with the last tied path the tie.
void stop_sweeping(Node& scenario, const std::string& path) {
  const Node* written = scenario.find("sweep");
  if (written == nullptr) return;
  Node sweep = *written;
  sweep.remove(path);
  if (const Node* zip = sweep.find("zip")) {
    Node tied = *zip;
    tied.remove(path);
    tied.is_map() && tied.members().empty() ? sweep.remove("zip") : sweep.set("zip", std::move(tied));
  }
  scenario.set("sweep", std::move(sweep));
}

bool is_inside_swept(const Node& scenario, const std::string& path) {
  return std::ranges::any_of(swept_paths(scenario), [&](const std::string& swept) { return is_inside(path, swept); });
}

void apply(Node& scenario, const std::string& path, const Node& value, Diagnostics& diagnostics) {
  for (const std::string map : {"sweep", "expect"}) {
    if (path.starts_with(map + "[")) {
      return diagnostics.error(value.mark(), path, "is no path",
                               fmt::format("{}.PATH, as it stands in a scenario", map));
    }
    if (path == map) return value.is_null() ? scenario.remove(map) : scenario.set(map, value, value.mark());
    if (is_inside(path, map)) return set_member(scenario, map, path.substr(map.size() + 1), value);
  }
  if (!check_path(path, value.mark(), diagnostics)) return;
  stop_sweeping(scenario, path);
  if (value.is_null()) {
    remove_path(scenario, path);
  } else if (is_inside_swept(scenario, path)) {
    set_member(scenario, "sweep", path, Node::list({value}, value.mark()));
  } else {
    set_values(scenario, {{path, value}}, diagnostics);
  }
}

}  // namespace

std::vector<std::string> swept_paths(const Node& scenario) {
  std::vector<std::string> paths;
  const Node* sweep = scenario.find("sweep");
  if (sweep == nullptr) return paths;
  for (const Node::Member& member : sweep->members()) {
    if (member.key != "zip") paths.push_back(member.key);
    if (member.key != "zip") continue;
    for (const Node::Member& tied : member.value.members()) paths.push_back(tied.key);
  }
  return paths;
}

void apply_settings(Node& scenario, const std::vector<std::string>& settings, Diagnostics& diagnostics) {
  for (const std::string& text : settings) {
    Diagnostics faults;
    const auto [path, value] = parse_setting(text, faults);
    if (!faults.has_errors()) apply(scenario, path, value, faults);
    diagnostics.append(faults);
  }
}

}  // namespace kvtraffic::scenarios
