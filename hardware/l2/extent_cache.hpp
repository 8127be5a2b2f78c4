// An L2 without address bits: a fully associative, sectored, write-back cache of lines in exact least-recently-used
// order, kept as runs of lines, so that a stream of gigabytes costs no more than one of a kilobyte. Leaves out slices
// and sets (tests/hardware/l2 measures what they change), time, and writes of less than a sector.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware::l2 {

inline constexpr std::int64_t line_bytes = 128;  // what has one tag and one place in the order
inline constexpr std::int64_t line_sectors = 4;  // of 32 bytes: valid and dirty for themselves

// Bytes [first, last) of a region, in ascending order. `first` is on a sector; the sector of the last byte counts as
// whole, but only its bytes before `last` are told.
struct Touch {
  std::uint32_t region = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool write = false;
  std::uint32_t writer = 0;  // of a write: told with the write-back
};

struct Found {
  std::int64_t hit = 0;     // bytes
  std::int64_t missed = 0;  // of a write: sectors that were not there, which are not fetched
  std::int64_t overwritten =
      0;  // bytes of a write, whole sectors, whose older value was dirty and now never leaves the cache
};

// Whole sectors that one write left dirty and that reach DRAM.
struct WriteBack {
  std::uint32_t region = 0;
  std::uint32_t writer = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(const WriteBack&, const WriteBack&) = default;
};

class ExtentCache {
 public:
  explicit ExtentCache(sim::Bytes capacity) : capacity_(capacity.count() / line_bytes) {}  // whole lines
  // Empties it. Regions are numbered from zero.
  void reset(std::uint32_t regions);
  Found touch(const Touch& touch);
  // Writes back what is dirty of a region; the lines stay.
  void clean(std::uint32_t region);
  // What was written back since this was last cleared.
  [[nodiscard]] const std::vector<WriteBack>& written_back() const { return written_back_; }
  void clear_written_back() { written_back_.clear(); }

  [[nodiscard]] std::int64_t lines() const { return used_; }
  [[nodiscard]] std::int64_t lines_of(std::uint32_t region) const { return regions_[region].lines; }
  [[nodiscard]] std::int64_t dirty_bytes() const;
  [[nodiscard]] std::size_t extents() const;  // runs that it keeps now: what its speed depends on

 private:
  using Index = std::uint32_t;
  static constexpr Index none = UINT32_MAX;
  static constexpr std::uint8_t whole = (1U << line_sectors) - 1;

  // Lines that were used one after another, the lowest first, and are in the same state. More than one line only if
  // all sectors are valid and all or none dirty, from one write.
  struct Extent {
    std::int64_t begin = 0;  // lines
    std::int64_t end = 0;
    std::array<std::uint32_t, line_sectors> writers{};  // of dirty sectors
    std::uint32_t region = 0;
    Index older = none;  // in the order of use
    Index newer = none;
    Index below = none;  // in the region
    Index above = none;
    std::uint8_t valid = 0;
    std::uint8_t dirty = 0;
    [[nodiscard]] std::int64_t lines() const { return end - begin; }
    [[nodiscard]] bool has_one_writer() const {
      return writers[0] == writers[1] && writers[0] == writers[2] && writers[0] == writers[3];
    }
  };
  struct Region {
    Index lowest = none;
    Index cursor = none;  // where the last search ended
    std::int64_t lines = 0;
  };
  // What a touch does to each line of a run.
  struct Use {
    std::uint32_t region = 0;
    std::uint8_t sectors = whole;
    bool write = false;
    std::uint32_t writer = 0;
  };

  void touch_lines(const Use& use, std::int64_t begin, std::int64_t end, Found& found);
  void bypass(const Use& use, std::int64_t begin, std::int64_t end, Found& found);
  void hit(const Use& use, Index extent, std::int64_t begin, std::int64_t end, Found& found);
  [[nodiscard]] std::int64_t fill(const Use& use, std::int64_t begin, std::int64_t end, Found& found);
  static void mark(const Use& use, Extent& extent);
  [[nodiscard]] bool slide(const Extent& added);
  [[nodiscard]] std::int64_t make_room(std::int64_t lines);
  void write_back(const Extent& extent, std::int64_t begin, std::int64_t end);
  void note(const WriteBack& sectors);

  [[nodiscard]] Index first_ending_after(std::uint32_t region, std::int64_t line);
  [[nodiscard]] Index cut(Index extent, std::int64_t line);
  void add(const Extent& added);
  void renew(Index extent);
  [[nodiscard]] static bool continues(const Extent& before, const Extent& after);
  void link_newest(Index extent);
  void unlink_use(Index extent);
  void unlink_place(Index extent);
  [[nodiscard]] Index allocate(const Extent& extent);
  void release(Index extent);

  std::int64_t capacity_;  // lines
  std::int64_t used_ = 0;
  std::vector<Extent> extents_;
  Index free_ = none;  // chained by `older`
  Index oldest_ = none;
  Index newest_ = none;
  std::vector<Region> regions_;
  std::vector<WriteBack> written_back_;
  bool last_missed_ = false;  // the last sector of the run at hand
};

}  // namespace kvtraffic::hardware::l2
