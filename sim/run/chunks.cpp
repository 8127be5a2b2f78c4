// Element by element; overflow is an error, as everywhere.
// Leaves out the first chunk's special case where it would be the same: adding to nothing.
#include "sim/run/chunks.hpp"

#include <algorithm>
#include <stdexcept>

namespace kvtraffic::sim {
namespace {

void add(const AccessBytes& chunk, AccessBytes& sum) {
  for (std::int64_t AccessBytes::*part :
       {&AccessBytes::logical, &AccessBytes::sector, &AccessBytes::rounding, &AccessBytes::apart, &AccessBytes::rereads,
        &AccessBytes::tensor_copies, &AccessBytes::data_copies, &AccessBytes::device, &AccessBytes::footprint}) {
    sum.*part = checked_add(sum.*part, chunk.*part);
  }
}

void add_to(std::int64_t& sum, std::int64_t bytes) { sum = checked_add(sum, bytes); }

void add(const OperationWork& chunk, OperationWork& sum) {
  for (std::size_t p = 0; p < precision_count; ++p) {
    sum.flops[p] += chunk.flops[p];
    sum.flops_total[p] += chunk.flops_total[p];
  }
  sum.sent = checked_add(sum.sent, chunk.sent);
  sum.sent_total = checked_add(sum.sent_total, chunk.sent_total);
}

void add(const SpanTokens& chunk, SpanTokens& sum) {
  sum.tokens = checked_add(sum.tokens, chunk.tokens);
  sum.tokens_device = checked_add(sum.tokens_device, chunk.tokens_device);
  if (chunk.tokens == 0) return;
  if (sum.tokens == chunk.tokens) sum.at = chunk.at;
  sum.at.last = chunk.at.last;
}

// Chunks ask for the same mixes, or for others.
void add(const ServedMix& mix, std::vector<ServedMix>& sum) {
  const auto same = std::ranges::find(sum, mix.shares, &ServedMix::shares);
  if (same == sum.end()) {
    sum.push_back(mix);
  } else {
    same->seconds += mix.seconds;
  }
}

void add(const DramTold& chunk, DramTold& sum) {
  sum.causes.resize(chunk.causes.size());
  for (std::size_t i = 0; i < chunk.causes.size(); ++i) {
    sum.causes[i] = {chunk.causes[i].first, sum.causes[i].second + chunk.causes[i].second};
  }
  sum.vertices.resize(chunk.vertices.size());
  for (std::size_t v = 0; v < chunk.vertices.size(); ++v) sum.vertices[v] += chunk.vertices[v];
  for (const ServedMix& mix : chunk.mixes) add(mix, sum.mixes);
  sum.slow += chunk.slow;
  sum.fast += chunk.fast;
  sum.left_open += chunk.left_open;
}

}  // namespace

void add_chunk(const Tally& chunk, Tally& sum) {
  if (sum.accesses.size() != chunk.accesses.size() || sum.operations.size() != chunk.operations.size()) {
    throw std::logic_error("chunks of different steps cannot be added");
  }
  for (std::size_t i = 0; i < chunk.accesses.size(); ++i) add(chunk.accesses[i], sum.accesses[i]);
  for (std::size_t i = 0; i < chunk.operations.size(); ++i) add(chunk.operations[i], sum.operations[i]);
  for (std::size_t i = 0; i < chunk.spans.size(); ++i) add(chunk.spans[i], sum.spans[i]);
  sum.point.last = chunk.point.last;
  sum.tokens = checked_add(sum.tokens, chunk.tokens);
  sum.tokens_device = checked_add(sum.tokens_device, chunk.tokens_device);
  sum.distinct_experts = chunk.distinct_experts;
  sum.distinct_experts_device = chunk.distinct_experts_device;
  sum.drawn = chunk.drawn;
  sum.costs = chunk.costs;
}

void OutcomeSum::clear() {
  sum_ = {};
  longest_.clear();
  bound_for_ = {};
}

void OutcomeSum::add(const Outcome& chunk) {
  for (std::vector<std::int64_t> Outcome::*bytes : {&Outcome::dram, &Outcome::evicted, &Outcome::left}) {
    (sum_.*bytes).resize((chunk.*bytes).size());
    for (std::size_t i = 0; i < (chunk.*bytes).size(); ++i) add_to((sum_.*bytes)[i], (chunk.*bytes)[i]);
  }
  sum_.needs.resize(chunk.needs.size());
  for (std::size_t v = 0; v < chunk.needs.size(); ++v) {
    for (std::size_t i = 0; i < chunk.needs[v].size(); ++i) sum_.needs[v][i] += chunk.needs[v][i];
  }
  sum_.vertices.resize(chunk.vertices.size());
  longest_.resize(chunk.vertices.size());
  for (std::size_t v = 0; v < chunk.vertices.size(); ++v) {
    const VertexTime& time = chunk.vertices[v];
    sum_.vertices[v].start = sum_.vertices[v].start + (time.start - Instant());
    sum_.vertices[v].end = sum_.vertices[v].end + (time.end - Instant());
    if (time.end - time.start < longest_[v]) continue;
    longest_[v] = time.end - time.start;
    sum_.vertices[v].bound_by = time.bound_by;
  }
  const double before = sum_.total.seconds();
  const double uncertain = sum_.sampling_error * before + chunk.sampling_error * chunk.total.seconds();
  sim::add(chunk.dram_told, sum_.dram_told);
  sum_.total += chunk.total;
  sum_.busy.resize(chunk.busy.size());
  const double whole = sum_.total.seconds();
  sum_.sampling_error = whole > 0 ? uncertain / whole : 0;
  for (std::size_t i = 0; i < chunk.busy.size() && whole > 0; ++i) {
    const double seconds = sum_.busy[i].second * before + chunk.busy[i].second * chunk.total.seconds();
    sum_.busy[i] = {chunk.busy[i].first, seconds / whole};
  }
  bound_for_[static_cast<std::size_t>(chunk.bound_by)] += chunk.total;
  sum_.bound_by = static_cast<Bound>(std::max_element(bound_for_.begin(), bound_for_.end()) - bound_for_.begin());
}

}  // namespace kvtraffic::sim
