// Setting one path of a scenario, from a sweep or from the command line.
// Leaves out whether the path or the value is right: check_path and the table say that.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "scenarios/spec/paths.hpp"
#include "scenarios/spec/scenario.hpp"
#include "scenarios/spec/sweep.hpp"
#include "sim/config/yaml.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Field;
using sim::Mark;
using sim::Node;
using sim::SourceFile;

// A name that gets a key below it becomes a map that extends it.
Node extending(const Node& name) { return Node::map({{"extends", name.mark(), name}}, name.mark()); }

// A reference that is to get a key: what is written, else its default, as a map.
void open_reference(Node& scenario, const Field& field) {
  const Node* written = scenario.find(field.name);
  const bool is_absent = written == nullptr || written->is_null();
  if (is_absent && field.fallback.empty()) return;  // the table misses it afterwards
  const Node name = is_absent ? Node::scalar(std::string(field.fallback)) : *written;
  if (name.is_scalar()) scenario.set(field.name, extending(name), name.mark());
}

// A node's `device:` may be a name too.
void open_device(Node& hardware) {
  const Node* device = hardware.find("device");
  if (device != nullptr && device->is_scalar()) hardware.set("device", extending(*device), device->mark());
}

// ---- values of settings ----

// The value alone is read; its places are moved to where it stands in the setting.
Mark moved(const Mark& mark, const std::shared_ptr<const SourceFile>& source, int columns) {
  return {source, mark.line, mark.line == 1 ? mark.column + columns : mark.column};
}

Node moved(const Node& node, const std::shared_ptr<const SourceFile>& source, int columns) {
  const Mark mark = moved(node.mark(), source, columns);
  if (node.is_scalar()) return Node::scalar(node.text(), mark, node.quoted());
  if (node.is_list()) {
    std::vector<Node> items;
    for (const Node& item : node.items()) items.push_back(moved(item, source, columns));
    return Node::list(std::move(items), mark);
  }
  if (!node.is_map()) return node;
  std::vector<Node::Member> members;
  for (const Node::Member& member : node.members()) {
    members.push_back({member.key, moved(member.key_mark, source, columns), moved(member.value, source, columns)});
  }
  return Node::map(std::move(members), mark);
}

Node value_in(const std::string& text, const std::shared_ptr<const SourceFile>& source, int columns,
              Diagnostics& diagnostics) {
  Diagnostics faults;
  const Node node = sim::read_yaml(text, "<--set>", faults);
  for (const sim::Diagnostic& fault : faults.all()) {
    diagnostics.error(moved(fault.where, source, columns), fault.path, fault.message, fault.expected, fault.nearest);
  }
  return moved(node, source, columns);
}

}  // namespace

void set_value(Node& scenario, const std::string& path, const Node& value) {
  const Field* field = field_at(first_key(path));
  if (field != nullptr && field->type == sim::Type::reference && is_inside(path, field->name)) {
    open_reference(scenario, *field);
  }
  if (const Node* written = scenario.find("hardware"); written != nullptr && is_inside(path, "hardware.device")) {
    Node hardware = *written;
    open_device(hardware);
    scenario.set("hardware", std::move(hardware), value.mark());
  }
  scenario.set_path(path, value);
}

void set_values(Node& scenario, std::vector<std::pair<std::string, Node>> values, Diagnostics& diagnostics) {
  const auto depth = [](const auto& value) { return std::ranges::count(value.first, '.'); };
  std::ranges::stable_sort(values, {}, depth);
  for (const auto& [path, value] : values) {
    Node changed = scenario;
    try {
      set_value(changed, path, value);
      scenario = std::move(changed);
    } catch (const std::out_of_range&) {
      diagnostics.error(value.mark(), path, "names a list item that the scenario does not write",
                        "the whole list, or a key outside lists");
    }
  }
}

std::pair<std::string, Node> parse_setting(const std::string& text, Diagnostics& diagnostics) {
  const auto source = std::make_shared<const SourceFile>(SourceFile{"<--set>", text});
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.error({source, 1, 1}, "", sim::in_quotes(text) + " sets nothing",
                      "path=value, such as workload.batch=64");
    return {};
  }
  const std::string path = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  if (value.find_first_not_of(" \t\n") == std::string::npos) {
    diagnostics.error({source, 1, 1}, path, "has no value", "path=value, or path=null to take the key away");
    return {};
  }
  if (value == "null" || value == "~") return {path, Node{}};
  return {path, value_in(value, source, static_cast<int>(equals) + 1, diagnostics)};
}

}  // namespace kvtraffic::scenarios
