// Collecting points and telling them as rows.
// Leaves out the least squares themselves (fit.hpp).
#include "reports/sweep_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/fields.hpp"
#include "reports/fit.hpp"
#include "reports/wording.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::reports {

// `values` is where its numbers stand: a path such as workload.context may be spelt "4K" where context_tokens says
// 4096.
struct SweepSummary::Axis {
  std::string head;
  std::string unit;
  std::string one;  // "per ... " of a fit
  std::size_t values = 0;
};

namespace {

constexpr std::size_t most_notes = 20;
constexpr double worth_telling = 0.9;  // R squared

struct KnownAxis {
  std::string_view path;
  std::string_view parameter;
  std::string_view head;
  std::string_view unit;
  std::string_view one;
};
constexpr std::array<KnownAxis, 3> known_axes{
    {{"workload.context", "context_tokens", "context", "tokens", "token of context"},
     {"workload.batch", "batch", "batch", "", "sequence"},
     {"workload.phase", "phase", "phase", "", ""}}};

bool is_base(std::string_view name) {
  return std::find(parameter_names.begin(), parameter_names.end(), name) != parameter_names.end();
}

std::string last_component(const std::string& path) { return path.substr(path.rfind('.') + 1); }

double per(std::int64_t bytes, std::int64_t batch) { return static_cast<double>(bytes) / static_cast<double>(batch); }

double cache_bytes_of(const sim::Traffic& traffic) {
  double sum = 0;
  for (const auto kind : {sim::DataKind::kv_main, sim::DataKind::kv_local, sim::DataKind::index_key}) {
    sum += static_cast<double>(traffic.at(sim::Level::logical, kind).total());
  }
  return sum;
}

void take_traffic(SweepRow& row, const sim::PointResult& point) {
  if (!point.traffic) return;
  const std::int64_t batch = batch_of(point);
  row.kv_read = per(kv_read(*point.traffic, sim::Level::logical), batch);
  row.index_read = per(index_read(*point.traffic, sim::Level::logical), batch);
  row.cache_bytes = cache_bytes_of(*point.traffic);
  if (point.status == sim::Status::ok) row.dram = static_cast<double>(point.traffic->total(sim::Level::dram));
}

void take_storage(SweepRow& row, const std::optional<sim::Storage>& storage) {
  if (!storage) return;
  row.max_batch = static_cast<double>(storage->max_batch);
  if (storage->capacity_bytes_per_device > 0) {
    row.used = per(storage->used_bytes_per_device, storage->capacity_bytes_per_device);
  }
}

// A column of the table that comes from the rows' numbers.
struct Measure {
  std::string_view name;
  std::string_view per;  // what follows the unit
  Quantity quantity;
  std::optional<double> SweepRow::*value;
};
constexpr std::array<Measure, 8> measures{{
    {"time", "", Quantity::seconds, &SweepRow::seconds},
    {"tokens/s", "", Quantity::rate, &SweepRow::tokens_per_second},
    {"tokens/s", "per user", Quantity::rate, &SweepRow::tokens_per_second_per_user},
    {"KV read", "/seq", Quantity::bytes, &SweepRow::kv_read},
    {"index read", "/seq", Quantity::bytes, &SweepRow::index_read},
    {"dram", "", Quantity::bytes, &SweepRow::dram},
    {"memory", " used", Quantity::percent, &SweepRow::used},
    {"max batch", "", Quantity::count, &SweepRow::max_batch},
}};

std::string outcome_text(const SweepRow& row) {
  return row.status == sim::Status::ok ? row.bound_by : std::string(sim::name_of(row.status));
}

std::string change_text(double slope) { return slope < 0 ? "falls" : "grows"; }

// "time grows by 120 ns per token of context (R^2 0.998)", or nothing when a straight line does not tell it.
std::optional<std::string> fit_text(std::string_view what, const std::vector<double>& x, const std::vector<double>& y,
                                    std::string_view one, std::string (*amount)(double)) {
  if (x.size() != y.size()) return std::nullopt;
  const std::optional<StraightLine> line = fit_line(x, y);
  if (!line || line->r_squared <= worth_telling) return std::nullopt;
  return fmt::format("{} {} by {} per {} (R^2 {:.3f})", what, change_text(line->slope), amount(std::abs(line->slope)),
                     one, line->r_squared);
}

}  // namespace

