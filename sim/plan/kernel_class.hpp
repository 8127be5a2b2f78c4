// What a class of an engine's kernels costs beyond bytes and arithmetic, on one kind of device. Data from
// models/engines. Leaves out devices themselves: an architecture is only a name by which a plan tells them apart.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/operation.hpp"
#include "sim/plan/precision.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

enum class Architecture : std::uint8_t { other, hopper, blackwell };
inline constexpr std::array<std::string_view, 3> architecture_names{"other", "hopper", "blackwell"};

// How a library hands out the work of a kernel (partition.hpp, gemm_tile.hpp).
enum class SplitRule : std::uint8_t { even, flashmla, flashinfer, fa3, xqa, trtllm_gen, deepgemm, deepgemm_2026 };
inline constexpr std::array<std::string_view, 8> split_rule_names{"even", "flashmla",   "flashinfer", "fa3",
                                                                  "xqa",  "trtllm-gen", "deepgemm",   "deepgemm-2026"};

// As constructed it changes nothing: a kernel costs its launch, its bytes and its arithmetic.
struct KernelClass {
  OperationKind kind = OperationKind::gemm;
  Architecture architecture = Architecture::other;
  std::optional<Precision> precision{};  // of its arithmetic; none: any
  bool batched = false;                  // gemm: of many matrices beside one another, or of one
  std::int64_t picked = 0;               // top-k: of kernels that keep so many entries; 0: any
  std::vector<std::string> layers{};  // kinds of attention of the layers it counts in; empty: any, and outside layers

  Duration start{};                        // before the first load, beyond the device's launch gap and start
  Duration bubble{};                       // of each tile: prologue and epilogue that no other tile's loads hide
  Duration soft{};                         // of each block: what neither tensor units nor memory hide
  std::optional<Duration> prefill_soft{};  // the same in prefill, whose kernels are others; none: as in decode
  Duration piece{};                        // of each request, or part of one, that a thread block works on
  Duration combine{};                      // of each split, in the kernel that adds the parts up
  Duration group{};                        // of each expert on the device, with or without tokens
  Bandwidth load_rate{};                   // most that one SM loads; zero: the device's
  double efficiency = 0;                   // share of the peak that this class sustains, where the device states less
  double exposed = 0;                      // passes over its activations that nothing overlaps
  std::int64_t heads = 0;                  // block of attention: query heads x keys; 0: the plan's tile
  std::int64_t keys = 0;                   // also of a scan, and entries of a top-k block
  std::int64_t passes = 1;                 // top-k: over the scores
  std::int64_t blocks = 1;                 // top-k: thread blocks of a row, if those of all rows run at once; else one
  bool padded = false;                     // attention: works on a whole selection, however few entries there are
  Duration slow{};                         // top-k: more time for rows of slow_from..slow_below - 1 scores
  std::int64_t slow_from = 0;
  std::int64_t slow_below = 0;
  double panels = 0;  // GEMM: share of the operand panels of all tiles that L2 has to deliver; the first always
  // GEMM: rows of a tile that lie outside of the matrix are loaded slowly. For 128 values of depth, if all rows did.
  Duration outside{};
  double refetch = 0;  // GEMM: of a panel of weights in memory, what a second tile of rows fetches again
  bool casts = false;  // GEMM: a kernel before it casts its input to the precision of its arithmetic
  SplitRule split = SplitRule::even;
};

}  // namespace kvtraffic::sim
