// The resolved form of a map: defaults filled in, scalars in one canonical spelling.
// Leaves out faults: a value that check() refused stays as it was written.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "sim/config/table.hpp"
#include "sim/config/table_tools.hpp"
#include "sim/config/yaml.hpp"
#include "sim/units/format.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/unit_table.hpp"

namespace kvtraffic::sim {
namespace {

using Text = std::optional<std::string>;

// The shortest text that reads back as the same value, over all units: "256 KiB", "141 GB".
template <class T>
Text shortest_text(std::string_view written, std::span<const Unit> units, Parsed<T> (*parse)(std::string_view),
                   double (*base_units)(T)) {
  const Parsed<T> value = parse(written);
  if (!value) {
    return {};
  }
  Text best;
  for (const Unit& unit : units) {
    const double size = std::ldexp(static_cast<double>(unit.times) * std::pow(10.0, unit.exponent10), unit.exponent2);
    std::string text = fmt::format("{} {}", exact_text(base_units(*value) / size), unit.name);
    const Parsed<T> back = parse(text);
    if (back && *back == *value && (!best || text.size() < best->size())) {
      best = std::move(text);
    }
  }
  return best;
}

double count_of(Bytes bytes) { return static_cast<double>(bytes.count()); }
double femtoseconds_of(Duration time) { return static_cast<double>(time.femtoseconds()); }
template <class Tag>
double per_second_of(Rate<Tag> rate) {
  return rate.per_second();
}

Text whole_text(const Parsed<std::int64_t>& value) { return value ? Text(fmt::format("{}", *value)) : Text(); }
Text real_text(const Parsed<double>& value) { return value ? Text(exact_text(*value)) : Text(); }

// The canonical spelling of `text`; nothing when the type has none or the text is faulty.
Text canonical(std::string_view text, Type type) {
  switch (type) {
    case Type::integer:
      return whole_text(parse_integer(text));
    case Type::tokens:
      return whole_text(parse_tokens(text));
    case Type::number:
      return real_text(parse_number(text));
    case Type::ratio:
      return real_text(parse_ratio(text));
    case Type::bytes:
      return shortest_text<Bytes>(text, byte_units(), parse_bytes, count_of);
    case Type::duration:
      return shortest_text<Duration>(text, duration_units(), parse_duration, femtoseconds_of);
    case Type::bandwidth:
      return shortest_text<Bandwidth>(text, bandwidth_units(), parse_bandwidth, per_second_of);
    case Type::frequency:
      return shortest_text<Frequency>(text, frequency_units(), parse_frequency, per_second_of);
    case Type::flop_rate:
      return shortest_text<FlopRate>(text, flop_rate_units(), parse_flop_rate, per_second_of);
    default:
      return {};
  }
}

class Filler {
 public:
  [[nodiscard]] Node filled_map(const Node& node, const Table& table);

 private:
  [[nodiscard]] Node filled(const Node& value, const Field& field, Type type);
  [[nodiscard]] Node filled_members(const Node& value, const Field& field);
  [[nodiscard]] Node fallback_of(const Field& field);
  [[nodiscard]] Node filled_from_nothing(const Field& field);

  std::vector<const Table*> from_nothing_;  // tables being filled without a written map: a table may hold itself
};

// True when filling `field` in would break a group of which another member stands in `node` already.
bool is_excluded(const Field& field, const Node& node, const Table& table) {
  return std::ranges::any_of(table.exclusive, [&](const Exclusive& group) {
    const bool is_member = std::ranges::find(group.names, field.name) != group.names.end();
    return is_member && !given_of(group, node).empty();
  });
}

bool needs_something(const Table& table) {
  return std::ranges::any_of(table.fields, &Field::required) ||
         std::ranges::any_of(table.exclusive, &Exclusive::one_required);
}

Node Filler::filled_map(const Node& node, const Table& table) {
  if (!node.is_map()) {
    return node;
  }
  Node result = node;
  std::vector<Node::Member> ordered;
  for (const Field& field : table.fields) {
    const auto written = std::ranges::find(node.members(), field.name, &Node::Member::key);
    const bool is_written = written != node.members().end() && !written->value.is_null();
    if (!is_written && is_excluded(field, result, table)) {
      continue;
    }
    Node value = is_written ? filled(written->value, field, field.type) : fallback_of(field);
    if (!value.is_null()) {
      result.set(field.name, value);
      ordered.push_back({std::string(field.name), is_written ? written->key_mark : Mark{}, std::move(value)});
    }
  }
  for (const Node::Member& member : node.members()) {
    if (find_field(table, member.key) == nullptr) {
      ordered.push_back(member);  // provenance, or what check() refused
    }
  }
  return Node::map(std::move(ordered), node.mark());
}

Node Filler::filled(const Node& value, const Field& field, Type type) {
  const Node& inner = without_provenance(value, type);
  if (&inner != &value) {
    Node wrapped = value;
    wrapped.set(kValueKey, filled(inner, field, type));
    return wrapped;
  }
  if (type == Type::map) {
    return filled_map(value, *field.table);
  }
  if (type == Type::dictionary || type == Type::list) {
    return filled_members(value, field);
  }
  const Text text = value.is_scalar() ? canonical(value.text(), type) : Text();
  return text ? Node::scalar(*text, value.mark()) : value;
}

Node Filler::filled_members(const Node& value, const Field& field) {
  std::vector<Node> items;
  for (const Node& item : value.items()) {
    items.push_back(filled(item, field, field.item));
  }
  std::vector<Node::Member> members;
  for (const Node::Member& member : value.members()) {
    const bool is_provenance = is_provenance_key(member.key, nullptr);
    members.push_back(
        {member.key, member.key_mark, is_provenance ? member.value : filled(member.value, field, field.item)});
  }
  return value.is_list()  ? Node::list(std::move(items), value.mark())
         : value.is_map() ? Node::map(std::move(members), value.mark())
                          : value;
}

Node Filler::fallback_of(const Field& field) {
  if (field.fallback.empty()) {
    return field.type == Type::map && field.table != nullptr ? filled_from_nothing(field) : Node{};
  }
  if (is_scalar_type(field.type)) {
    return filled(Node::scalar(std::string(field.fallback)), field, field.type);
  }
  Diagnostics ignored;  // a default is our own text; a test reads every one
  const Node written = read_yaml(std::string(field.fallback), "<default>", ignored);
  return filled(written, field, field.type);
}

// An absent map shows its defaults, unless it could not be written without a choice of the user's.
Node Filler::filled_from_nothing(const Field& field) {
  const bool is_open = std::ranges::find(from_nothing_, field.table) != from_nothing_.end();
  if (is_open || needs_something(*field.table)) {
    return {};
  }
  from_nothing_.push_back(field.table);
  Node map = filled_map(Node::map({}), *field.table);
  from_nothing_.pop_back();
  return map.members().empty() ? Node{} : map;
}

}  // namespace

Node with_defaults(const Node& node, const Table& table) { return Filler().filled_map(node, table); }

}  // namespace kvtraffic::sim
