// Reading a sweep's forms and counting out their values.
// Leaves out whether a value suits its field: every value is checked like one that was written.
#include "scenarios/spec/sweep_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "sim/units/format.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Field;
using sim::Node;
using sim::Table;
using sim::Type;

constexpr double largest_whole = 9007199254740992.0;  // 2^53: beyond it doubles are not whole numbers apart

// ---- the forms, as tables ----

constexpr Field required(std::string_view name, Type type, std::string_view help) {
  return {.name = name, .type = type, .help = help, .required = true};
}
constexpr Field from_field = required("from", Type::text, "The first value.");
constexpr Field to_field = required("to", Type::text, "The last value.");
constexpr Field count_field{.name = "count",
                            .type = Type::integer,
                            .help = "How many values, both ends included.",
                            .required = true,
                            .min = 2,
                            .max = static_cast<double>(most_axis_values)};

constexpr std::array range_fields{from_field, to_field, required("step", Type::text, "From one value to the next.")};
constexpr std::array log2_fields{from_field, to_field};
constexpr std::array space_fields{from_field, to_field, count_field};
constexpr std::array<Table, 4> forms{{
    {.name = "range", .help = "Equal steps.", .fields = range_fields},
    {.name = "log2", .help = "Doubling.", .fields = log2_fields},
    {.name = "linspace", .help = "So many values, equally far apart.", .fields = space_fields},
    {.name = "geomspace", .help = "So many values, at equal ratios.", .fields = space_fields},
}};
constexpr std::string_view form_words =
    "a list, {range: {from, to, step}}, {log2: {from, to}}, {linspace: {from, to, count}} or {geomspace: {from, to, "
    "count}}";

const Table* form_named(std::string_view name) {
  for (const Table& form : forms) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

// ---- numbers with a unit ----

struct Quantity {
  double number = 0;
  std::string unit;  // "" for plain numbers; K and M are worked in
};

bool is_of_number(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+'; }

// Where the number ends: "4.8 TB/s", "1e3", "128K".
std::size_t number_length(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_of_number(text[end])) ++end;
  const bool has_exponent =
      end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E') && is_of_number(text[end + 1]);
  if (has_exponent) {
    ++end;
    while (end < text.size() && is_of_number(text[end])) ++end;
  }
  return end;
}

std::optional<Quantity> quantity_in(std::string_view text) {
  const std::size_t end = number_length(text);
  std::string_view unit = text.substr(end);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit == "K" || unit == "M") {
    const auto tokens = sim::parse_tokens(text);
    if (!tokens) return std::nullopt;
    return Quantity{static_cast<double>(*tokens), ""};
  }
  const auto number = sim::parse_number(text.substr(0, end));
  if (!number) return std::nullopt;
  return Quantity{*number, std::string(unit)};
}

// ---- one form being read ----

class Counter {
 public:
  Counter(const Node& map, const Table& form, const Field* field, std::string path, Diagnostics& diagnostics)
      : view_(map, form), form_(form), field_(field), path_(std::move(path)), diagnostics_(diagnostics) {}

  std::vector<Node> values() {
    read_ends();
    if (is_faulty_) return {};
    std::vector<Node> values = counted();
    if (!is_faulty_) require_distinct(values);
    if (is_faulty_) values.clear();
    return values;
  }

 private:
  std::vector<Node> counted() {
    if (form_.name == "range") return range();
    if (form_.name == "log2") return doublings();
    return form_.name == "linspace" ? evenly() : at_equal_ratios();
  }

  void read_ends() {
    from_ = quantity("from");
    to_ = quantity("to");
    if (form_.name == "range") step_ = quantity("step");
    require_unit("to", to_);
    if (form_.name == "range") require_unit("step", step_);
    const bool multiplies = form_.name == "log2" || form_.name == "geomspace";
    if (multiplies && !is_faulty_ && from_.number <= 0) fail("from", "must be above zero");
    if (multiplies && !is_faulty_ && to_.number <= 0) fail("to", "must be above zero");
  }

