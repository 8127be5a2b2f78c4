// Small questions about tables and sourced values.
// Leaves out faults: table_check.cpp reports them.
#include "sim/config/table_tools.hpp"

#include <algorithm>

namespace kvtraffic::sim {

const Field* find_field(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table.fields, name, &Field::name);
  return found == table.fields.end() ? nullptr : &*found;
}

bool is_scalar_type(Type type) {
  return type != Type::map && type != Type::list && type != Type::dictionary && type != Type::reference &&
         type != Type::any;
}

std::string_view type_words(Type type) {
  switch (type) {
    case Type::text:
      return "a text";
    case Type::name:
      return "a name";
    case Type::flag:
      return "true or false";
    case Type::integer:
      return "a whole number";
    case Type::number:
      return "a number";
    case Type::tokens:
      return "a number of tokens";
    case Type::bytes:
      return "a size";
    case Type::duration:
      return "a time";
    case Type::bandwidth:
      return "a bandwidth";
    case Type::frequency:
      return "a frequency";
    case Type::flop_rate:
      return "a rate of operations";
    case Type::ratio:
      return "a ratio";
    case Type::choice:
      return "one of the choices";
    case Type::map:
    case Type::dictionary:
      return "a map";
    case Type::list:
      return "a list";
    case Type::reference:
      return "a name, a file or a map";
    case Type::any:
      return "a value";
  }
  return "a value";
}

const Node& without_provenance(const Node& node, Type type) {
  const bool may_be_wrapped = is_scalar_type(type) || type == Type::list || type == Type::reference;
  const Node* value = may_be_wrapped ? node.find(kValueKey) : nullptr;
  if (value == nullptr) {
    return node;
  }
  // A reference is a map by its own right, unless it holds nothing but a value and its provenance.
  const bool is_wrapper = std::ranges::all_of(node.members(), [](const Node::Member& member) {
    return member.key == kValueKey || member.key == kSourceKey || member.key == kCertaintyKey;
  });
  return type == Type::reference && !is_wrapper ? node : *value;
}

bool is_provenance_key(std::string_view key, const Table* table) {
  return (key == kSourceKey || key == kCertaintyKey) && (table == nullptr || find_field(*table, key) == nullptr);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::vector<std::string_view> given_of(const Exclusive& group, const Node& node) {
  std::vector<std::string_view> given;
  for (const std::string_view name : group.names) {
    const Node* value = node.find(name);
    if (value != nullptr && !value->is_null()) {
      given.push_back(name);
    }
  }
  return given;
}

}  // namespace kvtraffic::sim
