// Sums of entries and sectors over positions, in closed form.
#include "sim/graph/charge.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

// Sum of 0, 1, ... n - 1. One of the factors is even.
std::int64_t sum_below(std::int64_t n) {
  return n % 2 == 0 ? checked_multiply(n / 2, n - 1) : checked_multiply(n, (n - 1) / 2);
}

// Sum over positions 0..positions - 1 of value(floor(p / ratio)): whole blocks `ratio` times each, and what is left
// over.
template <class Value, class Below>
std::int64_t stepped_below(std::int64_t positions, std::int64_t ratio, const Value& value, const Below& below) {
  const std::int64_t blocks = positions / ratio;
  return checked_add(checked_multiply(ratio, below(blocks)), checked_multiply(positions % ratio, value(blocks)));
}

// Sum over positions first..last of value(min(limit, floor(p / ratio))): rising at first, then constant.
template <class Value, class Below>
std::int64_t stepped(std::int64_t ratio, std::int64_t limit, std::int64_t first, std::int64_t last, const Value& value,
                     const Below& below) {
  const std::int64_t full_from = limit > last / ratio ? last + 1 : std::max(first, limit * ratio);
  const std::int64_t rising = stepped_below(full_from, ratio, value, below) - stepped_below(first, ratio, value, below);
  return full_from > last ? rising : checked_add(rising, checked_multiply(last - full_from + 1, value(limit)));
}

// Sum over positions first..last of value(count.at(p)); `below(n)` is the sum of value(0) .. value(n - 1).
template <class Value, class Below>
std::int64_t sum_over(const Count& count, std::int64_t first, std::int64_t last, const Value& value,
                      const Below& below) {
  if (first == last) return value(count.at(first));
  const std::int64_t positions = last - first + 1;
  switch (count.kind) {
    case Count::Kind::one:
      return checked_multiply(positions, value(1));
    case Count::Kind::fixed:
      return checked_multiply(positions, value(count.limit));
    case Count::Kind::window:
      return stepped(1, count.limit, first, last, value, below);
    case Count::Kind::entries:
      return stepped(count.ratio, INT64_MAX, first, last, value, below);
    case Count::Kind::capped:
      return stepped(count.ratio, count.limit, first, last, value, below);
    case Count::Kind::closes: {
      const std::int64_t closed = last / count.ratio - (first - 1) / count.ratio;
      return checked_add(checked_multiply(closed, value(1)), checked_multiply(positions - closed, value(0)));
    }
    case Count::Kind::kept:
      throw std::logic_error("kept rows are counted per sequence, not per position");
  }
  return 0;
}

// A window counts from the origin; everything else from the first position of the sequence.
std::int64_t shift_of(const Count& count, const Positions& at) {
  return count.kind == Count::Kind::window ? at.origin : 0;
}

bool belongs_to_its_query(const Count& count) {
  return count.kind == Count::Kind::window || count.kind == Count::Kind::capped || count.kind == Count::Kind::closes;
}

// Sum of value(floor(p / ratio)) over the last positions p of tiles of `queries` positions. After as many tiles as
// bring p back to the same place in a page (of `period` entries), each value has grown by whole pages of `gain`.
template <class Value>
std::int64_t sum_of_tiles(std::int64_t ratio, std::int64_t queries, const Positions& at, std::int64_t period,
                          std::int64_t gain, const Value& value) {
  const std::int64_t full = (at.count() - 1) / queries;  // tiles before the last
  const std::int64_t cycle = period * ratio / std::gcd(period * ratio, queries);
  const std::int64_t cycles = full / cycle;  // NOLINT(clang-analyzer-core.UndefinedBinaryOperatorResult): it loses gcd
  const std::int64_t rest = full % cycle;
  const std::int64_t growth = checked_multiply(cycle * queries / ratio / period, gain);
  std::int64_t sum = 0;
  for (std::int64_t tile = 1; tile <= std::min(full, cycle); ++tile) {
    const std::int64_t first = value((at.first + tile * queries - 1) / ratio);
    const std::int64_t times = cycles + (tile <= rest ? 1 : 0);
    sum = checked_add(sum, checked_add(checked_multiply(times, first), checked_multiply(sum_below(times), growth)));
  }
  return checked_add(sum, value(at.last / ratio));
}

}  // namespace

