// One header line and one row per point, quoted as RFC 4180 says; lines end in a bare newline.
// Leaves out layers, operations, warnings and amplification: they are no columns.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "reports/display.hpp"
#include "reports/fields.hpp"
#include "reports/json_text.hpp"
#include "reports/output.hpp"
#include "reports/writers.hpp"

namespace kvtraffic::reports {
namespace {

constexpr std::array per_kind{sim::Level::logical, sim::Level::sector, sim::Level::dram};
constexpr std::array total_only{sim::Level::link, sim::Level::host, sim::Level::ssd};
constexpr std::array<std::string_view, 9> last_columns{"seconds",
                                                       "cycles",
                                                       "clock_hz",
                                                       "roofline_seconds",
                                                       "bound_by",
                                                       "sampling_error",
                                                       "tokens_per_second",
                                                       "tokens_per_second_per_user",
                                                       "tokens_per_second_per_device"};

// The cells of one line, with the commas between them.
class Line {
 public:
  explicit Line(fmt::memory_buffer& out) : out_(&out) {}

  void absent() { separate(); }
  void absent(std::size_t cells) {
    while (cells-- > 0) absent();
  }
  void text(std::string_view value) {
    separate();
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) return add(valid_utf8(value));
    out_->push_back('"');
    for (const char c : valid_utf8(value)) {
      if (c == '"') out_->push_back('"');
      out_->push_back(c);
    }
    out_->push_back('"');
  }
  void integer(std::int64_t value) {
    separate();
    fmt::format_to(std::back_inserter(*out_), "{}", value);
  }
  void number(double value) {
    separate();
    if (std::isfinite(value)) fmt::format_to(std::back_inserter(*out_), "{}", value == 0 ? 0.0 : value);
  }
  void end() { out_->push_back('\n'); }

 private:
  void separate() {
    if (!first_) out_->push_back(',');
    first_ = false;
  }
  void add(std::string_view value) { out_->append(value.data(), value.data() + value.size()); }

  fmt::memory_buffer* out_;
  bool first_ = true;
};

void parameter(Line& line, const sim::Node& value) {
  if (value.is_null()) return line.absent();
  if (value.is_scalar()) return line.text(value.text());
  fmt::memory_buffer nested;
  JsonText(nested).node(value);
  line.text({nested.data(), nested.size()});
}

void storage_cells(Line& line, const std::optional<sim::Storage>& storage) {
  if (!storage) return line.absent(1 + storage_fields.size());
  line.number(storage->growing_bytes_per_token);
  for (const StorageField& field : storage_fields) line.integer((*storage).*field.value);
}

void kind_cells(Line& line, const sim::Traffic& traffic, sim::Level level) {
  for (std::size_t kind = 0; kind < sim::kind_count; ++kind) {
    const sim::ReadWrite& cell = traffic.at(level, static_cast<sim::DataKind>(kind));
    line.integer(cell.read);
    line.integer(cell.write);
  }
}

void traffic_cells(Line& line, const sim::PointResult& point) {
  for (const sim::Level level : per_kind) {
    point.traffic&& is_known(point.status, level) ? kind_cells(line, *point.traffic, level)
                                                  : line.absent(2 * sim::kind_count);
  }
  for (const sim::Level level : total_only) {
    point.traffic&& is_known(point.status, level) ? line.integer(point.traffic->total(level)) : line.absent();
  }
}

void time_cells(Line& line, const sim::PointResult& point) {
  if (point.time) {
    line.number(point.time->seconds);
    line.integer(point.time->cycles);
    line.number(point.time->clock_hz);
    line.number(point.time->roofline_seconds);
    line.text(point.time->bound_by);
    line.number(point.time->sampling_error);
  } else {
    line.absent(6);
  }
  if (!point.throughput) return line.absent(3);
  line.number(point.throughput->tokens_per_second);
  line.number(point.throughput->tokens_per_second_per_user);
  line.number(point.throughput->tokens_per_second_per_device);
}

void traffic_heads(Line& line) {
  for (const sim::Level level : per_kind) {
    for (const std::string_view kind : sim::kind_names) {
      line.text(fmt::format("{}_{}_read", sim::name_of(level), kind));
      line.text(fmt::format("{}_{}_write", sim::name_of(level), kind));
    }
  }
  for (const sim::Level level : total_only) line.text(fmt::format("{}_total", sim::name_of(level)));
}

class CsvWriter : public Writer {
 public:
  explicit CsvWriter(std::ostream& out) : output_(out) {}

  void begin(const sim::RunResult&) override {}
  void point(const sim::PointResult& point) override {
    if (names_.empty()) header(point);
    Line line(output_.buffer());
    for (std::size_t i = 0; i < names_.size(); ++i) parameter(line, value(point, i));
    line.text(sim::name_of(point.status));
    line.text(point.reason);
    storage_cells(line, point.storage);
    traffic_cells(line, point);
    time_cells(line, point);
    line.end();
    output_.hand_on();
  }
  void end() override {
    if (names_.empty()) header({});
    output_.finish();
  }

 private:
  void header(const sim::PointResult& first) {
    for (const auto& [name, value] : first.parameters) names_.push_back(name);
    if (names_.empty()) names_.assign(parameter_names.begin(), parameter_names.end());
    Line line(output_.buffer());
    for (const std::string& name : names_) line.text(name);
    line.text("status");
    line.text("reason");
    line.text(growing_name);
    for (const StorageField& field : storage_fields) line.text(field.name);
    traffic_heads(line);
    for (const std::string_view name : last_columns) line.text(name);
    line.end();
  }
  // By name; nearly always it stands where it stood in the first point.
  const sim::Node& value(const sim::PointResult& point, std::size_t column) const {
    const auto& all = point.parameters;
    if (column < all.size() && all[column].first == names_[column]) return all[column].second;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.first == names_[column]; });
    return found == all.end() ? absent_ : found->second;
  }

  Output output_;
  std::vector<std::string> names_;
  sim::Node absent_;
};

}  // namespace

std::unique_ptr<Writer> make_csv_writer(std::ostream& out) { return std::make_unique<CsvWriter>(out); }

}  // namespace kvtraffic::reports
