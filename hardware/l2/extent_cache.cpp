// A touch walks the runs it meets: resident lines move to the new end of the order, gaps are filled in pieces as large
// as what is evicted for them, because evicting may take lines that the touch has not reached yet.
#include "hardware/l2/extent_cache.hpp"

#include <algorithm>
#include <bit>

namespace kvtraffic::hardware::l2 {
namespace {

constexpr std::int64_t sector = line_bytes / line_sectors;

std::int64_t bytes_in(std::uint8_t sectors, std::int64_t lines) {
  constexpr std::array<std::int64_t, 16> bits{0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return bits[sectors] * sector * lines;
}

// Sectors [first, last) of a line.
std::uint8_t sectors_between(std::int64_t first, std::int64_t last) {
  return static_cast<std::uint8_t>((1U << last) - (1U << first));
}

}  // namespace

void ExtentCache::reset(std::uint32_t regions) {
  used_ = 0;
  extents_.clear();
  free_ = oldest_ = newest_ = none;
  regions_.assign(regions, {});
  written_back_.clear();
}

Found ExtentCache::touch(const Touch& touch) {
  Found found;
  if (touch.last <= touch.first) return found;
  Use use{touch.region, whole, touch.write, touch.write ? touch.writer : 0};
  std::int64_t at = touch.first / sector;
  const std::int64_t end = sim::ceil_divide(touch.last, sector);
  while (at < end) {  // at most three times: the rest of a line, whole lines, the start of a line
    const std::int64_t line = at / line_sectors;
    const std::int64_t first = at % line_sectors;
    const bool is_whole = first == 0 && end - at >= line_sectors;
    const std::int64_t last_line = is_whole ? end / line_sectors : line + 1;
    const std::int64_t next = std::min(end, last_line * line_sectors);
    use.sectors = is_whole ? whole : sectors_between(first, next - line * line_sectors);
    touch_lines(use, line, last_line, found);
    at = next;
  }
  (last_missed_ ? found.missed : found.hit) -= end * sector - touch.last;
  return found;
}

void ExtentCache::touch_lines(const Use& use, std::int64_t begin, std::int64_t end, Found& found) {
  if (capacity_ == 0) return bypass(use, begin, end, found);
  while (begin < end) {
    const Index next = first_ending_after(use.region, begin);
    if (next != none && extents_[next].begin <= begin) {
      const std::int64_t until = std::min(end, extents_[next].end);
      hit(use, next, begin, until, found);
      begin = until;
    } else {
      begin = fill(use, begin, next == none ? end : std::min(end, extents_[next].begin), found);
    }
  }
}

void ExtentCache::bypass(const Use& use, std::int64_t begin, std::int64_t end, Found& found) {
  found.missed += bytes_in(use.sectors, end - begin);
  last_missed_ = true;
  if (!use.write) return;
  Extent passing{.begin = begin, .end = end, .region = use.region};
  mark(use, passing);
  write_back(passing, begin, end);
}

void ExtentCache::mark(const Use& use, Extent& extent) {
  extent.valid |= use.sectors;
  if (!use.write) return;
  extent.dirty |= use.sectors;
  for (std::size_t s = 0; s < extent.writers.size(); ++s) {
    if ((use.sectors >> s & 1U) != 0) extent.writers[s] = use.writer;
  }
}

void ExtentCache::hit(const Use& use, Index extent, std::int64_t begin, std::int64_t end, Found& found) {
  if (extents_[extent].begin < begin) extent = cut(extent, begin);
  if (extents_[extent].end > end) static_cast<void>(cut(extent, end));
  Extent& piece = extents_[extent];
  const auto present = static_cast<std::uint8_t>(use.sectors & piece.valid);
  found.hit += bytes_in(present, piece.lines());
  found.missed += bytes_in(static_cast<std::uint8_t>(use.sectors & ~piece.valid), piece.lines());
  if (use.write) found.overwritten += bytes_in(static_cast<std::uint8_t>(use.sectors & piece.dirty), piece.lines());
  last_missed_ = std::bit_width(present) != std::bit_width(use.sectors);
  mark(use, piece);
  renew(extent);
}

// Fills as much of a gap as one run of old lines makes room for, and tells where the rest begins.
std::int64_t ExtentCache::fill(const Use& use, std::int64_t begin, std::int64_t end, Found& found) {
  Extent added{.begin = begin, .end = end, .region = use.region};
  mark(use, added);
  if (!slide(added)) {
    added.end = begin + make_room(end - begin);
    add(added);
  }
  found.missed += bytes_in(use.sectors, added.lines());
  last_missed_ = true;
  return added.end;
}

// A stream that has the whole cache to itself pushes out its own beginning.
bool ExtentCache::slide(const Extent& added) {
  if (newest_ == none || newest_ != oldest_ || used_ < capacity_) return false;
  Extent& only = extents_[newest_];
  if (!continues(only, added)) return false;
  const std::int64_t lines = added.lines();
  write_back(only, only.begin, only.begin + lines);
  only.begin += lines;
  only.end += lines;
  return true;
}

std::int64_t ExtentCache::make_room(std::int64_t lines) {
  if (used_ < capacity_) return std::min(lines, capacity_ - used_);
  const Index victim = oldest_;
  Extent& old = extents_[victim];
  const std::int64_t out = std::min(lines, old.lines());
  write_back(old, old.begin, old.begin + out);
  used_ -= out;
  regions_[old.region].lines -= out;
  old.begin += out;
  if (old.begin == old.end) {
    unlink_use(victim);
    unlink_place(victim);
    release(victim);
  }
  return out;
}

// Adjacent sectors of one write are one record.
void ExtentCache::write_back(const Extent& extent, std::int64_t begin, std::int64_t end) {
  if (extent.dirty == 0) return;
  if (extent.dirty == whole && extent.has_one_writer()) {
    return note({extent.region, extent.writers[0], begin * line_bytes, end * line_bytes});
  }
  for (std::size_t s = 0; s < extent.writers.size(); ++s) {  // a single line
    if ((extent.dirty >> s & 1U) == 0) continue;
    const std::int64_t first = begin * line_bytes + static_cast<std::int64_t>(s) * sector;
    note({extent.region, extent.writers[s], first, first + sector});
  }
}

void ExtentCache::note(const WriteBack& sectors) {
  if (!written_back_.empty()) {
    WriteBack& last = written_back_.back();
    if (last.region == sectors.region && last.writer == sectors.writer && last.last == sectors.first) {
      last.last = sectors.last;
      return;
    }
  }
  written_back_.push_back(sectors);
}

void ExtentCache::clean(std::uint32_t region) {
  for (Index i = regions_[region].lowest; i != none; i = extents_[i].above) {
    Extent& extent = extents_[i];
    write_back(extent, extent.begin, extent.end);
    extent.dirty = 0;
    extent.writers = {};
  }
}

std::int64_t ExtentCache::dirty_bytes() const {
  std::int64_t bytes = 0;
  for (Index i = oldest_; i != none; i = extents_[i].newer) {
    bytes += bytes_in(extents_[i].dirty, extents_[i].lines());
  }
  return bytes;
}

std::size_t ExtentCache::extents() const {
  std::size_t count = 0;
  for (Index i = oldest_; i != none; i = extents_[i].newer) ++count;
  return count;
}

// ---- the two orders ----

// The region's first extent that ends beyond `line`. Leaves the cursor there, or at the highest if there is none.
ExtentCache::Index ExtentCache::first_ending_after(std::uint32_t region, std::int64_t line) {
  Region& its = regions_[region];
  Index at = its.cursor != none ? its.cursor : its.lowest;
  if (at == none) return none;
  while (extents_[at].end <= line && extents_[at].above != none) at = extents_[at].above;
  while (extents_[at].below != none && extents_[extents_[at].below].end > line) at = extents_[at].below;
  its.cursor = at;
  return extents_[at].end > line ? at : none;
}

// Splits before `line` and returns the upper part, which was used later.
ExtentCache::Index ExtentCache::cut(Index extent, std::int64_t line) {
  Extent upper = extents_[extent];
  upper.begin = line;
  upper.older = upper.below = extent;
  const Index made = allocate(upper);
  Extent& lower = extents_[extent];
  lower.end = line;
  lower.newer = lower.above = made;
  if (upper.newer != none) extents_[upper.newer].older = made;
  if (upper.above != none) extents_[upper.above].below = made;
  if (newest_ == extent) newest_ = made;
  return made;
}

// `before` lies right below `after` and was used right before it, in the same state.
bool ExtentCache::continues(const Extent& before, const Extent& after) {
  if (before.region != after.region || before.end != after.begin) return false;
  if (before.valid != whole || after.valid != whole || before.dirty != after.dirty) return false;
  if (before.dirty == 0) return true;
  return before.dirty == whole && before.has_one_writer() && before.writers == after.writers;
}

// Puts new lines at the new end of the order.
void ExtentCache::add(const Extent& added) {
  used_ += added.lines();
  regions_[added.region].lines += added.lines();
  if (newest_ != none && continues(extents_[newest_], added)) {
    extents_[newest_].end = added.end;
    return;
  }
  const Index above = first_ending_after(added.region, added.begin);
  const Index made = allocate(added);
  Region& its = regions_[added.region];
  Extent& extent = extents_[made];
  extent.above = above;
  extent.below = above != none ? extents_[above].below : its.cursor;
  if (extent.above != none) extents_[extent.above].below = made;
  (extent.below != none ? extents_[extent.below].above : its.lowest) = made;
  its.cursor = made;
  link_newest(made);
}

// Moves an extent to the new end of the order, into its neighbour if it continues that.
void ExtentCache::renew(Index extent) {
  if (newest_ != extent) {
    unlink_use(extent);
    link_newest(extent);
  }
  const Index before = extents_[extent].older;
  if (before == none || !continues(extents_[before], extents_[extent])) return;
  extents_[before].end = extents_[extent].end;
  unlink_use(extent);
  unlink_place(extent);
  release(extent);
}

void ExtentCache::link_newest(Index extent) {
  extents_[extent].older = newest_;
  extents_[extent].newer = none;
  (newest_ != none ? extents_[newest_].newer : oldest_) = extent;
  newest_ = extent;
}

void ExtentCache::unlink_use(Index extent) {
  const Extent& its = extents_[extent];
  (its.older != none ? extents_[its.older].newer : oldest_) = its.newer;
  (its.newer != none ? extents_[its.newer].older : newest_) = its.older;
}

void ExtentCache::unlink_place(Index extent) {
  const Extent& its = extents_[extent];
  Region& region = regions_[its.region];
  (its.below != none ? extents_[its.below].above : region.lowest) = its.above;
  if (its.above != none) extents_[its.above].below = its.below;
  if (region.cursor == extent) region.cursor = its.below != none ? its.below : its.above;
}

ExtentCache::Index ExtentCache::allocate(const Extent& extent) {
  if (free_ == none) {
    extents_.push_back(extent);
    return static_cast<Index>(extents_.size() - 1);
  }
  const Index at = free_;
  free_ = extents_[at].older;
  extents_[at] = extent;
  return at;
}

void ExtentCache::release(Index extent) {
  extents_[extent].older = free_;
  free_ = extent;
}

}  // namespace kvtraffic::hardware::l2
