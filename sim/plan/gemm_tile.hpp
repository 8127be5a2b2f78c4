// Which tile a GEMM library gives its thread blocks: the published rules as pure functions of a problem and the SMs.
// Leaves out what a tile costs (hardware/machine) and tiles of libraries whose choice nobody publishes.
#pragma once

#include <cstdint>

namespace kvtraffic::sim {

struct GemmLoad {
  std::int64_t rows = 1;     // of a group
  std::int64_t columns = 1;  // of the output
  std::int64_t depth = 1;    // inner dimension
  std::int64_t groups = 1;   // with rows
  bool masked = false;       // groups of a grouped GEMM: as many rows as each has, known to the kernel alone
  std::int64_t sms = 1;
};

struct GemmTile {
  std::int64_t rows = 64;
  std::int64_t columns = 16;
  std::int64_t share_rows = 1;     // tiles of one column beside one another that load its weights together
  std::int64_t share_columns = 1;  // tiles of one row beside one another that load its activations together
};

// DeepGEMM of 2025: 64 rows up to 64 rows a group, else 128; of 16 to 128 columns the width with the fewest waves, then
// the fullest last wave.
[[nodiscard]] GemmTile deepgemm_tile(const GemmLoad& load);

// DeepGEMM of 2026 (heuristics of SM90): of all tiles that fit registers and shared memory the one that L2 or L1 feeds
// first, waves not full counted as if they were. Clusters of two load one operand together.
[[nodiscard]] GemmTile deepgemm_2026_tile(const GemmLoad& load);

}  // namespace kvtraffic::sim
