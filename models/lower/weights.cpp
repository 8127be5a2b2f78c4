// Weight shapes of each attention kind and feed-forward, as the released configurations and reference code have them.
#include "models/lower/weights.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace kvtraffic::models {
namespace {

using sim::checked_add;
using sim::checked_multiply;
using Split = sim::StoredTensor::Split;

void add_streams(const Model& model, Weights& weights) {
  if (model.streams.form == StreamForm::none) return;
  const std::int64_t n = model.streams.count;
  // n x n mixing, n inputs and n outputs, each a function of all streams (mHC, DeepSeek-V4 report).
  weights.push_back({"streams", WeightClass::streams, n * model.hidden, n * n + 2 * n});
}

void add_query(const Model& model, const Attention& a, std::int64_t columns, Weights& weights) {
  if (a.query_rank == 0) {
    weights.push_back({"query", WeightClass::attention, model.hidden, columns, 1, Split::tensor});
    return;
  }
  weights.push_back({"query down", WeightClass::attention, model.hidden, a.query_rank});
  weights.push_back({"query up", WeightClass::attention, a.query_rank, columns, 1, Split::tensor});
}

void add_head_attention(const Model& model, const Attention& a, Weights& weights) {
  weights.push_back({"query", WeightClass::attention, model.hidden, a.heads * a.head_dim, 1, Split::tensor});
  weights.push_back(
      {"key and value", WeightClass::attention, model.hidden, 2 * a.kv_heads * a.head_dim, 1, Split::tensor});
  weights.push_back({"output", WeightClass::attention, a.heads * a.head_dim, model.hidden, 1, Split::tensor});
}

void add_latent_attention(const Model& model, const Attention& a, Weights& weights) {
  add_query(model, a, a.heads * (a.nope_dim + a.rope_dim), weights);
  weights.push_back({"key-value down", WeightClass::attention, model.hidden, a.kv_rank + a.rope_dim});
  weights.push_back({"key up", WeightClass::attention, a.kv_rank, a.heads * a.nope_dim, 1, Split::tensor});
  weights.push_back({"value up", WeightClass::attention, a.kv_rank, a.heads * a.value_dim, 1, Split::tensor});
  weights.push_back({"output", WeightClass::attention, a.heads * a.value_dim, model.hidden, 1, Split::tensor});
}

void add_shared_entry_attention(const Model& model, const Attention& a, Weights& weights) {
  add_query(model, a, a.heads * a.head_dim, weights);
  weights.push_back({"key-value down", WeightClass::attention, model.hidden, a.head_dim});
  // Grouped: each group of heads has its own matrix of (heads / groups x head_dim) x output_rank.
  weights.push_back({"output a", WeightClass::attention, a.heads * a.head_dim, a.output_rank, 1, Split::tensor});
  weights.push_back(
      {"output b", WeightClass::attention, a.output_groups * a.output_rank, model.hidden, 1, Split::tensor});
}

// Value and gate for each pooled token; an overlapping compressor has a second pair for the block before. Ratio 1 pools
// nothing.
std::int64_t compressor_columns(const Attention& a, std::int64_t width) {
  if (a.ratio == 1) return width;
  const std::int64_t pairs = a.overlap ? 2 : 1;
  return 2 * pairs * width;
}

void add_compressor(const Model& model, const Attention& a, Weights& weights) {
  if (!a.owns_cache() || !a.has_window()) return;
  weights.push_back({"compressor", WeightClass::compressor, model.hidden, compressor_columns(a, a.head_dim)});
  if (a.kind == AttentionKind::csa) {
    weights.push_back({"index compressor", WeightClass::compressor, model.hidden, compressor_columns(a, a.index_dim)});
  }
  if (a.kind == AttentionKind::csa2) weights.push_back({"index key", WeightClass::compressor, a.head_dim, a.index_dim});
}

void add_indexer(const Model& model, const Attention& a, Weights& weights) {
  if (!a.selects()) return;
  if (a.kind == AttentionKind::dsa) weights.push_back({"index key", WeightClass::indexer, model.hidden, a.index_dim});
  weights.push_back({"index query", WeightClass::indexer, a.query_rank, a.index_heads * a.index_dim});
  weights.push_back({"index head weights", WeightClass::compressor, model.hidden, a.index_heads});
}

void add_to(std::int64_t& sum, std::int64_t values) { sum = checked_add(sum, values); }

std::int64_t used_values(const Weights& weights, std::int64_t active_experts) {
  std::int64_t sum = 0;
  for (const Weight& w : weights) {
    add_to(sum, checked_multiply(w.values(), w.split == Split::expert ? active_experts : w.copies));
  }
  return sum;
}

struct LayerCount {
  std::int64_t total = 0;
  std::int64_t active = 0;
};

LayerCount count_layer(const Model& model, const Layer& layer) {
  const Weights attention = attention_weights(model, layer.attention);
  const Weights forward = feed_forward_weights(model, layer);
  const std::int64_t always = used_values(attention, 0);
  return {checked_add(always, used_values(forward, layer.experts.routed)),
          checked_add(always, used_values(forward, layer.experts.active))};
}

// Parameters that a prompt token needs of a layer on the decoder side of a causal encoder-decoder: what makes the
// shared cache.
std::int64_t cache_projection(const Model& model, const Attention& a) {
  std::int64_t sum = 0;
  if (!a.owns_cache()) return 0;
  for (const Weight& w : attention_weights(model, a)) {
    if (w.name == "compressor" || w.name == "index compressor" || w.name == "index key") add_to(sum, w.values());
  }
  return sum;
}

}  // namespace

