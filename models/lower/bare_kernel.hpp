// A kernel by itself, with no model around it: its numbers, and the small step graph that runs it.
// Leaves out reading it from a scenario (scenarios/spec/scope.hpp) and links between devices.
#pragma once

#include <cstdint>

#include "models/lower/lower.hpp"
#include "sim/graph/operation.hpp"
#include "sim/plan/precision.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::models {

struct BareKernel {
  enum class Kind { gemm, grouped_gemm, moe, attention, gather, scan, topk, elementwise };
  Kind kind = Kind::gemm;
  enum class Start { cold, warm, dirty };
  Start start = Start::cold;  // warm: inputs that fit lie in L2; dirty: lines of others do, and must be written back
  sim::Precision precision = sim::Precision::bf16;
  std::int64_t rows = 1;     // gemm: m; grouped: (token, expert) pairs; attention, scan, top-k, gather: requests
  std::int64_t columns = 0;  // gemm: n; moe: width of an expert
  std::int64_t depth = 0;    // gemm: k; moe: hidden size
  double weight_bits = 16;   // of a weight, its share of the scales included
  std::int64_t experts = 1;  // on the device
  double spread = 0;         // tokens of an expert lie within mean x (1 -+ spread), evenly
  std::int64_t keys = 1;     // of a request: attention, scan, top-k, gather
  double entry_bytes = 0;    // of a key
  std::int64_t heads = 1;
  std::int64_t key_width = 0;
  std::int64_t value_width = 0;
  std::int64_t queries = 1;  // tokens of a request
  std::int64_t picked = 0;   // top-k: entries of a row that are kept
  std::int64_t values = 0;   // elementwise: of a token and stream
  std::int64_t reads = 1;    // elementwise: streams read, written
  std::int64_t writes = 1;
  std::int64_t kernels = 1;  // elementwise: share the bytes evenly, one after another
};

// Tokens of the experts of a grouped GEMM, drawn without chance: the same for every run.
struct ExpertRows {
  std::int64_t active = 0;         // experts with tokens
  std::int64_t mean = 0;           // of those, rounded up
  std::int64_t row_tiles_64 = 0;   // tiles of 64 rows
  std::int64_t row_tiles_128 = 0;  // of 128
};
// It takes time for each expert: scenarios allow 65,536.
[[nodiscard]] ExpertRows expert_rows(std::int64_t experts, std::int64_t rows, double spread);

// What a kernel with a dirty start finds in L2: a matter of the device.
struct DirtyLines {
  double per_byte_read = 0;  // bytes that are written back for each byte that the kernel reads,
  sim::Bytes most;           // until these are out
};

// One vertex for each kernel. The point is Point::decode(kernel.rows, kernel.keys). It owns no cache and no weights:
// the demand is empty. OverflowError when bytes leave 64 bits.
[[nodiscard]] Lowered lower_kernel(const BareKernel& kernel, const DirtyLines& dirty = {});

}  // namespace kvtraffic::models
