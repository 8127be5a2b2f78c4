// A draw goes zone by zone: what is kept of the base, then fresh picks among the entries that are left, then both in
// order. Leaves out drawing a uniform subset (subset.hpp).
#include "hardware/machine/picks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvtraffic::hardware {
namespace {

using Entries = std::vector<std::int64_t>;
using Model = sim::Selection::Model;

// Neighbouring entries of which a known number is picked, and of these kept from the base.
struct Zone {
  std::int64_t first = 0;
  std::int64_t entries = 0;
  std::int64_t count = 0;
  std::int64_t kept = 0;
};

std::int64_t share_of(double share, std::int64_t count) { return std::llround(share * static_cast<double>(count)); }

// The older entries, then the newest; models without age have no newest.
std::array<Zone, 2> zones_of(const sim::Selection& selection, std::int64_t entries, std::int64_t count, double share) {
  entries = std::max<std::int64_t>(entries, 0);
  count = std::clamp<std::int64_t>(count, 0, entries);
  const bool has_age = selection.model == Model::recency;
  const std::int64_t newest = has_age ? std::min(selection.newest, entries) : 0;
  const std::int64_t older = entries - newest;
  const std::int64_t recent =
      std::clamp(share_of(selection.recent, count), count - std::min(count, older), std::min(count, newest));
  const std::int64_t kept = share_of(share, count), recent_kept = share_of(share, recent);
  return {Zone{0, older, count - recent, kept - recent_kept}, Zone{older, newest, recent, recent_kept}};
}

// The part of ascending `picks` that lies in `zone`.
std::span<const std::int64_t> part_in(const Zone& zone, std::span<const std::int64_t> picks) {
  const auto begin = std::ranges::lower_bound(picks, zone.first);
  return {begin, std::ranges::lower_bound(picks, zone.first + zone.entries)};
}

// Neighbours that `picks` starts with.
std::size_t run_length(std::span<const std::int64_t> picks) {
  std::size_t length = 1;
  while (length < picks.size() && picks[length] == picks[length - 1] + 1) ++length;
  return length;
}

// `fresh` counts only the entries from `first` on that are not in `kept`: puts both in order.
void merge(std::int64_t first, const Entries& kept, const Entries& fresh, Entries& into) {
  std::size_t passed = 0;
  for (const std::int64_t place : fresh) {
    while (passed < kept.size() && kept[passed] <= first + place + static_cast<std::int64_t>(passed)) {
      into.push_back(kept[passed++]);
    }
    into.push_back(first + place + static_cast<std::int64_t>(passed));
  }
  into.insert(into.end(), kept.begin() + static_cast<std::ptrdiff_t>(passed), kept.end());
}

}  // namespace

void Picks::draw(std::int64_t entries, std::int64_t count, std::uint64_t identity, Entries& into) const {
  draw_like(entries, count, identity, std::span<const std::int64_t>(), 0, into);
}

void Picks::draw_like(std::int64_t entries, std::int64_t count, std::uint64_t identity, std::uint64_t base,
                      double share, Entries& into) const {
  draw(entries, count, base, base_);
  draw_like(entries, count, identity, base_, share, into);
}

void Picks::draw_like(std::int64_t entries, std::int64_t count, std::uint64_t identity,
                      std::span<const std::int64_t> base, double share, Entries& into) const {
  // Purposes apart: a draw with the identity of its own base must not meet it more often than chance has it.
  Dice dice(base.empty() ? "picks" : "picks like others", selection_.seed, identity);
  into.clear();
  into.reserve(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, std::max<std::int64_t>(entries, 0))));
  for (const Zone& zone : zones_of(selection_, entries, count, share)) {
    if (zone.count == 0) continue;
    keep(part_in(zone, base), zone.kept, dice);
    const auto kept = static_cast<std::int64_t>(kept_.size());
    place_fresh(zone.entries - kept, zone.count - kept, dice);
    merge(zone.first, kept_, fresh_, into);
  }
}

// Exactly `wanted` picks of `base`, or all when it has fewer.
void Picks::keep(std::span<const std::int64_t> base, std::int64_t wanted, Dice& dice) const {
  kept_.clear();
  const auto all = static_cast<std::int64_t>(base.size());
  wanted = std::min(wanted, all);
  if (selection_.model == Model::clustered) return keep_runs(base, wanted, dice);
  subset_.draw(all, wanted, dice, kept_);
  for (std::int64_t& pick : kept_) pick = base[static_cast<std::size_t>(pick)];
}

// Selection sampling: each run is kept with the chance of what is still wanted among what is left.
void Picks::keep_runs(std::span<const std::int64_t> base, std::int64_t wanted, Dice& dice) const {
  while (wanted > 0) {
    const auto left = static_cast<std::int64_t>(base.size());
    const auto run = static_cast<std::int64_t>(run_length(base));
    const bool is_kept = static_cast<std::int64_t>(dice.below(static_cast<std::uint64_t>(left))) < wanted;
    // A run may be longer than what is wanted, and what comes after it shorter.
    const std::int64_t taken = is_kept ? std::min(run, wanted) : std::max<std::int64_t>(wanted - (left - run), 0);
    kept_.insert(kept_.end(), base.begin(), base.begin() + taken);
    wanted -= taken;
    base = base.subspan(static_cast<std::size_t>(run));
  }
}

void Picks::place_fresh(std::int64_t entries, std::int64_t count, Dice& dice) const {
  fresh_.clear();
  if (selection_.model == Model::clustered) return place_runs(entries, count, dice);
  subset_.draw(entries, count, dice, fresh_);
}

// Each pick but the last ends a run with chance 1/run, so lengths are geometric; what is between runs is as likely in
// one way as in another. Runs may touch: with runs of one entry this is a uniform subset.
void Picks::place_runs(std::int64_t entries, std::int64_t count, Dice& dice) const {
  if (count == 0) return;
  runs_.assign(1, 1);
  for (std::int64_t i = 1; i < count; ++i) {
    if (dice.below(static_cast<std::uint64_t>(selection_.run)) == 0) {
      runs_.push_back(1);
    } else {
      ++runs_.back();
    }
  }
  const auto runs = static_cast<std::int64_t>(runs_.size());
  subset_.draw(entries - count + runs, runs, dice, fresh_);  // among the runs and the entries that are in none
  std::int64_t at = count;
  fresh_.resize(static_cast<std::size_t>(count));
  for (std::size_t r = runs_.size(); r-- > 0;) {  // from the back, so that nothing unread is overwritten
    const std::int64_t before = at - runs_[r];    // picks in earlier runs
    const std::int64_t start = fresh_[r] + before - static_cast<std::int64_t>(r);
    for (std::int64_t i = runs_[r]; i-- > 0;) fresh_[static_cast<std::size_t>(before + i)] = start + i;
    at = before;
  }
}

std::int64_t expected_common(const sim::Selection& selection, std::int64_t entries, std::int64_t count, double share) {
  double common = 0;
  for (const Zone& zone : zones_of(selection, entries, count, share)) {
    const auto fresh = static_cast<double>(zone.count - zone.kept);
    common += static_cast<double>(zone.kept);
    // Fresh picks lie anywhere but on the kept ones, and so do the base's that were not kept.
    if (fresh > 0) common += fresh * fresh / static_cast<double>(zone.entries - zone.kept);
  }
  return std::llround(common);
}

}  // namespace kvtraffic::hardware
