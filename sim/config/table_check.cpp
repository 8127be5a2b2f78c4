// Holds a tree against a table and reports every fault at its place.
// Leaves out what spans files or tables: references are resolved, and checked, by their owners.
#include <fmt/format.h>

#include <algorithm>

#include "sim/config/table.hpp"
#include "sim/config/table_tools.hpp"
#include "sim/units/format.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::sim {
namespace {

constexpr double kNoMinimum = -1e300;
constexpr double kNoMaximum = 1e300;
constexpr double kBarelyPositive = 1e-15;  // a smaller minimum means "above zero"

std::string below(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string found_words(const Node& node) {
  switch (node.kind()) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return in_quotes(node.text());
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
  }
  return "nothing";
}

std::vector<std::string> names_of(std::span<const std::string_view> names) { return {names.begin(), names.end()}; }

std::vector<std::string> names_of(std::span<const Field> fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) {
    names.emplace_back(field.name);
  }
  return names;
}

// "a number", or the choices themselves.
std::string wanted_words(const Field& field, Type type) {
  return type == Type::choice ? "one of " + joined(names_of(field.choices)) : std::string(type_words(type));
}

// A limit in the words of its type: "1 GB", "0.5", "300 ns".
std::string limit_text(double limit, Type type) {
  switch (type) {
    case Type::bytes:
      return exact_text(limit) + " B";
    case Type::duration:
      return time_text(limit * 1e-15);
    case Type::bandwidth:
      return to_text(Bandwidth::per_second(limit));
    case Type::frequency:
      return to_text(Frequency::per_second(limit));
    case Type::flop_rate:
      return to_text(FlopRate::per_second(limit));
    default:
      return exact_text(limit);
  }
}

std::string range_words(const Field& field, Type type) {
  const bool has_min = field.min > kNoMinimum;
  const bool has_max = field.max < kNoMaximum;
  const bool is_positive = field.min > 0 && field.min < kBarelyPositive;
  const std::string min = limit_text(field.min, type);
  const std::string max = limit_text(field.max, type);
  if (is_positive) {
    return has_max ? fmt::format("must be above zero and at most {}", max) : "must be above zero";
  }
  if (has_min && has_max) {
    return fmt::format("must be between {} and {}", min, max);
  }
  return has_min ? fmt::format("must be at least {}", min) : fmt::format("must be at most {}", max);
}

// What the text says in base units, where its type has a range.
Parsed<double> measure(std::string_view text, Type type) {
  const auto as_double = [](auto n) { return static_cast<double>(n); };
  switch (type) {
    case Type::integer:
      return parse_integer(text).map(as_double);
    case Type::number:
      return parse_number(text);
    case Type::tokens:
      return parse_tokens(text).map(as_double);
    case Type::bytes:
      return parse_bytes(text).map([](Bytes b) { return static_cast<double>(b.count()); });
    case Type::duration:
      return parse_duration(text).map([](Duration d) { return static_cast<double>(d.femtoseconds()); });
    case Type::bandwidth:
      return parse_bandwidth(text).map([](Bandwidth r) { return r.per_second(); });
    case Type::frequency:
      return parse_frequency(text).map([](Frequency r) { return r.per_second(); });
    case Type::flop_rate:
      return parse_flop_rate(text).map([](FlopRate r) { return r.per_second(); });
    default:
      return parse_ratio(text);
  }
}