void SweepSummary::add(const sim::PointResult& point) {
  if (names_.empty()) {
    for (const auto& [name, value] : point.parameters) names_.push_back(name);
  }
  SweepRow row;
  for (const std::string& name : names_) {
    const sim::Node* value = parameter(point, name);
    row.parameters.push_back(value == nullptr ? sim::Node() : *value);
  }
  row.status = point.status;
  row.reason = point.reason;
  take_traffic(row, point);
  take_storage(row, point.storage);
  if (point.time) {
    row.seconds = point.time->seconds;
    row.bound_by = point.time->bound_by;
  }
  if (point.throughput) {
    row.tokens_per_second = point.throughput->tokens_per_second;
    row.tokens_per_second_per_user = point.throughput->tokens_per_second_per_user;
  }
  rows_.push_back(std::move(row));
  for (const std::string& warning : point.warnings) count_warning(warning);
}

void SweepSummary::count_warning(const std::string& warning) {
  const auto same = std::find_if(warnings_.begin(), warnings_.end(), [&](const auto& w) { return w.first == warning; });
  if (same == warnings_.end()) {
    warnings_.emplace_back(warning, 1);
  } else {
    ++same->second;
  }
}

std::optional<std::size_t> SweepSummary::index_of(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

bool SweepSummary::varies(std::size_t parameter) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const SweepRow& row) {
    return row.parameters[parameter].text() != rows_.front().parameters[parameter].text();
  });
}

// Swept paths first, in their order; then what else varies. A path and the parameter it sets are one axis.
std::vector<SweepSummary::Axis> SweepSummary::axes() const {
  std::vector<Axis> result;
  std::vector<std::size_t> covered;
  for (const bool base : {false, true}) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool is_covered = std::find(covered.begin(), covered.end(), i) != covered.end();
      if (is_base(names_[i]) != base || is_covered || !varies(i)) continue;
      Axis axis{names_[i], "", "unit of " + names_[i], i};
      for (const KnownAxis& known : known_axes) {
        if (names_[i] != known.path && names_[i] != known.parameter) continue;
        axis = {std::string(known.head), std::string(known.unit), std::string(known.one),
                index_of(known.parameter).value_or(i)};
      }
      covered.push_back(axis.values);
      result.push_back(std::move(axis));
    }
  }
  for (Axis& axis : result) {  // a path by its last part where that is clear
    const std::string last = last_component(axis.head);
    const auto alike = [&](const Axis& other) { return last_component(other.head) == last; };
    if (std::count_if(result.begin(), result.end(), alike) == 1) axis.head = last;
  }
  return result;
}

std::string SweepSummary::title(const std::vector<Axis>& axes) const {
  const Lookup constant = [this](std::string_view name) -> std::optional<std::string> {
    const std::optional<std::size_t> i = index_of(name);
    if (!i || varies(*i)) return std::nullopt;
    return value_text(rows_.front().parameters[*i]);
  };
  std::string text = headline(constant);
  text += fmt::format("; {} points", rows_.size());
  for (std::size_t i = 0; i < axes.size(); ++i) text += (i == 0 ? " over " : ", ") + axes[i].head;
  const std::string how = manner(constant);
  return how.empty() ? text : text + "\n" + how;
}

