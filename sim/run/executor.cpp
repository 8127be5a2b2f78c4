// Adds up what each vertex moved, by level, kind, layer and reason, and puts the machine's answer beside it.
#include "sim/run/executor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace kvtraffic::sim {
namespace {

enum Reason : std::size_t { rounding, apart, tensor_copies, data_copies, saved, from_host, reason_count };

struct ReasonInfo {
  Level from;
  Level to;
  std::string_view text;
};

std::array<ReasonInfo, reason_count> reasons_with(std::string_view saving) {
  return {{{Level::logical, Level::sector, "sector rounding"},
           {Level::logical, Level::sector, "scales apart from values"},
           {Level::logical, Level::sector, "copies on tensor ranks"},
           {Level::logical, Level::sector, "copies on data ranks"},
           {Level::sector, Level::dram, saving},
           {Level::sector, Level::dram, "read from host memory"}}};
}

void add_to(std::int64_t& sum, std::int64_t bytes) { sum = checked_add(sum, bytes); }

// Traffic together with the reasons for its differences, of a vertex, a layer or the step.
struct Ledger {
  Traffic traffic;
  std::array<std::array<std::int64_t, reason_count>, kind_count> reasons{};

  Ledger& operator+=(const Ledger& other) {
    traffic += other.traffic;
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      for (std::size_t r = 0; r < reason_count; ++r) add_to(reasons[kind][r], other.reasons[kind][r]);
    }
    return *this;
  }
  void add(const Access& access, const AccessBytes& bytes, std::int64_t dram);
  void add_messages(std::int64_t bytes);
  [[nodiscard]] std::vector<Amplification> explained(std::string_view saving) const;
};

void Ledger::add(const Access& access, const AccessBytes& bytes, std::int64_t dram) {
  const auto at = [&](Level level) -> std::int64_t& { return traffic.at(level, access.kind).in(access.direction); };
  auto& why = reasons[static_cast<std::size_t>(access.kind)];
  add_to(at(Level::logical), bytes.logical);
  add_to(at(Level::sector), bytes.sector);
  add_to(why[rounding], bytes.rounding);
  add_to(why[apart], bytes.apart);
  add_to(why[tensor_copies], bytes.tensor_copies);
  add_to(why[data_copies], bytes.data_copies);
  if (access.place == Place::host) {
    add_to(at(Level::host), bytes.sector);
    add_to(why[from_host], -bytes.sector);
    return;
  }
  add_to(at(Level::dram), dram);
  add_to(why[saved], dram - bytes.sector);
}

// What one device sends another receives.
void Ledger::add_messages(std::int64_t bytes) {
  ReadWrite& link = traffic.at(Level::link, DataKind::activation);
  add_to(link.write, bytes);
  add_to(link.read, bytes);
}

std::vector<Amplification> Ledger::explained(std::string_view saving) const {
  const auto infos = reasons_with(saving);
  std::vector<Amplification> rows;
  for (std::size_t r = 0; r < reason_count; ++r) {
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      if (reasons[kind][r] == 0) continue;
      const auto data = static_cast<DataKind>(kind);
      rows.push_back({infos[r].from, infos[r].to, std::string(infos[r].text), data, reasons[kind][r]});
    }
  }
  return rows;
}

// The machine speaks of its fullest device; the others move in proportion to what they ask for.
std::int64_t dram_of_all(const AccessBytes& bytes, std::int64_t dram_device) {
  if (dram_device == bytes.device) return bytes.sector;
  return bytes.device == 0 ? 0 : scale(bytes.sector, dram_device, bytes.device);
}

Ledger ledger_of(const StepGraph& graph, const Tally& tally, const Outcome& outcome, const Vertex& v) {
  Ledger ledger;
  const Operation& operation = graph.operation_of(v);
  const std::uint32_t first = graph.first_access_of(v.operation);
  for (std::uint32_t i = 0; i < operation.accesses.size(); ++i) {
    const AccessBytes& bytes = tally.accesses[first + i];
    ledger.add(operation.accesses[i], bytes, dram_of_all(bytes, outcome.dram[v.first_access + i]));
  }
  ledger.add_messages(tally.operations[v.operation].sent_total);
  return ledger;
}

OperationResult operation_result(const StepGraph& graph, const Outcome& outcome, std::uint32_t vertex,
                                 const Traffic& traffic) {
  const Vertex& v = graph.vertices()[vertex];
  OperationResult result;
  result.name = graph.operation_of(v).name;
  result.layer = v.layer;
  result.traffic = traffic;
  if (!outcome.vertices.empty()) {
    const VertexTime& time = outcome.vertices[vertex];
    result.start_seconds = time.start.seconds();
    result.seconds = (time.end - time.start).seconds();
    result.bound_by = name_of(time.bound_by);
  }
  return result;
}

