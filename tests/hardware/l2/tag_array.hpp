// An L2 as it is built: slices and sets chosen by a hash of the line's address, ways, sectors, write-back, exact
// least-recently-used order within a set; one line after another. With one slice, one set and as many ways as lines it
// is fully associative. Slow and obvious; leaves out nothing that ExtentCache tells.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "hardware/l2/extent_cache.hpp"

namespace kvtraffic::hardware::l2::testing {

inline std::uint64_t mixed(std::uint64_t x) {  // a bijection without visible pattern
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

class TagArray {
 public:
  TagArray(std::uint64_t slices, std::uint64_t sets, std::size_t ways)
      : slices_(slices), sets_(sets), ways_(ways), lines_(slices * sets) {}
  static TagArray fully_associative(std::int64_t lines) { return {1, 1, static_cast<std::size_t>(lines)}; }

  Found touch(const Touch& touch) {
    Found found;
    for (std::int64_t first = touch.first; first < touch.last; first += sector) {
      const std::int64_t line = first / line_bytes;
      use(touch, line, static_cast<std::size_t>(first % line_bytes / sector), std::min(sector, touch.last - first),
          found);
    }
    return found;
  }

  void clean(std::uint32_t region) {
    for (auto& set : lines_) {
      for (Line& line : set) {
        if (line.region == region) write_back(line);
      }
    }
  }

  [[nodiscard]] std::int64_t lines() const {
    std::int64_t count = 0;
    for (const auto& set : lines_) count += static_cast<std::int64_t>(set.size());
    return count;
  }
  [[nodiscard]] std::int64_t dirty_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& set : lines_) {
      for (const Line& line : set) bytes += sector * std::ranges::count(line.dirty, true);
    }
    return bytes;
  }
  // How often a write's sector was written back, by region, sector and writer.
  using Sectors = std::map<std::array<std::int64_t, 3>, int>;
  [[nodiscard]] const Sectors& written_back() const { return written_back_; }
  [[nodiscard]] std::int64_t written_back_bytes() const {
    std::int64_t sectors = 0;
    for (const auto& [which, count] : written_back_) sectors += count;
    return sectors * sector;
  }

  static constexpr std::int64_t sector = line_bytes / line_sectors;

 private:
  struct Line {
    std::uint32_t region = 0;
    std::int64_t number = 0;
    std::array<bool, line_sectors> valid{};
    std::array<bool, line_sectors> dirty{};
    std::array<std::uint32_t, line_sectors> writers{};
  };

  void use(const Touch& touch, std::int64_t number, std::size_t s, std::int64_t bytes, Found& found) {
    Line& line = renewed(touch.region, number);
    (line.valid[s] ? found.hit : found.missed) += bytes;
    line.valid[s] = true;
    if (!touch.write) return;
    if (line.dirty[s]) found.overwritten += sector;
    line.dirty[s] = true;
    line.writers[s] = touch.writer;
  }

  // The line at the new end of its set, brought in if it is not there.
  Line& renewed(std::uint32_t region, std::int64_t number) {
    const std::uint64_t hash = mixed((std::uint64_t{region} << 40U) + static_cast<std::uint64_t>(number) + 1);
    auto& set = lines_[hash % slices_ * sets_ + hash / slices_ % sets_];
    const auto known =
        std::ranges::find_if(set, [&](const Line& line) { return line.region == region && line.number == number; });
    if (known != set.end()) {
      std::rotate(known, known + 1, set.end());
      return set.back();
    }
    if (set.size() == ways_) {
      write_back(set.front());
      set.erase(set.begin());
    }
    return set.emplace_back(Line{region, number, {}, {}, {}});
  }

  void write_back(Line& line) {
    for (std::size_t s = 0; s < line.dirty.size(); ++s) {
      if (!line.dirty[s]) continue;
      ++written_back_[{line.region, line.number * line_sectors + static_cast<std::int64_t>(s), line.writers[s]}];
      line.dirty[s] = false;
    }
  }

  std::uint64_t slices_;
  std::uint64_t sets_;
  std::size_t ways_;
  std::vector<std::vector<Line>> lines_;  // by set, oldest first
  Sectors written_back_;
};

}  // namespace kvtraffic::hardware::l2::testing
