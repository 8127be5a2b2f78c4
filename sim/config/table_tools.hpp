// What checking, viewing and filling in share about tables. For the table_*.cpp files and schema.cpp only.
// Leaves out the table itself (table.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/config/table.hpp"

namespace kvtraffic::sim {

inline constexpr std::string_view kValueKey = "value";
inline constexpr std::string_view kSourceKey = "source";
inline constexpr std::string_view kCertaintyKey = "certainty";
inline constexpr std::string_view kCertainties[] = {"spec", "measured", "published", "assumed"};

[[nodiscard]] const Field* find_field(const Table& table, std::string_view name);

// True for the types that one scalar holds: all but map, list, dictionary, reference and any.
[[nodiscard]] bool is_scalar_type(Type type);

// "a number", "a map", ...: what a type wants, for messages.
[[nodiscard]] std::string_view type_words(Type type);

// `value` of {value: ..., source: ..., certainty: ...}, else the node itself. Only for scalars, lists and references; a
// map of another kind is returned as it is.
[[nodiscard]] const Node& without_provenance(const Node& node, Type type);

// True for a key that says where numbers come from, unless the table has a field of that name.
[[nodiscard]] bool is_provenance_key(std::string_view key, const Table* table);

// "a, b, c"
[[nodiscard]] std::string joined(const std::vector<std::string>& names);

// The members of `group` that `node` gives a value, in the group's order.
[[nodiscard]] std::vector<std::string_view> given_of(const Exclusive& group, const Node& node);

}  // namespace kvtraffic::sim
