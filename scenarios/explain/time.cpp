// Numbers of time and throughput: the bound from sums and peaks, the simulated time from its longest operations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "scenarios/explain/derivation.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::time_text;
using sim::with_commas;

std::string seconds_text(double seconds) {
  return fmt::format("{} s ({})", sim::exact_text(seconds), time_text(seconds));
}

// Work of the fullest device over all vertices.
struct Totals {
  std::int64_t dram = 0;
  std::int64_t host = 0;
  std::int64_t sent = 0;
  std::array<double, sim::precision_count> flops{};
};

Totals totals_of(const Evaluated& point, const sim::Outcome& outcome) {
  const sim::StepGraph& graph = point.lowered.graph;
  Totals sum;
  for (const std::int64_t bytes : outcome.dram) sum.dram += bytes;
  for (const sim::Vertex& v : graph.vertices()) {
    const sim::OperationWork& work = point.tally.operations[v.operation];
    sum.sent += work.sent;
    for (std::size_t p = 0; p < sim::precision_count; ++p) sum.flops[p] += work.flops[p];
    const auto& accesses = graph.operation_of(v).accesses;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const std::int64_t bytes = point.tally.accesses[graph.first_access_of(v.operation) + i].device;
      if (accesses[i].place == sim::Place::host) sum.host += bytes;
      if (accesses[i].place == sim::Place::remote) sum.sent += bytes;
    }
  }
  return sum;
}

void add_ratio(Derivation& d, std::string_view name, double work, std::string_view unit, double rate,
               const std::string& rate_text) {
  if (work <= 0 || rate <= 0) return;
  d.terms.push_back(
      {fmt::format("{}: {} {} / {}", name, sim::exact_text(work), unit, rate_text), time_text(work / rate)});
}

void roofline(const Evaluated& point, Derivation& d) {
  d.formula =
      "largest of compulsory work / peak over resources, and of what depends on this step's results along dependencies";
  const hardware::Device& device = point.setup.hardware.device;
  const Totals sum = totals_of(point, point.bound);
  add_ratio(d, "hbm, each distinct byte once", static_cast<double>(sum.dram), "B", device.pin_bandwidth().per_second(),
            sim::to_text(device.pin_bandwidth()));
  double compute = 0;
  for (std::size_t p = 0; p < sim::precision_count; ++p) {
    if (sum.flops[p] <= 0) continue;
    const auto runs = static_cast<std::size_t>(device.runs_as(static_cast<sim::Precision>(p)));
    const sim::FlopRate peak = device.peak[runs];
    compute += sum.flops[p] / peak.per_second();
    add_ratio(d, fmt::format("compute, {}", sim::precision_names[p]), sum.flops[p], "FLOP", peak.per_second(),
              sim::to_text(peak));
    d.add_input(
        hardware_input(point.setup, fmt::format("compute.{}.peak", sim::precision_names[runs]), sim::to_text(peak)));
  }
  if (compute > 0) d.terms.push_back({"compute, all precisions", time_text(compute)});
  add_ratio(d, "link", static_cast<double>(sum.sent), "B", device.link_bandwidth.per_second(),
            sim::to_text(device.link_bandwidth));
  add_ratio(d, "host", static_cast<double>(sum.host), "B", device.host_bandwidth.per_second(),
            sim::to_text(device.host_bandwidth));
  d.terms.push_back({fmt::format("largest (bound by {})", sim::name_of(point.bound.bound_by)),
                     time_text(point.bound.total.seconds())});
  d.add_input(hardware_input(point.setup, "memory.bus_width", fmt::format("{} bit", device.bus_bits)));
  d.add_input(hardware_input(point.setup, "memory.pin_rate",
                             fmt::format("{} Gbit/s", sim::exact_text(device.pin_bits_per_second / 1e9))));
  add_scenario_inputs(point, d);
}

// Operations of one name together: how often, how long in all, what bound them.
struct Group {
  std::int64_t uses = 0;
  double seconds = 0;
  std::string_view bound_by;
};

// What DRAM serves at: cycle asks the part's commands, flow the stream rate that was measured on the device.
void add_dram_input(const Evaluated& point, Derivation& d) {
  const Setup& setup = point.setup;
  const hardware::Device& device = setup.hardware.device;
  if (setup.scenario.fidelity == Fidelity::cycle && setup.scenario.mechanisms.dram_commands) {
    d.add_input({fmt::format("memory.part of {}", device.name), device.memory_part,
                 fmt::format("its timings and their sources: kvtraffic show memory {}", device.memory_part)});
    d.add_input({"sampling error of DRAM windows: explain time.sampling_error",
                 sim::exact_text(point.outcome.sampling_error), ""});
  } else {
    d.add_input(hardware_input(setup, "memory.stream_efficiency", sim::exact_text(device.stream_efficiency)));
  }
}