std::int64_t entries_over(const Count& count, std::int64_t first, std::int64_t last) {
  return sum_over(
      count, first, last, [](std::int64_t n) { return n; }, sum_below);
}

std::int64_t entries_over(const Count& count, const Positions& at) {
  if (at.count() <= 0) return 0;
  const std::int64_t shift = shift_of(count, at);
  return entries_over(count, at.first - shift, at.last - shift);
}

std::int64_t distinct_over(const Count& count, const Positions& at) {
  if (at.count() <= 0) return 0;
  switch (count.kind) {
    case Count::Kind::one:
    case Count::Kind::fixed:
    case Count::Kind::entries:
    case Count::Kind::kept:
      return count.at(at.last);
    case Count::Kind::window:
      return count.limit == 0 ? 0 : std::min(at.last - at.origin, at.count() - 1 + count.limit);
    case Count::Kind::capped:
      return std::min(entries_over(count, at), at.last / count.ratio);
    case Count::Kind::closes:
      return entries_over(count, at);
  }
  return 0;
}

std::int64_t entries_per_sequence(Per per, const Count& count, const Positions& at) {
  if (at.count() <= 0) return 0;
  const bool kept = count.kind == Count::Kind::kept;
  if (per == Per::sequence) return kept ? std::min(count.at(at.last), at.count()) : count.at(at.last);
  const bool closes = at.last / count.ratio > (at.first - 1) / count.ratio;
  return kept && !closes ? 0 : count.at(at.first - 1);
}

PageCosts::PageCosts(const Layout& layout) : entry_bytes_(layout.entry_bytes()), page_entries_(layout.page_entries) {
  const SectorBytes page = layout.sectors(page_entries_, Pattern::stream);
  const SectorBytes gathered =
      layout.sectors(page_entries_, Pattern::gather);  // a whole page averages without rounding
  whole_page_ = {page.bytes, page.apart};
  const std::int64_t common = std::gcd(page_entries_, std::gcd(gathered.bytes, gathered.apart));
  gathered_ = {gathered.bytes / common, gathered.apart / common};
  gathered_per_ = page_entries_ / common;
  Sum sum;
  for (std::int64_t entries = 0; entries < page_entries_; ++entries) {
    const SectorBytes rest = layout.sectors(entries, Pattern::stream);
    rest_.push_back({rest.bytes, rest.apart});
    rest_sums_.push_back(sum);
    sum = {checked_add(sum.bytes, rest.bytes), checked_add(sum.apart, rest.apart)};
  }
  rest_sums_.push_back(sum);
}

PageCosts::Sum PageCosts::streamed(std::int64_t entries) const {
  const std::int64_t pages = entries / page_entries_;
  const Sum& rest = rest_[static_cast<std::size_t>(entries - pages * page_entries_)];
  return {checked_add(checked_multiply(pages, whole_page_.bytes), rest.bytes),
          checked_add(checked_multiply(pages, whole_page_.apart), rest.apart)};
}

PageCosts::Sum PageCosts::streamed_below(std::int64_t entries) const {
  const std::int64_t pages = entries / page_entries_;
  const std::int64_t over = entries % page_entries_;
  // Whole pages before each of the counts: 0 page_entries times, 1 page_entries times, ..., then `over` times `pages`.
  const std::int64_t whole =
      checked_add(checked_multiply(page_entries_, sum_below(pages)), checked_multiply(over, pages));
  const Sum& all = rest_sums_.back();
  const Sum& part = rest_sums_[static_cast<std::size_t>(over)];
  const auto add_up = [&](std::int64_t page, std::int64_t rests, std::int64_t last) {
    return checked_add(checked_multiply(whole, page), checked_add(checked_multiply(pages, rests), last));
  };
  return {add_up(whole_page_.bytes, all.bytes, part.bytes), add_up(whole_page_.apart, all.apart, part.apart)};
}

