// Places by arithmetic: a mixing of as many bits as the count has, walked until the result is one of the count's; an
// aged pool moves runs of pages in frames. Leaves out whose pages they are.
#include "hardware/machine/page_table.hpp"

#include <bit>

#include "hardware/machine/dice.hpp"

namespace kvtraffic::hardware {
namespace {

// A frame holds the front run of one block of pages and the back run of another: two runs of 8 pages on average.
constexpr std::uint64_t frame_pages = 2 * PageTable::run_of_aged;  // of two runs

// What is shuffled: each page, frames, or nothing.
std::uint64_t movable(sim::PageOrder order, std::uint64_t pages) {
  if (order == sim::PageOrder::sequential) return 0;
  return order == sim::PageOrder::aged ? pages / frame_pages : pages;
}

}  // namespace

Shuffle::Shuffle(std::uint64_t count, std::uint64_t seed) : count_(count) {
  const int bits = count > 1 ? static_cast<int>(std::bit_width(count - 1)) : 0;
  mask_ = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  fold_ = static_cast<std::uint32_t>(bits / 2 + 1);
  Dice dice("pages", seed, 0);
  for (Round& round : rounds_) round = {dice.next(), dice.next() | 1U};
}

// Each step can be undone: adding, multiplying by an odd number, folding the upper half onto the lower.
std::uint64_t Shuffle::once(std::uint64_t value) const {
  for (const Round& round : rounds_) {
    value = (value + round.add) * round.times & mask_;
    value ^= value >> fold_;
  }
  return value;
}

// Values from `count_` on are walked through: fewer than half, so that two steps are enough on average.
std::uint64_t Shuffle::operator()(std::uint64_t value) const {
  do {
    value = once(value);
  } while (value >= count_);
  return value;
}

PageTable::PageTable(sim::PageOrder order, std::uint64_t pages, std::uint64_t seed)
    : order_(order),
      pages_(pages),
      cuts_(Dice("runs of pages", seed, 0).next()),
      shuffle_(movable(order, pages), seed) {}

std::uint64_t PageTable::place_of(std::uint64_t page) const {
  switch (order_) {
    case sim::PageOrder::shuffled:
      return shuffle_(page);
    case sim::PageOrder::aged:
      return aged_place_of(page);
    case sim::PageOrder::sequential:
      break;
  }
  return page;
}

// Blocks of 16 pages are cut in two, where the two blocks of a pair are cut alike; a frame takes the front of one block
// and the back of the other, and frames lie anywhere. The last pages, too few for a frame, stay where they are.
std::uint64_t PageTable::aged_place_of(std::uint64_t page) const {
  const std::uint64_t blocks = pages_ / frame_pages;
  const std::uint64_t block = page / frame_pages, at = page % frame_pages;
  if (block >= blocks) return page;
  const std::uint64_t other = block ^ 1U;
  const std::uint64_t front = 1 + Dice(cuts_ ^ (block / 2)).below(frame_pages - 1);
  const std::uint64_t frame = at < front || other >= blocks ? block : other;
  return shuffle_(frame) * frame_pages + at;
}

}  // namespace kvtraffic::hardware
