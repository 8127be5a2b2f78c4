// Operations are cut once per point; their vertices differ only in what L2 holds for them.
// Leaves out what an engine's plan does not state: without a class a kernel is bytes, arithmetic and a launch.
#include "hardware/machine/kernel_work.hpp"

#include <algorithm>

#include "hardware/machine/peaks.hpp"
#include "sim/plan/tiling.hpp"
#include "sim/units/whole.hpp"

namespace kvtraffic::hardware {
namespace {

// What a link takes until it answers, beside the bytes: a whole kernel's floor without launch and start.
sim::Duration link_latency(const Device& device, sim::Duration floor) {
  return std::max(floor - device.launch_gap - device.kernel_start, device.memory_latency);
}

void add_elsewhere(KernelWork& work, const AccessCost& cost, const Device& device) {
  std::int64_t& bytes = cost.place == sim::Place::host ? work.host : work.remote;
  bytes = sim::checked_add(bytes, cost.bytes);
  // No read from another node is measured: it takes what the smallest exchange with another device does.
  if (work.remote > 0) work.link_latency = std::max(work.link_latency, link_latency(device, device.all_to_all_floor));
}

void add_access(KernelWork& work, const AccessCost& cost, std::int64_t dram, const Device& device) {
  if (cost.place != sim::Place::device) return add_elsewhere(work, cost, device);
  std::int64_t& hbm = cost.write ? work.hbm_write : work.hbm_read;
  std::int64_t& l2 = cost.write ? work.l2_write : work.l2_read;
  hbm = sim::checked_add(hbm, dram);
  l2 = sim::checked_add(l2, cost.bytes);
}

// Of one kind and direction, on the fullest device; what tiles of a prompt load in common counts once.
std::int64_t bytes_of(const sim::Operation& operation, const AccessTable& table, AccessTable::Range range,
                      sim::DataKind kind, std::optional<sim::Direction> direction) {
  std::int64_t bytes = 0;
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const sim::Access& access = operation.accesses[i];
    if (access.kind != kind || (direction && access.direction != *direction)) continue;
    const AccessCost& cost = table.costs[range.first + i];
    bytes = sim::checked_add(bytes, access.queries > 0 ? std::min(cost.bytes, cost.footprint) : cost.bytes);
  }
  return bytes;
}

// Experts that lie on a device, busy or not.
std::int64_t experts_on_device(const sim::Operation& operation, const sim::StepGraph& graph, const sim::Tally& tally) {
  if (operation.kind != sim::OperationKind::grouped_gemm) return 0;
  if (operation.shape.groups > 0) return operation.shape.local;
  return sim::ceil_divide(graph.expert_sets()[operation.experts].routed, tally.deployment.expert);
}

// Whether a kernel of its own adds up the parts.
bool is_combined(const sim::KernelClass& its, const sim::Cut& cut) {
  return its.combine > sim::Duration() && cut.splits > 1;
}

}  // namespace

void KernelWorks::cut(KernelWork& work, std::int64_t tiles) const {
  work.tiles = tiles;
  work.depth = sim::ceil_divide(sim::ceil_divide(tiles, device_.sms), most_groups);
}

std::optional<sim::Precision> KernelWorks::precision_of(const sim::OperationWork& amount) const {
  const auto most = std::max_element(amount.flops.begin(), amount.flops.end());
  if (*most <= 0) return std::nullopt;
  return device_.runs_as(static_cast<sim::Precision>(most - amount.flops.begin()));
}

void KernelWorks::set_arithmetic(KernelWork& work, const sim::OperationWork& amount, const sim::KernelClass& its,
                                 const sim::Cut& cut) const {
  double seconds = 0;
  for (std::size_t p = 0; p < sim::precision_count; ++p) {
    if (amount.flops[p] <= 0) continue;
    const auto precision = static_cast<sim::Precision>(p);
    const double sustained = seconds_per_flop(device_, precision, Roof::sustained);
    const double at_peak = seconds_per_flop(device_, precision, Roof::peak);
    seconds += amount.flops[p] * (its.efficiency > 0 ? std::min(sustained, at_peak / its.efficiency) : sustained);
  }
  work.compute_time = sim::Duration::of_seconds(seconds);
  const sim::Duration soft = cut.prefill ? its.prefill_soft.value_or(its.soft) : its.soft;
  const double on_one = seconds * static_cast<double>(device_.sms);
  const double of_tile = cut.share > 0 ? on_one * cut.share : on_one / static_cast<double>(work.tiles);
  work.tile_time = sim::Duration::of_seconds(of_tile) + soft * cut.blocks + its.piece * cut.pieces;
}