Cost PageCosts::of_entries(std::int64_t entries, Pattern pattern) const {
  Cost cost;
  cost.nominal = checked_multiply(entries, entry_bytes_);
  if (pattern == Pattern::gather) {
    cost.sectors = checked_multiply(entries, gathered_.bytes);
    cost.apart = checked_multiply(entries, gathered_.apart);
    cost.per = gathered_per_;
  } else {
    const Sum sum = streamed(entries);
    cost.sectors = sum.bytes;
    cost.apart = sum.apart;
  }
  cost.footprint = cost.sectors;
  return cost;
}

Cost PageCosts::over(const Count& count, Pattern pattern, std::int64_t first, std::int64_t last) const {
  const std::int64_t entries = entries_over(count, first, last);
  if (pattern == Pattern::gather) return of_entries(entries, pattern);
  Cost cost;
  cost.nominal = checked_multiply(entries, entry_bytes_);
  cost.sectors = sum_over(
      count, first, last, [&](std::int64_t n) { return streamed(n).bytes; },
      [&](std::int64_t n) { return streamed_below(n).bytes; });
  cost.apart = sum_over(
      count, first, last, [&](std::int64_t n) { return streamed(n).apart; },
      [&](std::int64_t n) { return streamed_below(n).apart; });
  cost.footprint = cost.sectors;
  return cost;
}

std::int64_t PageCosts::requested(const Count& count, Pattern pattern, std::int64_t queries,
                                  const Positions& at) const {
  if (queries <= 1 || belongs_to_its_query(count)) {
    const std::int64_t shift = shift_of(count, at);
    return over(count, pattern, at.first - shift, at.last - shift).sectors;
  }
  const auto bytes = [&](std::int64_t entries) { return of_entries(entries, pattern).sectors; };
  if (count.kind != Count::Kind::entries) {  // the same for every tile
    return checked_multiply(ceil_divide(at.count(), queries), bytes(count.at(at.last)));
  }
  const std::int64_t page = bytes(page_entries_);
  return sum_of_tiles(count.ratio, queries, at, page_entries_, page, bytes);
}

Cost PageCosts::shared(const Count& count, Pattern pattern, std::int64_t queries, const Positions& at) const {
  const std::int64_t distinct = distinct_over(count, at);
  Cost cost = of_entries(distinct, pattern);
  const std::int64_t all = requested(count, pattern, queries, at);
  cost.sectors = std::min(cost.sectors, all);
  cost.apart = std::min(cost.apart, all);
  // Distinct entries that lie side by side fill the sectors between them, however they were picked.
  const bool side_by_side = count.kind != Count::Kind::capped || distinct == at.last / count.ratio;
  if (side_by_side) cost.footprint = std::min(cost.sectors, checked_multiply(streamed(distinct).bytes, cost.per));
  cost.footprint = std::min(cost.footprint, cost.sectors);
  cost.again = all - cost.sectors;
  cost.sectors = all;
  return cost;
}

Cost PageCosts::of(const Charge& charge, const Positions& at) const {
  if (at.count() <= 0) return {};
  if (charge.per == Per::sequence || charge.per == Per::resumed) {
    return of_entries(entries_per_sequence(charge.per, charge.count, at), charge.pattern);
  }
  if (charge.queries > 0) return shared(charge.count, charge.pattern, charge.queries, at);
  const std::int64_t shift = shift_of(charge.count, at);
  return over(charge.count, charge.pattern, at.first - shift, at.last - shift);
}

}  // namespace kvtraffic::sim
