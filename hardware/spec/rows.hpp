// What the tables of this folder share: rows of the same shape, and the limits below which a figure is a slip of the
// pen. Leaves out the tables themselves.
#pragma once

#include <span>
#include <string_view>

#include "sim/config/table.hpp"

namespace kvtraffic::hardware::rows {

// Below these a rate or a share is a slip of the pen, and a simulation on it would never end.
inline constexpr double smallest_rate = 1e6;
inline constexpr double smallest_share = 0.01;
inline constexpr double smallest_duration = 0;

constexpr sim::Field positive(std::string_view name, sim::Type type, std::string_view help) {
  return {.name = name, .type = type, .help = help, .required = true, .min = 1};
}

constexpr sim::Field rate(std::string_view name, sim::Type type, std::string_view help) {
  return {.name = name, .type = type, .help = help, .required = true, .min = smallest_rate};
}

constexpr sim::Field share(std::string_view name, std::string_view help) {
  return {.name = name, .type = sim::Type::ratio, .help = help, .required = true, .min = smallest_share, .max = 1};
}

constexpr sim::Field duration(std::string_view name, std::string_view help) {
  return {.name = name, .type = sim::Type::duration, .help = help, .required = true, .min = smallest_duration};
}

constexpr sim::Field text(std::string_view name, std::string_view help) {
  return {.name = name, .type = sim::Type::text, .help = help, .required = true};
}

constexpr sim::Field group(const sim::Table& table, std::string_view help, bool required = true) {
  return {.name = table.name, .type = sim::Type::map, .help = help, .required = required, .table = &table};
}

constexpr sim::Field optional(sim::Field field, std::string_view fallback = "") {
  field.required = false;
  field.fallback = fallback;
  return field;
}

constexpr sim::Field kind(std::span<const std::string_view> kinds, std::string_view help) {
  return {.name = "kind", .type = sim::Type::choice, .help = help, .required = true, .choices = kinds};
}

constexpr sim::Field name(std::string_view help) {
  return {.name = "name", .type = sim::Type::name, .help = help, .required = true};
}

constexpr sim::Field summary(std::string_view help) {
  return {.name = "summary", .type = sim::Type::text, .help = help};
}

inline constexpr sim::Field sources{
    .name = "sources",
    .type = sim::Type::dictionary,
    .help = "Where the numbers come from: a short key and its public address; `source:` names a key.",
    .item = sim::Type::text};

}  // namespace kvtraffic::hardware::rows
