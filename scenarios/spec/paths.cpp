// Walking the scenario's tables along a dotted path.
// Leaves out setting values (set_value.cpp).
#include "scenarios/spec/paths.hpp"

#include <fmt/format.h>

#include <span>

#include "scenarios/spec/scenario.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Field;
using sim::Table;
using sim::Type;

const Field* find_field(const Table& table, std::string_view name) {
  for (const Field& field : table.fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Field& field : table.fields) {
    if (field.name != "sweep" && field.name != "expect") names.emplace_back(field.name);
  }
  return names;
}

bool takes_anything_below(const Field& field) { return field.type == Type::reference || field.type == Type::any; }

// Where a walk along a path ended: the last table entered, the key it was asked for, and the field, if there is one.
struct Walk {
  const Table* table = &scenario_table();
  std::string_view key;
  const Field* field = nullptr;
  std::string_view rest;  // not walked: inside a reference, or below a scalar
};

std::string_view after_key(std::string_view path, std::string_view key) {
  path.remove_prefix(key.size());
  return path.starts_with('.') ? path.substr(1) : path;
}

Walk walk(std::string_view path) {
  Walk at;
  at.rest = path;
  while (true) {
    at.key = first_key(at.rest);
    at.rest = after_key(at.rest, at.key);
    at.field = find_field(*at.table, at.key);
    if (at.field == nullptr || at.rest.empty() || at.field->type != Type::map) return at;
    at.table = at.field->table;
  }
}

// A path is keys between dots; "a..b" and "a." name nothing.
bool has_empty_key(std::string_view path) {
  return path.empty() || path.starts_with('.') || path.ends_with('.') || path.find("..") != std::string_view::npos;
}

}  // namespace

std::string_view first_key(std::string_view path) { return path.substr(0, path.find_first_of(".[")); }

bool is_inside(std::string_view inner, std::string_view outer) {
  return inner.size() > outer.size() && inner.starts_with(outer) &&
         (inner[outer.size()] == '.' || inner[outer.size()] == '[');
}

const Field* field_at(std::string_view path) {
  const Walk end = walk(path);
  return end.rest.empty() ? end.field : nullptr;
}

bool check_path(std::string_view path, const sim::Mark& where, sim::Diagnostics& diagnostics) {
  const Walk end = walk(path);
  const std::vector<std::string> known = names_of(*end.table);
  const std::string expected = fmt::format("one of {}", fmt::join(known, ", "));
  if (has_empty_key(path)) {
    diagnostics.error(where, std::string(path), "is no path", "keys between dots, such as workload.batch");
  } else if (end.field == nullptr || end.key == "sweep" || end.key == "expect") {
    diagnostics.error(where, std::string(path), fmt::format("no field '{}' that could be set", end.key), expected,
                      sim::nearest_name(end.key, known));
  } else if (!end.rest.empty() && !takes_anything_below(*end.field)) {
    diagnostics.error(where, std::string(path), fmt::format("'{}' holds one value and no keys", end.key));
  } else {
    return true;
  }
  return false;
}

void check_value(const Field& field, std::string_view path, const sim::Node& value, sim::Diagnostics& diagnostics) {
  const Table lone{.name = "value", .help = "", .fields = std::span(&field, 1)};
  const std::size_t dot = path.rfind('.');
  const std::string_view prefix = dot == std::string_view::npos ? "" : path.substr(0, dot);
  check(sim::Node::map({{std::string(field.name), value.mark(), value}}, value.mark()), lone, diagnostics, prefix);
}

sim::Node canonical(const Field* field, const sim::Node& value) {
  if (field == nullptr || !value.is_scalar()) return value;
  const Table lone{.name = "value", .help = "", .fields = std::span(field, 1)};
  const sim::Node filled = with_defaults(sim::Node::map({{std::string(field->name), {}, value}}), lone);
  const sim::Node* result = filled.find(field->name);
  return result == nullptr ? value : *result;
}

}  // namespace kvtraffic::scenarios