// How kernels are launched, where it is not as a graph.
void add_launch_inputs(const Evaluated& point, Derivation& d) {
  const sim::KernelPlan& plan = point.setup.engine.plan;
  if (plan.launch != sim::LaunchMode::graph) {
    const bool is_asked = point.setup.scenario.launch.has_value();
    d.add_input({"launch", std::string(sim::name_of(plan.launch)), is_asked ? "" : "engine " + plan.name});
  }
  if (plan.launch == sim::LaunchMode::stream) {
    const sim::Duration gap = point.setup.hardware.device.stream_gap;
    d.add_input(hardware_input(point.setup, "launch.stream_gap", time_text(gap.seconds())));
  }
  if (plan.host_gap > sim::Duration()) {
    d.add_input({"launch.host_gap", time_text(plan.host_gap.seconds()), "engine " + plan.name});
  }
}

void simulated(const Evaluated& point, Derivation& d, std::optional<std::int64_t> layer) {
  d.formula =
      "end of the last operation in the discrete-event simulation of the fullest device; operations overlap where "
      "nothing makes them wait";
  const sim::StepGraph& graph = point.lowered.graph;
  std::map<std::string, Group> groups;
  for (std::size_t i = 0; i < graph.vertices().size(); ++i) {
    const sim::Vertex& v = graph.vertices()[i];
    if (layer && v.layer != *layer) continue;
    Group& group = groups[graph.operation_of(v).name];
    ++group.uses;
    group.seconds += (point.outcome.vertices[i].end - point.outcome.vertices[i].start).seconds();
    group.bound_by = sim::name_of(point.outcome.vertices[i].bound_by);
  }
  std::vector<std::pair<std::string, Group>> sorted(groups.begin(), groups.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  for (const auto& [name, group] : sorted) {
    d.terms.push_back({fmt::format("{} x {} (mostly {})", group.uses, name, group.bound_by), time_text(group.seconds)});
  }
  const hardware::Device& device = point.setup.hardware.device;
  d.add_input(hardware_input(point.setup, "memory.bandwidth", sim::to_text(device.published_bandwidth)));
  add_dram_input(point, d);
  d.add_input(hardware_input(point.setup, "memory.latency", time_text(device.memory_latency.seconds())));
  d.add_input(hardware_input(point.setup, "launch.gap", time_text(device.launch_gap.seconds())));
  d.add_input(hardware_input(point.setup, "launch.start", time_text(device.kernel_start.seconds())));
  add_launch_inputs(point, d);
  d.add_input(hardware_input(point.setup, "sm.count", fmt::format("{}", device.sms)));
  add_scenario_inputs(point, d);
}

void seconds(const Evaluated& point, Derivation& d) {
  if (point.outcome.vertices.empty()) {
    roofline(point, d);
  } else {
    simulated(point, d, std::nullopt);
  }
  d.value = seconds_text(point.result.time->seconds);
}

void busy(const Evaluated& point, Derivation& d, const std::string& resource) {
  for (const auto& [name, share] : point.result.time->busy_fraction) {
    if (name != resource) continue;
    d.formula = "time at work / seconds of the step, on the fullest device";
    d.value = sim::exact_text(share);
    d.terms.push_back(
        {fmt::format("{} / {}", time_text(share * point.result.time->seconds), time_text(point.result.time->seconds)),
         d.value});
  }
}

void throughput(const Evaluated& point, Derivation& d, const std::string& field) {
  const sim::Throughput& t = *point.result.throughput;
  const double step = point.result.time->seconds;
  const std::string tokens = with_commas(point.tally.tokens);
  const bool prefill = point.setup.scenario.phase == Phase::prefill;
  if (field == "tokens_per_second") {
    d.formula = prefill ? "prompt tokens computed / seconds" : "tokens of the step / seconds";
    d.terms.push_back({fmt::format("{} / {}", tokens, time_text(step)), sim::exact_text(t.tokens_per_second) + " /s"});
    d.value = sim::exact_text(t.tokens_per_second) + " /s";
  } else if (field == "tokens_per_second_per_user") {
    d.formula =
        prefill ? "prompt tokens of one sequence / seconds" : "1 / seconds: each sequence gains one token a step";
    d.value = sim::exact_text(t.tokens_per_second_per_user) + " /s";
  } else if (field == "tokens_per_second_per_device") {
    d.formula = "tokens of the step / seconds / devices";
    d.terms.push_back({fmt::format("{} / {} / {}", tokens, time_text(step), point.tally.deployment.devices),
                       sim::exact_text(t.tokens_per_second_per_device) + " /s"});
    d.value = sim::exact_text(t.tokens_per_second_per_device) + " /s";
  }
}

// Of the step or of a layer.
void amplification(const std::vector<sim::Amplification>& rows, const sim::Traffic& traffic, std::size_t index,
                   Derivation& d) {
  if (index >= rows.size()) return;
  const sim::Amplification& a = rows[index];
  d.formula = fmt::format(
      "part of {} bytes less {} bytes of {} that '{}' explains; all reasons of a kind add up to the difference",
      name_of(a.to), name_of(a.from), name_of(a.kind), a.reason);
  for (const sim::Level level : {a.from, a.to}) {
    d.terms.push_back({fmt::format("{} {}, read and write", name_of(level), name_of(a.kind)),
                       fmt::format("{} B", with_commas(traffic.at(level, a.kind).total()))});
  }
  for (const sim::Amplification& other : rows) {
    if (other.kind != a.kind || other.from != a.from) continue;
    d.terms.push_back({other.reason, fmt::format("{} B", with_commas(other.bytes))});
  }
  d.value = fmt::format("{} B", with_commas(a.bytes));
}

// When the layer's last operation ends, and when the last one before it did: of earlier layers, and of what runs ahead
// of all layers.
struct Ends {
  sim::Instant before;
  sim::Instant layer;
};

Ends ends_of(const Evaluated& point, std::int64_t layer) {
  const sim::StepGraph& graph = point.lowered.graph;
  Ends ends;
  bool in_layers = false;
  for (const std::uint32_t i : graph.order()) {
    const std::int64_t at = graph.vertices()[i].layer;
    in_layers = in_layers || at >= 0;
    const bool is_before = at < 0 ? !in_layers : at < layer;
    sim::Instant& end = is_before ? ends.before : ends.layer;
    if (is_before || at == layer) end = std::max(end, point.outcome.vertices[i].end);
  }
  ends.layer = std::max(ends.before, ends.layer);
  return ends;
}

void one_layer(const Evaluated& point, Derivation& d, std::size_t layer) {
  if (layer >= point.result.layers.size() || !point.result.layers[layer].seconds) return;
  const Ends ends = ends_of(point, static_cast<std::int64_t>(layer));
  d.terms.push_back({"end of the layer's last operation", seconds_text(ends.layer.seconds())});
  d.terms.push_back({"end of all before it", seconds_text(ends.before.seconds())});
  simulated(point, d, static_cast<std::int64_t>(layer));
  d.formula = "how much later the layer ends than all before it, so that layers add up to the step";
  d.value = seconds_text(*point.result.layers[layer].seconds);
}

void one_operation(const Evaluated& point, Derivation& d, std::size_t index, bool start) {
  if (index >= point.result.operations.size() || !point.result.operations[index].seconds) return;
  const sim::OperationResult& o = point.result.operations[index];
  d.formula =
      start ? "when all that it waits for had ended and its launch was due" : "from launch to the end of its last tile";
  d.terms.push_back({fmt::format("{}, layer {}, bound by {}: starts at {}, takes", o.name, o.layer, o.bound_by,
                                 time_text(*o.start_seconds)),
                     time_text(*o.seconds)});
  d.value = seconds_text(start ? *o.start_seconds : *o.seconds);
}

void any_amplification(const Evaluated& point, Derivation& d, const std::string& path) {
  if (const auto row = number_in(path, "amplification")) {
    return amplification(point.result.amplification, *point.result.traffic, *row, d);
  }
  const auto index = number_in(path, "layers");
  if (!index || *index >= point.result.layers.size()) return;
  const sim::LayerResult& layer = point.result.layers[*index];
  const auto row = number_in(path.substr(path.find("].") + 2), "amplification");
  if (row) amplification(layer.amplification, layer.traffic, *row, d);
}

void whole_step(const Evaluated& point, Derivation& d, const std::string& path) {
  const sim::Timing& t = *point.result.time;
  if (path == "time.seconds") {
    seconds(point, d);
  } else if (path == "time.roofline_seconds") {
    roofline(point, d);
    d.value = seconds_text(t.roofline_seconds);
  } else if (path == "time.cycles") {
    d.formula = "seconds x clock_hz, rounded up";
    d.terms.push_back(
        {fmt::format("{} x {}", time_text(t.seconds), sim::to_text(sim::Frequency::per_second(t.clock_hz))),
         with_commas(t.cycles)});
    d.value = with_commas(t.cycles);
  } else if (path == "time.clock_hz") {
    d.formula = "clock of the SMs";
    d.value = sim::exact_text(t.clock_hz);
    d.add_input(hardware_input(point.setup, "sm.clock", sim::to_text(sim::Frequency::per_second(t.clock_hz))));
  } else if (path.rfind("time.busy_fraction.", 0) == 0) {
    busy(point, d, path.substr(19));
  } else if (path.rfind("throughput.", 0) == 0 && point.result.throughput) {
    throughput(point, d, path.substr(11));
  }
}

}  // namespace

std::optional<Derivation> explain_time(const Evaluated& point, const std::string& path) {
  if (!point.result.time) return std::nullopt;
  Derivation d;
  d.path = path;
  const auto ends_with = [&path](std::string_view end) {
    return path.size() >= end.size() && path.substr(path.size() - end.size()) == end;
  };
  if (const auto layer = number_in(path, "layers"); layer && ends_with("].seconds")) {
    one_layer(point, d, *layer);
  } else if (const auto operation = number_in(path, "operations");
             operation && (ends_with("].seconds") || ends_with("].start_seconds"))) {
    one_operation(point, d, *operation, ends_with("].start_seconds"));
  } else if (ends_with("].bytes")) {
    any_amplification(point, d, path);
  } else {
    whole_step(point, d, path);
  }
  if (d.value.empty()) return std::nullopt;
  return d;
}

}  // namespace kvtraffic::scenarios
