// Adds up what each vertex moved, by level, kind, layer and reason, and puts the machine's answer beside it.
#include "sim/run/executor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace kvtraffic::sim {
namespace {

enum Reason : std::size_t {
  rounding,
  apart,
  rereads,
  tensor_copies,
  data_copies,
  saved,
  brought_in,
  evicted,
  overwritten,
  left,
  from_host,
  from_node,
  reason_count
};

struct ReasonInfo {
  Level from;
  Level to;
  std::string_view text;
};

std::array<ReasonInfo, reason_count> reasons_with(std::string_view saving) {
  return {{{Level::logical, Level::sector, "sector rounding"},
           {Level::logical, Level::sector, "scales apart from values"},
           {Level::logical, Level::sector, "query tiles read entries again"},
           {Level::logical, Level::sector, "copies on tensor ranks"},
           {Level::logical, Level::sector, "copies on data ranks"},
           {Level::sector, Level::dram, saving},
           {Level::sector, Level::dram, "brought into L2 before"},
           {Level::sector, Level::dram, "evicted before reuse"},
           {Level::sector, Level::dram, overwriting_reason},
           {Level::sector, Level::dram, "left in L2 at the end"},
           {Level::sector, Level::dram, "read from host memory"},
           {Level::sector, Level::dram, "read from another node"}}};
}

void add_to(std::int64_t& sum, std::int64_t bytes) { sum = checked_add(sum, bytes); }

// Traffic together with the reasons for its differences, of a vertex, a layer or the step.
struct Ledger {
  Traffic traffic;
  std::array<std::array<std::int64_t, reason_count>, kind_count> reasons{};
  std::array<ReadWrite, kind_count> elsewhere{};  // requested of host memory and other nodes
  bool has_l2 = false;  // the machine tells reuse of what is read from that of what is written

  Ledger& operator+=(const Ledger& other) {
    traffic += other.traffic;
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      for (std::size_t r = 0; r < reason_count; ++r) add_to(reasons[kind][r], other.reasons[kind][r]);
      add_to(elsewhere[kind].read, other.elsewhere[kind].read);
      add_to(elsewhere[kind].write, other.elsewhere[kind].write);
    }
    return *this;
  }
  void add_requested(const Access& access, const AccessBytes& bytes, std::int64_t uses);
  // Bytes over the pins, and of what an L2 did the part that they do not tell.
  void add_dram(const Access& access, std::int64_t dram, std::int64_t beside);
  void settle();  // once all is added
  void add_messages(std::int64_t bytes);
  [[nodiscard]] std::vector<Amplification> explained(std::string_view saving) const;
};

void Ledger::add_requested(const Access& access, const AccessBytes& bytes, std::int64_t uses) {
  const auto add_at = [&](Level level, std::int64_t each) {
    add_to(traffic.at(level, access.kind).in(access.direction), checked_multiply(uses, each));
  };
  auto& why = reasons[static_cast<std::size_t>(access.kind)];
  add_at(Level::logical, bytes.logical);
  add_at(Level::sector, bytes.sector);
  add_to(why[rounding], checked_multiply(uses, bytes.rounding));
  add_to(why[apart], checked_multiply(uses, bytes.apart));
  add_to(why[rereads], checked_multiply(uses, bytes.rereads));
  add_to(why[tensor_copies], checked_multiply(uses, bytes.tensor_copies));
  add_to(why[data_copies], checked_multiply(uses, bytes.data_copies));
  if (access.place == Place::device) return;
  const bool host = access.place == Place::host;
  add_at(host ? Level::host : Level::link, bytes.sector);
  add_to(why[host ? from_host : from_node], -checked_multiply(uses, bytes.sector));
  add_to(elsewhere[static_cast<std::size_t>(access.kind)].in(access.direction), checked_multiply(uses, bytes.sector));
}

void Ledger::add_dram(const Access& access, std::int64_t dram, std::int64_t beside) {
  add_to(traffic.at(Level::dram, access.kind).in(access.direction), dram);
  auto& why = reasons[static_cast<std::size_t>(access.kind)];
  if (access.direction == Direction::read) {
    add_to(why[evicted], beside);
  } else {
    add_to(why[left], -beside);
  }
}

// All that is requested of device memory and does not cross its pins. With an L2, all that is used again counts as
// brought in before, and what of it moves again as evicted since: the two add up to what L2 saves.
void Ledger::settle() {
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    const auto data = static_cast<DataKind>(kind);
    const ReadWrite& requested = traffic.at(Level::sector, data);
    const ReadWrite& moved = traffic.at(Level::dram, data);
    const std::int64_t reads = moved.read - (requested.read - elsewhere[kind].read);
    const std::int64_t writes = moved.write - (requested.write - elsewhere[kind].write);
    if (has_l2) {
      reasons[kind][brought_in] = reads - reasons[kind][evicted];
      reasons[kind][overwritten] = writes - reasons[kind][left];
    } else {
      reasons[kind][saved] = checked_add(reads, writes);
    }
  }
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
  return scale(bytes.sector, dram_device, bytes.device);
}

