// The order of a step: embedding, layers, head.
#include "models/lower/lower.hpp"

#include <algorithm>

#include "models/lower/layer_builder.hpp"
#include "models/lower/weights.hpp"

namespace kvtraffic::models {

namespace {

Lowered lower(const Model& model, const CacheFormat& format, const sim::KernelPlan& plan,
              const sim::Deployment& deployment, const PrefillForm* prefill, const sim::Placement& placement) {
  Lowered lowered;
  Context context{model, format, plan, deployment, lowered.graph, prefill, placement};
  LayerBuilder builder(context, lowered.demand);
  builder.begin();
  for (std::size_t i = 0; i < model.layers.size(); ++i) builder.layer(static_cast<std::int32_t>(i));
  builder.end();
  lowered.graph.finish();
  lowered.parameters = count_parameters(model);
  return lowered;
}

}  // namespace

Lowered lower_decode(const Model& model, const CacheFormat& format, const sim::KernelPlan& plan,
                     const sim::Deployment& deployment, const sim::Placement& placement) {
  return lower(model, format, plan, deployment, nullptr, placement);
}

Lowered lower_prefill(const Model& model, const CacheFormat& format, const sim::KernelPlan& plan,
                      const sim::Deployment& deployment, const PrefillForm& form, const sim::Placement& placement) {
  return lower(model, format, plan, deployment, &form, placement);
}

std::int64_t longest_dense_prefill(const Model& model) {
  std::int64_t longest = 0;
  for (const Layer& layer : model.layers) {
    if (layer.attention.kind != AttentionKind::dsa) continue;
    longest = longest == 0 ? layer.attention.top_k : std::min(longest, layer.attention.top_k);
  }
  return longest;
}

std::int64_t most_replayed(const Model& model) { return has_encoder(model) ? largest_window(model) : 0; }

}  // namespace kvtraffic::models