bool is_name(std::string_view text) {
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  const auto may_follow = [&](char c) { return is_word(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && is_word(text.front()) && std::ranges::all_of(text, may_follow);
}

// A node with the place to blame: a null or absent value has no mark of its own.
struct Place {
  const Node& node;
  Mark mark;
  std::string path;
};

class Checker {
 public:
  Checker(Diagnostics& diagnostics, bool is_sourced) : diagnostics_(diagnostics), is_sourced_(is_sourced) {}

  void check_map(const Place& place, const Table& table);

 private:
  void check_member(const Node::Member& member, const Place& map, const Table& table);
  void check_presence(const Place& map, const Table& table);
  void check_exclusive(const Place& map, const Exclusive& group);
  void check_value(const Place& place, const Field& field, Type type);
  void check_wrapped(const Place& place, const Field& field, Type type);
  void check_scalar(const Place& place, const Field& field, Type type);
  void check_measured(const Place& place, const Field& field, Type type);
  void check_choice(const Place& place, const Field& field);
  void check_map_or_word(const Place& place, const Field& field);
  void check_list(const Place& place, const Field& field);
  void check_dictionary(const Place& place, const Field& field);
  void check_provenance(const Node::Member& member, const std::string& path);
  void expect(const Place& place, std::string_view wanted, std::string expected = "");

  Diagnostics& diagnostics_;
  bool is_sourced_;
};

Place member_place(const Node::Member& member, const std::string& path) {
  const bool has_mark = member.value.mark().line > 0;
  return {member.value, has_mark ? member.value.mark() : member.key_mark, below(path, member.key)};
}

void Checker::expect(const Place& place, std::string_view wanted, std::string expected) {
  diagnostics_.error(place.mark, place.path, fmt::format("expected {}, found {}", wanted, found_words(place.node)),
                     std::move(expected));
}

void Checker::check_map(const Place& place, const Table& table) {
  if (!place.node.is_map()) {
    expect(place, "a map", fmt::format("a map with the keys {}", joined(names_of(table.fields))));
    return;
  }
  for (const Node::Member& member : place.node.members()) {
    check_member(member, place, table);
  }
  check_presence(place, table);
  for (const Exclusive& group : table.exclusive) {
    check_exclusive(place, group);
  }
}

void Checker::check_member(const Node::Member& member, const Place& map, const Table& table) {
  if (is_sourced_ && is_provenance_key(member.key, &table)) {
    check_provenance(member, map.path);
    return;
  }
  if (const Field* field = find_field(table, member.key)) {
    check_value(member_place(member, map.path), *field, field->type);
    return;
  }
  const std::vector<std::string> known = names_of(table.fields);
  diagnostics_.error(member.key_mark, below(map.path, member.key), "unknown key", "one of " + joined(known),
                     nearest_name(member.key, known));
}

void Checker::check_presence(const Place& map, const Table& table) {
  for (const Field& field : table.fields) {
    if (field.required && map.node.find(field.name) == nullptr) {
      const std::string help = field.help.empty() ? "" : fmt::format(" ({})", field.help);
      diagnostics_.error(map.mark, map.path, fmt::format("missing key '{}'", field.name),
                         fmt::format("{}: {}{}", field.name, wanted_words(field, field.type), help));
    }
  }
}

void Checker::check_exclusive(const Place& map, const Exclusive& group) {
  const std::vector<std::string_view> given = given_of(group, map.node);
  const auto listed = [](std::span<const std::string_view> names, std::string_view last_word) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_last = i + 1 == names.size();
      text += fmt::format("{}'{}'", i == 0 ? "" : is_last ? fmt::format(" {} ", last_word) : ", ", names[i]);
    }
    return text;
  };
  if (given.empty() && group.one_required) {
    diagnostics_.error(map.mark, map.path, fmt::format("missing key: one of {}", listed(group.names, "or")));
  }
  if (given.size() > 1) {
    const auto is_second = [&](const Node::Member& member) { return member.key == given[1]; };
    const auto second = std::ranges::find_if(map.node.members(), is_second);
    diagnostics_.error(second->key_mark, map.path, fmt::format("{} exclude each other", listed(given, "and")));
  }
}

void Checker::check_value(const Place& place, const Field& field, Type type) {
  if (type == Type::any) {
    return;
  }
  if (place.node.is_null()) {
    diagnostics_.error(place.mark, place.path, "has no value", wanted_words(field, type));
    return;
  }
  const bool is_wrapped = is_sourced_ && &without_provenance(place.node, type) != &place.node;
  if (is_wrapped) {
    check_wrapped(place, field, type);
  } else if (type == Type::map) {
    check_map_or_word(place, field);
  } else if (type == Type::list) {
    check_list(place, field);
  } else if (type == Type::dictionary) {
    check_dictionary(place, field);
  } else if (type == Type::reference) {
    if (place.node.is_list()) {
      expect(place, type_words(type));
    }
  } else {
    check_scalar(place, field, type);
  }
}

void Checker::check_wrapped(const Place& place, const Field& field, Type type) {
  for (const Node::Member& member : place.node.members()) {
    if (member.key == kValueKey) {
      Place value = member_place(member, place.path);
      value.path = place.path;
      check_value(value, field, type);
    } else if (is_provenance_key(member.key, nullptr)) {
      check_provenance(member, place.path);
    } else {
      const std::vector<std::string> known = {"value", "source", "certainty"};
      diagnostics_.error(member.key_mark, below(place.path, member.key), "unknown key", "one of " + joined(known),
                         nearest_name(member.key, known));
    }
  }
}

