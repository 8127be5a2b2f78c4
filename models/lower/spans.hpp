// Which positions of a prefill run which layer. Leaves out which positions those are at a point (sim/run/tally.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "models/spec/model.hpp"
#include "sim/graph/step_graph.hpp"

namespace kvtraffic::models {

// What a prefill graph is built for. The first two concern models with an encoder side only.
struct PrefillForm {
  bool bounded = true;  // layers behind the decoder's cache run on the last window of positions only
  bool source_in_full =
      false;           // the layer that writes that cache runs whole on every position, not its projection alone
  bool dense = false;  // selections cover all positions, so that DSA runs as dense attention
};

// Spans of a graph; all zero in a decode step.
struct LayerSpans {
  std::vector<std::uint32_t> layers;
  std::uint32_t everywhere = 0;  // new and replayed positions
  std::uint32_t last = 0;        // the position whose logits are wanted
  std::int32_t projecting = -1;  // layer that runs its cache projection everywhere and the rest in its own span
};

[[nodiscard]] bool has_encoder(const Model& model);
[[nodiscard]] std::int64_t largest_window(const Model& model);

// Adds the spans to `graph`. `form` is null for a decode step.
//
// Decoder layers in front of the last one that owns a cache run everywhere, because that one's input comes from them.
// Replayed positions take part in every layer, so that its window entries come back; entries, index keys and state that
// are cached already are not written again (Access::only_new).
[[nodiscard]] LayerSpans spans_of(const Model& model, const PrefillForm* form, sim::StepGraph& graph);

}  // namespace kvtraffic::models
