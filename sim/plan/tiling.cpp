// One rule per kind of operation. A count of tiles that leaves 64 bits is an OverflowError, as everywhere.
// Leaves out tile shapes that change with the size of a problem.
#include "sim/plan/tiling.hpp"

#include <algorithm>

#include "sim/plan/gemm_tile.hpp"
#include "sim/plan/partition.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

struct Question {
  const KernelPlan& plan;
  const Operation& operation;
  const Tally& tally;
  const SpanTokens& span;
  std::int64_t sms;

  [[nodiscard]] std::int64_t tokens() const { return std::max<std::int64_t>(1, span.tokens_device); }
};

std::int64_t pieces(std::int64_t whole, std::int64_t piece) {
  return std::max<std::int64_t>(1, ceil_divide(whole, std::max<std::int64_t>(1, piece)));
}

// Parts per tile that idle SMs can take in the same wave: at most one for each begun block of `least` in `length`.
std::int64_t splits(std::int64_t tiles, std::int64_t length, std::int64_t least, std::int64_t sms) {
  const std::int64_t idle = sms / tiles;
  return std::max<std::int64_t>(1, std::min(idle, pieces(length, least)));
}

// Tensor ranks share columns and heads as far as they share the arithmetic.
std::int64_t parts(const Operation& operation, const Tally& tally) {
  std::int64_t ways = 1;
  for (const Work& work : operation.work) ways = std::max(ways, work.ways);
  return tally.deployment.parts(ways);
}

// Causal prefill sees all lengths up to the last; its middle stands for the mean.
std::int64_t keys(const Question& q) {
  const Positions& at = q.span.at;
  const Shape& shape = q.operation.shape;
  const std::int64_t middle = at.first + at.count() / 2;
  return shape.keys.at(middle) + std::min(shape.window, middle - at.origin);
}

// Output rows: tokens, or what is worked out once for each sequence.
std::int64_t gemm_rows(const Question& q) {
  for (const Work& work : q.operation.work) {
    if (work.per != Per::sequence) continue;
    const std::int64_t requests = q.tally.deployment.fullest_requests(q.tally.point.batch);
    return checked_multiply(requests, entries_per_sequence(work.per, work.count, q.span.at));
  }
  return q.tokens();
}

std::int64_t gemm(const Question& q) {
  const std::int64_t columns = ceil_divide(q.operation.shape.columns, parts(q.operation, q.tally));
  const std::int64_t tiles = checked_multiply(pieces(gemm_rows(q), q.plan.gemm_rows),  //
                                              pieces(columns, q.plan.gemm_columns));
  return tiles * splits(tiles, q.operation.shape.depth, q.plan.gemm_depth, q.sms);
}

// The experts of a grouped GEMM on the fullest device.
struct Groups {
  std::int64_t count = 1;      // with tokens
  std::int64_t rows = 1;       // of one
  std::int64_t row_tiles = 1;  // of all, at `tile` rows
  std::int64_t columns = 1;

  static Groups of(const Question& q, const StepGraph& graph, std::int64_t tile) {
    const Shape& shape = q.operation.shape;
    if (shape.groups > 0) {
      return {shape.groups, shape.group_rows, tile <= 64 ? shape.row_tiles_64 : shape.row_tiles_128, shape.columns};
    }
    const std::uint32_t set = q.operation.experts;
    const std::size_t at = q.operation.span * graph.expert_sets().size() + set;
    const std::int64_t columns = ceil_divide(shape.columns, q.tally.deployment.expert_tensor());
    if (!q.tally.drawn.empty()) return drawn(q.tally.drawn[at], tile, columns);
    const std::int64_t experts = std::max<std::int64_t>(1, q.tally.distinct_experts[at]);
    const std::int64_t here = std::max<std::int64_t>(1, q.tally.distinct_experts_device[at]);
    const std::int64_t pairs = checked_multiply(q.span.tokens, graph.expert_sets()[set].active);
    const std::int64_t rows = ceil_divide(pairs, experts);
    return {here, rows, checked_multiply(here, pieces(rows, tile)), columns};
  }
  static Groups drawn(const ExpertLoad& load, std::int64_t tile, std::int64_t columns) {
    const std::int64_t here = std::max<std::int64_t>(1, load.distinct.device);
    const std::int64_t row_tiles = tile <= 64 ? load.row_tiles_64 : load.row_tiles_128;
    return {here, pieces(load.pairs_device, here), std::max<std::int64_t>(1, row_tiles), columns};
  }
};