// Floors were measured on whole kernels in a replayed graph, so launch and start are part of them. A message is one
// group: its barriers are paid once.
void KernelWorks::set_message(KernelWork& work, const sim::Operation& operation, std::int64_t sent) const {
  if (sent == 0 || device_.link_bandwidth.is_zero()) return;
  const bool reduces = operation.collective.kind == sim::Collective::Kind::all_reduce;
  const sim::Duration floor = reduces ? device_.all_reduce_floor : device_.all_to_all_floor;
  work.sent = sent;
  work.link_latency = link_latency(device_, floor);
  work.depth = sim::ceil_divide(work.tiles, device_.sms);
}

KernelWork KernelWorks::of_operation(const sim::StepGraph& graph, const sim::Tally& tally,
                                     std::uint32_t operation) const {
  KernelWork work;
  if (tally.is_idle(graph.operations()[operation])) {
    work.tiles = 0;
    return work;
  }
  cut(work, cuts_[operation].tiles);
  set_arithmetic(work, tally.operations[operation], classes_[operation], cuts_[operation]);
  set_message(work, graph.operations()[operation], tally.operations[operation].sent);
  return work;
}

// What nothing hides of a launch behind a kernel whose last tiles take `tail`.
sim::Duration KernelWorks::launch_behind(sim::Duration launch, sim::Duration tail) const {
  return plan_.launch == sim::LaunchMode::overlapped ? launch - std::min(launch, tail) : launch;
}

// Parts leave their sums of 32 bits in L2 for the kernel that adds them up: written once and read once, at half of what
// L2 delivers, because that kernel has few blocks. `output` is one such sum in 16 bits.
sim::Duration KernelWorks::combine_time(const sim::KernelClass& its, const sim::Cut& cut, double output) const {
  if (!is_combined(its, cut)) return {};
  const double sums = 2 * output * static_cast<double>(cut.splits);
  const double moved = 2 * sums / (device_.l2_bandwidth.per_second() / 2);
  const sim::Duration launch = launch_behind(device_.launch_gap + device_.kernel_start, device_.memory_latency);
  return launch + its.combine * cut.splits + sim::Duration::of_seconds(moved);
}

// The kernel that casts a GEMM's input: it reads 16 bits and writes 8 for each value, and its blocks start while the
// launch of the next one is under way.
sim::Duration KernelWorks::cast_time(const sim::Cut& cut, double stream) const {
  constexpr double moved = 3;
  const sim::Duration work =
      device_.memory_latency + sim::Duration::of_seconds(moved * static_cast<double>(cut.inputs) / stream);
  return work + launch_behind(device_.launch_gap, work);
}

// Tiles of rows that run beside one another find the weights of one panel on their way, not yet in L2, and fetch them
// once more. Rows tell the time of it, not whether DRAM or the way between the halves of L2 is what is busy.
void KernelWorks::fetch_again(KernelWork& work, std::uint32_t operation, std::int64_t weights) const {
  const double again = classes_[operation].refetch * cuts_[operation].again * static_cast<double>(weights);
  work.hbm_read = sim::checked_add(work.hbm_read, sim::checked_whole(again));
}

void KernelWorks::limit_loads(KernelWork& work, std::uint32_t operation) const {
  const sim::Cut& cut = cuts_[operation];
  const double least = classes_[operation].outside.seconds() * static_cast<double>(cut.steps) * cut.outside;
  if (least <= 0 || work.l2_read == 0) return;
  const double tile = static_cast<double>(work.l2_read) / static_cast<double>(work.tiles);
  const auto rate = sim::Bandwidth::per_second(tile / least);
  const sim::Bandwidth now = work.load_rate.is_zero() ? device_.sm_load_rate : work.load_rate;
  work.load_rate = std::min(now, rate);
}