void add_vertex_dram(const StepGraph& graph, const Tally& tally, const Outcome& outcome, const Vertex& v,
                     Ledger& ledger) {
  const Operation& operation = graph.operation_of(v);
  const std::uint32_t first = graph.first_access_of(v.operation);
  ledger.has_l2 = !outcome.evicted.empty();
  for (std::uint32_t i = 0; i < operation.accesses.size(); ++i) {
    const std::uint32_t at = v.first_access + i;
    const Access& access = operation.accesses[i];
    const bool is_read = access.direction == Direction::read;
    const std::int64_t beside = !ledger.has_l2 ? 0 : is_read ? outcome.evicted[at] : outcome.left[at];
    if (outcome.dram[at] == 0 && beside == 0) continue;
    const AccessBytes& bytes = tally.accesses[first + i];
    ledger.add_dram(access, dram_of_all(bytes, outcome.dram[at]), beside == 0 ? 0 : dram_of_all(bytes, beside));
  }
}

void add_operation(const StepGraph& graph, const Tally& tally, std::uint32_t index, std::int64_t uses, Ledger& ledger) {
  const Operation& operation = graph.operations()[index];
  const std::uint32_t first = graph.first_access_of(index);
  for (std::uint32_t i = 0; i < operation.accesses.size(); ++i) {
    ledger.add_requested(operation.accesses[i], tally.accesses[first + i], uses);
  }
  ledger.add_messages(checked_multiply(uses, tally.operations[index].sent_total));
}

Ledger ledger_of(const StepGraph& graph, const Tally& tally, const Outcome& outcome, const Vertex& v) {
  Ledger ledger;
  add_operation(graph, tally, v.operation, 1, ledger);
  add_vertex_dram(graph, tally, outcome, v, ledger);
  ledger.settle();
  return ledger;
}

// The whole step at once: what is requested depends on the operation alone, only DRAM traffic on the vertex.
Ledger ledger_of_step(const StepGraph& graph, const Tally& tally, const Outcome& outcome) {
  Ledger ledger;
  for (std::uint32_t i = 0; i < graph.operations().size(); ++i) add_operation(graph, tally, i, graph.uses(i), ledger);
  for (const Vertex& v : graph.vertices()) add_vertex_dram(graph, tally, outcome, v, ledger);
  ledger.settle();
  return ledger;
}

void add_utilization(const Outcome& outcome, std::uint32_t vertex, OperationResult& result) {
  if (outcome.needs.empty() || *result.seconds <= 0) return;
  const Needs& needs = outcome.needs[vertex];
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (needs[i] == Duration()) continue;
    result.utilization.emplace_back(name_of(static_cast<Bound>(i)), needs[i].seconds() / *result.seconds);
  }
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
    add_utilization(outcome, vertex, result);
  }
  return result;
}

// How much later each layer ends than all before it (the first: than what stands before the layers), so that layers add
// up and what runs ahead of its layer, such as a lookup, does not lengthen it. Nothing where vertices are not placed in
// time.
std::vector<std::optional<double>> layer_seconds(const StepGraph& graph, const Outcome& outcome) {
  std::vector<std::optional<double>> seconds(graph.layers().size());
  if (outcome.vertices.empty()) return seconds;
  std::vector<Instant> end(seconds.size());
  Instant before;  // the end of what no layer waits behind: operations outside the layers that precede all of them
  bool in_layers = false;
  for (const std::uint32_t i : graph.order()) {
    const Vertex& v = graph.vertices()[i];
    if (v.layer < 0) {
      if (!in_layers) before = std::max(before, outcome.vertices[i].end);
      continue;
    }
    in_layers = true;
    Instant& last = end[static_cast<std::size_t>(v.layer)];
    last = std::max(last, outcome.vertices[i].end);
  }
  for (std::size_t layer = 0; layer < seconds.size(); ++layer) {
    if (end[layer] == Instant()) continue;
    const Instant ends = std::max(before, end[layer]);
    seconds[layer] = (ends - before).seconds();
    before = ends;
  }
  return seconds;
}

// What bounds a layer's vertices for the longest sum of their times; of equals the first. "" where vertices are not
// placed in time.
std::vector<std::string_view> layer_bounds(const StepGraph& graph, const Outcome& outcome) {
  std::vector<std::string_view> bounds(graph.layers().size());
  if (outcome.vertices.empty()) return bounds;
  std::vector<std::array<Duration, bound_names.size()>> sums(bounds.size());
  for (std::size_t v = 0; v < graph.vertices().size(); ++v) {
    const std::int32_t layer = graph.vertices()[v].layer;
    const VertexTime& time = outcome.vertices[v];
    if (layer >= 0)
      sums[static_cast<std::size_t>(layer)][static_cast<std::size_t>(time.bound_by)] += time.end - time.start;
  }
  for (std::size_t layer = 0; layer < bounds.size(); ++layer) {
    const auto most = std::ranges::max_element(sums[layer]);
    if (*most > Duration()) bounds[layer] = bound_names[static_cast<std::size_t>(most - sums[layer].begin())];
  }
  return bounds;
}