std::int64_t grouped_gemm(const Question& q, const StepGraph& graph) {
  const Groups groups = Groups::of(q, graph, q.plan.gemm_rows);
  return checked_multiply(groups.row_tiles, pieces(groups.columns, q.plan.gemm_columns));
}

std::int64_t attention(const Question& q) {
  const std::int64_t tiles = checked_multiply(pieces(q.tokens(), q.operation.shape.queries),  //
                                              head_tiles_of(q.plan, q.operation, q.tally));
  return tiles * splits(tiles, keys(q), q.plan.attention_keys, q.sms);
}

std::int64_t scan(const Question& q) {
  return checked_multiply(pieces(q.tokens(), q.operation.shape.queries), pieces(keys(q), q.plan.scan_keys));
}

std::int64_t stream(const Question& q, std::uint32_t first_access) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < q.operation.accesses.size(); ++i) {
    bytes = checked_add(bytes, q.tally.accesses[first_access + i].device);
  }
  return pieces(bytes, q.plan.stream_bytes);
}

// ---- by a library's rules ----

double share_of(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(1, whole));
}

// Entries that attention would read if there were enough of them.
std::int64_t whole_selection(const Question& q) {
  const Shape& shape = q.operation.shape;
  return shape.keys.kind == Count::Kind::capped ? shape.keys.limit + shape.window : 0;
}

// Heads that do not fill a block are worked on as if they did.
Cut attention_parts(const Question& q, const KernelClass& its) {
  const Shape& shape = q.operation.shape;
  AttentionLoad load;
  load.requests = pieces(q.tokens(), shape.queries);
  const std::int64_t asked = std::max<std::int64_t>(1, keys(q));
  load.keys = its.padded ? std::max(asked, whole_selection(q)) : asked;
  load.head_rows = ceil_divide(shape.heads, parts(q.operation, q.tally));
  load.block_rows = its.heads > 0 ? its.heads : q.plan.attention_heads;
  load.block_keys = its.keys > 0 ? its.keys : q.plan.attention_keys;
  load.sms = q.sms;
  const Parts handed = partition(its.split, load);
  Cut cut;
  cut.tiles = handed.count;
  cut.blocks = handed.blocks;
  cut.pieces = handed.pieces;
  cut.splits = handed.splits;
  const double block = share_of(load.block_rows, load.head_rows) * share_of(load.block_keys, asked);
  cut.share = block * share_of(handed.blocks, load.requests);
  return cut;
}

// Rows of a masked group lie in a buffer that is longer than the group: no tile reaches outside.
Cut deepgemm_parts(SplitRule rule, const Question& q, const Groups& groups, bool is_grouped, const StepGraph& graph) {
  const std::int64_t many = is_grouped ? groups.count : 1;
  const GemmLoad load{groups.rows, groups.columns, q.operation.shape.depth, many, is_grouped, q.sms};
  const GemmTile tile = rule == SplitRule::deepgemm ? deepgemm_tile(load) : deepgemm_2026_tile(load);
  Cut cut;
  const std::int64_t row_tiles =
      is_grouped ? Groups::of(q, graph, tile.rows).row_tiles : pieces(groups.rows, tile.rows);
  const std::int64_t column_tiles = pieces(groups.columns, tile.columns);
  cut.row_tiles = pieces(pieces(row_tiles, many), tile.share_rows);
  cut.column_tiles = pieces(column_tiles, tile.share_columns);
  cut.tiles = checked_multiply(row_tiles, column_tiles);
  cut.share = share_of(tile.rows, groups.rows) * share_of(tile.columns, groups.columns) / static_cast<double>(many);
  cut.steps = pieces(load.depth, 128);
  cut.inputs = checked_multiply(checked_multiply(groups.rows, many), load.depth);
  cut.again = std::min(1.0, std::max(0.0, share_of(row_tiles, many) - 1));
  if (!is_grouped) cut.outside = 1 - share_of(groups.rows, checked_multiply(row_tiles, tile.rows));
  return cut;
}

Cut deepgemm(SplitRule rule, const Question& q, const StepGraph& graph) {
  if (q.operation.kind == OperationKind::grouped_gemm) {
    return deepgemm_parts(rule, q, Groups::of(q, graph, 64), true, graph);
  }
  const std::int64_t columns = ceil_divide(q.operation.shape.columns, parts(q.operation, q.tally));
  return deepgemm_parts(rule, q, {1, gemm_rows(q), 1, columns}, false, graph);
}

