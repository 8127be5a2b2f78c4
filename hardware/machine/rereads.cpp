// One rule per way in which tiles share entries.
// Leaves out accesses whose every byte is distinct, which is all of a decode step.
#include "hardware/machine/rereads.hpp"

#include <algorithm>

#include "sim/plan/tiling.hpp"
#include "sim/units/whole.hpp"

namespace kvtraffic::hardware {

void Rereads::fill(const sim::StepGraph& graph, const sim::Tally& tally, const sim::KernelPlan& plan,
                   AccessTable& table) const {
  for (std::uint32_t o = 0; o < table.ranges.size(); ++o) {
    const AccessTable::Range range = table.ranges[o];
    for (std::uint32_t i = 0; i < range.count; ++i) {
      AccessCost& cost = table.costs[range.first + i];
      if (cost.bytes == cost.footprint || cost.write || cost.place != sim::Place::device) continue;
      const sim::Operation& operation = graph.operations()[o];
      cost.again = again(cost, operation.accesses[i], operation, tally, plan);
    }
  }
}

std::int64_t Rereads::again(const AccessCost& cost, const sim::Access& access, const sim::Operation& operation,
                            const sim::Tally& tally, const sim::KernelPlan& plan) const {
  if (access.count.kind == sim::Count::Kind::window) return 0;
  const std::int64_t most = cost.bytes - cost.footprint;
  const sim::SpanTokens& span = tally.spans[operation.span];
  const std::int64_t requests = tally.deployment.fullest_requests(tally.point.batch);
  const std::int64_t head_tiles = sim::head_tiles_of(plan, operation, tally);
  const std::int64_t passes = operation.shape.tile_heads > 0 ? head_tiles : 1;  // keys of their own for each head
  const std::int64_t pass = sim::ceil_divide(sim::ceil_divide(cost.footprint, requests), passes);
  if (pass <= usable_) return 0;
  const std::int64_t query_tiles = sim::ceil_divide(span.at.count(), operation.shape.queries);  // of a sequence
  if (access.count.kind != sim::Count::Kind::capped) {
    return std::clamp<std::int64_t>(cost.bytes / std::min(sms_, query_tiles) - cost.footprint, 0, most);
  }
  const std::int64_t waves = sim::ceil_divide(sim::checked_multiply(span.tokens_device, head_tiles), sms_);
  const auto queries = static_cast<double>(std::max<std::int64_t>(1, sms_ / head_tiles));  // of a wave
  const double distinct = (1 + (queries - 1) * (1 - alike_)) / queries;
  const auto asked = sim::checked_whole(static_cast<double>(cost.bytes) * distinct);  // by all waves, each byte once
  const std::int64_t read = waves >= asked / pass ? asked : waves * pass;  // which keeps the product in range
  return std::clamp<std::int64_t>(read - cost.footprint, 0, most);
}

}  // namespace kvtraffic::hardware
