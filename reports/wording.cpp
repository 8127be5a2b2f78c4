// Words and numbers for pages.
// Leaves out layout.
#include "reports/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "sim/units/format.hpp"

namespace kvtraffic::reports {
namespace {

struct Scale {
  double factor;
  std::string_view unit;
};
constexpr std::array<Scale, 6> byte_scales{
    {{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
constexpr std::array<Scale, 4> time_scales{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
constexpr std::array<Scale, 1> percent_scale{{{0.01, "%"}}};
constexpr std::array<Scale, 1> no_scale{{{1, ""}}};

std::span<const Scale> scales_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::bytes:
      return byte_scales;
    case Quantity::seconds:
      return time_scales;
    case Quantity::percent:
      return percent_scale;
    case Quantity::rate:
    case Quantity::count:
      return no_scale;
  }
  return no_scale;
}

Scale scale_for(double largest, Quantity quantity) {
  const std::span<const Scale> scales = scales_of(quantity);
  const auto fits = std::find_if(scales.begin(), scales.end(), [&](Scale s) { return largest >= s.factor; });
  return fits == scales.end() ? scales.back() : *fits;
}

int decimals_for(double smallest, Quantity quantity) {
  if (quantity == Quantity::count || smallest <= 0) return 0;
  if (quantity == Quantity::percent) return 1;
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(smallest))), 0, 4);
}

// With commas in the whole part: a column of rates may reach millions.
std::string fixed_text(double value, int decimals) {
  const std::string plain = fmt::format("{:.{}f}", value, decimals);
  const std::size_t point = std::min(plain.find('.'), plain.size());
  std::int64_t whole = 0;
  const auto result = std::from_chars(plain.data(), plain.data() + point, whole);
  const bool is_plain = result.ec != std::errc() || plain.front() == '-';
  return is_plain ? plain : sim::with_commas(whole) + plain.substr(point);
}

void append(std::string& text, std::string_view separator, const std::string& more) {
  if (more.empty()) return;
  if (!text.empty()) text += separator;
  text += more;
}

std::string named(const Lookup& known, std::string_view key, std::string_view before, std::string_view after = "") {
  const std::optional<std::string> value = known(key);
  return value ? fmt::format("{}{}{}", before, *value, after) : "";
}

}  // namespace

std::string bytes_text(std::int64_t bytes) { return sim::to_text(sim::Bytes::of(bytes)); }

std::string bytes_text(double bytes) {
  if (std::abs(bytes) < 1000) return fmt::format("{:.4g} B", bytes);
  return bytes_text(static_cast<std::int64_t>(std::llround(bytes)));
}

std::string percent_text(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string rate_text(double per_second) {
  if (per_second >= 1000 && per_second < 9e18) return sim::with_commas(std::llround(per_second));
  return fmt::format("{:.4g}", per_second);
}

std::string value_text(const sim::Node& scalar) {
  const std::string& text = scalar.text();
  std::int64_t whole = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), whole);
  const bool is_whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
  return is_whole && !scalar.quoted() ? sim::with_commas(whole) : text;
}

const sim::Node* parameter(const sim::PointResult& point, std::string_view name) {
  const auto& all = point.parameters;
  const auto found = std::find_if(all.begin(), all.end(), [name](const auto& p) { return p.first == name; });
  return found == all.end() ? nullptr : &found->second;
}

std::optional<double> number_of(const sim::Node& scalar) {
  const std::string& text = scalar.text();
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::int64_t batch_of(const sim::PointResult& point) {
  const sim::Node* batch = parameter(point, "batch");
  const double value = batch == nullptr ? 1 : number_of(*batch).value_or(1);
  return value >= 1 && value < 9e18 ? static_cast<std::int64_t>(value) : 1;
}

std::int64_t kv_read(const sim::Traffic& traffic, sim::Level level) {
  return traffic.at(level, sim::DataKind::kv_main).read + traffic.at(level, sim::DataKind::kv_local).read;
}

std::int64_t index_read(const sim::Traffic& traffic, sim::Level level) {
  return traffic.at(level, sim::DataKind::index_key).read;
}

namespace {

// "prefill of 64 prompts of 131,072 tokens", as far as it is known.
std::string prefill_text(const Lookup& known) {
  const std::optional<std::string> batch = known("batch");
  const std::optional<std::string> context = known("context_tokens");
  std::string text = "prefill";
  if (batch) text += fmt::format(" of {} {}", *batch, *batch == "1" ? "prompt" : "prompts");
  if (context)
    text += batch ? fmt::format(" of {} tokens", *context) : fmt::format(" of prompts of {} tokens", *context);
  return text;
}

}  // namespace

std::string headline(const Lookup& known) {
  std::string text = known("model").value_or("several models");
  text += " on " + known("hardware").value_or("several machines");
  std::string what = named(known, "phase", "");
  append(what, ", ", named(known, "batch", "batch "));
  append(what, ", ", named(known, "context_tokens", "context ", " tokens"));
  if (known("phase") == "prefill") what = prefill_text(known);
  append(text, ": ", what);
  return text;
}

std::string manner(const Lookup& known) {
  std::string text = named(known, "fidelity", "fidelity ");
  if (known("format") != "") append(text, ", ", named(known, "format", "cache format "));  // bare kernels have none
  append(text, ", ", named(known, "engine", "engine "));
  return text;
}

ScaledColumn in_one_unit(const std::vector<std::optional<double>>& values, Quantity quantity) {
  double largest = 0;
  double smallest = 0;
  for (const std::optional<double>& value : values) {
    if (!value || *value <= 0) continue;
    largest = std::max(largest, *value);
    smallest = smallest <= 0 ? *value : std::min(smallest, *value);
  }
  const Scale scale = scale_for(largest, quantity);
  const int decimals = decimals_for(smallest / scale.factor, quantity);
  ScaledColumn column{std::string(scale.unit), {}};
  for (const std::optional<double>& value : values) {
    column.cells.push_back(value && largest > 0 ? fixed_text(*value / scale.factor, decimals) : "");
  }
  return column;
}

std::string ranges_text(const std::vector<std::int64_t>& numbers, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    std::string range = fmt::format("{}", numbers[i]);
    if (last > i) range += fmt::format("{}{}", last == i + 1 ? ", " : "-", numbers[last]);
    if (text.size() + range.size() + 7 > limit && last + 1 < numbers.size())
      return text + (text.empty() ? "..." : ", ...");
    append(text, ", ", range);
    i = last + 1;
  }
  return text;
}

}  // namespace kvtraffic::reports
