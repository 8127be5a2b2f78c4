// Holding a result against `expect:`: paths into the result's JSON, and limits on what is found there.
// Leaves out where the result comes from.
#include "scenarios/run/expect.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "scenarios/run/runner.hpp"
#include "sim/config/table.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

using nlohmann::json;
using sim::Diagnostics;
using sim::Field;
using sim::Node;
using sim::Table;
using sim::Type;

constexpr std::array limit_fields{
    Field{.name = "min", .type = Type::number, .help = "The least allowed."},
    Field{.name = "max", .type = Type::number, .help = "The most allowed."},
    Field{.name = "value", .type = Type::number, .help = "What is wanted."},
    Field{.name = "within", .type = Type::text, .help = "How far off it may be: 1% of the value, or a plain number."},
};
constexpr Table limit_table{.name = "limit", .help = "What a result must keep to.", .fields = limit_fields};

// ---- paths ----

// One place a path leads to; `value` is null where it leads nowhere.
struct Found {
  std::string where;
  const json* value = nullptr;
};

bool ends_key(std::string_view path, std::size_t at) { return at == path.size() || path[at] == '.' || path[at] == '['; }

std::string_view without_dot(std::string_view path) { return path.starts_with('.') ? path.substr(1) : path; }

std::string joined(const std::string& where, std::string_view key) {
  return where.empty() || key.starts_with('[') ? where + std::string(key) : fmt::format("{}.{}", where, key);
}

// "[3]" or "[*]" at the head of a path.
struct Subscript {
  bool is_every = false;
  std::size_t index = 0;
  std::string_view rest;
};

std::optional<Subscript> subscript_at(std::string_view path) {
  const std::size_t close = path.find(']');
  if (!path.starts_with('[') || close == std::string_view::npos || !ends_key(path, close + 1)) return std::nullopt;
  Subscript result;
  result.rest = without_dot(path.substr(close + 1));
  if (path.substr(1, close - 1) == "*") {
    result.is_every = true;
    return result;
  }
  const auto parsed = std::from_chars(path.data() + 1, path.data() + close, result.index);
  if (parsed.ec != std::errc{} || parsed.ptr != path.data() + close) return std::nullopt;
  return result;
}

bool is_readable(std::string_view path) {
  bool has_key = false;
  while (!path.empty()) {
    if (path.starts_with('[')) {
      const auto subscript = subscript_at(path);
      if (!subscript || !has_key) return false;
      path = subscript->rest;
      continue;
    }
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    if (end == 0 || path.ends_with('.')) return false;
    has_key = true;
    path = without_dot(path.substr(end));
  }
  return has_key;
}

void find_all(const json& at, std::string_view path, const std::string& where, std::vector<Found>& found);

void find_items(const json& list, std::string_view path, const std::string& where, std::vector<Found>& found) {
  const auto subscript = subscript_at(path);
  const auto visit = [&](std::size_t i) { find_all(list[i], subscript->rest, fmt::format("{}[{}]", where, i), found); };
  if (!subscript || !list.is_array() || (!subscript->is_every && subscript->index >= list.size())) {
    found.push_back({joined(where, path), nullptr});
  } else if (!subscript->is_every) {
    visit(subscript->index);
  } else {
    for (std::size_t i = 0; i < list.size(); ++i) visit(i);
  }
}

// A key may hold dots itself ("workload.batch" among the parameters), so the longest key that fits is taken.
void find_all(const json& at, std::string_view path, const std::string& where, std::vector<Found>& found) {
  if (path.empty()) {
    found.push_back({where, &at});
    return;
  }
  if (path.starts_with('[')) {
    find_items(at, path, where, found);
    return;
  }
  std::string_view longest;
  if (at.is_object()) {
    for (const auto& [key, value] : at.items()) {
      const bool fits = path.starts_with(key) && ends_key(path, key.size());
      if (fits && key.size() >= longest.size()) longest = path.substr(0, key.size());
    }
  }
  if (longest.empty()) {
    found.push_back({joined(where, path), nullptr});
    return;
  }
  find_all(at.at(std::string(longest)), without_dot(path.substr(longest.size())), joined(where, longest), found);
}

// Zeros are left out of `traffic`, so what is absent there is zero, where the point has traffic of that level at all.
bool is_omitted_zero(const json& document, const std::string& where) {
  static const std::regex cell(
      R"(points\[(\d+)\](\.(layers|operations)\[\d+\])?\.traffic\.(logical|sector|dram|link|host|ssd)\.)"
      R"((weight|kv_main|kv_local|index_key|state|engram|activation|selection)(\.(read|write))?)");
  std::smatch match;
  if (!std::regex_match(where, match, cell) || !match[7].matched) return false;
  const json& point = document.at("points").at(std::stoul(match[1]));
  return point.value("status", "") == "ok" || (point.value("status", "") == "infeasible" && match[4] == "logical");
}

// ---- limits ----

std::string text_of(const json& value) {
  if (value.is_object()) return "an object";
  return value.is_array() ? "a list" : value.dump();
}

