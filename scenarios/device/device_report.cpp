// What a run left, in the words and units of the report.
// Leaves out layout.
#include <fmt/format.h>

#include <array>

#include "hardware/hbm/patterns.hpp"
#include "scenarios/device/device_run.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using namespace hardware::hbm;
using DramCommand = hardware::hbm::Command;  // not that of the command line

constexpr std::array<const char*, cause_count> meanings{"moving data",
                                                        "column commands of one bank group or two stack IDs",
                                                        "rate of activations (tFAW, tRRDS, tRRDL)",
                                                        "opening and closing rows (tRCD, tRP, tRAS, tRC, ...)",
                                                        "between reads and writes (tRTW, tWTR, draining)",
                                                        "refreshes, and waiting for them",
                                                        "the row or column command bus was taken",
                                                        "requests waited outside: the queue was full",
                                                        "nobody had asked yet"};

std::int64_t count(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::string counted(int number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string text_of(const Geometry& geometry) {
  return fmt::format("{} x {} x {} x {} banks ({} x {} x {}) x {} rows of {} B", counted(geometry.stacks, "stack"),
                     counted(geometry.channels, "channel"), counted(geometry.pseudo_channels, "pseudo-channel"),
                     geometry.banks_of_pseudo_channel(), geometry.stack_ids, geometry.bank_groups, geometry.banks,
                     sim::with_commas(geometry.rows),
                     sim::with_commas(std::int64_t{geometry.columns} * geometry.transaction_bytes));
}

std::string text_of(Refresh refresh) {
  switch (refresh) {
    case Refresh::none:
      return "no refresh";
    case Refresh::all_bank:
      return "refresh all-bank";
    case Refresh::per_bank:
      return "refresh per-bank";
  }
  return "";
}

std::string text_of(const Part& part) {
  return fmt::format("clock {}, peak {}, capacity {}", sim::to_text(part.clock_rate()), sim::to_text(part.peak()),
                     sim::to_text(part.geometry.capacity()));
}

std::string policy_of(const Part& part) {
  return fmt::format("map {}; {} reads and {} writes wait in a channel; {}", part.map, part.controller.read_queue,
                     part.controller.write_queue, text_of(part.controller.refresh));
}

std::string asked_text(const DeviceArguments& arguments, const Part& part, const MemoryResult& result) {
  const std::string trace = arguments.trace == "-" ? "from standard input" : arguments.trace;
  const std::string what = trace.empty() ? arguments.pattern : fmt::format("trace {}", trace);
  return fmt::format("{}: {} in transactions of {} B", what, sim::to_text(result.bytes),
                     part.geometry.transaction_bytes);
}

std::string feed_text(const RunSettings& settings) {
  switch (settings.feed) {
    case Feed::saturated:
      return "saturated: every channel always has a request to take";
    case Feed::in_order:
      return "in order: a full channel blocks all";
    case Feed::one_at_a_time:
      return "one at a time: the next request when the last has been answered";
    case Feed::rate:
      return fmt::format("at {}", sim::to_text(settings.rate));
  }
  return "";
}

void add_counts(const MemoryResult& result, reports::DeviceReport& report) {
  const Counters& counters = result.counters;
  report.reads = count(counters.reads);
  report.writes = count(counters.writes);
  report.forwarded = count(counters.forwarded);
  report.coalesced = count(counters.coalesced);
  report.row_hits = count(counters.row_hits);
  report.row_misses = count(counters.row_misses);
  report.row_conflicts = count(counters.row_conflicts);
  report.activates = count(result.count(DramCommand::activate));
  report.precharges = count(result.count(DramCommand::precharge) + result.count(DramCommand::precharge_all));
  report.refreshes = count(result.count(DramCommand::refresh_all) + result.count(DramCommand::refresh_bank));
  for (std::size_t i = 0; i < command_count; ++i) {
    report.commands.emplace_back(name_of(static_cast<DramCommand>(i)), count(counters.commands[i]));
  }
}

void add_rates(const MemoryResult& result, reports::DeviceReport& report) {
  report.requests = count(result.requests);
  report.bytes = result.bytes;
  report.cycles = result.cycles();
  report.clock = result.clock;
  report.seconds = result.seconds();
  report.bandwidth = sim::Bandwidth::per_second(result.bandwidth());
  report.peak = result.peak;
  report.peak_fraction = result.peak_fraction();
  report.mean_latency_seconds = result.mean_latency_seconds();
  report.p99_latency_seconds = result.latency_seconds(0.99);
  report.simulated_requests = count(result.simulated_requests);
  report.host_seconds = result.host_seconds;
}

bool states_energy(const Energy& energy) {
  return energy.activate > 0 || energy.read > 0 || energy.write > 0 || energy.refresh_bank > 0 ||
         energy.background_watts > 0;
}

}  // namespace

reports::DeviceReport report_of(const DeviceArguments& arguments, const ChosenPart& chosen,
                                const MemoryResult& result) {
  const Part& part = chosen.part;
  reports::DeviceReport report;
  report.device = part.name;
  report.summary = part.summary;
  report.carrier = chosen.carrier;
  report.about = {text_of(part.geometry), text_of(part), policy_of(part)};
  report.settings = arguments.settings;
  report.asked = asked_text(arguments, part, result);
  report.feed = feed_text(run_settings(arguments));
  add_rates(result, report);
  add_counts(result, report);
  for (std::size_t i = 0; i < cause_count; ++i) {
    const auto cause = static_cast<Cause>(i);
    report.bound_by.push_back({name_of(cause), meanings.at(i), result.bound_by(cause)});
  }
  if (states_energy(part.energy)) {
    const EnergyUse use = energy_of(result, part);
    report.energy = reports::DeviceEnergy{use.activate, use.read, use.write, use.refresh, use.background};
  }
  return report;
}

}  // namespace kvtraffic::scenarios
