// How entries of one kind lie in memory, and the only function that turns a number of entries into bytes: storage,
// capacity, traffic and reports all ask here. Leaves out where the numbers come from (models/spec reads them from the
// cache formats).
#pragma once

#include <cstdint>
#include <string>

namespace kvtraffic::sim {

inline constexpr std::int64_t sector_bytes = 32;  // what a GPU's L2 fetches and an HBM burst carries

enum class Pattern : std::uint8_t {
  stream,  // neighbours in order: whole pages, then the used part of the last one
  gather,  // entries picked by a list, each requested by itself
};

struct SectorBytes {
  std::int64_t bytes = 0;     // whole sectors requested
  std::int64_t apart = 0;     // of these, beyond the nominal bytes because scales lie apart from the values
  std::int64_t rounding = 0;  // of these, beyond the nominal bytes because rows do not fill their sectors
};

// One entry is `row` bytes that lie together plus `apart` bytes elsewhere in the same page. A page holds all rows, then
// all apart bytes, then padding; pages start on a sector.
struct Layout {
  std::string name;        // "v4-fp8"
  std::string arithmetic;  // "448 x 8 bit + 64 x 16 bit + 7 scales x 8 bit + 1 B = 584 B"
  std::string source;      // where the layout is documented
  std::int64_t row = 0;
  std::int64_t apart = 0;
  std::int64_t page_entries = 1;
  std::int64_t page_bytes = 0;  // with padding; a multiple of sector_bytes for paged layouts

  // A blob that is not paged (a weight, an activation): `bytes` together, each entry on its own sectors.
  [[nodiscard]] static Layout blob(std::string name, std::int64_t bytes, std::string arithmetic = "");
  // Elements of `bytes` each that follow one another without gaps (a list, a table's rows).
  [[nodiscard]] static Layout packed(std::string name, std::int64_t bytes, std::string arithmetic = "");

  [[nodiscard]] std::int64_t entry_bytes() const { return row + apart; }
  [[nodiscard]] std::int64_t stored(std::int64_t entries) const;     // entries x entry_bytes
  [[nodiscard]] std::int64_t allocated(std::int64_t entries) const;  // whole pages, padding included
  // Sectors that `entries` entries cost: gathered ones average over the places in a page, streamed ones start at a
  // page.
  [[nodiscard]] SectorBytes sectors(std::int64_t entries, Pattern pattern) const;

 private:
  [[nodiscard]] SectorBytes gathered(std::int64_t entries) const;
  [[nodiscard]] SectorBytes streamed(std::int64_t entries) const;
};

}  // namespace kvtraffic::sim
