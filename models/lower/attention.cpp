// Attention as operations: what all kinds share, and the shared-entry kinds with window, compressors and selection (V4,
// V4.1). One operation per logical step; nothing is fused. Head and latent attention stand in head_attention.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/lower/layer_builder.hpp"

namespace kvtraffic::models {

using sim::Count;
using sim::DataKind;
using sim::OperationKind;
using sim::Owner;

namespace {

constexpr std::int64_t position_bytes = 4;  // a selected position, int32 (FlashMLA's index lists)

// Index keys are scored in the width they are stored in: 4-bit keys run as FP4, 8-bit ones as FP8.
sim::Precision score_precision(std::int64_t bits) {
  if (bits <= 4) return sim::Precision::fp4;
  if (bits <= 8) return sim::Precision::fp8;
  return bits <= 16 ? sim::Precision::bf16 : sim::Precision::fp32;
}

}  // namespace

sim::Layout LayerBuilder::entry(EntryRole role) const {
  return context_.format.layout(role, context_.model.cache, attention());
}

// Sparse kernels widen what they gather; dense ones of some engines multiply a narrow latent as it is stored.
sim::Precision LayerBuilder::core_precision() const {
  const Attention& a = attention();
  const bool is_stored_so = context_.plan.as_stored && a.kind == AttentionKind::mla && !a.has_heads_cached() &&
                            !expands_context() && context_.prefill == nullptr;
  if (!is_stored_so || context_.format.value_bits(EntryRole::main, context_.model.cache) > 8) {
    return sim::Precision::bf16;
  }
  return sim::Precision::fp8;
}

std::int64_t LayerBuilder::cache_ways() const { return attention().has_heads_cached() ? attention().kv_heads : whole; }

bool LayerBuilder::expands_context() const {
  const Attention& a = attention();
  if (context_.prefill == nullptr || a.has_heads_cached()) return false;
  return a.kind == AttentionKind::mla || (a.kind == AttentionKind::dsa && context_.prefill->dense);
}

// Heads with keys of their own: the rows of a tile are the tokens' heads that share one. Else a tile is whole tokens.
std::int64_t LayerBuilder::query_tile() const {
  const Attention& a = attention();
  if (context_.prefill == nullptr) return 0;
  if (expands_context()) return context_.plan.prefill_rows;
  if (!a.has_heads_cached()) return context_.plan.prefill_queries;
  return std::max<std::int64_t>(1, context_.plan.prefill_rows * a.kv_heads / a.heads);
}

sim::Shape LayerBuilder::attention_shape() const {
  const Attention& a = attention();
  sim::Shape shape{.heads = a.heads, .keys = main_count()};
  if (a.kind == AttentionKind::window) shape.keys = {Count::Kind::fixed, 1, 0};
  if (a.has_window()) shape.window = a.window;
  if (context_.prefill == nullptr) return shape;
  shape.queries = query_tile();
  if (a.has_heads_cached()) shape.heads = a.kv_heads;
  if (a.has_heads_cached() || expands_context()) shape.tile_heads = 1;
  return shape;
}

Count LayerBuilder::main_count() const {
  const Attention& a = attention();
  if (!a.is_sparse() || expands_context()) return {Count::Kind::entries, a.ratio, 0};
  return {Count::Kind::capped, a.ratio, a.top_k};
}

Count LayerBuilder::scanned_count() const {
  const Attention& a = attention();
  if (a.mode == SelectionMode::reindex) return {Count::Kind::capped, a.ratio, a.candidates};
  return {Count::Kind::entries, a.ratio, 0};
}

void LayerBuilder::own_caches() {
  const Attention& a = attention();
  const auto own = [this](std::string name, DataKind kind, std::int64_t ratio, std::int64_t fixed,
                          const sim::Layout& layout, std::int64_t ways = whole) {
    for (sim::StoredCache& c : demand_.caches) {
      if (c.name == name && c.ratio == ratio && c.fixed == fixed && c.layout.name == layout.name) {
        ++c.layers;
        return;
      }
    }
    demand_.caches.push_back({std::move(name), kind, ratio, fixed, 1, ways, layout});
  };
  if (a.owns_cache()) own("main", DataKind::kv_main, a.ratio, 0, entry(EntryRole::main), cache_ways());
  if (a.owns_cache() && a.selects()) own("index", DataKind::index_key, a.ratio, 0, entry(EntryRole::index));
  if (a.has_window()) own("window", DataKind::kv_local, 0, a.window, entry(EntryRole::local));
  if (!a.owns_cache() || a.ratio == 1) return;
  const std::int64_t rows = context_.format.state_rows(context_.model.cache, a);
  own("state", DataKind::state, 0, rows, context_.format.state_row(context_.model.cache, a, a.head_dim));
  if (a.kind == AttentionKind::csa) {
    own("index state", DataKind::state, 0, rows, context_.format.state_row(context_.model.cache, a, a.index_dim));
  }
}

std::uint32_t LayerBuilder::store_window_entry(std::uint32_t down) {
  const Attention& a = attention();
  return add("attention.store", OperationKind::elementwise, {{down, "latents"}}, [&](OperationMaker& op) {
    op.reads("latents", a.query_rank + a.head_dim).writes("query latent", a.query_rank);
    op.writes_cache(DataKind::kv_local, "window", entry(EntryRole::local), {});
  });
}

// Projects the token for the compressors, then writes its state row and, when a block closes, the entry and its index
// key.
std::uint32_t LayerBuilder::compress(std::uint32_t normed) {
  const Attention& a = attention();
  std::int64_t columns = weight("compressor").columns;
  if (a.kind == AttentionKind::csa) columns += weight("index compressor").columns;
  const std::uint32_t projected =
      add("compress.project", OperationKind::gemm, {{normed, "normed hidden state"}}, [&](OperationMaker& op) {
        op.multiplies(weight("compressor")).reads("normed", hidden());
        if (a.kind == AttentionKind::csa) op.multiplies(weight("index compressor"));
        op.writes("compressor rows", columns);
      });
  return add("compress.update", OperationKind::elementwise, {{projected, "compressor rows"}}, [&](OperationMaker& op) {
    op.reads("compressor rows", columns);
    update_state(op);
    const Count closes{Count::Kind::closes, a.ratio, 0};
    op.writes_cache(DataKind::kv_main, "main", entry(EntryRole::main), closes);
    if (a.kind == AttentionKind::csa2) op.multiplies(weight("index key"));
    if (a.selects()) op.writes_cache(DataKind::index_key, "index keys", entry(EntryRole::index), closes);
  });
}

void LayerBuilder::update_state(OperationMaker& op) {
  const Attention& a = attention();
  if (a.ratio == 1) return;
  const auto update = [&](std::string_view role, std::int64_t width) {
    context_.prefill == nullptr ? update_state_of_token(op, role, width) : update_state_of_chunk(op, role, width);
  };
  update("state", a.head_dim);
  if (a.kind == AttentionKind::csa) update("index state", a.index_dim);
}

// Every token writes its row, the token that closes the block reads all rows.
void LayerBuilder::update_state_of_token(OperationMaker& op, std::string_view role, std::int64_t width) {
  const Attention& a = attention();
  const std::int64_t rows = a.ratio * (a.overlap ? 2 : 1);
  const sim::Layout row = context_.format.state_row(context_.model.cache, a, width);
  sim::Layout block = sim::Layout::blob(fmt::format("{} x {} rows", row.name, rows), row.row * rows,
                                        fmt::format("{} rows of {}", rows, row.arithmetic));
  block.source = row.source;
  op.writes_cache(DataKind::state, role, row, {});
  op.reads_cache(DataKind::state, role, block, {Count::Kind::closes, a.ratio, 0}, sim::Pattern::stream, Owner::layer);
}

// A chunk pools its blocks as it goes. It leaves the rows that its last block still needs (with overlap those of the
// block before, too), and takes up what the chunk before it left if it closes a block.
void LayerBuilder::update_state_of_chunk(OperationMaker& op, std::string_view role, std::int64_t width) {
  const Attention& a = attention();
  const sim::Layout row = context_.format.state_row(context_.model.cache, a, width);
  const Count kept{Count::Kind::kept, a.ratio, a.overlap ? a.ratio : 0};
  op.writes_cache(DataKind::state, role, row, kept).each_sequence(sim::Per::sequence, kept);
  op.reads_cache(DataKind::state, role, row, kept, sim::Pattern::stream, Owner::layer)
      .each_sequence(sim::Per::resumed, kept);
}

void LayerBuilder::index(std::uint32_t normed, std::uint32_t query_latent, std::optional<std::uint32_t> key) {
  const Attention& a = attention();
  const std::uint32_t query =
      add("index.query", OperationKind::gemm, {{query_latent, "query latent"}}, [&](OperationMaker& op) {
        op.multiplies(weight("index query"))
            .reads("query latent", a.query_rank)
            .writes("index query", a.index_heads * a.index_dim);
      });
  const std::uint32_t heads =
      add("index.weights", OperationKind::gemm, {{normed, "normed hidden state"}}, [&](OperationMaker& op) {
        op.multiplies(weight("index head weights"))
            .reads("normed", hidden())
            .writes("index head weights", a.index_heads);
      });
  std::vector<After> after{{query, "index query"}, {heads, "head weights"}};
  if (key) after.push_back({*key, "this token's index key"});
  const Made& source = made_[static_cast<std::size_t>(here().kv_source)];
  if (a.mode == SelectionMode::reindex) after.push_back({source.pool.value(), "candidate pool"});
  Made& mine = made_[static_cast<std::size_t>(index_)];
  mine.selection = pick(scan(after));
  if (here().hands_on_pool) mine.pool = mine.selection;
}

std::uint32_t LayerBuilder::scan(const std::vector<After>& after) {
  const Attention& a = attention();
  return add("index.scan", OperationKind::scan, after, [&](OperationMaker& op) {
    const sim::Layout key = entry(EntryRole::index);
    const Count keys = scanned_count();
    op.reads("index query", a.index_heads * a.index_dim).reads("index head weights", a.index_heads);
    if (a.mode == SelectionMode::reindex) {
      const Count blocks{Count::Kind::capped, a.ratio * a.candidate_block, a.candidates / a.candidate_block};
      op.reads_list("candidate pool", position_bytes, blocks, Owner::kv_source);
    }
    op.reads_cache(DataKind::index_key, "index keys", key, keys, sim::Pattern::stream, Owner::kv_source);
    const bool picks = a.mode == SelectionMode::reindex;  // each query has candidates of its own
    const std::int64_t tile = picks ? 1 : std::max<std::int64_t>(1, context_.plan.scan_rows / a.index_heads);
    if (context_.prefill != nullptr) op.shared_by(tile);
    op.writes_list("index scores", sim::ceil_divide(context_.plan.score_bits, 8), keys, Owner::step);
    const std::int64_t bits = context_.format.value_bits(EntryRole::index, context_.model.cache);
    op.computes(score_precision(bits), 2.0 * static_cast<double>(a.index_heads * a.index_dim), keys, whole);
    op.shape({.heads = a.index_heads, .queries = context_.prefill == nullptr ? 1 : tile, .keys = keys});
  });
}

std::uint32_t LayerBuilder::pick(std::uint32_t scores) {
  const Attention& a = attention();
  return add("index.topk", OperationKind::topk, {{scores, "index scores"}}, [&](OperationMaker& op) {
    op.reads_list("index scores", sim::ceil_divide(context_.plan.score_bits, 8), scanned_count(), Owner::step);
    op.writes_list("selection", position_bytes, main_count(), Owner::layer);
    if (here().hands_on_pool) {
      const Count blocks{Count::Kind::capped, a.ratio * a.candidate_block, a.candidates / a.candidate_block};
      op.writes_list("candidate pool", position_bytes, blocks, Owner::layer);
    }
    op.shape({.keys = scanned_count(), .picked = main_count().limit});
  });
}

void LayerBuilder::read_main_entries(OperationMaker& op) {
  const Attention& a = attention();
  if (a.kind == AttentionKind::window) return;
  if (expands_context()) return read_expanded_heads(op);
  const bool every = !a.is_sparse();
  if (!every) op.reads_list("selection", position_bytes, main_count(), Owner::selection_source);
  op.reads_cache(DataKind::kv_main, "main", entry(EntryRole::main), main_count(),
                 every ? context_.plan.dense_reads : sim::Pattern::gather, Owner::kv_source, cache_ways());
  op.shared_by(query_tile());
}

std::uint32_t LayerBuilder::attend(std::vector<After> after, std::int64_t query_width, std::int64_t output_width,
                                   double flops_per_entry) {
  const Attention& a = attention();
  if (a.kind != AttentionKind::window) {
    const Made& source = made_[static_cast<std::size_t>(here().kv_source)];
    after.push_back({source.main_entry.value(), "this token's main entry"});
  }
  if (a.is_sparse() && !expands_context()) {
    after.push_back({made_[static_cast<std::size_t>(here().selection_source)].selection.value(), "selection"});
  }
  return add("attention.core", OperationKind::attention, after, [&](OperationMaker& op) {
    op.reads("query", query_width, a.heads);
    read_main_entries(op);
    const Count window{Count::Kind::window, 1, a.window};
    if (a.has_window()) {
      op.reads_cache(DataKind::kv_local, "window", entry(EntryRole::local), window, context_.plan.local_reads,
                     Owner::layer);
      op.shared_by(query_tile());
      op.computes(sim::Precision::bf16, flops_per_entry, window, a.heads);
    }
    if (a.kind != AttentionKind::window) op.computes(core_precision(), flops_per_entry, main_count(), a.heads);
    op.writes("attention output", output_width, a.heads);
    op.shape(attention_shape());
  });
}

void LayerBuilder::finish_attention(std::uint32_t projected) {
  module_ = sim::Module::none;
  if (context_.deployment.tensor > 1) projected = all_reduce("attention.all_reduce", projected);
  residual_out("attention", projected);
}

// One entry serves as key and value of all heads: the window's own, and compressed ones where the kind has them.
void LayerBuilder::shared_entry_attention() {
  const Attention& a = attention();
  const bool projects = index_ == spans_.projecting;
  const std::uint32_t normed =
      in_span(projects ? spans_.everywhere : span_, [this] { return residual_in("attention"); });
  const std::uint32_t stored = store_window_entry(project_down(normed, a.head_dim));
  const std::int64_t query = a.heads * a.head_dim;
  const std::uint32_t up =
      add("attention.query_up", OperationKind::gemm, {{stored, "query latent"}}, [&](OperationMaker& op) {
        op.multiplies(weight("query up")).reads("query latent", a.query_rank).writes("query", query, a.heads);
      });
  const std::uint32_t rotated =
      add_elementwise("attention.query_rope", {{up, "query"}}, "query", query, "query", query, a.heads);
  Made& mine = made_[static_cast<std::size_t>(index_)];
  if (a.owns_cache()) mine.main_entry = in_span(0, [&] { return compress(normed); });  // new positions alone
  if (a.selects()) index(normed, stored, mine.main_entry);
  const double flops = 4.0 * static_cast<double>(query);  // scores and weighted sum, both head_dim wide
  const std::uint32_t core =
      attend({{rotated, "rotated query"}, {stored, "this token's window entry"}}, query, query, flops);
  const std::uint32_t unrotated = add_elementwise("attention.output_rope", {{core, "attention output"}},
                                                  "attention output", query, "attention output", query, a.heads);
  const std::int64_t grouped = a.output_groups * a.output_rank;
  const std::uint32_t first =
      add("attention.output_a", OperationKind::gemm, {{unrotated, "attention output"}}, [&](OperationMaker& op) {
        op.multiplies(weight("output a"))
            .reads("attention output", query, a.heads)
            .writes("grouped output", grouped, a.output_groups)
            .batches(a.output_groups);
      });
  finish_attention(add("attention.output_b", OperationKind::gemm, {{first, "grouped output"}}, [&](OperationMaker& op) {
    op.multiplies(weight("output b"))
        .reads("grouped output", grouped, a.output_groups)
        .writes("block output", hidden());
  }));
}

}  // namespace kvtraffic::models
