// The order of a step: embedding, layers, head.
#include "models/lower/lower.hpp"

#include "models/lower/layer_builder.hpp"
#include "models/lower/weights.hpp"

namespace kvtraffic::models {

Lowered lower_decode(const Model& model, const CacheFormat& format, const sim::KernelPlan& plan,
                     const sim::Deployment& deployment) {
  Lowered lowered;
  Context context{model, format, plan, deployment, lowered.graph};
  LayerBuilder builder(context, lowered.demand);
  builder.begin();
  for (std::size_t i = 0; i < model.layers.size(); ++i) builder.layer(static_cast<std::int32_t>(i));
  builder.end();
  lowered.graph.finish();
  lowered.parameters = count_parameters(model);
  return lowered;
}

}  // namespace kvtraffic::models
