// One function a library; sources beside each. All requests are equal, so that no loop is longer than the SMs.
// Leaves out rules for prefill.
#include "sim/plan/partition.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <vector>

namespace kvtraffic::sim {
namespace {

std::int64_t at_least_one(std::int64_t value) { return std::max<std::int64_t>(1, value); }

// FlashMLA, get_mla_metadata: a request costs its blocks and a fixed 5; every part may spend the mean and 5 more. Parts
// are filled in the order of requests.
class FlashMla {
 public:
  explicit FlashMla(const AttentionLoad& load) : load_(load), blocks_(load.blocks()) {
    const std::int64_t parts = at_least_one(load.sms / load.head_tiles());
    const std::int64_t total = checked_multiply(load.requests, blocks_ + overhead);
    payload_ = ceil_divide(total, parts) + overhead;
  }

  Parts hand_out() {
    std::int64_t used = 0;
    while (request_ < load_.requests) {
      fill_part();
      ++used;
    }
    result_.count = used * load_.head_tiles();
    return result_;
  }

 private:
  static constexpr std::int64_t overhead = 5;

  void fill_part() {
    std::int64_t left = payload_, blocks = 0, pieces = 0;
    if (done_ > 0 && left >= blocks_ - done_ + overhead) {  // the end of a request begun in the part before
      left -= blocks_ - done_ + overhead;
      blocks += blocks_ - done_;
      ++pieces;
      end_request(1);
    }
    if (done_ == 0) {
      const std::int64_t whole = std::min(left / (blocks_ + overhead), load_.requests - request_);
      left -= whole * (blocks_ + overhead);
      blocks += whole * blocks_;
      pieces += whole;
      if (whole > 0) end_request(whole);
    }
    if (request_ < load_.requests && left > overhead) {
      const std::int64_t taken = std::min(left - overhead, blocks_ - done_);
      done_ += taken;
      blocks += taken;
      ++pieces;
      ++splits_;
    }
    result_.blocks = std::max(result_.blocks, blocks);
    result_.pieces = std::max(result_.pieces, pieces);
  }

  void end_request(std::int64_t count) {
    result_.splits = std::max(result_.splits, splits_ + 1);
    request_ += count;
    done_ = splits_ = 0;
  }

  const AttentionLoad& load_;
  std::int64_t blocks_;
  std::int64_t payload_ = 0;
  std::int64_t request_ = 0;  // the one that is being handed out
  std::int64_t done_ = 0;     // its blocks that have a part
  std::int64_t splits_ = 0;   // its parts so far
  Parts result_;
};

// FlashInfer, MLA plan: the keys that a chunk may have grow in steps with the mean of a cluster of two SMs.
std::int64_t flashinfer_chunk(std::int64_t mean) {
  if (mean <= 8) return 32;
  if (mean <= 16) return 64;
  if (mean <= 32) return 128;
  if (mean <= 64) return 192;
  return round_up_to(mean, 256);
}

// Chunks go to the cluster with the fewest keys so far.
Parts flashinfer(const AttentionLoad& load) {
  const std::int64_t size = std::min<std::int64_t>(2, load.head_tiles());
  const std::int64_t clusters = at_least_one(load.sms / size);
  const std::int64_t tiles = checked_multiply(load.requests, ceil_divide(load.head_tiles(), size));
  const std::int64_t chunk = flashinfer_chunk(ceil_divide(checked_multiply(tiles, load.keys), clusters));
  const std::int64_t splits = ceil_divide(load.keys, chunk);
  if (splits == 1) {
    const std::int64_t rounds = ceil_divide(tiles, clusters);
    return {std::min(tiles, clusters) * size, checked_multiply(rounds, load.blocks()), rounds, 1};
  }
  using Cluster = std::pair<std::int64_t, std::size_t>;  // keys, number
  std::priority_queue<Cluster, std::vector<Cluster>, std::greater<>> idle;
  for (std::size_t i = 0; i < static_cast<std::size_t>(clusters); ++i) idle.emplace(0, i);
  std::vector<std::int64_t> blocks(static_cast<std::size_t>(clusters)), pieces(blocks.size());
  for (std::int64_t item = 0; item < tiles * splits; ++item) {
    const std::int64_t keys = std::min(chunk, load.keys - item % splits * chunk);
    const auto [busy, cluster] = idle.top();
    idle.pop();
    blocks[cluster] += ceil_divide(keys, load.block_keys);
    ++pieces[cluster];
    idle.emplace(busy + keys, cluster);
  }
  const auto used = static_cast<std::int64_t>(blocks.size() - static_cast<std::size_t>(std::ranges::count(pieces, 0)));
  return {used * size, std::ranges::max(blocks), std::ranges::max(pieces), splits};
}

// `splits` parts of each of `tiles`, one part an SM, in rounds.
Parts in_rounds(std::int64_t tiles, std::int64_t splits, std::int64_t sms, std::int64_t blocks) {
  const std::int64_t parts = checked_multiply(tiles, splits);
  const std::int64_t rounds = ceil_divide(parts, sms);
  return {std::min(parts, sms), checked_multiply(rounds, ceil_divide(blocks, splits)), rounds, splits};
}

// FlashAttention-3, num_splits_heuristic: of up to 128 splits the fewest that fill waves to 85 % of the best.
std::int64_t fa3_splits(std::int64_t tiles, std::int64_t blocks, std::int64_t sms) {
  if (tiles * 5 >= sms * 4) return 1;
  const std::int64_t most = std::min({std::int64_t{128}, sms, blocks});
  const auto fill = [&](std::int64_t splits) {
    const std::int64_t parts = tiles * splits;
    return static_cast<double>(parts) / static_cast<double>(ceil_divide(parts, sms) * sms);
  };
  double best = 0;
  for (std::int64_t s = 1; s <= most; ++s) best = std::max(best, fill(s));
  for (std::int64_t s = 1; s < most; ++s) {
    if (fill(s) >= 0.85 * best) return s;
  }
  return most;
}

// Splits for SMs that would idle.
std::int64_t idle_splits(std::int64_t tiles, std::int64_t blocks, std::int64_t sms) {
  return at_least_one(std::min(sms / tiles, blocks));
}

}  // namespace

std::int64_t AttentionLoad::head_tiles() const { return ceil_divide(head_rows, block_rows); }
std::int64_t AttentionLoad::blocks() const { return at_least_one(ceil_divide(keys, block_keys)); }

Parts partition(SplitRule rule, const AttentionLoad& load) {
  const std::int64_t tiles = checked_multiply(load.requests, load.head_tiles());
  switch (rule) {
    case SplitRule::flashmla:
      return FlashMla(load).hand_out();
    case SplitRule::flashinfer:
      return flashinfer(load);
    case SplitRule::fa3:
      return in_rounds(tiles, fa3_splits(tiles, load.blocks(), load.sms), load.sms, load.blocks());
    case SplitRule::xqa:         // two SMs share a request of 128 heads
    case SplitRule::trtllm_gen:  // one block has all 128 heads
      return in_rounds(tiles, idle_splits(tiles, load.blocks(), load.sms), load.sms, load.blocks());
    case SplitRule::deepgemm:
    case SplitRule::deepgemm_2026:
    case SplitRule::even:
      break;
  }
  throw std::logic_error("not a rule for parts of attention");
}

}  // namespace kvtraffic::sim