  Quantity quantity(std::string_view name) {
    const std::optional<Quantity> found = quantity_in(view_.text(name));
    if (!found)
      fail(name, sim::in_quotes(view_.text(name)) + " is no number", "a number, with the unit of the swept field");
    return found.value_or(Quantity{});
  }

  void require_unit(std::string_view name, const Quantity& quantity) {
    if (is_faulty_ || quantity.unit == from_.unit) return;
    fail(name, fmt::format("{} and {} are not in one unit", sim::in_quotes(view_.text("from")),
                           sim::in_quotes(view_.text(name))));
  }

  void fail(std::string_view name, std::string message, std::string expected = "") {
    is_faulty_ = true;
    diagnostics_.error(view_.mark(name), fmt::format("{}.{}.{}", path_, form_.name, name), std::move(message),
                       std::move(expected));
  }

  std::vector<Node> range() {
    const double span = to_.number - from_.number;
    if (step_.number == 0 || span / step_.number < 0) {
      fail("step",
           fmt::format("{} does not lead from {} to {}", view_.text("step"), view_.text("from"), view_.text("to")));
      return {};
    }
    // A decimal step may miss its end by a rounding error: 0.1 + 0.2 is not 0.3.
    const double steps = std::floor(span / step_.number * (1 + 1e-12) + 1e-9);
    if (steps + 1 > static_cast<double>(most_axis_values)) return too_many();
    const double last = from_.number + steps * step_.number;
    if (!reaches(last)) return missed({from_.number, last, last + step_.number}, steps > 1);
    std::vector<Node> values;
    for (double i = 0; i <= steps; ++i) values.push_back(node(from_.number + i * step_.number));
    return values;
  }

  std::vector<Node> doublings() {
    if (to_.number < from_.number) {
      fail("to", fmt::format("{} is below {}", view_.text("to"), view_.text("from")));
      return {};
    }
    std::vector<Node> values;
    double last = from_.number;
    for (double value = last; value <= to_.number || reaches(value); value *= 2) {
      values.push_back(node(value));
      last = value;
    }
    if (!reaches(last)) return missed({from_.number, last, 2 * last}, values.size() > 2);
    return values;
  }

  std::vector<Node> evenly() {
    const std::int64_t count = view_.integer("count");
    std::vector<Node> values;
    for (std::int64_t i = 0; i < count; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(count - 1);
      values.push_back(node(i == count - 1 ? to_.number : from_.number + share * (to_.number - from_.number)));
    }
    return values;
  }

  std::vector<Node> at_equal_ratios() {
    const std::int64_t count = view_.integer("count");
    std::vector<Node> values;
    for (std::int64_t i = 0; i < count; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(count - 1);
      values.push_back(node(i == count - 1 ? to_.number : from_.number * std::pow(to_.number / from_.number, share)));
    }
    return values;
  }

  [[nodiscard]] bool reaches(double value) const {
    return std::abs(value - to_.number) <= 1e-9 * std::max(std::abs(to_.number), std::abs(step_.number));
  }

  // Says which values there are around the end: the first, the last before it, and the one beyond.
  std::vector<Node> missed(std::vector<double> values, bool has_gap) {
    if (values[0] == values[1]) values.erase(values.begin());
    std::vector<std::string> words;
    for (const double value : values) words.push_back(written(value));
    if (has_gap) words.insert(words.begin() + 1, "...");
    const std::string step = form_.name == "range" ? ", step: " + view_.text("step") : "";
    fail("to",
         fmt::format("{{{}: {{from: {}, to: {}{}}}}} does not reach {}: {}", form_.name, view_.text("from"),
                     view_.text("to"), step, view_.text("to"), fmt::join(words, ", ")),
         fmt::format("{} or {}", written(values.size() == 3 ? values[1] : values[0]), words.back()));
    return {};
  }

