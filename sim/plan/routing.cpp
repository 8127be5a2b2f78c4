// Tokens are one class for each number of experts that they have still to choose. Rank by rank, of every class a
// binomial number chooses the expert and moves to the class below: exact, because what a token chose before tells
// nothing about its further choices but how many are left. Leaves out tokens as such: there may be millions.
#include "sim/plan/routing.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/draw/binomial.hpp"
#include "sim/draw/elementary.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// A seed of its own for each purpose and number: SplitMix64 of the one before, folded with the number.
std::uint64_t seed_for(std::uint64_t seed, std::initializer_list<std::uint64_t> numbers) {
  for (const std::uint64_t number : numbers) seed = SplitMix64(SplitMix64(seed).next() ^ number).next();
  return seed;
}
constexpr std::uint64_t for_order = 1;
constexpr std::uint64_t for_tokens = 2;

// i^-skew of ranks i = 1, 2, ...
std::vector<double> popularity(std::int64_t experts, double skew) {
  std::vector<double> weights;
  weights.reserve(at(experts));
  for (std::int64_t i = 1; i <= experts; ++i) {
    weights.push_back(portable_exp(-skew * portable_log(static_cast<double>(i))));
  }
  return weights;
}

// Whether a token that has c experts to choose from rank j on chooses j's. Sets of c of them have the weight of their
// products, together e_c(j) (an elementary symmetric polynomial); with r_c(j) = e_c(j) / e_{c-1}(j) the chance is
// w_j e_{c-1}(j+1) / e_c(j) = w_j / (w_j + r_c(j+1)). The r are worked out from the last rank down, because the e
// themselves would leave 64-bit floating point.
class Choice {
 public:
  Choice(std::vector<double> weights, std::int64_t chosen)
      : weights_(std::move(weights)), chosen_(at(chosen)), ratios_((weights_.size() + 1) * (chosen_ + 1)) {
    for (std::size_t j = weights_.size(); j-- > 0;) {
      const double w = weights_[j];
      ratio(j, 1) = ratio(j + 1, 1) + w;
      for (std::size_t c = 2; c <= chosen_; ++c) {
        const double fewer = ratio(j + 1, c - 1);
        ratio(j, c) = fewer > 0 ? (ratio(j + 1, c) + w) * (fewer / (fewer + w)) : 0;
      }
    }
  }

  [[nodiscard]] double chance(std::size_t rank, std::size_t left) const {
    const double w = weights_[rank];
    return w / (w + ratios_[(rank + 1) * (chosen_ + 1) + left]);
  }

 private:
  double& ratio(std::size_t rank, std::size_t left) { return ratios_[rank * (chosen_ + 1) + left]; }

  std::vector<double> weights_;
  std::size_t chosen_;
  std::vector<double> ratios_;  // zero where too few ranks are left
};

// Experts in order of popularity.
std::vector<std::size_t> order_of(std::int64_t experts, std::uint64_t seed) {
  std::vector<std::size_t> order(at(experts));
  std::iota(order.begin(), order.end(), std::size_t{0});
  SplitMix64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

// The load of one expert group while its experts are counted.
struct Group {
  std::int64_t distinct = 0, hosted = 0, pairs = 0, tiles_64 = 0, tiles_128 = 0;

  void add(std::int64_t tokens, bool is_hosted) {
    if (tokens == 0) return;
    ++distinct;
    hosted += is_hosted ? 1 : 0;
    pairs = checked_add(pairs, tokens);
    tiles_64 = checked_add(tiles_64, ceil_divide(tokens, 64));
    tiles_128 = checked_add(tiles_128, ceil_divide(tokens, 128));
  }
};

void add_to(ExpertLoad::Distinct& sum, std::int64_t here) {
  sum.total += here;
  sum.device = std::max(sum.device, here);
}

// Expert i lies in group floor(i groups / routed).
std::vector<Group> groups_of(std::span<const std::int64_t> tokens_of, const ExpertSet& set, std::int64_t groups) {
  std::vector<Group> result(at(groups));
  for (std::int64_t i = 0; i < set.routed; ++i) {
    const bool is_hosted = (i + 1) * set.hosted / set.routed > i * set.hosted / set.routed;
    result[at(i * groups / set.routed)].add(tokens_of[at(i)], is_hosted);
  }
  return result;
}

}  // namespace

bool can_draw(const ExpertSet& set) {
  return set.active >= 1 && set.active <= set.routed && set.routed <= largest_draw / (set.active + 1);
}

std::vector<std::int64_t> draw_tokens(const ExpertSet& set, const Routing& routing, const DrawKey& key,
                                      std::int64_t tokens) {
  if (!can_draw(set)) throw std::logic_error("experts that cannot be drawn");
  const Choice choice(popularity(set.routed, routing.skew), set.active);
  const std::vector<std::size_t> order = order_of(set.routed, seed_for(routing.seed, {for_order, key.layer}));
  SplitMix64 random(seed_for(routing.seed, {for_tokens, key.layer, key.tokens}));
  std::vector<std::int64_t> left(at(set.active) + 1);  // tokens by experts that they have still to choose
  left.back() = tokens;
  std::vector<std::int64_t> counts(at(set.routed));
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    for (std::size_t c = 1; c < left.size(); ++c) {
      if (left[c] == 0) continue;
      const std::int64_t choose = binomial(random, left[c], choice.chance(rank, c));
      left[c] -= choose;
      left[c - 1] += choose;
      counts[order[rank]] += choose;
    }
  }
  return counts;
}

ExpertLoad load_of(std::span<const std::int64_t> tokens_of, const ExpertSet& set, const Deployment& deployment) {
  const std::vector<Group> groups = groups_of(tokens_of, set, deployment.expert);
  // Expert groups that a tensor group holds; a smaller one has a share in one.
  const auto held = at(std::max<std::int64_t>(1, deployment.tensor / deployment.expert_tensor()));
  ExpertLoad load;
  std::int64_t rank = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    add_to(load.distinct, group.distinct);
    add_to(load.in_host_memory, group.hosted);
    add_to(load.in_device_memory, group.distinct - group.hosted);
    load.pairs_device = std::max(load.pairs_device, group.pairs);
    load.row_tiles_64 = std::max(load.row_tiles_64, group.tiles_64);
    load.row_tiles_128 = std::max(load.row_tiles_128, group.tiles_128);
    rank = i % held == 0 ? group.pairs : checked_add(rank, group.pairs);
    load.pairs_rank = std::max(load.pairs_rank, rank);
  }
  return load;
}

}  // namespace kvtraffic::sim
