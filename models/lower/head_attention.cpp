// Attention over cached heads (MHA, GQA) and over a cached latent (MLA, DSA) as operations.
#include "models/lower/layer_builder.hpp"

namespace kvtraffic::models {

using sim::DataKind;
using sim::OperationKind;

void LayerBuilder::head_attention() {
  const Attention& a = attention();
  const std::int64_t query = a.heads * a.head_dim;
  const std::int64_t cached = 2 * a.kv_heads * a.head_dim;
  const std::uint32_t normed = residual_in("attention");
  const std::uint32_t projected =
      add("attention.qkv", OperationKind::gemm, {{normed, "normed hidden state"}}, [&](OperationMaker& op) {
        op.multiplies(weight("query")).multiplies(weight("key and value")).reads("normed", hidden());
        op.writes("query heads", query, a.heads).writes("key and value", cached, a.kv_heads);
      });
  const std::uint32_t stored = add(
      "attention.store", OperationKind::elementwise, {{projected, "query, key and value"}}, [&](OperationMaker& op) {
        op.reads("query heads", query, a.heads)
            .reads("key and value", cached, a.kv_heads)
            .writes("query", query, a.heads);
        op.writes_cache(DataKind::kv_main, "main", entry(EntryRole::main), {}, cache_ways());
      });
  made_[static_cast<std::size_t>(index_)].main_entry = stored;
  const std::uint32_t core = attend({}, query, query, 4.0 * static_cast<double>(query));
  finish_attention(add("attention.output", OperationKind::gemm, {{core, "attention output"}}, [&](OperationMaker& op) {
    op.multiplies(weight("output")).reads("attention output", query, a.heads).writes("block output", hidden());
  }));
}

std::uint32_t LayerBuilder::project_down(std::uint32_t normed, std::int64_t cached_width) {
  return add("attention.down", OperationKind::gemm, {{normed, "normed hidden state"}}, [&](OperationMaker& op) {
    if (attention().query_rank > 0) op.multiplies(weight("query down"));
    op.multiplies(weight("key-value down")).reads("normed", hidden());
    op.writes("latents", attention().query_rank + cached_width);
  });
}

// Normalises the latents and writes what the cache holds of them: the latent itself, or nothing yet where heads are
// cached.
std::uint32_t LayerBuilder::store_latent_entry(std::uint32_t down) {
  const Attention& a = attention();
  return add("attention.store", OperationKind::elementwise, {{down, "latents"}}, [&](OperationMaker& op) {
    op.reads("latents", a.query_rank + a.kv_rank + a.rope_dim);
    if (a.query_rank > 0) op.writes("query latent", a.query_rank);
    if (a.has_heads_cached()) {
      op.writes("key-value latent", a.kv_rank + a.rope_dim);
    } else {
      op.writes_cache(DataKind::kv_main, "main", entry(EntryRole::main), {});
    }
  });
}

// The expanded form: keys and values of every head are made from the token's latent and cached.
std::uint32_t LayerBuilder::expand_latent(std::uint32_t down) {
  const Attention& a = attention();
  return add("attention.expand", OperationKind::gemm, {{down, "key-value latent"}}, [&](OperationMaker& op) {
    op.multiplies(weight("key up")).multiplies(weight("value up")).reads("key-value latent", a.kv_rank + a.rope_dim);
    op.writes_cache(DataKind::kv_main, "main", entry(EntryRole::main), {}, cache_ways());
  });
}

std::uint32_t LayerBuilder::store_index_key(std::uint32_t normed) {
  const std::uint32_t key =
      add("index.key", OperationKind::gemm, {{normed, "normed hidden state"}}, [&](OperationMaker& op) {
        op.multiplies(weight("index key")).reads("normed", hidden()).writes("index key", attention().index_dim);
      });
  return add("index.store", OperationKind::elementwise, {{key, "index key"}}, [&](OperationMaker& op) {
    op.reads("index key", attention().index_dim);
    op.writes_cache(DataKind::index_key, "index keys", entry(EntryRole::index), {});
  });
}

// Prefill: keys and values of every head from the latents of all positions so far, this chunk's included. Nobody keeps
// them: the next chunk makes them again.
std::uint32_t LayerBuilder::expand_context(std::uint32_t stored) {
  const Attention& a = attention();
  const sim::Count positions{sim::Count::Kind::entries, 1, 0};
  return add("attention.expand", OperationKind::gemm, {{stored, "this chunk's latents"}}, [&](OperationMaker& op) {
    op.multiplies_each_sequence(weight("key up"), positions).multiplies_each_sequence(weight("value up"), positions);
    op.reads_cache(DataKind::kv_main, "main", entry(EntryRole::main), positions, context_.plan.dense_reads,
                   sim::Owner::layer);
    op.each_sequence(sim::Per::sequence, positions);
    op.writes("expanded heads", a.heads * (a.nope_dim + a.rope_dim + a.value_dim), a.heads);
    op.each_sequence(sim::Per::sequence, positions);
  });
}

void LayerBuilder::read_expanded_heads(OperationMaker& op) {
  const Attention& a = attention();
  op.reads("expanded heads", a.heads * (a.nope_dim + a.rope_dim + a.value_dim), a.heads);
  op.each_sequence(sim::Per::token, main_count()).shared_by(query_tile());
}

// Query heads, rotated, from the query latent or (without one) from the hidden state.
std::uint32_t LayerBuilder::query_heads(std::uint32_t normed, std::uint32_t latents, std::int64_t width,
                                        bool absorbed) {
  const Attention& a = attention();
  const bool direct = a.query_rank == 0;
  const After after = direct ? After{normed, "normed hidden state"} : After{latents, "query latent"};
  const std::uint32_t up = add("attention.query_up", OperationKind::gemm, {after}, [&](OperationMaker& op) {
    op.multiplies(weight(direct ? "query" : "query up"));
    op.reads(direct ? "normed" : "query latent", direct ? hidden() : a.query_rank)
        .writes("query heads", width, a.heads);
  });
  const std::string_view rotated = absorbed ? "query heads" : "query";
  return add_elementwise("attention.query_rope", {{up, "query heads"}}, "query heads", width, rotated, width, a.heads);
}

// MLA. Absorbed: queries go to the latent space, so that one cached latent serves all heads. Expanded: heads are
// cached, or a prefill makes them from the cached latents.
void LayerBuilder::latent_attention() {
  const Attention& a = attention();
  const bool absorbed = a.form == LatentForm::absorbed && !expands_context();
  const std::uint32_t normed = residual_in("attention");
  const std::uint32_t stored = store_latent_entry(project_down(normed, a.kv_rank + a.rope_dim));
  made_[static_cast<std::size_t>(index_)].main_entry = a.has_heads_cached() ? expand_latent(stored)
                                                       : expands_context()  ? expand_context(stored)
                                                                            : stored;
  const std::int64_t query = a.heads * (a.nope_dim + a.rope_dim);
  std::uint32_t asking = query_heads(normed, stored, query, absorbed);
  const std::int64_t key_width = absorbed ? a.kv_rank + a.rope_dim : a.nope_dim + a.rope_dim;
  const std::int64_t value_width = absorbed ? a.kv_rank : a.value_dim;
  if (absorbed) {
    asking = add("attention.absorb", OperationKind::gemm, {{asking, "rotated query"}}, [&](OperationMaker& op) {
      op.multiplies(weight("key up"))
          .reads("query heads", query, a.heads)
          .writes("query", a.heads * key_width, a.heads)
          .batches(a.heads);
    });
  }
  if (a.selects()) {
    const std::uint32_t key = store_index_key(normed);
    if (selects_here()) index(normed, stored, key);
  }
  const double flops = 2.0 * static_cast<double>(a.heads * (key_width + value_width));
  std::uint32_t value = attend({{asking, "query"}}, a.heads * key_width, a.heads * value_width, flops);
  if (absorbed) {
    value = add("attention.value_up", OperationKind::gemm, {{value, "attention output"}}, [&](OperationMaker& op) {
      op.multiplies(weight("value up"))
          .reads("attention output", a.heads * value_width, a.heads)
          .writes("values", a.heads * a.value_dim, a.heads)
          .batches(a.heads);
    });
  }
  finish_attention(add("attention.output", OperationKind::gemm, {{value, "values"}}, [&](OperationMaker& op) {
    op.multiplies(weight("output")).reads("values", a.heads * a.value_dim, a.heads).writes("block output", hidden());
  }));
}

}  // namespace kvtraffic::models
