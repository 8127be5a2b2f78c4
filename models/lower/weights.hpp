// The weights of a model, each listed once: parameter counts, stored bytes and reads all come from this list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/spec/model.hpp"
#include "sim/plan/memory_demand.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::models {

// One matrix, `copies` of it (experts of a layer). Vectors such as norms and biases are left out: below 0.01 % of any
// model here.
struct Weight {
  std::string_view name;
  WeightClass type = WeightClass::attention;
  std::int64_t rows = 0;     // inner dimension
  std::int64_t columns = 0;  // outputs
  std::int64_t copies = 1;
  sim::StoredTensor::Split split = sim::StoredTensor::Split::replicated;

  [[nodiscard]] std::int64_t values() const { return sim::checked_multiply(rows, columns); }
};

using Weights = std::vector<Weight>;

[[nodiscard]] Weights attention_weights(const Model& model, const Attention& attention);
[[nodiscard]] Weights feed_forward_weights(const Model& model, const Layer& layer);
[[nodiscard]] Weights outer_weights(const Model& model);                          // embedding and head
[[nodiscard]] const Weight& find(const Weights& weights, std::string_view name);  // logic_error when absent

// Parameters of all layers, embedding and head. OverflowError when they leave 64 bits.
[[nodiscard]] ParameterCount count_parameters(const Model& model);

}  // namespace kvtraffic::models
