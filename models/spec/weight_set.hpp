// A set of weight formats that can be laid over any model: the same shape stored in other bits.
// Leaves out which values a class has: that is the model's.
#pragma once

#include "models/spec/model.hpp"

namespace kvtraffic::models {

// What a file of models/weights may hold: name, summary, sources, and `weights` as a model has them.
[[nodiscard]] const sim::Table& weight_set_table();

// Reports what is wrong with a file of models/weights.
void check_weight_set(const sim::Node& entry, sim::Diagnostics& diagnostics);

// `model_entry` (whole, its `extends` resolved) stored as `set` says. A class that the set names is replaced, not
// merged, so that no scale of the model's own form stays behind; the others stay as they are. Both must have been
// checked.
[[nodiscard]] sim::Node with_weights(const sim::Node& model_entry, const sim::Node& set);

}  // namespace kvtraffic::models
