// JSON Schema from tables: one definition per nested table, one rule per field type.
// Leaves out what a schema cannot say: nearest names, and references into catalogs.
#include "sim/config/schema.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "sim/config/table_tools.hpp"
#include "sim/config/yaml.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/unit_table.hpp"

namespace kvtraffic::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kNumberPattern = "\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?";

std::string unit_pattern(std::span<const Unit> units) {
  std::string names;
  bool may_be_left_out = false;
  for (const Unit& unit : units) {
    may_be_left_out = may_be_left_out || unit.name.empty();
    names += names.empty() || unit.name.empty() ? "" : "|";
    names += unit.name;
  }
  return fmt::format("^\\s*{}\\s*({}){}\\s*$", kNumberPattern, names, may_be_left_out ? "?" : "");
}

Json texts(std::span<const std::string_view> names) {
  Json result = Json::array();
  for (const std::string_view name : names) {
    result.push_back(std::string(name));
  }
  return result;
}

Json with_unit(std::span<const Unit> units) { return {{"type", "string"}, {"pattern", unit_pattern(units)}}; }

Json with_range(Json rule, const Field& field) {
  if (field.min > -1e300) {
    rule["minimum"] = field.min;
  }
  if (field.max < 1e300) {
    rule["maximum"] = field.max;
  }
  return rule;
}

Json scalar_rule(const Field& field, Type type) {
  switch (type) {
    case Type::name:
      return {{"type", {"string", "integer"}}, {"pattern", "^[A-Za-z0-9][A-Za-z0-9._-]*$"}};
    case Type::flag:
      return {{"type", "boolean"}};
    case Type::integer:
      return with_range({{"type", "integer"}}, field);
    case Type::number:
      return with_range({{"type", "number"}}, field);
    case Type::tokens:
      return with_range({{"type", {"integer", "string"}}, {"pattern", unit_pattern(token_units())}}, field);
    case Type::bytes:
      return with_unit(byte_units());
    case Type::duration:
      return with_unit(duration_units());
    case Type::bandwidth:
      return with_unit(bandwidth_units());
    case Type::frequency:
      return with_unit(frequency_units());
    case Type::flop_rate:
      return with_unit(flop_rate_units());
    case Type::ratio:
      return with_range({{"type", {"number", "string"}}, {"pattern", fmt::format("^-?{}\\s*%?$", kNumberPattern)}},
                        field);
    case Type::choice:
      return {{"enum", texts(field.choices)}};
    default:
      return {{"type", {"string", "number", "boolean"}}};
  }
}

// The value of a default as an editor would insert it.
Json default_value(const Node& node, Type type) {
  if (node.is_list()) {
    Json items = Json::array();
    for (const Node& item : node.items()) {
      items.push_back(default_value(item, type));
    }
    return items;
  }
  if (node.is_map()) {
    Json members = Json::object();
    for (const Node::Member& member : node.members()) {
      members[member.key] = default_value(member.value, type);
    }
    return members;
  }
  if (const Parsed<bool> flag = parse_flag(node.text()); type == Type::flag && flag) {
    return *flag;
  }
  if (const Parsed<std::int64_t> whole = parse_integer(node.text());
      type != Type::text && type != Type::name && whole) {
    return *whole;
  }
  const bool is_number = type == Type::number || type == Type::ratio;
  if (const Parsed<double> number = parse_number(node.text()); is_number && number) {
    return *number;
  }
  return node.text();
}

class Writer {
 public:
  explicit Writer(const Table& root) : root_(&root) {}

  [[nodiscard]] Json write(std::string_view title) {
    Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", std::string(title)}};
    schema.update(object_of(*root_));
    // Definitions may ask for further definitions while they are written.
    Json definitions = Json::object();
    if (root_->sourced) {
      definitions["provenance.source"] = {{"type", "string"}, {"minLength", 1}, {"description", "a key of `sources`"}};
      definitions["provenance.certainty"] = {{"type", "string"},
                                             {"pattern", "^(spec|measured|published|assumed)([ ,;:(]|$)"}};
    }
    for (std::size_t i = 0; i < defined_.size(); ++i) {
      const auto [table, name] = defined_[i];
      definitions[name] = object_of(*table);
    }
    if (!definitions.empty()) {
      schema["definitions"] = definitions;
    }
    return schema;
  }

 private:
  [[nodiscard]] Json object_of(const Table& table);
  [[nodiscard]] Json property_of(const Field& field);
  [[nodiscard]] Json value_of(const Field& field, Type type);
  [[nodiscard]] Json sourced(Json rule) const;
  [[nodiscard]] std::string pointer_to(const Table& table);
  void add_provenance(Json& properties) const;

