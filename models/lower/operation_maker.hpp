// Putting one operation together in the words of a model: weights, activations, cache entries, lists.
#pragma once

#include <string>
#include <string_view>

#include "models/lower/spans.hpp"
#include "models/lower/weights.hpp"
#include "models/spec/format.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/plan/deployment.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/plan/placement.hpp"

namespace kvtraffic::models {

// What all parts of the lowering look at. Not owned; one per graph.
struct Context {
  const Model& model;
  const CacheFormat& format;
  const sim::KernelPlan& plan;
  const sim::Deployment& deployment;
  sim::StepGraph& graph;
  const PrefillForm* prefill = nullptr;  // null: a decode step
  sim::Placement placement;
};

inline constexpr std::int64_t whole = 1;  // `ways` of what every tensor rank needs whole

class OperationMaker {
 public:
  // `weights`: where the weights lie that it multiplies; of routed experts, what their set says of the rest.
  OperationMaker(Context& context, std::string name, sim::OperationKind kind, sim::Place weights = sim::Place::device);

  // Reads a weight and multiplies each token by it.
  OperationMaker& multiplies(const Weight& weight);
  // The same for what each sequence has `count` of once the step is over.
  OperationMaker& multiplies_each_sequence(const Weight& weight, sim::Count count);
  // The same for the routed experts' `weight`: each distinct expert is read, each routed token multiplied.
  OperationMaker& multiplies_routed(const Weight& weight, std::uint32_t experts);
  // Activations of `values` per token, made and used up within the step. Roles with one name are one buffer for all
  // layers.
  OperationMaker& reads(std::string_view role, std::int64_t values, std::int64_t ways = whole);
  OperationMaker& writes(std::string_view role, std::int64_t values, std::int64_t ways = whole);
  // Activations per (token, chosen expert).
  OperationMaker& reads_routed(std::string_view role, std::int64_t values, std::uint32_t experts);
  OperationMaker& writes_routed(std::string_view role, std::int64_t values, std::uint32_t experts);
  // Index scores or picked entries: `count` elements of `bytes`.
  OperationMaker& reads_list(std::string_view role, std::int64_t bytes, sim::Count count, sim::Owner owner);
  OperationMaker& writes_list(std::string_view role, std::int64_t bytes, sim::Count count, sim::Owner owner);
  // Entries of a cache.
  OperationMaker& reads_cache(sim::DataKind kind, std::string_view role, const sim::Layout& layout, sim::Count count,
                              sim::Pattern pattern, sim::Owner owner, std::int64_t ways = whole);
  OperationMaker& writes_cache(sim::DataKind kind, std::string_view role, const sim::Layout& layout, sim::Count count,
                               std::int64_t ways = whole);
  // Of the last access: taken once for each sequence.
  OperationMaker& each_sequence(sim::Per per, sim::Count count);
  // Of the last access, one of routed activations: it takes place where the tokens are, not where their experts lie.
  OperationMaker& at_home();
  // Of the last access: a tile of `queries` tokens loads it together.
  OperationMaker& shared_by(std::int64_t queries);
  // Any other access of a token.
  OperationMaker& access(sim::Access access, std::string_view role, const sim::Layout& layout);
  // Arithmetic per token and counted entry, not bound to a weight.
  OperationMaker& computes(sim::Precision precision, double flops, sim::Count count, std::int64_t ways);
  OperationMaker& shape(sim::Shape shape);
  OperationMaker& batches(std::int64_t matrices);
  OperationMaker& launches(std::int64_t kernels);
  OperationMaker& sends(sim::Collective::Kind kind, std::int64_t bytes_per_token, std::uint32_t experts = 0);

  [[nodiscard]] sim::Operation take() { return std::move(operation_); }

 private:
  OperationMaker& multiplies(const Weight& weight, sim::Per per, sim::Count count);
  void read_experts(const Weight& weight, std::uint32_t experts, sim::Place place);
  OperationMaker& list(sim::Direction direction, std::string_view role, std::int64_t bytes, sim::Count count,
                       sim::Owner owner);
  OperationMaker& activation(sim::Direction direction, sim::Per per, std::string_view role, std::int64_t values,
                             std::int64_t ways, std::uint32_t experts);

  Context& context_;
  sim::Place weights_;
  sim::Operation operation_;
};

}  // namespace kvtraffic::models
