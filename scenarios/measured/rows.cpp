// Comma-separated values with quotes, one header line; nothing is guessed.
#include "scenarios/measured/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "sim/config/io_error.hpp"
#include "sim/config/yaml.hpp"

namespace kvtraffic::scenarios {
namespace {

constexpr std::string_view header = "id,family,hardware,engine,kernel,cache,timed,repeat,measured_us,source";
constexpr std::size_t columns = 10;

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
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

MeasuredRow row_of(const std::string& line, const std::string& place) {
  const std::vector<std::string> cells = cells_of(line);
  if (cells.size() != columns) throw sim::IoError(fmt::format("{}: {} columns, not {}", place, cells.size(), columns));
  MeasuredRow row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6] == "kernel", 1, 0, cells[9]};
  row.repeat = static_cast<std::int64_t>(number_of(cells[7]));
  row.seconds = number_of(cells[8]) * 1e-6;
  if (row.repeat < 1 || row.seconds <= 0) throw sim::IoError(fmt::format("{}: not a count or not a time", place));
  return row;
}

void read_file(const std::string& path, std::vector<MeasuredRow>& rows) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != header) throw sim::IoError(fmt::format("{}: not a table of timings", path));
  for (int number = 2; std::getline(file, line); ++number) {
    rows.push_back(row_of(line, fmt::format("{}:{}", path, number)));
  }
}

}  // namespace

std::vector<MeasuredRow> read_measured(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".csv") paths.push_back(entry.path().string());
  }
  if (error) throw sim::IoError(fmt::format("{}: {}", folder, error.message()));
  std::ranges::sort(paths);
  std::vector<MeasuredRow> rows;
  for (const std::string& path : paths) read_file(path, rows);
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
  const std::string text =
      fmt::format("{{hardware: {}, engine: {}, fidelity: {}, {}}}", row.hardware, engine.empty() ? row.engine : engine,
                  fidelity.empty() ? "flow" : fidelity, what);
  sim::Diagnostics faults;
  const sim::Node node = sim::read_yaml(text, row.id, faults);
  if (faults.has_errors()) throw sim::ConfigError(faults);
  return node;
}

}  // namespace kvtraffic::scenarios
