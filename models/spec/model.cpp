// Names and small arithmetic of a model's parts.
#include "models/spec/model.hpp"

#include <algorithm>
#include <numeric>

#include "sim/units/quantity.hpp"

namespace kvtraffic::models {

std::string_view name_of(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::mha:
      return "mha";
    case AttentionKind::gqa:
      return "gqa";
    case AttentionKind::mla:
      return "mla";
    case AttentionKind::window:
      return "window";
    case AttentionKind::dsa:
      return "dsa";
    case AttentionKind::csa:
      return "csa";
    case AttentionKind::hca:
      return "hca";
    case AttentionKind::csa2:
      return "csa2";
  }
  return "";
}

std::string_view name_of(SelectionMode mode) {
  switch (mode) {
    case SelectionMode::none:
      return "";
    case SelectionMode::full:
      return "full";
    case SelectionMode::reindex:
      return "reindex";
    case SelectionMode::reuse:
      return "reuse";
  }
  return "";
}

std::string_view name_of(WeightClass c) {
  constexpr std::array<std::string_view, weight_class_count> names{"attention", "compressor",  "indexer",   "router",
                                                                   "streams",   "dense",       "expert",    "shared",
                                                                   "engram",    "engram_rows", "embedding", "head"};
  return names[static_cast<std::size_t>(c)];
}

bool Attention::selects() const {
  if (kind == AttentionKind::csa2) return mode == SelectionMode::full || mode == SelectionMode::reindex;
  return kind == AttentionKind::dsa || kind == AttentionKind::csa;
}

bool Attention::is_sparse() const {
  return kind == AttentionKind::dsa || kind == AttentionKind::csa || kind == AttentionKind::csa2;
}

bool Attention::owns_cache() const {
  return kind != AttentionKind::window && (kind != AttentionKind::csa2 || mode == SelectionMode::full);
}

bool Attention::is_latent() const { return kind == AttentionKind::mla || kind == AttentionKind::dsa; }

bool Attention::has_heads_cached() const {
  return kind == AttentionKind::mha || kind == AttentionKind::gqa ||
         (kind == AttentionKind::mla && form == LatentForm::expanded);
}

bool Attention::has_window() const { return !is_latent() && !has_heads_cached(); }

bool Layer::same_shape(const Layer& other) const {
  return attention == other.attention && experts == other.experts && dense_width == other.dense_width &&
         engram == other.engram && side == other.side && hands_on_pool == other.hands_on_pool;
}

std::int64_t WeightFormat::bytes(std::int64_t values) const {
  const std::int64_t scales = scale_bits == 0 ? 0 : sim::ceil_divide(values, scale_group);
  const std::int64_t total_bits =
      sim::checked_add(sim::checked_multiply(values, bits), sim::checked_multiply(scales, scale_bits));
  return sim::ceil_divide(total_bits, 8);
}

bool Model::has_experts() const {
  return std::any_of(layers.begin(), layers.end(), [](const Layer& layer) { return layer.experts.routed > 0; });
}

std::int64_t Model::position_period() const {
  std::int64_t period = 1;
  for (const Layer& layer : layers) {
    const std::int64_t ratio = layer.attention.ratio;
    period = sim::checked_multiply(period / std::gcd(period, ratio), ratio);
  }
  return period;
}

}  // namespace kvtraffic::models