  const Table* root_;
  std::vector<std::pair<const Table*, std::string>> defined_;
};

std::string Writer::pointer_to(const Table& table) {
  if (&table == root_) {
    return "#";
  }
  std::size_t same_name = 0;
  for (const auto& [known, name] : defined_) {
    if (known == &table) {
      return "#/definitions/" + name;
    }
    same_name += known->name == table.name ? 1 : 0;
  }
  const std::string name = std::string(table.name) + (same_name > 0 ? fmt::format("_{}", same_name + 1) : "");
  defined_.emplace_back(&table, name);
  return "#/definitions/" + name;
}

void Writer::add_provenance(Json& properties) const {
  for (const std::string_view key : {kSourceKey, kCertaintyKey}) {
    const std::string name(key);
    if (root_->sourced && !properties.contains(name)) {
      properties[name] = {{"$ref", "#/definitions/provenance." + name}};
    }
  }
}

// A scalar alone, or with its provenance.
Json Writer::sourced(Json rule) const {
  if (!root_->sourced) {
    return rule;
  }
  Json properties = {{"value", rule}};
  add_provenance(properties);
  const Json wrapped = {
      {"type", "object"}, {"properties", properties}, {"required", {"value"}}, {"additionalProperties", false}};
  Json choices = Json::array();
  choices.push_back(std::move(rule));
  choices.push_back(wrapped);
  return {{"anyOf", choices}};
}

Json Writer::value_of(const Field& field, Type type) {
  switch (type) {
    case Type::map: {
      const Json map = {{"$ref", pointer_to(*field.table)}};
      return field.choices.empty() ? map : Json{{"anyOf", {map, {{"enum", texts(field.choices)}}}}};
    }
    case Type::list:
      return sourced({{"type", "array"}, {"items", value_of(field, field.item)}});
    case Type::dictionary: {
      Json rule = {{"type", "object"}, {"additionalProperties", value_of(field, field.item)}};
      Json properties = Json::object();
      add_provenance(properties);
      if (!properties.empty()) {
        rule["properties"] = properties;
      }
      return rule;
    }
    case Type::reference:
      return {{"type", {"string", "number", "object"}}};
    case Type::any:
      return Json::object();
    default:
      return sourced(scalar_rule(field, type));
  }
}

Json Writer::property_of(const Field& field) {
  Json rule = value_of(field, field.type);
  // Draft 7 ignores what stands beside "$ref".
  Json property = Json::object();
  if (!field.help.empty()) {
    property["description"] = std::string(field.help);
  }
  if (!field.fallback.empty()) {
    Diagnostics ignored;
    const Node node = is_scalar_type(field.type) ? Node::scalar(std::string(field.fallback))
                                                 : read_yaml(std::string(field.fallback), "<default>", ignored);
    property["default"] = default_value(node, field.type == Type::list ? field.item : field.type);
  }
  if (rule.contains("$ref") && !property.empty()) {
    Json all = Json::array();
    all.push_back(std::move(rule));
    rule = {{"allOf", all}};
  }
  property.update(rule);
  return property;
}

Json required_rule(std::string_view name) { return {{"required", {std::string(name)}}}; }

// At most one member of each group: no two together; and at least one where one is required.
Json exclusive_rules(const Table& table) {
  Json rules = Json::array();
  for (const Exclusive& group : table.exclusive) {
    for (std::size_t i = 0; i < group.names.size(); ++i) {
      for (std::size_t j = i + 1; j < group.names.size(); ++j) {
        rules.push_back({{"not", {{"required", {std::string(group.names[i]), std::string(group.names[j])}}}}});
      }
    }
    Json one = Json::array();
    for (const std::string_view name : group.names) {
      one.push_back(required_rule(name));
    }
    if (group.one_required) {
      rules.push_back({{"anyOf", one}});
    }
  }
  return rules;
}

Json Writer::object_of(const Table& table) {
  Json object = Json::object();
  if (!table.help.empty()) {
    object["description"] = std::string(table.help);
  }
  object["type"] = "object";
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : table.fields) {
    properties[std::string(field.name)] = property_of(field);
    if (field.required) {
      required.push_back(std::string(field.name));
    }
  }
  add_provenance(properties);
  object["properties"] = properties;
  if (!required.empty()) {
    object["required"] = required;
  }
  object["additionalProperties"] = false;
  if (Json rules = exclusive_rules(table); !rules.empty()) {
    object["allOf"] = rules;
  }
  return object;
}

}  // namespace

std::string json_schema(const Table& table, std::string_view title) {
  return Writer(table).write(title).dump(2) + "\n";
}

}  // namespace kvtraffic::sim