  // A value as a person would write it beside these ends: in K or M where they are.
  [[nodiscard]] std::string written(double value) const {
    constexpr double kilo = 1024, mega = 1024 * 1024;
    const auto has_suffix = [&](std::string_view end) {
      return from_.unit.empty() && (view_.text("from").ends_with(end) || view_.text("to").ends_with(end));
    };
    if (has_suffix("M") && std::fmod(value, mega) == 0) return fmt::format("{}M", value / mega);
    if ((has_suffix("K") || has_suffix("M")) && std::fmod(value, kilo) == 0) return fmt::format("{}K", value / kilo);
    return node(value).text();
  }

  // Rounding to whole numbers must not run a point twice.
  void require_distinct(const std::vector<Node>& values) {
    if (!wants_whole_numbers()) return;
    std::set<std::string> distinct;
    for (const Node& value : values) distinct.insert(value.text());
    if (distinct.size() == values.size()) return;
    const std::string_view cause = form_.name == "range" ? "step" : form_.name == "log2" ? "from" : "count";
    fail(cause, fmt::format("gives {} values but {} distinct whole numbers",
                            sim::with_commas(static_cast<std::int64_t>(values.size())),
                            sim::with_commas(static_cast<std::int64_t>(distinct.size()))));
  }

  std::vector<Node> too_many() {
    fail("step", "gives more values than one axis may have",
         fmt::format("at most {} values", sim::with_commas(most_axis_values)));
    return {};
  }

  [[nodiscard]] bool wants_whole_numbers() const {
    return field_ != nullptr && (field_->type == Type::integer || field_->type == Type::tokens);
  }

  [[nodiscard]] Node node(double value) const {
    if (wants_whole_numbers()) value = std::round(value);
    const bool is_whole = value == std::floor(value) && std::abs(value) < largest_whole;
    // Twelve digits hide the rounding errors of decimal steps.
    std::string text = is_whole ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{:.12g}", value);
    if (!from_.unit.empty()) text += " " + from_.unit;
    return Node::scalar(std::move(text), view_.raw().mark());
  }

  sim::View view_;
  const Table& form_;
  const Field* field_;
  std::string path_;
  Diagnostics& diagnostics_;
  Quantity from_, to_, step_;
  bool is_faulty_ = false;
};

// A value without a place of its own (a null) is blamed at its list.
std::vector<Node> listed(const Node& list, const std::string& path, Diagnostics& diagnostics) {
  if (list.items().empty()) diagnostics.error(list.mark(), path, "has no values", std::string(form_words));
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Node& item = list.items()[i];
    if (!item.is_null()) continue;
    diagnostics.error(item.mark().file ? item.mark() : list.mark(), fmt::format("{}[{}]", path, i), "has no value");
    return {};
  }
  return list.items();
}

std::vector<Node> counted_out(const Node::Member& form, const Field* field, const std::string& path,
                              Diagnostics& diagnostics) {
  const Table* table = form_named(form.key);
  if (table == nullptr) {
    std::vector<std::string> known;
    for (const Table& one : forms) known.emplace_back(one.name);
    diagnostics.error(form.key_mark, path, fmt::format("unknown form {}", sim::in_quotes(form.key)),
                      std::string(form_words), sim::nearest_name(form.key, known));
    return {};
  }
  Diagnostics faults;
  check(form.value, *table, faults, fmt::format("{}.{}", path, form.key));
  diagnostics.append(faults);
  if (faults.has_errors()) return {};
  return Counter(form.value, *table, field, path, diagnostics).values();
}

}  // namespace

std::vector<Node> axis_values(const Node& form, const Field* field, const std::string& path, Diagnostics& diagnostics) {
  if (form.is_list()) return listed(form, path, diagnostics);
  if (form.is_map() && form.members().size() == 1) {
    return counted_out(form.members().front(), field, path, diagnostics);
  }
  diagnostics.error(form.mark(), path, "does not say which values", std::string(form_words));
  return {};
}

}  // namespace kvtraffic::scenarios