TextTable SweepSummary::table(const std::vector<Axis>& axes) const {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> cells;  // by column
  for (const Axis& axis : axes) {
    columns.push_back({axis.head, axis.unit, Align::right});
    cells.emplace_back();
    for (const SweepRow& row : rows_) cells.back().push_back(value_text(row.parameters[axis.values]));
  }
  for (const Measure& measure : measures) {
    std::vector<std::optional<double>> values;
    for (const SweepRow& row : rows_) values.push_back(row.*measure.value);
    ScaledColumn scaled = in_one_unit(values, measure.quantity);
    columns.push_back({std::string(measure.name), scaled.unit + std::string(measure.per), Align::right});
    cells.push_back(std::move(scaled.cells));
    if (measure.value != &SweepRow::seconds) continue;
    columns.push_back({"bound by", "", Align::left});
    cells.emplace_back();
    for (const SweepRow& row : rows_) cells.back().push_back(outcome_text(row));
  }
  TextTable result(std::move(columns));
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::vector<std::string> line;
    for (const auto& column : cells) line.push_back(column[r]);
    result.add(std::move(line));
  }
  result.drop_empty_columns();
  return result;
}

Section SweepSummary::points_section(const std::vector<Axis>& axes) const {
  Section section{"", {}, table(axes), {}};
  std::size_t left = 0;
  for (const SweepRow& row : rows_) {
    if (row.status == sim::Status::ok) continue;
    if (section.notes.size() == most_notes) {
      ++left;
      continue;
    }
    std::string which;
    for (const Axis& axis : axes) {
      which += fmt::format("{}{} {}", which.empty() ? "" : ", ", axis.head, value_text(row.parameters[axis.values]));
    }
    const std::string_view what = row.status == sim::Status::infeasible ? "does not fit" : "failed";
    section.notes.push_back({fmt::format("{}{}{}: {}", which, which.empty() ? "" : " ", what, row.reason), Tone::bad});
  }
  if (left > 0) section.notes.push_back({fmt::format("and {} more that do not fit or failed", left), Tone::bad});
  return section;
}

Section SweepSummary::fit_section(const std::vector<Axis>& axes) const {
  if (axes.size() != 1) return {};
  std::vector<double> x;
  std::vector<double> seconds;
  std::vector<double> bytes;
  for (const SweepRow& row : rows_) {
    if (row.status != sim::Status::ok) continue;
    const std::optional<double> value = number_of(row.parameters[axes.front().values]);
    if (!value) return {};
    x.push_back(*value);
    if (row.seconds) seconds.push_back(*row.seconds);
    if (row.cache_bytes) bytes.push_back(*row.cache_bytes);
  }
  Section section{"Trends", {}, {}, {}};
  const std::string& one = axes.front().one;
  if (auto text = fit_text("time", x, seconds, one, &sim::time_text)) section.notes.push_back({*text});
  if (auto text = fit_text("logical cache traffic (KV and index keys, whole batch)", x, bytes, one,
                           [](double b) { return bytes_text(b); })) {
    section.notes.push_back({*text});
  }
  return section;
}

Section SweepSummary::warnings_section() const {
  Section section{"Warnings", {}, {}, {}};
  for (std::size_t i = 0; i < warnings_.size() && i < most_notes; ++i) {
    const auto& [text, count] = warnings_[i];
    const std::string where = count == rows_.size() ? "" : fmt::format(" ({} of {} points)", count, rows_.size());
    section.notes.push_back({text + where, Tone::good_to_know});
  }
  if (warnings_.size() > most_notes) {
    section.notes.push_back({fmt::format("and {} more warnings", warnings_.size() - most_notes), Tone::good_to_know});
  }
  return section;
}

Page SweepSummary::page() const {
  Page page;
  if (rows_.empty()) {
    page.headline = "no points";
    return page;
  }
  const std::vector<Axis> all = axes();
  const std::string text = title(all);
  const std::size_t end = std::min(text.find('\n'), text.size());
  page.headline = text.substr(0, end);
  if (end < text.size()) page.subtitle.push_back(text.substr(end + 1));
  page.add(points_section(all));
  page.add(fit_section(all));
  page.add(warnings_section());
  return page;
}

}  // namespace kvtraffic::reports
