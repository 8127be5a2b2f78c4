// The machine-readable contract, schema kvtraffic.run/1: a point, the document around points, and one point a line.
// Leaves out zeros inside traffic and levels that nobody knows; names are those of the contract and may only be added
// to.
#include <algorithm>

#include "reports/fields.hpp"
#include "reports/json_text.hpp"
#include "reports/output.hpp"
#include "reports/writers.hpp"

namespace kvtraffic::reports {
namespace {

void write_cell(JsonText& json, const sim::ReadWrite& cell) {
  json.begin_object();
  if (cell.read != 0) json.field("read", cell.read);
  if (cell.write != 0) json.field("write", cell.write);
  json.end_object();
}

void write_level(JsonText& json, const sim::Traffic& traffic, sim::Level level) {
  json.key(sim::name_of(level));
  json.begin_object();
  for (std::size_t k = 0; k < sim::kind_count; ++k) {
    const auto kind = static_cast<sim::DataKind>(k);
    const sim::ReadWrite& cell = traffic.at(level, kind);
    if (cell == sim::ReadWrite{}) continue;
    json.key(sim::name_of(kind));
    write_cell(json, cell);
  }
  json.end_object();
}

void write_traffic(JsonText& json, const sim::Traffic& traffic, sim::Status status = sim::Status::ok) {
  json.key("traffic");
  json.begin_object();
  for (std::size_t i = 0; i < sim::level_count; ++i) {
    const auto level = static_cast<sim::Level>(i);
    if (is_known(status, level)) write_level(json, traffic, level);
  }
  json.end_object();
}

void write_amplification(JsonText& json, const std::vector<sim::Amplification>& all) {
  json.key("amplification");
  json.begin_array();
  for (const sim::Amplification& one : all) {
    json.begin_object();
    json.field("from", sim::name_of(one.from));
    json.field("to", sim::name_of(one.to));
    json.field("reason", one.reason);
    json.field("kind", sim::name_of(one.kind));
    json.field("bytes", one.bytes);
    json.end_object();
  }
  json.end_array();
}

void write_storage(JsonText& json, const sim::Storage& storage) {
  json.begin_object();
  json.field(growing_name, storage.growing_bytes_per_token);
  for (const StorageField& field : storage_fields) json.field(field.name, storage.*field.value);
  json.end_object();
}

void write_shares(JsonText& json, std::string_view name, const std::vector<std::pair<std::string, double>>& shares) {
  json.key(name);
  json.begin_object();
  for (const auto& [part, share] : shares) json.field(part, share);
  json.end_object();
}

void write_timing(JsonText& json, const sim::Timing& time) {
  json.begin_object();
  json.field("seconds", time.seconds);
  json.field("cycles", time.cycles);
  json.field("clock_hz", time.clock_hz);
  json.field("roofline_seconds", time.roofline_seconds);
  json.field("bound_by", time.bound_by);
  write_shares(json, "busy_fraction", time.busy_fraction);
  json.field("sampling_error", time.sampling_error);
  if (!time.dram_time.empty()) write_shares(json, "dram_time", time.dram_time);
  json.end_object();
}

void write_throughput(JsonText& json, const sim::Throughput& throughput) {
  json.begin_object();
  json.field("tokens_per_second", throughput.tokens_per_second);
  json.field("tokens_per_second_per_user", throughput.tokens_per_second_per_user);
  json.field("tokens_per_second_per_device", throughput.tokens_per_second_per_device);
  json.end_object();
}

void text_or_null(JsonText& json, std::string_view name, std::string_view value) {
  json.key(name);
  value.empty() ? json.null() : json.text(value);
}

void number_or_null(JsonText& json, std::string_view name, const std::optional<double>& value) {
  json.key(name);
  value ? json.number(*value) : json.null();
}

void write_layer(JsonText& json, const sim::LayerResult& layer) {
  json.begin_object();
  json.field("layer", layer.layer);
  json.field("attention", layer.attention);
  text_or_null(json, "mode", layer.mode);
  number_or_null(json, "seconds", layer.seconds);
  text_or_null(json, "bound_by", layer.bound_by);
  if (layer.dram_seconds) json.field("dram_seconds", *layer.dram_seconds);
  if (layer.row_seconds) json.field("row_seconds", *layer.row_seconds);
  write_traffic(json, layer.traffic);
  if (!layer.amplification.empty()) write_amplification(json, layer.amplification);
  json.end_object();
}

void write_operation(JsonText& json, const sim::OperationResult& operation) {
  json.begin_object();
  json.field("name", operation.name);
  json.field("layer", operation.layer);
  number_or_null(json, "start_seconds", operation.start_seconds);
  number_or_null(json, "seconds", operation.seconds);
  text_or_null(json, "bound_by", operation.bound_by);
  write_traffic(json, operation.traffic);
  json.end_object();
}

// `values` under `name`, or nothing at all: an empty list here means "not asked for".
template <class Value>
void write_asked_for(JsonText& json, std::string_view name, const std::vector<Value>& values,
                     void (*write)(JsonText&, const Value&)) {
  if (values.empty()) return;
  json.key(name);
  json.begin_array();
  for (const Value& value : values) write(json, value);
  json.end_array();
}

template <class Value>
void write_or_null(JsonText& json, std::string_view name, const std::optional<Value>& value,
                   void (*write)(JsonText&, const Value&)) {
  json.key(name);
  value ? write(json, *value) : json.null();
}

void write_head(JsonText& json, const sim::PointResult& point) {
  json.key("parameters");
  json.begin_object();
  for (const auto& [name, value] : point.parameters) {
    json.key(name);
    json.node(value);
  }
  json.end_object();
  json.field("status", sim::name_of(point.status));
  text_or_null(json, "reason", point.reason);
  json.key("warnings");
  json.begin_array();
  for (const std::string& warning : point.warnings) json.text(warning);
  json.end_array();
}

void write_flops(JsonText& json, const sim::PointResult& point) {
  json.key("flops");
  json.begin_object();
  for (std::size_t p = 0; p < sim::precision_count; ++p) {
    if (point.flops[p] > 0) json.field(sim::precision_names[p], point.flops[p]);
  }
  json.end_object();
}

void write_point(JsonText& json, const sim::PointResult& point) {
  json.begin_object();
  write_head(json, point);
  write_or_null(json, "storage", point.storage, write_storage);
  if (point.traffic) {
    write_traffic(json, *point.traffic, point.status);
  } else {
    json.key("traffic");
    json.null();
  }
  write_amplification(json, point.amplification);
  if (point.layer_positions) json.field("layer_positions", *point.layer_positions);
  write_flops(json, point);
  write_or_null(json, "time", point.time, write_timing);
  write_or_null(json, "throughput", point.throughput, write_throughput);
  write_asked_for(json, "layers", point.layers, write_layer);
  write_asked_for(json, "operations", point.operations, write_operation);
  json.end_object();
}

class JsonWriter : public Writer {
 public:
  explicit JsonWriter(std::ostream& out) : output_(out), json_(output_.buffer()) {}

