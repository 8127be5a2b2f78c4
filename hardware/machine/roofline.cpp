// One pass over operations and one over vertices in execution order; a warm point allocates nothing.
// Leaves out every cost that a perfect machine would not have.
#include "hardware/machine/roofline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "hardware/machine/peaks.hpp"

namespace kvtraffic::hardware {
namespace {

double over(double amount, sim::Bandwidth rate) {
  return amount <= 0 || rate.is_zero() ? 0 : amount / rate.per_second();
}

// Rounded down, so that rounding cannot lift the bound above another machine's time.
sim::Duration floor_duration(double seconds) {
  const double femtoseconds = std::floor(seconds * 1e15);
  if (!(femtoseconds < 9e18)) return sim::Duration::of_seconds(seconds);  // OverflowError
  return sim::Duration::of_femtoseconds(static_cast<std::int64_t>(femtoseconds));
}

}  // namespace

RooflineMachine::RooflineMachine(const Hardware& hardware)
    : device_(hardware.device), seconds_per_byte_(1 / hardware.device.pin_bandwidth().per_second()) {
  for (std::size_t p = 0; p < sim::precision_count; ++p) {
    seconds_per_flop_.push_back(seconds_per_flop(device_, static_cast<sim::Precision>(p), Roof::peak));
  }
}

double RooflineMachine::bytes_from(sim::Place place, AccessTable::Range range, bool only_dependent) const {
  double bytes = 0;
  for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
    const AccessCost& cost = table_.costs[i];
    if (cost.place == place && (cost.dependent || !only_dependent)) bytes += static_cast<double>(cost.bytes);
  }
  return bytes;
}

void RooflineMachine::cost_operations(const sim::StepGraph& graph, const sim::Tally& tally, Totals& totals) {
  own_.clear();
  for (std::uint32_t i = 0; i < table_.ranges.size(); ++i) {
    const sim::OperationWork& work = tally.operations[i];
    const auto uses = static_cast<double>(graph.uses(i));
    double compute = 0;
    for (std::size_t p = 0; p < sim::precision_count; ++p) compute += work.flops[p] * seconds_per_flop_[p];
    const auto sent = static_cast<double>(work.sent);
    const auto link = [&](bool awaited) {
      return over(sent + bytes_from(sim::Place::remote, table_.ranges[i], awaited), device_.link_bandwidth);
    };
    const auto host = [&](bool awaited) {
      return over(bytes_from(sim::Place::host, table_.ranges[i], awaited), device_.host_bandwidth);
    };
    totals.compute += uses * compute;
    totals.link += uses * link(false);
    totals.host += uses * host(false);
    own_.push_back(std::max({compute, link(true), host(true)}));
  }
}

// Only what a dependent read newly asks for counts along a path: a write may drain while others go on.
void RooflineMachine::walk(const sim::StepGraph& graph, std::vector<std::int64_t>& dram, Totals& totals) {
  largest_.assign(2 * std::size_t{graph.region_count()}, 0);
  finish_.assign(graph.vertices().size(), 0);  // until its turn, a vertex holds the latest end of what it waits for
  double path = 0;
  double all_bytes = 0;
  for (const std::uint32_t v : graph.order()) {
    const sim::Vertex& vertex = graph.vertices()[v];
    const AccessTable::Range range = table_.ranges[vertex.operation];
    const AccessCost* costs = table_.costs.data() + range.first;
    const std::uint32_t* regions = graph.regions().data() + vertex.first_access;
    std::int64_t* added = dram.data() + vertex.first_access;
    std::int64_t awaited = 0;
    std::int64_t moved = 0;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      std::int64_t& largest = largest_[2 * std::size_t{regions[i]} + (costs[i].write ? 1 : 0)];
      const std::int64_t more = std::max<std::int64_t>(0, costs[i].compulsory - largest);
      largest += more;
      added[i] = more;
      moved += more;
      awaited += costs[i].dependent && !costs[i].write ? more : 0;
    }
    all_bytes += static_cast<double>(moved);
    const double own = std::max(own_[vertex.operation], static_cast<double>(awaited) * seconds_per_byte_);
    const double end = finish_[v] + own;
    // Branches, not std::max: guessed ahead, they keep comparisons out of the chain from one vertex to the next.
    if (end > path) path = end;
    for (const std::uint32_t next : graph.successors(v)) {
      if (end > finish_[next]) finish_[next] = end;
    }
  }
  totals.hbm = all_bytes * seconds_per_byte_;
  totals.path = path;
}

void RooflineMachine::execute(const sim::StepGraph& graph, const sim::Tally& tally, sim::Outcome& outcome) {
  Totals totals;
  table_.fill(graph, tally);
  cost_operations(graph, tally, totals);
  outcome.dram.resize(graph.vertex_accesses());
  outcome.vertices.clear();
  walk(graph, outcome.dram, totals);

  const std::array<std::pair<sim::Bound, double>, 4> resources{{{sim::Bound::hbm, totals.hbm},
                                                                {sim::Bound::compute, totals.compute},
                                                                {sim::Bound::link, totals.link},
                                                                {sim::Bound::host, totals.host}}};
  std::pair<sim::Bound, double> longest = resources[0];  // of equals the first
  for (const auto& resource : resources) longest = resource.second > longest.second ? resource : longest;
  // The path adds up in another order: what only rounding sets apart is the resource's.
  if (totals.path > longest.second * (1 + 1e-12)) longest = {sim::Bound::latency, totals.path};
  outcome.total = floor_duration(longest.second);
  outcome.bound_by = longest.first;
  outcome.busy.clear();
  for (const auto& [bound, seconds] : resources) {
    outcome.busy.emplace_back(bound, longest.second > 0 ? seconds / longest.second : 0);
  }
}

}  // namespace kvtraffic::hardware
