// The page of one device run: what was asked, how fast it went, and what the data buses waited for.
// Leaves out the JSON (device_json.cpp).
#include "reports/device_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/wording.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::reports {
namespace {

constexpr double bar_width = 20;

std::string count_text(std::int64_t count) { return sim::with_commas(count); }

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count_text(count), noun, count == 1 ? "" : "s");
}

void append(std::string& text, const std::string& more) { text += (text.empty() ? "" : ", ") + more; }

std::string latency_text(const DeviceReport& report) {
  if (report.reads == 0) return "no reads; writes are answered when they are issued";
  return fmt::format("reads {} on average, 99 % within {}", sim::time_text(report.mean_latency_seconds),
                     sim::time_text(report.p99_latency_seconds));
}

std::string requests_text(const DeviceReport& report) {
  std::string text;
  if (report.reads > 0) append(text, counted(report.reads, "read"));
  if (report.writes > 0) append(text, counted(report.writes, "write"));
  if (report.forwarded > 0) append(text, counted(report.forwarded, "read") + " answered from waiting writes");
  if (report.coalesced > 0) append(text, counted(report.coalesced, "write") + " merged into waiting ones");
  return text;
}

std::string rows_text(const DeviceReport& report) {
  const std::int64_t all = report.row_hits + report.row_misses + report.row_conflicts;
  if (all == 0) return "none opened";
  const auto share = [all](std::int64_t count) {
    return percent_text(static_cast<double>(count) / static_cast<double>(all));
  };
  return fmt::format("hits {}, misses (bank closed) {}, conflicts (another row open) {}", share(report.row_hits),
                     share(report.row_misses), share(report.row_conflicts));
}

std::string commands_text(const DeviceReport& report) {
  std::string text;
  for (const auto& [name, count] : report.commands) {
    if (count > 0) append(text, fmt::format("{} {}", name, count_text(count)));
  }
  return text;
}

std::string joules_text(double joules) {
  const bool small = joules < 1e-3;
  return fmt::format("{:.4g} {}", joules * (small ? 1e6 : 1e3), small ? "uJ" : "mJ");
}

std::string energy_text(const DeviceReport& report) {
  if (!report.energy) return "the part states none";
  const DeviceEnergy& energy = *report.energy;
  std::string text = fmt::format("{}, {:.3g} pJ/bit:", joules_text(energy.total()), report.picojoules_per_bit());
  std::string parts;
  const std::pair<const char*, double> all[] = {{"activate", energy.activate},
                                                {"read", energy.read},
                                                {"write", energy.write},
                                                {"refresh", energy.refresh},
                                                {"background", energy.background}};
  for (const auto& [name, joules] : all) {
    if (joules > 0) append(parts, fmt::format("{} {}", name, percent_text(joules / energy.total())));
  }
  return text + " " + parts;
}

std::string host_text(const DeviceReport& report) {
  std::string text = sim::time_text(report.host_seconds);
  if (report.simulated_requests == report.requests) return text;
  return text + fmt::format(", {} of {} requests simulated: the others repeat them exactly",
                            count_text(report.simulated_requests), count_text(report.requests));
}

Section facts_of(const DeviceReport& report) {
  Section section;
  const auto fact = [&section](const char* name, std::string value) {
    if (!value.empty()) section.facts.emplace_back(name, std::move(value));
  };
  fact("asked", report.asked);
  fact("feed", report.feed);
  fact("time", fmt::format("{}, {} cycles", sim::time_text(report.seconds), count_text(report.cycles)));
  fact("bandwidth", fmt::format("{}, {} of peak", sim::to_text(report.bandwidth), percent_text(report.peak_fraction)));
  fact("latency", latency_text(report));
  fact("requests", requests_text(report));
  fact("rows", rows_text(report));
  fact("commands", commands_text(report));
  fact("energy", energy_text(report));
  fact("host time", host_text(report));
  return section;
}

// Shares below a twentieth of a percent would be told as 0.0 %.
Section bound_section(const DeviceReport& report) {
  std::vector<DeviceShare> shares = report.bound_by;
  std::ranges::stable_sort(shares, std::ranges::greater{}, &DeviceShare::share);
  TextTable table({{"", "", Align::left}, {"share", "", Align::right}, {"", "", Align::left}, {"", "", Align::left}});
  for (const DeviceShare& share : shares) {
    if (share.share < 0.0005) continue;
    const auto length = static_cast<std::size_t>(std::lround(share.share * bar_width));
    table.add({share.name, percent_text(share.share), std::string(length, '#'), share.meaning});
  }
  return {"What the data buses did, or waited for", {}, std::move(table), {}};
}

}  // namespace

double DeviceReport::picojoules_per_bit() const {
  if (!energy || bytes.count() == 0) return 0;
  return energy->total() * 1e12 / (8 * static_cast<double>(bytes.count()));
}

Page device_page(const DeviceReport& report) {
  Page page;
  page.headline =
      report.carrier.empty() ? report.device : fmt::format("{}, the memory of {}", report.device, report.carrier);
  if (!report.summary.empty()) page.headline += ": " + report.summary;
  page.subtitle = report.about;
  std::string settings;
  for (const std::string& setting : report.settings) append(settings, setting);
  if (!settings.empty()) page.subtitle.push_back("with " + settings);
  page.add(facts_of(report));
  page.add(bound_section(report));
  return page;
}

}  // namespace kvtraffic::reports
