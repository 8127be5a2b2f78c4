// Reading a checked map by field name: the written value, else the field's default, else nothing.
// Leaves out faults: check() reported them, and what it refused reads as nothing here.
#include <fmt/format.h>

#include <stdexcept>

#include "sim/config/table.hpp"
#include "sim/config/table_tools.hpp"
#include "sim/config/yaml.hpp"
#include "sim/units/parse.hpp"

namespace kvtraffic::sim {
namespace {

const Node& empty_map() {
  static const Node node = Node::map({});
  return node;
}

const Node& nothing() {
  static const Node node;
  return node;
}

// Our own mistake, so not a ConfigError: no input can cause it.
const Field& field_of(const Table& table, std::string_view name, std::initializer_list<Type> allowed) {
  const Field* field = find_field(table, name);
  if (field == nullptr) {
    throw std::logic_error(fmt::format("table '{}' has no field '{}'", table.name, name));
  }
  for (const Type type : allowed) {
    if (field->type == type) {
      return *field;
    }
  }
  if (allowed.size() > 0) {
    throw std::logic_error(fmt::format("field '{}' of table '{}' has another type", name, table.name));
  }
  return *field;
}

// The text of a scalar or of the default; "" for anything else.
std::string scalar_or_default(const Node& value, const Field& field) {
  return value.is_null() ? std::string(field.fallback) : value.text();
}

template <class T>
T value_or_zero(const Parsed<T>& parsed) {
  return parsed ? *parsed : T{};
}

}  // namespace

bool View::has(std::string_view field) const { return !node(field).is_null(); }

const Node& View::node(std::string_view field) const {
  const Field& entry = field_of(*table_, field, {});
  const Node* value = node_->find(field);
  return value == nullptr ? nothing() : without_provenance(*value, entry.type);
}

Mark View::mark(std::string_view field) const {
  const Node& value = node(field);
  if (value.mark().file) {
    return value.mark();
  }
  for (const Node::Member& member : node_->members()) {
    if (member.key == field && member.key_mark.file) {
      return member.key_mark;
    }
  }
  return node_->mark();
}

std::string View::text(std::string_view field) const {
  return scalar_or_default(node(field),
                           field_of(*table_, field, {Type::text, Type::name, Type::choice, Type::reference}));
}

bool View::flag(std::string_view field) const {
  return value_or_zero(parse_flag(scalar_or_default(node(field), field_of(*table_, field, {Type::flag}))));
}

std::int64_t View::integer(std::string_view field) const {
  const Field& entry = field_of(*table_, field, {Type::integer, Type::tokens});
  const std::string text = scalar_or_default(node(field), entry);
  return value_or_zero(entry.type == Type::tokens ? parse_tokens(text) : parse_integer(text));
}

double View::number(std::string_view field) const {
  const Field& entry = field_of(*table_, field, {Type::number, Type::ratio, Type::integer});
  const std::string text = scalar_or_default(node(field), entry);
  return value_or_zero(entry.type == Type::ratio ? parse_ratio(text) : parse_number(text));
}

Bytes View::bytes(std::string_view field) const {
  return value_or_zero(parse_bytes(scalar_or_default(node(field), field_of(*table_, field, {Type::bytes}))));
}

Duration View::duration(std::string_view field) const {
  return value_or_zero(parse_duration(scalar_or_default(node(field), field_of(*table_, field, {Type::duration}))));
}

Bandwidth View::bandwidth(std::string_view field) const {
  return value_or_zero(parse_bandwidth(scalar_or_default(node(field), field_of(*table_, field, {Type::bandwidth}))));
}

Frequency View::frequency(std::string_view field) const {
  return value_or_zero(parse_frequency(scalar_or_default(node(field), field_of(*table_, field, {Type::frequency}))));
}

FlopRate View::flop_rate(std::string_view field) const {
  return value_or_zero(parse_flop_rate(scalar_or_default(node(field), field_of(*table_, field, {Type::flop_rate}))));
}

View View::map(std::string_view field) const {
  const Field& entry = field_of(*table_, field, {Type::map});
  const Node& value = node(field);
  return {value.is_map() ? value : empty_map(), *entry.table};
}

std::vector<View> View::maps(std::string_view field) const {
  const Field& entry = field_of(*table_, field, {Type::list});
  if (entry.item != Type::map) {
    throw std::logic_error(fmt::format("field '{}' of table '{}' is no list of maps", field, table_->name));
  }
  std::vector<View> views;
  for (const Node& item : node(field).items()) {
    views.emplace_back(item.is_map() ? item : empty_map(), *entry.table);
  }
  return views;
}

std::vector<std::string> View::texts(std::string_view field) const {
  const Field& entry = field_of(*table_, field, {Type::list});
  if (entry.item == Type::map) {
    throw std::logic_error(fmt::format("field '{}' of table '{}' is a list of maps", field, table_->name));
  }
  Node list = node(field);
  if (list.is_null() && !entry.fallback.empty()) {
    Diagnostics ignored;  // a default is our own text; a test reads every one
    list = read_yaml(std::string(entry.fallback), "<default>", ignored);
  }
  std::vector<std::string> texts;
  for (const Node& item : list.items()) {
    texts.push_back(without_provenance(item, entry.item).text());
  }
  return texts;
}

}  // namespace kvtraffic::sim