// From the first start to the last end of each layer's vertices; nothing where there are none or they are not placed in
// time.
std::vector<std::optional<double>> layer_seconds(const StepGraph& graph, const Outcome& outcome) {
  std::vector<std::optional<double>> seconds(graph.layers().size());
  if (outcome.vertices.empty()) return seconds;
  std::vector<Instant> start(seconds.size(), Instant::never());
  std::vector<Instant> end(seconds.size());
  for (std::size_t i = 0; i < graph.vertices().size(); ++i) {
    if (graph.vertices()[i].layer < 0) continue;
    const auto layer = static_cast<std::size_t>(graph.vertices()[i].layer);
    start[layer] = std::min(start[layer], outcome.vertices[i].start);
    end[layer] = std::max(end[layer], outcome.vertices[i].end);
  }
  for (std::size_t layer = 0; layer < seconds.size(); ++layer) {
    if (start[layer] != Instant::never()) seconds[layer] = (end[layer] - start[layer]).seconds();
  }
  return seconds;
}

std::vector<LayerResult> layer_results(const StepGraph& graph, const Outcome& outcome,
                                       const std::vector<Ledger>& ledgers, std::string_view saving) {
  const auto seconds = layer_seconds(graph, outcome);
  std::vector<LayerResult> results;
  for (std::size_t layer = 0; layer < ledgers.size(); ++layer) {
    const LayerInfo& info = graph.layers()[layer];
    const Ledger& ledger = ledgers[layer];
    results.push_back({static_cast<std::int64_t>(layer), info.attention, info.mode, seconds[layer], ledger.traffic,
                       ledger.explained(saving)});
  }
  return results;
}

// Clock edges that a duration covers, the last one begun: exact for whole hertz.
std::int64_t cycles_in(Duration duration, Frequency clock) {
  constexpr __int128 femtoseconds_per_second = 1'000'000'000'000'000;
  const __int128 product = static_cast<__int128>(duration.femtoseconds()) * std::llround(clock.per_second());
  return static_cast<std::int64_t>((product + femtoseconds_per_second - 1) / femtoseconds_per_second);
}

Timing timing_of(const Outcome& outcome, Frequency clock, Duration roofline) {
  Timing time;
  time.seconds = outcome.total.seconds();
  time.cycles = cycles_in(outcome.total, clock);
  time.clock_hz = clock.per_second();
  time.roofline_seconds = roofline.seconds();
  time.bound_by = name_of(outcome.bound_by);
  for (const auto& [bound, share] : outcome.busy) time.busy_fraction.emplace_back(name_of(bound), share);
  return time;
}

// Absent for a step that takes no time: it has no rate.
std::optional<Throughput> throughput_of(const Tally& tally, double seconds) {
  if (seconds <= 0) return std::nullopt;
  const double rate = static_cast<double>(tally.tokens) / seconds;
  return Throughput{rate, rate / static_cast<double>(tally.point.batch),
                    rate / static_cast<double>(tally.deployment.devices)};
}

}  // namespace

Traffic logical_traffic(const StepGraph& graph, const Tally& tally) {
  Traffic traffic;
  for (std::uint32_t i = 0; i < graph.operations().size(); ++i) {
    const Operation& operation = graph.operations()[i];
    for (std::uint32_t a = 0; a < operation.accesses.size(); ++a) {
      const Access& access = operation.accesses[a];
      const AccessBytes& bytes = tally.accesses[graph.first_access_of(i) + a];
      add_to(traffic.at(Level::logical, access.kind).in(access.direction),
             checked_multiply(graph.uses(i), bytes.logical));
    }
  }
  return traffic;
}

void tell_outcome(const StepGraph& graph, const Tally& tally, const Outcome& outcome, const Machine& machine,
                  Duration roofline, Detail detail, PointResult& result) {
  Ledger step;
  std::vector<Ledger> layers(detail.layers ? graph.layers().size() : 0);
  result.operations.clear();
  for (const std::uint32_t vertex : graph.order()) {
    const Vertex& v = graph.vertices()[vertex];
    const Ledger ledger = ledger_of(graph, tally, outcome, v);
    step += ledger;
    if (detail.layers && v.layer >= 0) layers[static_cast<std::size_t>(v.layer)] += ledger;
    if (detail.operations) result.operations.push_back(operation_result(graph, outcome, vertex, ledger.traffic));
  }
  result.traffic = step.traffic;
  result.amplification = step.explained(machine.saving_reason());
  result.layers = layer_results(graph, outcome, layers, machine.saving_reason());
  result.time = timing_of(outcome, machine.clock(), roofline);
  result.throughput = throughput_of(tally, result.time->seconds);
}

}  // namespace kvtraffic::sim
