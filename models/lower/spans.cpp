// Encoder layers and those that feed the decoder's cache run on all positions, the rest of the decoder on a tail.
// Leaves out models without an encoder side: there all layers run on all new positions.
#include "models/lower/spans.hpp"

#include <algorithm>

namespace kvtraffic::models {
namespace {

// The last decoder layer that others (or itself) read a cache of; -1 if there is none.
std::int32_t cache_source(const Model& model) {
  std::int32_t source = -1;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    if (layer.side == Side::decoder && layer.attention.owns_cache()) source = static_cast<std::int32_t>(i);
  }
  return source;
}

}  // namespace

bool has_encoder(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(),
                     [](const Layer& layer) { return layer.side == Side::encoder; });
}

std::int64_t largest_window(const Model& model) {
  std::int64_t window = 0;
  for (const Layer& layer : model.layers) {
    if (layer.attention.has_window()) window = std::max(window, layer.attention.window);
  }
  return window;
}

LayerSpans spans_of(const Model& model, const PrefillForm* form, sim::StepGraph& graph) {
  LayerSpans spans;
  spans.layers.assign(model.layers.size(), 0);
  if (form == nullptr) return spans;
  const bool encodes = has_encoder(model);
  spans.everywhere = graph.add_span({.tail = 0, .replays = encodes});
  spans.last = graph.add_span({.tail = 1, .replays = false});
  std::fill(spans.layers.begin(), spans.layers.end(), spans.everywhere);
  if (!encodes || !form->bounded) return spans;
  const std::uint32_t tail =
      graph.add_span({.tail = std::max<std::int64_t>(1, largest_window(model)), .replays = true});
  const std::int32_t source = cache_source(model);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].side == Side::decoder && static_cast<std::int32_t>(i) > source) spans.layers[i] = tail;
  }
  // Only a compressor can run without the rest of its layer.
  if (source >= 0 && !form->source_in_full && model.layers[static_cast<std::size_t>(source)].attention.has_window()) {
    spans.projecting = source;
    spans.layers[static_cast<std::size_t>(source)] = tail;
  }
  return spans;
}

}  // namespace kvtraffic::models