void Checker::check_scalar(const Place& place, const Field& field, Type type) {
  const std::string& text = place.node.text();
  if (!place.node.is_scalar()) {
    const bool may_be_sourced = is_sourced_ && place.node.is_map();
    expect(place, wanted_words(field, type),
           may_be_sourced ? "a plain value, or {value: ..., source: ..., certainty: ...}" : "");
  } else if (type == Type::choice) {
    check_choice(place, field);
  } else if (type == Type::flag) {
    if (const Parsed<bool> flag = parse_flag(text); !flag) {
      diagnostics_.error(place.mark, place.path, flag.error().message, flag.error().expected);
    }
  } else if (type == Type::name) {
    if (!is_name(text)) {
      diagnostics_.error(place.mark, place.path, in_quotes(text) + " is not a name",
                         "letters, digits, '-', '_' and '.', beginning with a letter or digit");
    }
  } else if (type != Type::text) {
    check_measured(place, field, type);
  }
}

void Checker::check_measured(const Place& place, const Field& field, Type type) {
  const Parsed<double> value = measure(place.node.text(), type);
  if (!value) {
    diagnostics_.error(place.mark, place.path, value.error().message, value.error().expected);
  } else if (*value < field.min || *value > field.max) {
    diagnostics_.error(place.mark, place.path, range_words(field, type));
  }
}

void Checker::check_choice(const Place& place, const Field& field) {
  if (std::ranges::find(field.choices, place.node.text()) != field.choices.end()) {
    return;
  }
  const std::vector<std::string> known = names_of(field.choices);
  diagnostics_.error(place.mark, place.path,
                     fmt::format("{} is not one of {}", in_quotes(place.node.text()), joined(known)), "",
                     nearest_name(place.node.text(), known));
}

void Checker::check_map_or_word(const Place& place, const Field& field) {
  if (place.node.is_map() || field.choices.empty()) {
    check_map(place, *field.table);
    return;
  }
  if (place.node.is_scalar() && std::ranges::find(field.choices, place.node.text()) != field.choices.end()) {
    return;
  }
  const std::vector<std::string> words = names_of(field.choices);
  const std::string nearest = place.node.is_scalar() ? nearest_name(place.node.text(), words) : "";
  diagnostics_.error(
      place.mark, place.path, fmt::format("expected {} or a map, found {}", joined(words), found_words(place.node)),
      fmt::format("{}, or a map with the keys {}", joined(words), joined(names_of(field.table->fields))), nearest);
}

void Checker::check_list(const Place& place, const Field& field) {
  if (!place.node.is_list()) {
    expect(place, "a list");
    return;
  }
  for (std::size_t i = 0; i < place.node.items().size(); ++i) {
    const Node& item = place.node.items()[i];
    check_value({item, item.mark().line > 0 ? item.mark() : place.mark, fmt::format("{}[{}]", place.path, i)}, field,
                field.item);
  }
}

void Checker::check_dictionary(const Place& place, const Field& field) {
  if (!place.node.is_map()) {
    expect(place, "a map");
    return;
  }
  for (const Node::Member& member : place.node.members()) {
    if (is_sourced_ && is_provenance_key(member.key, nullptr)) {
      check_provenance(member, place.path);
    } else {
      check_value(member_place(member, place.path), field, field.item);
    }
  }
}

void Checker::check_provenance(const Node::Member& member, const std::string& path) {
  const Place place = member_place(member, path);
  const std::string& text = place.node.text();
  if (!place.node.is_scalar() || text.empty()) {
    expect(place, member.key == kSourceKey ? "the key of a source" : "a certainty");
    return;
  }
  if (member.key == kSourceKey) {
    return;
  }
  const std::string word = text.substr(0, text.find_first_of(" ,;:("));
  if (std::ranges::find(kCertainties, word) == std::end(kCertainties)) {
    const std::vector<std::string> known = names_of(kCertainties);
    diagnostics_.error(place.mark, place.path,
                       fmt::format("{} does not begin with one of {}", in_quotes(text), joined(known)), "",
                       nearest_name(word, known));
  }
}

}  // namespace

void check(const Node& node, const Table& table, Diagnostics& diagnostics, std::string_view path) {
  Checker(diagnostics, table.sourced).check_map({node, node.mark(), std::string(path)}, table);
}

}  // namespace kvtraffic::sim