// Of a row of top-k. Libraries spread rows over several blocks only where one a row would leave SMs idle.
std::int64_t row_blocks(const KernelClass& its, std::int64_t rows, std::int64_t sms) {
  const std::int64_t blocks = std::max<std::int64_t>(1, its.blocks);
  return blocks <= sms / std::max<std::int64_t>(1, rows) ? blocks : 1;
}

Cut even_cut(const Question& q, const KernelClass& its, const StepGraph& graph, std::int64_t tiles) {
  Cut cut;
  cut.tiles = tiles;
  if (q.operation.kind == OperationKind::topk) {
    const std::int64_t blocks = row_blocks(its, tiles, q.sms);
    cut.tiles = checked_multiply(tiles, blocks);
    cut.scores = keys(q) > q.operation.shape.picked ? keys(q) : 0;
    const std::int64_t entries = ceil_divide(cut.scores, blocks);
    cut.blocks = cut.scores == 0 ? 0 : pieces(entries, its.keys > 0 ? its.keys : entries);
  } else if (q.operation.kind == OperationKind::attention) {
    const std::int64_t begun =
        checked_multiply(pieces(q.tokens(), q.operation.shape.queries), head_tiles_of(q.plan, q.operation, q.tally));
    cut.splits = std::max<std::int64_t>(1, tiles / begun);
    cut.blocks = pieces(ceil_divide(keys(q), cut.splits), its.keys > 0 ? its.keys : q.plan.attention_keys);
  } else if (q.operation.kind == OperationKind::grouped_gemm || q.operation.kind == OperationKind::gemm) {
    const bool is_grouped = q.operation.kind == OperationKind::grouped_gemm;
    const Groups groups = is_grouped ? Groups::of(q, graph, q.plan.gemm_rows) : Groups{};
    cut.column_tiles = pieces(is_grouped ? groups.columns : q.operation.shape.columns, q.plan.gemm_columns);
    cut.row_tiles = pieces(pieces(tiles, cut.column_tiles), groups.count);  // of a group
  }
  return cut;
}

bool is_gemm(const Operation& operation) {
  return operation.kind == OperationKind::gemm || operation.kind == OperationKind::grouped_gemm;
}

// By the library's rule, or else evenly.
Cut cut_by_rule(const Question& question, const KernelClass& its_class, const StepGraph& graph,
                std::uint32_t operation) {
  const Operation& its = question.operation;
  const SplitRule rule = its_class.split;
  const bool is_decode = its.kind == OperationKind::attention && its.shape.queries == 1;
  const bool is_deepgemm = rule == SplitRule::deepgemm || rule == SplitRule::deepgemm_2026;
  if (is_deepgemm && is_gemm(its)) return deepgemm(rule, question, graph);
  if (is_decode && rule != SplitRule::even && !is_deepgemm) return attention_parts(question, its_class);
  return even_cut(question, its_class, graph, tiles_of(question.plan, graph, operation, question.tally, question.sms));
}

}  // namespace

Cut cut_of(const KernelPlan& plan, const KernelClass& its_class, const StepGraph& graph, std::uint32_t operation,
           const Tally& tally, std::int64_t sms) {
  const Operation& its = graph.operations()[operation];
  const Question question{plan, its, tally, tally.spans[its.span], sms};
  Cut cut = cut_by_rule(question, its_class, graph, operation);
  cut.prefill = question.span.at.count() > 1;
  return cut;
}

std::int64_t head_tiles_of(const KernelPlan& plan, const Operation& operation, const Tally& tally) {
  if (operation.kind != OperationKind::attention) return 1;
  const Shape& shape = operation.shape;
  return pieces(ceil_divide(shape.heads, parts(operation, tally)),
                shape.tile_heads > 0 ? shape.tile_heads : plan.attention_heads);
}

std::int64_t tiles_of(const KernelPlan& plan, const StepGraph& graph, std::uint32_t operation, const Tally& tally,
                      std::int64_t sms) {
  const Operation& its = graph.operations()[operation];
  const Question question{plan, its, tally, tally.spans[its.span], sms};
  switch (question.operation.kind) {
    case OperationKind::gemm:
      return gemm(question);
    case OperationKind::grouped_gemm:
      return grouped_gemm(question, graph);
    case OperationKind::attention:
      return attention(question);
    case OperationKind::scan:
      return scan(question);
    case OperationKind::topk:
      return question.tokens();
    case OperationKind::elementwise:
    case OperationKind::lookup:
    case OperationKind::collective:
    case OperationKind::small:
      break;
  }
  return stream(question, graph.first_access_of(operation));
}

}  // namespace kvtraffic::sim
