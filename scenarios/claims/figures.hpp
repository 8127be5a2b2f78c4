// The numbers of one evaluated point, by path: what a formula of the ledger may refer to.
// Leaves out times: claims about bytes and arithmetic need none, and a roofline is no measurement.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "scenarios/claims/expression.hpp"
#include "scenarios/explain/derivation.hpp"
#include "scenarios/run/setup.hpp"

namespace kvtraffic::scenarios {

// What every path begins with, for messages.
inline constexpr std::string_view figure_paths =
    "batch, context, storage.FIELD, traffic.LEVEL.KIND[.read|.write], flops.PRECISION|total, parameters.FIELD, "
    "model.KEY..., layers[i].traffic..., operations[i].traffic...|flops..., caches[i].FIELD; i is a number or a quoted "
    "pattern";

class Figures {
 public:
  // Evaluates the point, with every layer and operation.
  Figures(const std::shared_ptr<const Setup>& setup, std::int64_t batch, std::int64_t context);

  // All that the steps behind the point's name lead to, or what is wrong with them.
  [[nodiscard]] tl::expected<std::vector<double>, std::string> at(const Reference& reference) const;

  // Where the numbers come from: the derivations of the room `explain` for paths that it knows, else a line of
  // arithmetic. Of several that a pattern finds, the first alone.
  [[nodiscard]] std::string derivation(const Reference& reference) const;

  [[nodiscard]] const Setup& setup() const { return evaluator_.setup(); }

 private:
  using Found = tl::expected<std::vector<double>, std::string>;
  using Steps = std::vector<PathStep>;
  [[nodiscard]] Found of_layers(const Steps& steps) const;
  [[nodiscard]] Found of_operations(const Steps& steps) const;
  [[nodiscard]] Found of_caches(const Steps& steps) const;
  [[nodiscard]] Found scalar(const Steps& steps) const;
  [[nodiscard]] std::vector<std::string> layer_names() const;
  [[nodiscard]] std::vector<std::string> operation_names() const;
  [[nodiscard]] std::vector<std::string> cache_names() const;
  [[nodiscard]] tl::expected<std::vector<std::size_t>, std::string> chosen(const Steps& steps) const;
  [[nodiscard]] std::vector<std::string> explained_paths(const Reference& reference) const;
  [[nodiscard]] std::string plain_derivation(const Reference& reference) const;

  Evaluator evaluator_;
  sim::PointResult result_;
};

}  // namespace kvtraffic::scenarios
