// How an engine cuts operations into kernels and tiles. Data from models/engines; knows no device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/layout.hpp"
#include "sim/plan/kernel_class.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

struct KernelPlan {
  std::string name;
  std::string summary;
  Pattern local_reads = Pattern::gather;  // window entries: picked by the index list of the sparse kernel, or streamed
  Pattern dense_reads = Pattern::stream;  // layers that read every entry
  std::int64_t activation_bits = 16;      // of activations between kernels
  std::int64_t score_bits = 32;           // of index scores between scan and top-k
  // Tiles: every engine file states them all.
  std::int64_t gemm_rows = 0;  // tile of a GEMM: output rows x columns
  std::int64_t gemm_columns = 0;
  std::int64_t gemm_depth = 0;       // least inner dimension of a split-K part
  std::int64_t attention_heads = 0;  // tile of attention: query heads x entries of one split
  std::int64_t attention_keys = 0;   // least entries of a split-KV part
  std::int64_t prefill_rows = 0;     // prefill, heads with keys of their own: query rows (token x head) of a tile
  std::int64_t prefill_queries = 0;  // prefill, one entry for all heads: tokens of a tile
  std::int64_t scan_keys = 0;        // tile of an index scan: keys
  std::int64_t scan_rows = 0;        // prefill: query rows (token x index head) of a tile
  std::int64_t stream_bytes = 0;     // tile of everything else: bytes
  std::vector<KernelClass> classes;  // the first that fits a kernel counts; none: nothing beyond bytes and arithmetic

  // `precision` is that of most of the kernel's arithmetic; none where it has none.
  [[nodiscard]] KernelClass class_of(OperationKind kind, Architecture architecture,
                                     std::optional<Precision> precision) const;
};

}  // namespace kvtraffic::sim
