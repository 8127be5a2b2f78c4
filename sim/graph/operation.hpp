// What one logical operation wants: bytes from memory, arithmetic, a message to other devices. Symbolic: quantities are
// counts of entries that a point (batch, context) later fills in, so that one description serves a whole sweep.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/layout.hpp"
#include "sim/plan/precision.hpp"
#include "sim/run/traffic.hpp"

namespace kvtraffic::sim {

// Entries that one token touches when it attends to `p` positions, itself included.
struct Count {
  enum class Kind : std::uint8_t {
    one,      // 1
    fixed,    // limit
    window,   // min(limit, p)
    entries,  // floor(p / ratio): entries whose block is complete, this token's included
    capped,   // min(limit, floor(p / ratio))
    closes,   // 1 if p is a multiple of ratio (this token completes a block), else 0
    kept,     // p mod ratio, and limit more once a block is complete: rows that the next entry will pool
  };
  Kind kind = Kind::one;
  std::int64_t ratio = 1;
  std::int64_t limit = 0;

  [[nodiscard]] std::int64_t at(std::int64_t p) const;
  [[nodiscard]] std::string formula() const;  // "min(512, floor(N / 2))"
  friend bool operator==(const Count&, const Count&) = default;
};

// What a count is taken per, and so what multiplies it.
enum class Per : std::uint8_t {
  token,     // each token of the step, on each tensor rank that does not divide it
  rank,      // each data rank that has tokens: weights are read once however many tokens there are
  expert,    // each distinct routed expert of the step
  routed,    // each (token, chosen expert) pair
  sequence,  // each sequence, with the count at the last position; `kept`: of these the rows that the step made
  resumed,   // each sequence, with the count before the first position; `kept`: only if a block closes in the step
};

enum class Place : std::uint8_t { device, host, remote };  // remote: memory of another node, behind the link

// Whose memory a region is. Two accesses with the same role and the same owner touch the same bytes.
enum class Owner : std::uint8_t { layer, kv_source, selection_source, step };

inline constexpr std::int64_t divides_freely = INT64_MAX;

struct Access {
  DataKind kind = DataKind::activation;
  Direction direction = Direction::read;
  Pattern pattern = Pattern::stream;
  Place place = Place::device;
  Per per = Per::token;
  Owner owner = Owner::layer;
  bool transient = false;  // made and used up within the step: need not reach DRAM
  bool only_new = false;   // not done again for positions that are replayed
  bool dependent =
      false;  // its bytes or addresses come from an earlier operation of this step, so it cannot be fetched ahead
  bool at_home = false;  // Per::routed: back where the tokens are, so that uneven experts do not matter
  std::int64_t ways =
      1;  // most tensor ranks that can share it: 1 = every rank holds a copy, divides_freely = any number
  std::uint32_t role = 0;     // index into StepGraph::roles()
  std::uint32_t layout = 0;   // index into StepGraph::layouts()
  std::uint32_t experts = 0;  // for Per::expert and Per::routed: index into StepGraph::expert_sets()
  // Prefill, entries that tokens of one sequence read in common: tokens that load them together (a query tile). What
  // the algorithm asks for is then each distinct entry once. 0: each token asks for its own.
  std::int64_t queries = 0;
  Count count;
};

// Arithmetic: 2 x multiply-adds, per unit of `per` and per counted entry.
struct Work {
  Precision precision = Precision::bf16;
  double flops = 0;
  Per per = Per::token;
  Count count;
  std::int64_t ways = 1;
  std::uint32_t experts = 0;
};

enum class OperationKind : std::uint8_t {
  gemm,
  grouped_gemm,
  attention,
  scan,
  topk,
  elementwise,
  lookup,
  collective,
  small,  // kernels of an engine that no operation of the algorithm stands for: launches, and bytes that nobody counts
};
inline constexpr std::array<std::string_view, 9> operation_kind_names{
    "gemm", "grouped_gemm", "attention", "scan", "topk", "elementwise", "lookup", "collective", "small"};

// Which module of a layer an operation is part of. Norms, mixing of streams, residuals and all-reduces are of none.
enum class Module : std::uint8_t { none, attention, feed_forward };
inline constexpr std::array<std::string_view, 3> module_names{"none", "attention", "feed_forward"};

// What a kernel plan tiles over. Columns and heads are of the whole deployment; `ways` divides them over tensor ranks.
struct Shape {
  std::int64_t columns = 0;     // gemm: output columns
  std::int64_t depth = 0;       // gemm: inner dimension
  std::int64_t batches = 1;     // gemm: matrices beside one another, each with inputs and outputs of its own
  std::int64_t heads = 0;       // attention, scan
  std::int64_t tile_heads = 0;  // attention: heads of a tile; 0: as the plan says
  std::int64_t queries = 1;     // attention, scan: tokens of a tile
  std::int64_t window = 0;      // attention: positions of the sliding window, read beside `keys`
  Count keys;                   // attention, scan, topk: entries per token
  std::int64_t picked = 0;      // topk: entries that are kept; 0: not said
  // A grouped GEMM outside a step, which states its experts' tokens itself: 0 in steps.
  std::int64_t groups = 0;         // experts with tokens
  std::int64_t local = 0;          // experts on the device, with and without tokens
  std::int64_t group_rows = 0;     // of one that has the mean of tokens
  std::int64_t row_tiles_64 = 0;   // tiles of 64 rows, over all experts
  std::int64_t row_tiles_128 = 0;  // the same of 128
};

struct Collective {
  enum class Kind : std::uint8_t { none, all_reduce, dispatch, combine };
  Kind kind = Kind::none;
  std::int64_t bytes_per_token = 0;
};

struct Operation {
  std::string name;  // "index.scan"
  OperationKind kind = OperationKind::elementwise;
  std::vector<Access> accesses;
  std::vector<Work> work;
  Shape shape;
  Collective collective;
  std::uint32_t experts = 0;
  std::uint32_t span = 0;  // which positions run it: index into StepGraph::spans()
  Module module = Module::none;
  std::string attention;      // kind of attention of its layers; empty outside them
  bool folded = false;        // done in the kernel before or after it: no launch of its own
  std::int64_t launches = 1;  // kernels, one after another; small ones alone have more than one
};

}  // namespace kvtraffic::sim
