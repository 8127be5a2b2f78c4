// How an engine cuts operations into kernels and tiles. Data from models/engines; knows no device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/layout.hpp"
#include "sim/plan/kernel_class.hpp"
#include "sim/plan/launch_mode.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

// Kernels of a layer that no operation stands for: metadata, copies, casts, concatenations.
struct SmallKernels {
  Module module = Module::attention;
  std::string layers;  // kind of attention of the layers; empty: any
  std::int64_t kernels = 0;
};

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
  LaunchMode launch = LaunchMode::graph;
  Duration host_gap{};              // of the host, before the first kernel of a step
  bool in_order = false;            // one stream: a kernel waits for the one before it, data or not
  std::vector<std::string> beside;  // operations on a second stream: they wait for their data alone
  std::vector<std::string> folded;  // operations that are done in another kernel
  bool as_stored = false;           // dense latent attention multiplies in the width that its cache is stored in
  std::vector<SmallKernels> small;
  std::vector<KernelClass> classes;  // the first that fits a kernel counts; none: nothing beyond bytes and arithmetic

  // `precision` is that of most of the kernel's arithmetic; none where it has none.
  [[nodiscard]] KernelClass class_of(const Operation& operation, Architecture architecture,
                                     std::optional<Precision> precision) const;
  [[nodiscard]] bool folds(std::string_view operation) const;
  [[nodiscard]] bool runs_beside(std::string_view operation) const;  // always, where the plan has no order
  [[nodiscard]] std::int64_t small_kernels(Module module, std::string_view layers) const;
};

}  // namespace kvtraffic::sim