std::vector<DramSeconds> layer_dram_seconds(const StepGraph& graph, const DramTold& told) {
  std::vector<DramSeconds> seconds(told.vertices.empty() ? 0 : graph.layers().size());
  for (std::size_t v = 0; v < told.vertices.size(); ++v) {
    const std::int32_t layer = graph.vertices()[v].layer;
    if (layer >= 0) seconds[static_cast<std::size_t>(layer)] += told.vertices[v];
  }
  return seconds;
}

std::vector<LayerResult> layer_results(const StepGraph& graph, const Outcome& outcome,
                                       const std::vector<Ledger>& ledgers, std::string_view saving) {
  const auto seconds = layer_seconds(graph, outcome);
  const auto bounds = layer_bounds(graph, outcome);
  const auto dram = layer_dram_seconds(graph, outcome.dram_told);
  std::vector<LayerResult> results;
  for (std::size_t layer = 0; layer < ledgers.size(); ++layer) {
    const LayerInfo& info = graph.layers()[layer];
    const Ledger& ledger = ledgers[layer];
    results.push_back({static_cast<std::int64_t>(layer), info.attention, info.mode, seconds[layer], ledger.traffic,
                       ledger.explained(saving), std::string(bounds[layer])});
    if (dram.empty()) continue;
    results.back().dram_seconds = dram[layer].all;
    results.back().row_seconds = dram[layer].rows;
  }
  return results;
}

// Clock edges that a duration covers, the last one begun: exact for whole hertz.
std::int64_t cycles_in(Duration duration, Frequency clock) {
  constexpr __int128 femtoseconds_per_second = 1'000'000'000'000'000;
  const __int128 product = static_cast<__int128>(duration.femtoseconds()) * std::llround(clock.per_second());
  return static_cast<std::int64_t>((product + femtoseconds_per_second - 1) / femtoseconds_per_second);
}

// Shares of the time in which DRAM was at work.
std::vector<std::pair<std::string, double>> dram_time_of(const DramTold& told) {
  double whole = 0;
  for (const auto& [cause, seconds] : told.causes) whole += seconds;
  std::vector<std::pair<std::string, double>> shares;
  if (whole <= 0) return shares;
  for (const auto& [cause, seconds] : told.causes) shares.emplace_back(cause, seconds / whole);
  return shares;
}

Timing timing_of(const Outcome& outcome, Frequency clock, Duration roofline) {
  Timing time;
  time.seconds = outcome.total.seconds();
  time.cycles = cycles_in(outcome.total, clock);
  time.clock_hz = clock.per_second();
  time.roofline_seconds = roofline.seconds();
  time.bound_by = name_of(outcome.bound_by);
  time.sampling_error = outcome.sampling_error;
  for (const auto& [bound, share] : outcome.busy) time.busy_fraction.emplace_back(name_of(bound), share);
  time.dram_time = dram_time_of(outcome.dram_told);
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

std::array<double, precision_count> logical_flops(const StepGraph& graph, const Tally& tally) {
  std::array<double, precision_count> flops{};
  for (std::uint32_t i = 0; i < graph.operations().size(); ++i) {
    for (std::size_t p = 0; p < precision_count; ++p) {
      flops[p] += static_cast<double>(graph.uses(i)) * tally.operations[i].flops_total[p];
    }
  }
  return flops;
}

void tell_outcome(const StepGraph& graph, const Tally& tally, const Outcome& outcome, const Machine& machine,
                  Duration roofline, Detail detail, PointResult& result) {
  const Ledger step = ledger_of_step(graph, tally, outcome);
  std::vector<Ledger> layers(detail.layers ? graph.layers().size() : 0);
  result.operations.clear();
  if (detail.layers || detail.operations) {
    for (const std::uint32_t vertex : graph.order()) {
      const Vertex& v = graph.vertices()[vertex];
      const Ledger ledger = ledger_of(graph, tally, outcome, v);
      if (detail.layers && v.layer >= 0) layers[static_cast<std::size_t>(v.layer)] += ledger;
      if (detail.operations) result.operations.push_back(operation_result(graph, outcome, vertex, ledger.traffic));
    }
  }
  result.traffic = step.traffic;
  result.amplification = step.explained(machine.saving_reason());
  result.layers = layer_results(graph, outcome, layers, machine.saving_reason());
  result.time = timing_of(outcome, machine.clock(), roofline);
  result.throughput = throughput_of(tally, result.time->seconds);
}

}  // namespace kvtraffic::sim