Weights attention_weights(const Model& model, const Attention& a) {
  Weights weights;
  add_streams(model, weights);
  if (a.is_latent()) {
    add_latent_attention(model, a, weights);
  } else if (a.has_heads_cached()) {
    add_head_attention(model, a, weights);
  } else {
    add_shared_entry_attention(model, a, weights);
  }
  add_compressor(model, a, weights);
  add_indexer(model, a, weights);
  return weights;
}

Weights feed_forward_weights(const Model& model, const Layer& layer) {
  Weights weights;
  add_streams(model, weights);
  if (layer.engram) {
    const EngramTables& e = *layer.engram;
    weights.push_back(
        {"engram mix", WeightClass::engram, e.rows_per_token * e.row_values, e.mixed_width, 1, Split::tensor});
  }
  if (layer.dense_width > 0) {
    const std::int64_t up = (layer.gated ? 2 : 1) * layer.dense_width;
    weights.push_back(
        {layer.gated ? "dense gate and up" : "dense up", WeightClass::dense, model.hidden, up, 1, Split::tensor});
    weights.push_back({"dense down", WeightClass::dense, layer.dense_width, model.hidden, 1, Split::tensor});
    return weights;
  }
  const Experts& e = layer.experts;
  weights.push_back({"router", WeightClass::router, model.hidden, e.routed});
  weights.push_back({"expert gate and up", WeightClass::expert, model.hidden, 2 * e.width, e.routed, Split::expert});
  weights.push_back({"expert down", WeightClass::expert, e.width, model.hidden, e.routed, Split::expert});
  if (e.shared == 0) return weights;
  weights.push_back(
      {"shared gate and up", WeightClass::shared, model.hidden, 2 * e.width * e.shared, 1, Split::tensor});
  weights.push_back({"shared down", WeightClass::shared, e.width * e.shared, model.hidden, 1, Split::tensor});
  return weights;
}

Weights outer_weights(const Model& model) {
  return {{"embedding", WeightClass::embedding, model.vocabulary, model.hidden, 1, Split::tensor},
          {"head", WeightClass::head, model.hidden, model.vocabulary, 1, Split::tensor}};
}

const Weight& find(const Weights& weights, std::string_view name) {
  for (const Weight& w : weights) {
    if (w.name == name) return w;
  }
  throw std::logic_error(fmt::format("no weight '{}' here", name));
}

ParameterCount count_parameters(const Model& model) {
  ParameterCount count;
  const Weights outer = outer_weights(model);
  const std::int64_t embedding = find(outer, "embedding").values();
  const std::int64_t head = find(outer, "head").values();
  count.total = model.tied_embedding ? head : checked_add(embedding, head);
  count.active = head;
  bool has_encoder = false;
  for (const Layer& layer : model.layers) has_encoder = has_encoder || layer.side == Side::encoder;
  count.active_prefill = has_encoder ? 0 : head;  // a prompt token of an encoder passes no head
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const LayerCount values = count_layer(model, layer);
    if (static_cast<std::int64_t>(i) >= model.main_layers) {
      add_to(count.draft, values.total);
      continue;
    }
    add_to(count.total, values.total);
    add_to(count.active, values.active);
    const bool whole = !has_encoder || layer.side == Side::encoder;
    add_to(count.active_prefill, whole ? values.active : cache_projection(model, layer.attention));
    if (layer.engram) add_to(count.engram, checked_multiply(layer.engram->rows, layer.engram->row_values));
  }
  return count;
}

}  // namespace kvtraffic::models
