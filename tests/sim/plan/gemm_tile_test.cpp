// Tiles that DeepGEMM's published rules pick.
#include "sim/plan/gemm_tile.hpp"

#include <gtest/gtest.h>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

constexpr std::int64_t h200_sms = 132;

GemmLoad product(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  return {.rows = rows, .columns = columns, .depth = depth, .groups = 1, .masked = false, .sms = h200_sms};
}

TEST(DeepGemmTile, TakesTheFewestWavesThenTheFullest) {
  EXPECT_EQ(deepgemm_tile(product(64, 2112, 7168)).rows, 64);
  EXPECT_EQ(deepgemm_tile(product(64, 2112, 7168)).columns, 16);  // 132 tiles: one full wave
  EXPECT_EQ(deepgemm_tile(product(65, 2112, 7168)).rows, 128);
  const GemmTile wide = deepgemm_tile(product(64, 24576, 1536));
  const std::int64_t waves = ceil_divide(ceil_divide(24576, wide.columns), h200_sms);
  EXPECT_EQ(waves, 2);  // 24,576 / 128 = 192 tiles: no width takes fewer
}

TEST(DeepGemm2026Tile, FewRowsGetALowTile) {
  EXPECT_EQ(deepgemm_2026_tile(product(1, 7168, 2048)).rows, 16);
  EXPECT_EQ(deepgemm_2026_tile(product(16, 7168, 2048)).rows, 16);
  EXPECT_EQ(deepgemm_2026_tile(product(17, 7168, 2048)).rows, 32);
  EXPECT_EQ(deepgemm_2026_tile(product(33, 7168, 2048)).rows, 64);
}

// 7,168 columns: of widths in steps of 16 that take one wave, 64 loads least.
TEST(DeepGemm2026Tile, OneWaveOfTheNarrowestTiles) {
  EXPECT_EQ(deepgemm_2026_tile(product(64, 7168, 16384)).columns, 64);
  EXPECT_GT(ceil_divide(7168, 48), h200_sms);
}

// 128 rows as one tile leave 112 tiles of 64 columns; two of 64 rows fill 128 SMs and load less each.
TEST(DeepGemm2026Tile, TwoTilesOfRowsFillMoreSms) {
  const GemmTile tile = deepgemm_2026_tile(product(128, 7168, 16384));
  EXPECT_EQ(tile.rows, 64);
  EXPECT_EQ(tile.columns, 112);
}

TEST(DeepGemm2026Tile, ClustersShareOneOperandBeyondOneWave) {
  const GemmTile few = deepgemm_2026_tile(product(64, 7168, 16384));
  EXPECT_EQ(few.share_rows * few.share_columns, 1);
  const GemmTile many = deepgemm_2026_tile(product(4096, 7168, 16384));
  EXPECT_EQ(many.share_rows * many.share_columns, 2);
}

TEST(DeepGemm2026Tile, MaskedGroupsHaveNoLowTile) {
  GemmLoad load = product(8, 4096, 7168);
  load.groups = 32;
  load.masked = true;
  EXPECT_EQ(deepgemm_2026_tile(load).rows, 64);
}

TEST(DeepGemm2026Tile, TilesFitSharedMemoryAtAnySize) {
  for (const std::int64_t depth : {1, 128, 7168, 1 << 20}) {
    for (const std::int64_t rows : {1, 4096, 1 << 20}) {
      const GemmTile tile = deepgemm_2026_tile(product(rows, 1 << 20, depth));
      EXPECT_LE(3 * 128 * (tile.rows + tile.columns) + 2 * tile.rows * tile.columns, 232'448) << rows << " " << depth;
      EXPECT_TRUE(tile.rows <= 128 || tile.columns <= 128);
    }
  }
}

}  // namespace
}  // namespace kvtraffic::sim