void KernelWorks::add_class(KernelWork& work, std::uint32_t operation, const sim::StepGraph& graph,
                            const sim::Tally& tally, const AccessTable& table) const {
  const sim::KernelClass& its = classes_[operation];
  const sim::Cut& cut = cuts_[operation];
  const sim::Operation& what = graph.operations()[operation];
  const auto bytes = [&](sim::DataKind kind, std::optional<sim::Direction> direction) {
    return static_cast<double>(bytes_of(what, table, table.ranges[operation], kind, direction));
  };
  const double input = bytes(sim::DataKind::activation, sim::Direction::read);
  const double output = bytes(sim::DataKind::activation, sim::Direction::write);
  const double weights = bytes(sim::DataKind::weight, sim::Direction::read);
  const double scores = bytes(sim::DataKind::selection, sim::Direction::read);
  const double stream = device_.pin_bandwidth().per_second() * device_.stream_efficiency;
  work.load_rate = its.load_rate;
  work.bubble = its.bubble;
  // Kernels before the last one: each is launched, starts and waits for its arguments.
  const sim::Duration launch = launch_behind(device_.launch_gap + device_.kernel_start, device_.memory_latency);
  const sim::Duration one = launch + device_.memory_latency + its.start;
  const sim::Duration cast = its.casts ? cast_time(cut, stream) : sim::Duration();
  const bool is_trivial = what.kind == sim::OperationKind::topk && cut.scores == 0;  // nothing to choose from
  const bool is_slow = cut.scores >= its.slow_from && cut.scores < its.slow_below;
  work.lead = cast + one * (what.launches - 1) + (is_trivial ? sim::Duration() : its.start) +
              (is_slow ? its.slow : sim::Duration()) + its.group * experts_on_device(what, graph, tally) +
              sim::Duration::of_seconds(its.exposed * (input + output) / stream);
  work.tail = combine_time(its, cut, output);
  const double panels =
      input * static_cast<double>(cut.column_tiles - 1) + weights * static_cast<double>(cut.row_tiles - 1);
  const double passes = scores * static_cast<double>(its.passes - 1);
  work.again = sim::checked_whole(panels * its.panels + passes);
}

// A host that launches kernels on a stream needs its time for each; a replayed graph needs none of it.
void KernelWorks::set_launches(KernelWork& work, std::uint32_t operation, const sim::StepGraph& graph) const {
  work.overlapped = plan_.launch == sim::LaunchMode::overlapped;
  if (plan_.launch != sim::LaunchMode::stream || work.folded || work.tiles == 0) return;
  const sim::KernelClass& its = classes_[operation];
  const std::int64_t further =
      graph.operations()[operation].launches - 1 + (its.casts ? 1 : 0) + (is_combined(its, cuts_[operation]) ? 1 : 0);
  work.host_time = device_.stream_gap;
  work.host_rest = device_.stream_gap * further;
}

// Only then the host starts the step's graph, whose first kernel takes its gap like any other.
void KernelWorks::add_host_gap(const sim::StepGraph& graph) {
  if (plan_.host_gap == sim::Duration()) return;
  for (const std::uint32_t vertex : graph.order()) {
    KernelWork& work = vertices_[vertex];
    if (work.tiles == 0) continue;
    work.host_time = std::max(work.host_time, device_.launch_gap) + plan_.host_gap;
    return;
  }
}

std::vector<KernelWork>& KernelWorks::fill(const sim::StepGraph& graph, const sim::Tally& tally,
                                           const AccessTable& table, const std::vector<std::int64_t>& dram) {
  operations_.clear();
  classes_.clear();
  cuts_.clear();
  for (std::uint32_t i = 0; i < graph.operations().size(); ++i) {
    const sim::Operation& what = graph.operations()[i];
    classes_.push_back(what.folded ? sim::KernelClass{.kind = what.kind}
                                   : plan_.class_of(what, device_.architecture, precision_of(tally.operations[i])));
    cuts_.push_back(tally.is_idle(graph.operations()[i])
                        ? sim::Cut{}
                        : sim::cut_of(plan_, classes_[i], graph, i, tally, device_.sms));
    KernelWork& work = operations_.emplace_back(of_operation(graph, tally, i));
    work.folded = what.folded;
    if (work.tiles > 0) add_class(work, i, graph, tally, table);
    set_launches(work, i, graph);
  }
  vertices_.clear();
  for (const sim::Vertex& vertex : graph.vertices()) {
    KernelWork& work = vertices_.emplace_back(operations_[vertex.operation]);
    const AccessTable::Range range = table.ranges[vertex.operation];
    std::int64_t weights = 0;  // from DRAM
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const std::int64_t from_dram = dram[vertex.first_access + i];
      add_access(work, table.costs[range.first + i], from_dram, device_);
      const sim::Access& access = graph.operations()[vertex.operation].accesses[i];
      if (access.kind == sim::DataKind::weight && access.place == sim::Place::device) weights += from_dram;
    }
    work.l2_read = sim::checked_add(work.l2_read, work.again);
    fetch_again(work, vertex.operation, weights);
    limit_loads(work, vertex.operation);
  }
  add_host_gap(graph);
  return vertices_;
}

}  // namespace kvtraffic::hardware
