// Small words and numbers that pages share: parameters by name, percentages, rates, columns in one common unit.
// Leaves out quantities with a unit of their own (sim/units/format.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/result.hpp"

namespace kvtraffic::reports {

[[nodiscard]] std::string bytes_text(std::int64_t bytes);       // "1.055 GB"
[[nodiscard]] std::string bytes_text(double bytes);             // also below one byte: "0.25 B"
[[nodiscard]] std::string percent_text(double fraction);        // "76.3 %"
[[nodiscard]] std::string rate_text(double per_second);         // "8,163", "127.6"
[[nodiscard]] std::string value_text(const sim::Node& scalar);  // whole numbers with commas, other text as it is

[[nodiscard]] const sim::Node* parameter(const sim::PointResult& point, std::string_view name);
[[nodiscard]] std::optional<double> number_of(const sim::Node& scalar);
// Sequences in the batch; 1 when the point does not say.
[[nodiscard]] std::int64_t batch_of(const sim::PointResult& point);

// Bytes of one kind that go to or come from the caches: kv_main, kv_local and index_key.
[[nodiscard]] std::int64_t kv_read(const sim::Traffic& traffic, sim::Level level);
[[nodiscard]] std::int64_t index_read(const sim::Traffic& traffic, sim::Level level);

// "MODEL on HARDWARE: PHASE, batch B, context N tokens" of the values that `known` has (nothing: it varies).
using Lookup = std::function<std::optional<std::string>(std::string_view name)>;
[[nodiscard]] std::string headline(const Lookup& known);
// "fidelity F, cache format C, engine E" of the same.
[[nodiscard]] std::string manner(const Lookup& known);

// One column of numbers in one unit, so that the eye compares digits: the unit is that of the largest, and the smallest
// keeps four digits (at most four decimals). Absent values are empty cells.
enum class Quantity { bytes, seconds, rate, percent, count };
struct ScaledColumn {
  std::string unit;  // "MB", "us", ""
  std::vector<std::string> cells;
};
[[nodiscard]] ScaledColumn in_one_unit(const std::vector<std::optional<double>>& values, Quantity quantity);

// "0, 1, 4-9" of ascending numbers; cut with "..." beyond `limit` characters.
[[nodiscard]] std::string ranges_text(const std::vector<std::int64_t>& numbers, std::size_t limit);

}  // namespace kvtraffic::reports
