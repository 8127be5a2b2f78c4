// The rules as DeepGEMM states them, for FP8 operands with scales of 128 values and outputs of 16 bits.
// Leaves out outputs of 32 bits and the tiles of Blackwell, whose rule differs: Hopper's stands in.
#include "sim/plan/gemm_tile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

// Columns of a tile that take the fewest waves of `sms`, then leave the fewest SMs idle in the last.
std::int64_t best_width(std::int64_t row_tiles, std::int64_t columns, std::int64_t sms) {
  std::int64_t best = 16, fewest = INT64_MAX, fullest = 0;
  for (std::int64_t width = 16; width <= 128; width += 8) {
    const std::int64_t tiles = checked_multiply(row_tiles, ceil_divide(columns, width));
    const std::int64_t waves = ceil_divide(tiles, sms);
    const std::int64_t last = tiles - (waves - 1) * sms;
    if (waves > fewest || (waves == fewest && last <= fullest)) continue;
    best = width;
    fewest = waves;
    fullest = last;
  }
  return best;
}

// ---- 2026 ----

constexpr std::int64_t step_depth = 128;         // values of the inner dimension that one stage holds
constexpr std::int64_t shared_memory = 232'448;  // bytes of an SM that a thread block may use
constexpr std::int64_t widest = 192;             // columns: wider tiles spill registers
constexpr double l1_bytes = 128;                 // that an SM's L1 delivers in a cycle
constexpr double l2_bytes = 8e6 / 1.3e3;         // that L2 delivers in a cycle; but at most the next of every SM
constexpr double l2_bytes_sm = 64;

// Stages of operands that shared memory holds beside the output of a tile.
std::int64_t stages(const GemmTile& tile, std::int64_t depth) {
  const std::int64_t scales = std::int64_t{step_depth % tile.columns == 0 ? 4 : 8} * ceil_divide(depth, step_depth);
  const std::int64_t fixed =
      round_up_to(std::int64_t{2} * tile.rows * tile.columns, 1024) + 256 + round_up_to(scales, 8);
  const std::int64_t stage = (tile.rows + tile.columns) * step_depth + round_up_to(tile.rows * 4, 128);
  return (shared_memory - fixed) / stage;
}

bool is_legal(const GemmTile& tile, std::int64_t depth) {
  const std::int64_t beyond = tile.columns - step_depth;
  if (beyond > 0 && tile.columns % beyond != 0 && step_depth % beyond != 0) return false;
  if (tile.rows > 128 && tile.columns > 128) return false;
  const std::int64_t fit = stages(tile, depth);
  return fit >= 4 || (fit == 3 && tile.rows * tile.columns >= 128 * widest);
}

// Cycles until L2 or L1 has fed all waves; infinite for clusters that the library does not use.
double cycles(const GemmTile& tile, const GemmLoad& load) {
  const double tiles = static_cast<double>(ceil_divide(load.rows, tile.rows)) *
                       static_cast<double>(ceil_divide(load.columns, tile.columns)) * static_cast<double>(load.groups);
  const auto sms = static_cast<double>(load.sms);
  const double waves = std::max(1.0, std::ceil(tiles / sms));
  const bool is_cluster = tile.share_rows * tile.share_columns > 1;
  if (is_cluster && (waves <= 1 || (load.masked && load.rows <= tile.rows))) {
    return std::numeric_limits<double>::infinity();
  }
  const auto depth = static_cast<double>(load.depth);
  const auto rows = static_cast<double>(tile.rows), columns = static_cast<double>(tile.columns);
  const double output = 2 * rows * columns;
  const double from_l2 =
      depth * (rows / static_cast<double>(tile.share_columns) + columns / static_cast<double>(tile.share_rows)) +
      output;
  const double from_l1 = depth * (rows + columns) + depth * (std::max(64.0, rows) + columns) + 2 * output;
  const double l2 = from_l2 / std::min(l2_bytes, l2_bytes_sm * sms);
  return std::max(l2, from_l1 / (l1_bytes * sms)) * waves * sms;
}

std::vector<std::int64_t> heights(const GemmLoad& load) {
  std::vector<std::int64_t> result{64, 128};
  if (load.masked) return result;
  if (load.rows <= 16) result.push_back(16);
  if (load.rows <= 32) result.push_back(32);
  result.push_back(256);
  return result;
}

}  // namespace

GemmTile deepgemm_tile(const GemmLoad& load) {
  GemmTile tile;
  tile.rows = load.rows <= 64 ? 64 : 128;
  const std::int64_t row_tiles = std::max<std::int64_t>(1, ceil_divide(load.rows, tile.rows));
  tile.columns = best_width(checked_multiply(load.groups, row_tiles), load.columns, load.sms);
  return tile;
}

GemmTile deepgemm_2026_tile(const GemmLoad& load) {
  GemmTile best;
  double least = std::numeric_limits<double>::infinity();
  constexpr GemmTile clusters[] = {{.share_rows = 1, .share_columns = 1},
                                   {.share_rows = 1, .share_columns = 2},
                                   {.share_rows = 2, .share_columns = 1}};
  for (GemmTile tile : clusters) {
    if (load.sms % (tile.share_rows * tile.share_columns) != 0) continue;
    for (const std::int64_t height : heights(load)) {
      for (tile.rows = height, tile.columns = 16; tile.columns <= widest; tile.columns += 16) {
        const std::int64_t in_row = ceil_divide(load.columns, tile.columns);
        if (load.masked && in_row % (tile.share_rows * tile.share_columns) != 0) continue;
        if (!is_legal(tile, load.depth)) continue;
        const double its = cycles(tile, load);
        if (its >= least) continue;
        least = its;
        best = tile;
      }
    }
  }
  return best;
}

}  // namespace kvtraffic::sim
