// Sums of entries and sectors over positions, in closed form.
#include "sim/graph/charge.hpp"

#include <algorithm>
#include <numeric>

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
  }
  return 0;
}

}  // namespace

std::int64_t entries_over(const Count& count, std::int64_t first, std::int64_t last) {
  return sum_over(
      count, first, last, [](std::int64_t n) { return n; }, sum_below);
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

Cost PageCosts::over(const Count& count, Pattern pattern, std::int64_t first, std::int64_t last) const {
  const std::int64_t entries = entries_over(count, first, last);
  Cost cost;
  cost.nominal = checked_multiply(entries, entry_bytes_);
  if (pattern == Pattern::gather) {
    cost.sectors = checked_multiply(entries, gathered_.bytes);
    cost.apart = checked_multiply(entries, gathered_.apart);
    cost.per = gathered_per_;
    return cost;
  }
  cost.sectors = sum_over(
      count, first, last, [&](std::int64_t n) { return streamed(n).bytes; },
      [&](std::int64_t n) { return streamed_below(n).bytes; });
  cost.apart = sum_over(
      count, first, last, [&](std::int64_t n) { return streamed(n).apart; },
      [&](std::int64_t n) { return streamed_below(n).apart; });
  return cost;
}

}  // namespace kvtraffic::sim
