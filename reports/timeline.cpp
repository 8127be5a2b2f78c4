// Slices that overlap get tracks of their own, as slices of one track have to nest. A counter is the sum over the
// operations that run at a time, each at its own mean: of kernels that overlap, rates may pass what the device can do.
#include "reports/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "reports/json_text.hpp"

namespace kvtraffic::reports {
namespace {

using sim::Level;
using sim::OperationResult;

constexpr std::int64_t process = 1;
constexpr double micro = 1e6;

double start_of(const OperationResult& operation) { return operation.start_seconds.value_or(0); }
double end_of(const OperationResult& operation) { return start_of(operation) + operation.seconds.value_or(0); }

std::vector<const OperationResult*> chosen(const sim::PointResult& point, const TimelineLimits& limits) {
  std::vector<const OperationResult*> operations;
  for (const OperationResult& operation : point.operations) {
    if (!operation.start_seconds || !operation.seconds) continue;
    if (end_of(operation) < limits.first_seconds) continue;
    if (limits.last_seconds && start_of(operation) > *limits.last_seconds) continue;
    operations.push_back(&operation);
  }
  std::ranges::stable_sort(operations, {}, [](const OperationResult* o) { return start_of(*o); });
  return operations;
}

void begin_event(JsonText& json, std::string_view phase, std::string_view name, std::int64_t track) {
  json.begin_object();
  json.field("ph", phase);
  json.field("name", name);
  json.field("pid", process);
  json.field("tid", track);
}

void name_track(JsonText& json, std::string_view what, std::string_view name, std::int64_t track) {
  begin_event(json, "M", what, track);
  json.key("args");
  json.begin_object();
  json.field("name", name);
  json.end_object();
  json.end_object();
}

void add_slice(JsonText& json, const OperationResult& operation, std::int64_t track) {
  begin_event(json, "X", operation.name, track);
  json.field("cat", operation.bound_by);
  json.field("ts", start_of(operation) * micro);
  json.field("dur", operation.seconds.value_or(0) * micro);
  json.key("args");
  json.begin_object();
  json.field("layer", operation.layer);
  json.field("bound_by", operation.bound_by);
  for (const Level level : {Level::logical, Level::sector, Level::dram, Level::link, Level::host}) {
    if (!operation.traffic.empty(level)) {
      json.field(fmt::format("{}_bytes", name_of(level)), operation.traffic.total(level));
    }
  }
  json.end_object();
  json.end_object();
}

// The first track on which the operation's predecessor has ended.
std::int64_t track_for(const OperationResult& operation, std::vector<double>& busy_until) {
  std::size_t track = 0;
  while (track < busy_until.size() && busy_until[track] > start_of(operation)) ++track;
  if (track == busy_until.size()) busy_until.push_back(0);
  busy_until[track] = end_of(operation);
  return static_cast<std::int64_t>(track) + 1;
}

// Changes by time, and what an operation adds while it runs.
class Counter {
 public:
  void add(const OperationResult& operation, double value) {
    changes_[start_of(operation)] += value;
    changes_[end_of(operation)] -= value;
  }
  void tell(JsonText& json, std::string_view name, std::string_view unit, double most) const {
    double value = 0;
    for (const auto& [time, change] : changes_) {
      value = std::max(0.0, value + change);
      begin_event(json, "C", name, 0);
      json.field("ts", time * micro);
      json.key("args");
      json.begin_object();
      json.field(unit, std::min(value, most));
      json.end_object();
      json.end_object();
    }
  }

 private:
  std::map<double, double> changes_;
};

void add_rates(JsonText& json, const std::vector<const OperationResult*>& operations, Level level) {
  Counter counter;
  for (const OperationResult* operation : operations) {
    const double seconds = operation->seconds.value_or(0);
    if (seconds <= 0 || operation->traffic.empty(level)) continue;
    counter.add(*operation, static_cast<double>(operation->traffic.total(level)) / seconds / 1e9);
  }
  counter.tell(json, fmt::format("{} GB/s, all devices", name_of(level)), "GB/s", HUGE_VAL);
}

// Of the fullest device, in percent of each resource's best rate; means that add up to more are told as all of it.
void add_utilizations(JsonText& json, const std::vector<const OperationResult*>& operations) {
  std::map<std::string, Counter> counters;
  for (const OperationResult* operation : operations) {
    for (const auto& [resource, share] : operation->utilization) counters[resource].add(*operation, 100 * share);
  }
  for (const auto& [resource, counter] : counters) counter.tell(json, fmt::format("{} busy", resource), "%", 100);
}

}  // namespace

std::string timeline_of(const sim::PointResult& point, const TimelineLimits& limits) {
  std::vector<const OperationResult*> operations = chosen(point, limits);
  const std::size_t all = operations.size();
  operations.resize(std::min(all, limits.most_operations));
  fmt::memory_buffer buffer;
  JsonText json(buffer);
  json.begin_object();
  json.field("displayTimeUnit", "ns");
  json.key("otherData");
  json.begin_object();
  for (const auto& [path, value] : point.parameters) {
    json.key(path);
    json.node(value);
  }
  json.field("operations_left_out", static_cast<std::int64_t>(all - operations.size()));
  json.end_object();
  json.key("traceEvents");
  json.begin_array();
  name_track(json, "process_name", "the fullest device", 0);
  std::vector<double> busy_until;
  for (const OperationResult* operation : operations) add_slice(json, *operation, track_for(*operation, busy_until));
  for (std::size_t i = 0; i < busy_until.size(); ++i) {
    const auto track = static_cast<std::int64_t>(i) + 1;
    name_track(json, "thread_name", i == 0 ? "kernels" : fmt::format("kernels beside them ({})", i), track);
  }
  for (const Level level : {Level::dram, Level::link, Level::host}) add_rates(json, operations, level);
  add_utilizations(json, operations);
  json.end_array();
  json.end_object();
  return fmt::to_string(buffer) + "\n";
}

}  // namespace kvtraffic::reports