  void begin(const sim::RunResult& head) override {
    json_.begin_object();
    json_.field("schema", std::string_view("kvtraffic.run/1"));
    json_.field("version", head.version);
    json_.key("scenario");
    json_.node(head.scenario);
    json_.key("points");
    json_.begin_array();
    output_.hand_on();
  }
  void point(const sim::PointResult& point) override {
    output_.add("\n");
    write_point(json_, point);
    output_.hand_on();
  }
  void end() override {
    output_.add("\n");
    json_.end_array();
    json_.end_object();
    output_.add("\n");
    output_.finish();
  }

 private:
  Output output_;
  JsonText json_;
};

class JsonLinesWriter : public Writer {
 public:
  explicit JsonLinesWriter(std::ostream& out) : output_(out) {}

  void begin(const sim::RunResult&) override {}
  void point(const sim::PointResult& point) override {
    JsonText json(output_.buffer());
    write_point(json, point);
    output_.add("\n");
    output_.hand_on();
  }
  void end() override { output_.finish(); }

 private:
  Output output_;
};

}  // namespace

std::unique_ptr<Writer> make_json_writer(std::ostream& out) { return std::make_unique<JsonWriter>(out); }

std::unique_ptr<Writer> make_json_lines_writer(std::ostream& out) { return std::make_unique<JsonLinesWriter>(out); }

std::string point_json(const sim::PointResult& point) {
  fmt::memory_buffer buffer;
  JsonText json(buffer);
  write_point(json, point);
  return fmt::to_string(buffer);
}

}  // namespace kvtraffic::reports
