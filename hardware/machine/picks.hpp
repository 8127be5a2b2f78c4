// Which entries a token of a sparse layer picks: drawn from a model, the same for the same seed and identity on any
// machine, and like the picks of another draw where the workload says so. Leaves out where the entries lie
// (pieces.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hardware/machine/subset.hpp"
#include "sim/plan/locality.hpp"

namespace kvtraffic::hardware {

// An identity is whatever tells two draws apart (layer, sequence, step, ...), mixed by the caller into 64 bits.
// Draws reuse buffers of this object, so one per thread.
class Picks {
 public:
  explicit Picks(const sim::Selection& selection) : selection_(selection) {}

  // `count` different entries of [0, entries), all of them when there are fewer, in ascending order. Higher entries are
  // newer.
  void draw(std::int64_t entries, std::int64_t count, std::uint64_t identity, std::vector<std::int64_t>& into) const;

  // The same, but round(share x count) of the picks are also those of draw(entries, count, base), runs kept together;
  // the others are drawn anew, and some may meet the base's by chance.
  void draw_like(std::int64_t entries, std::int64_t count, std::uint64_t identity, std::uint64_t base, double share,
                 std::vector<std::int64_t>& into) const;

  // The same, where the base's picks are at hand: ascending, different, below `entries`. Where they have too few among
  // the newest (recency), or too few at all, fewer are kept. `base` must not lie in `into`.
  void draw_like(std::int64_t entries, std::int64_t count, std::uint64_t identity, std::span<const std::int64_t> base,
                 double share, std::vector<std::int64_t>& into) const;

 private:
  void keep(std::span<const std::int64_t> base, std::int64_t wanted, Dice& dice) const;
  void keep_runs(std::span<const std::int64_t> base, std::int64_t wanted, Dice& dice) const;
  void place_fresh(std::int64_t entries, std::int64_t count, Dice& dice) const;
  void place_runs(std::int64_t entries, std::int64_t count, Dice& dice) const;

  sim::Selection selection_;
  // Used within one draw, kept so that the next allocates nothing.
  mutable Subset subset_;
  mutable std::vector<std::int64_t> base_, kept_, fresh_, runs_;
};

// How many entries a draw and one like it have in common on average, rounded: those kept, and those met by chance. With
// a share of 0 that of any two draws. Clustered runs are thinner near the first and last entry, which is not counted.
[[nodiscard]] std::int64_t expected_common(const sim::Selection& selection, std::int64_t entries, std::int64_t count,
                                           double share);

}  // namespace kvtraffic::hardware
