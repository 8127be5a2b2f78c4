// The document kvtraffic.device/1. It is for the caller of one run, so host time is part of it.
// Leaves out the page (device_page.cpp).
#include "reports/device_page.hpp"
#include "reports/json_text.hpp"

namespace kvtraffic::reports {
namespace {

void add_counts(JsonText& json, const DeviceReport& report) {
  json.field("reads", report.reads);
  json.field("writes", report.writes);
  json.field("forwarded", report.forwarded);
  json.field("coalesced", report.coalesced);
  json.field("row_hits", report.row_hits);
  json.field("row_misses", report.row_misses);
  json.field("row_conflicts", report.row_conflicts);
  json.field("activates", report.activates);
  json.field("precharges", report.precharges);
  json.field("refreshes", report.refreshes);
}

void add_shares(JsonText& json, const DeviceReport& report) {
  json.key("bound_by");
  json.begin_object();
  for (const DeviceShare& share : report.bound_by) json.field(share.name, share.share);
  json.end_object();
}

void add_energy(JsonText& json, const DeviceReport& report) {
  json.key("energy_joules");
  if (!report.energy) {
    json.null();
    json.key("picojoules_per_bit");
    return json.null();
  }
  json.begin_object();
  json.field("activate", report.energy->activate);
  json.field("read", report.energy->read);
  json.field("write", report.energy->write);
  json.field("refresh", report.energy->refresh);
  json.field("background", report.energy->background);
  json.field("total", report.energy->total());
  json.end_object();
  json.field("picojoules_per_bit", report.picojoules_per_bit());
}

}  // namespace

std::string device_json(const DeviceReport& report) {
  fmt::memory_buffer buffer;
  JsonText json(buffer);
  json.begin_object();
  json.field("schema", "kvtraffic.device/1");
  json.field("device", report.device);
  json.field("requests", report.requests);
  json.field("bytes", report.bytes.count());
  json.field("cycles", report.cycles);
  json.field("clock_hz", report.clock.per_second());
  json.field("seconds", report.seconds);
  json.field("bandwidth_bytes_per_second", report.bandwidth.per_second());
  json.field("peak_bytes_per_second", report.peak.per_second());
  json.field("peak_fraction", report.peak_fraction);
  add_counts(json, report);
  json.field("mean_latency_seconds", report.mean_latency_seconds);
  json.field("p99_latency_seconds", report.p99_latency_seconds);
  add_shares(json, report);
  add_energy(json, report);
  json.field("simulated_requests", report.simulated_requests);
  json.field("host_seconds", report.host_seconds);
  json.end_object();
  return fmt::to_string(buffer) + "\n";
}

}  // namespace kvtraffic::reports
