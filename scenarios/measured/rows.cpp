// Comma-separated values with quotes, one header line; nothing is guessed.
#include "scenarios/measured/rows.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "scenarios/spec/folder.hpp"
#include "sim/config/io_error.hpp"
#include "sim/config/yaml.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

constexpr std::string_view header = "id,family,hardware,engine,kernel,cache,timed,repeat,measured_us,source";
constexpr std::size_t columns = 10;
constexpr double most_repeats = 1e6;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

double number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value) ? value : -1;
}

// What is wrong with a row's numbers; empty: nothing.
std::string fault_of(const MeasuredRow& row, double repeat) {
  if (!(repeat >= 1 && repeat <= most_repeats)) return fmt::format("repeat must be between 1 and {}", most_repeats);
  return row.seconds > 0 ? "" : "measured_us must be a time";
}

void read_row(const std::string& line, const sim::Mark& where, std::vector<MeasuredRow>& rows,
              sim::Diagnostics& faults) {
  const std::vector<std::string> cells = cells_of(line);
  if (cells.size() != columns) {
    return faults.error(where, "", fmt::format("{} columns", cells.size()), fmt::format("{}", columns));
  }
  MeasuredRow row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6] == "kernel",
                  1,        0,        cells[9], false};
  const double repeat = number_of(cells[7]);
  row.seconds = number_of(cells[8]) * 1e-6;
  if (const std::string fault = fault_of(row, repeat); !fault.empty()) return faults.error(where, row.id, fault);
  row.repeat = static_cast<std::int64_t>(repeat);
  rows.push_back(std::move(row));
}

std::shared_ptr<const sim::SourceFile> read_source(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  file.peek();  // a folder of such a name opens, and does not read
  if (!file.is_open() || file.bad()) throw sim::IoError(fmt::format("cannot read {}", sim::in_quotes(path)));
  std::ostringstream text;
  text << file.rdbuf();
  return std::make_shared<const sim::SourceFile>(sim::SourceFile{path, std::move(text).str()});
}

void read_file(const std::string& path, std::vector<MeasuredRow>& rows, sim::Diagnostics& faults) {
  const auto source = read_source(path);
  std::istringstream lines(source->text);
  std::string line;
  if (!std::getline(lines, line) || line != header) {
    return faults.error({source, 1, 1}, "", "not a table of timings", std::string(header));
  }
  for (int number = 2; std::getline(lines, line); ++number) read_row(line, {source, number, 1}, rows, faults);
}

}  // namespace

std::vector<MeasuredRow> read_measured(const std::string& folder) {
  std::vector<MeasuredRow> rows;
  sim::Diagnostics faults;
  for (const std::string& path : files_in(folder, ".csv")) read_file(path, rows, faults);
  const std::size_t fitted = rows.size();
  const std::string others = folder + "/predicted";
  if (std::filesystem::is_directory(others)) {
    for (const std::string& path : files_in(others, ".csv")) read_file(path, rows, faults);
  }
  for (std::size_t i = fitted; i < rows.size(); ++i) rows[i].predicted = true;
  if (faults.has_errors()) throw sim::ConfigError(faults);
  return rows;
}

std::string MeasuredRow::device() const {
  const auto digits = std::min(hardware.find_first_not_of("0123456789"), hardware.size());
  return digits > 0 && hardware.substr(digits, 2) == "x-" ? hardware.substr(digits + 2) : hardware;
}

sim::Node scenario_of(const MeasuredRow& row, const std::string& engine, const std::string& fidelity) {
  const std::string what =
      row.is_part_of_step() ? fmt::format("capacity: ignore, {}", row.kernel)
                            : fmt::format("workload: {{cache: {}, scope: {{kernel: {{{}}}}}}}", row.cache, row.kernel);
  const std::string how = fidelity.empty() ? "" : fmt::format("fidelity: {}, ", fidelity);
  const std::string text =
      fmt::format("{{hardware: {}, engine: {}, {}{}}}", row.hardware, engine.empty() ? row.engine : engine, how, what);
  sim::Diagnostics faults;
  sim::Node node = sim::read_yaml(text, row.id, faults);
  if (faults.has_errors()) throw sim::ConfigError(faults);
  return node;
}

}  // namespace kvtraffic::scenarios
