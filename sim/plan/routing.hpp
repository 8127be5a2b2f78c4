// Which routed experts tokens go to: how many tokens each expert gets, and what that makes of the fullest device.
// Leaves out which token goes where, groups of experts that a token is limited to, and where tokens come from: nothing
// but counts is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/graph/step_graph.hpp"
#include "sim/plan/deployment.hpp"

namespace kvtraffic::sim {

// Even: every expert gets the same, and as many experts have tokens as are expected to. Drawn: each token chooses its
// experts independently of the others, by a popularity that falls with the rank i of an expert as i^-skew.
struct Routing {
  bool is_drawn = false;
  std::uint64_t seed = 1;
  double skew = 0;  // 0: every expert is equally likely
};

// Which of the draws of one seed: equal keys are equal draws. Who is popular follows from the layer alone.
struct DrawKey {
  std::uint64_t layer = 0;   // number of the set of experts
  std::uint64_t tokens = 0;  // number of the tokens that choose
};

// A draw walks a table of experts x chosen ones: a set with a larger one cannot be drawn.
inline constexpr std::int64_t largest_draw = std::int64_t{1} << 22;
[[nodiscard]] bool can_draw(const ExpertSet& set);

// Tokens of each expert of the set: `tokens` of them choose set.active different ones each, so that the counts add up
// to tokens x active and none is above `tokens`. A token's choice is that of independent draws by popularity, given
// that all are different. The counts are drawn exactly, expert by expert, in a time that does not grow with `tokens`.
[[nodiscard]] std::vector<std::int64_t> draw_tokens(const ExpertSet& set, const Routing& routing, const DrawKey& key,
                                                    std::int64_t tokens);

// Experts lie on the expert groups in order, as evenly as whole ones can, and of them those in host memory as evenly.
// Each number "device" is that of the device (or group that shares an expert) with the most of it: the device with the
// most experts need not be the one with the most tokens.
struct ExpertLoad {
  struct Distinct {
    std::int64_t total = 0;   // experts with tokens, in the whole deployment
    std::int64_t device = 0;  // on the device with the most of them
  };
  Distinct distinct;
  Distinct in_device_memory;  // of `distinct`
  Distinct in_host_memory;
  std::int64_t pairs_device = 0;  // (token, expert)
  std::int64_t pairs_rank = 0;    // of all experts that one tensor group holds or has a share in
  // Every expert's tokens in tiles of so many rows.
  std::int64_t row_tiles_64 = 0;
  std::int64_t row_tiles_128 = 0;

  [[nodiscard]] const Distinct& in(Place place) const {
    return place == Place::host ? in_host_memory : in_device_memory;
  }
};

[[nodiscard]] ExpertLoad load_of(std::span<const std::int64_t> tokens_of, const ExpertSet& set,
                                 const Deployment& deployment);

}  // namespace kvtraffic::sim