bool equals(const Node& wanted, const json& found) {
  if (wanted.is_null()) return found.is_null();
  const std::string& text = wanted.text();
  if (found.is_string()) return found.get_ref<const std::string&>() == text;
  if (wanted.quoted()) return false;
  if (found.is_null()) return text == "null";
  if (found.is_boolean()) return text == (found.get<bool>() ? "true" : "false");
  if (!found.is_number()) return false;
  const auto whole = sim::parse_integer(text);
  if (whole && found.is_number_integer()) return found.get<std::int64_t>() == *whole;
  const auto number = sim::parse_number(text);
  return number && found.get<double>() == *number;
}

// How far off `value` may be, from "1%" or "0.5".
std::optional<double> allowance(const std::string& within, double value) {
  const bool is_share = within.ends_with('%');
  const auto number = is_share ? sim::parse_ratio(within) : sim::parse_number(within);
  if (!number || *number < 0) return std::nullopt;
  return is_share ? *number * std::abs(value) : *number;
}

// What the limit wants, in words, when `found` is not that; nothing when it is.
std::optional<std::string> complaint(const Node& limit, const json& found) {
  if (!limit.is_map()) {
    if (equals(limit, found)) return std::nullopt;
    return limit.is_null() ? "null" : limit.quoted() ? sim::in_quotes(limit.text()) : limit.text();
  }
  const sim::View view(limit, limit_table);
  const double number = found.is_number() ? found.get<double>() : std::nan("");
  if (view.has("within")) {
    const double off = std::abs(number - view.number("value"));
    if (off <= allowance(view.text("within"), view.number("value"))) return std::nullopt;
    return fmt::format("{} within {}", view.node("value").text(), view.text("within"));
  }
  if (view.has("min") && !(number >= view.number("min"))) return "at least " + view.node("min").text();
  if (view.has("max") && !(number <= view.number("max"))) return "at most " + view.node("max").text();
  return std::nullopt;
}

std::optional<std::string> sentence(const json& document, const Node& limit, const Found& found) {
  static const json zero = 0;
  const json* value = found.value;
  if (value == nullptr && is_omitted_zero(document, found.where)) value = &zero;
  if (value == nullptr) return found.where + ": leads nowhere in the result";
  const auto wanted = complaint(limit, *value);
  if (!wanted) return std::nullopt;
  return fmt::format("{}: wanted {}, found {}", found.where, *wanted, text_of(*value));
}

// One sentence a limit: the first place that breaks it, and how many more do.
std::optional<std::string> broken(const json& document, const Node::Member& expectation) {
  std::vector<Found> places;
  find_all(document, expectation.key, "", places);
  if (places.empty()) return expectation.key + ": leads nowhere in the result";
  std::optional<std::string> first;
  int more = 0;
  for (const Found& place : places) {
    auto text = sentence(document, expectation.value, place);
    if (!text) continue;
    first ? void(++more) : void(first = std::move(text));
  }
  if (first && more > 0) *first += fmt::format(" (and {} more)", more);
  return first;
}

// ---- checking ----

void check_limit(const Node& limit, const std::string& path, Diagnostics& diagnostics) {
  Diagnostics faults;
  check(limit, limit_table, faults, path);
  const sim::View view(limit, limit_table);
  const bool has_range = view.has("min") || view.has("max");
  if (view.has("value") != view.has("within") || view.has("value") == has_range) {
    faults.error(limit.mark(), path, "does not say what is wanted", "{min, max}, or {value, within}");
  } else if (view.has("within") && !allowance(view.text("within"), 1)) {
    faults.error(view.mark("within"), path + ".within", sim::in_quotes(view.text("within")) + " is no tolerance",
                 "a share such as 1%, or a plain number");
  } else if (view.has("min") && view.has("max") && view.number("min") > view.number("max")) {
    faults.error(view.mark("max"), path + ".max", "is below min");
  }
  diagnostics.append(faults);
}

}  // namespace

void check_expectations(const Node& expect, Diagnostics& diagnostics) {
  if (expect.is_null()) return;
  if (!expect.is_map()) {
    diagnostics.error(expect.mark(), "expect", "is no map", "paths and limits, such as points[0].status: ok");
    return;
  }
  for (const Node::Member& member : expect.members()) {
    const std::string path = "expect." + member.key;
    if (!is_readable(member.key)) {
      diagnostics.error(member.key_mark, path, "is no path",
                        "a path such as points[0].time.seconds or points[*].status");
    } else if (member.value.is_list()) {
      diagnostics.error(member.value.mark(), path, "expected a value, {min, max}, or {value, within}; found a list");
    } else if (member.value.is_map()) {
      check_limit(member.value, path, diagnostics);
    }
  }
}

std::vector<std::string> broken_expectations(const Node& expect, const std::string& document) {
  std::vector<std::string> sentences;
  const json parsed = json::parse(document);
  for (const Node::Member& member : expect.members()) {
    if (auto sentence = broken(parsed, member)) sentences.push_back(std::move(*sentence));
  }
  return sentences;
}

}  // namespace kvtraffic::scenarios
