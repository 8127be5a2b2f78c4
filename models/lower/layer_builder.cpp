// The frame of a step: what stands before, around and after the layers, and how layers share operations.
#include "models/lower/layer_builder.hpp"

#include <algorithm>

namespace kvtraffic::models {

using sim::OperationKind;

namespace {
constexpr std::size_t outside = SIZE_MAX;  // the "shape" of operations that belong to no layer
}

LayerBuilder::LayerBuilder(Context& context, sim::MemoryDemand& demand)
    : context_(context),
      demand_(demand),
      shape_(outside),
      spans_(spans_of(context.model, context.prefill, context.graph)),
      made_(context.model.layers.size()) {}

std::uint32_t LayerBuilder::add(std::string_view name, OperationKind kind, const std::vector<After>& after,
                                const Fill& fill) {
  const auto key = std::make_tuple(shape_, std::string(name), span_);
  auto found = operations_.find(key);
  if (found == operations_.end()) {
    OperationMaker maker(context_, std::string(name), kind, weights_place());
    fill(maker);
    sim::Operation operation = maker.take();
    operation.span = span_;
    operation.module = module_;
    operation.folded = context_.plan.folds(name);
    if (index_ >= 0) operation.attention = name_of(attention().kind);
    found = operations_.emplace(key, context_.graph.add_operation(std::move(operation))).first;
  }
  const std::uint32_t vertex = context_.graph.add_vertex(found->second, index_);
  for (const After& a : after) context_.graph.add_edge(a.vertex, vertex, a.why);
  if (context_.plan.runs_beside(name)) return vertex;
  const auto is_last = [&](const After& a) { return a.vertex == last_; };
  if (last_ && std::ranges::none_of(after, is_last)) context_.graph.add_edge(*last_, vertex, "order of the stream");
  last_ = vertex;
  return vertex;
}

std::uint32_t LayerBuilder::enter(sim::Module module, std::string_view part, std::uint32_t input) {
  module_ = module;
  const std::int64_t kernels = context_.plan.small_kernels(module, name_of(attention().kind));
  if (kernels == 0) return input;
  return add(std::string(part) + ".small", OperationKind::small, {{input, "normed hidden state"}},
             [&](OperationMaker& op) { op.launches(kernels); });
}

std::uint32_t LayerBuilder::add_elementwise(std::string_view name, const std::vector<After>& after,
                                            std::string_view from, std::int64_t read, std::string_view to,
                                            std::int64_t written, std::int64_t ways) {
  return add(name, OperationKind::elementwise, after,
             [&](OperationMaker& op) { op.reads(from, read, ways).writes(to, written, ways); });
}

const Weight& LayerBuilder::weight(std::string_view name) const {
  for (const Weights* list : {&attention_weights_, &forward_weights_}) {
    const auto it = std::find_if(list->begin(), list->end(), [name](const Weight& w) { return w.name == name; });
    if (it != list->end()) return *it;
  }
  return find(attention_weights_, name);  // throws with the name
}

void LayerBuilder::begin() {
  span_ = spans_.everywhere;
  const Weights outer = outer_weights(context_.model);
  own_weights(context_.model.tied_embedding ? Weights{find(outer, "head")} : outer);
  tail_ = add("embedding", OperationKind::lookup, {}, [&](OperationMaker& op) {
    const std::int64_t row = context_.model.format(WeightClass::embedding).bytes(hidden());
    sim::Access read;
    read.kind = sim::DataKind::weight;
    read.pattern = sim::Pattern::gather;
    read.ways = sim::divides_freely;  // a rank reads the rows that it holds; no message is charged for what it found
    op.access(read, "embedding", sim::Layout::packed("embedding row", row, "one row a token"));
    op.writes("residual", hidden() * context_.model.streams.count);
  });
}

void LayerBuilder::start_layer(std::int32_t index) {
  index_ = index;
  const auto& layers = context_.model.layers;
  shape_ = 0;
  while (!layers[shape_].same_shape(here()) || lies_on_host(shape_) != lies_on_host(static_cast<std::size_t>(index))) {
    ++shape_;
  }
  attention_weights_ = attention_weights(context_.model, attention());
  forward_weights_ = feed_forward_weights(context_.model, here());
  context_.graph.add_layer({std::string(name_of(attention().kind)), std::string(name_of(attention().mode)),
                            here().kv_source, here().selection_source, spans_.layers[static_cast<std::size_t>(index)]});
  span_ = spans_.layers[static_cast<std::size_t>(index)];
}

void LayerBuilder::layer(std::int32_t index) {
  start_layer(index);
  own_weights(attention_weights_);
  own_weights(forward_weights_);
  own_caches();
  if (here().engram) {
    const bool projects = index == spans_.projecting;  // what it adds goes into the cache
    tail_ = in_span(projects ? spans_.everywhere : span_, [this] { return engram(); });
  }
  if (attention().is_latent()) {
    latent_attention();
  } else if (attention().has_heads_cached()) {
    head_attention();
  } else {
    shared_entry_attention();
  }
  if (here().dense_width > 0) {
    dense();
  } else {
    mixture();
  }
}

void LayerBuilder::end() {
  index_ = -1;
  shape_ = outside;
  span_ = spans_.last;
  const Weights outer = outer_weights(context_.model);
  const std::uint32_t normed = add_elementwise("final norm", {{tail_, "residual stream"}}, "residual",
                                               hidden() * context_.model.streams.count, "normed", hidden());
  const std::uint32_t logits =
      add("head", OperationKind::gemm, {{normed, "normed hidden state"}}, [&](OperationMaker& op) {
        op.multiplies(find(outer, "head"))
            .reads("normed", hidden())
            .writes("logits", context_.model.vocabulary, sim::divides_freely);
      });
  (void)add("sample", OperationKind::elementwise, {{logits, "logits"}},
            [&](OperationMaker& op) { op.reads("logits", context_.model.vocabulary, sim::divides_freely); });
}

std::uint32_t LayerBuilder::all_reduce(std::string_view name, std::uint32_t from) {
  return add(name, OperationKind::collective, {{from, "partial sums of the tensor ranks"}}, [&](OperationMaker& op) {
    op.sends(sim::Collective::Kind::all_reduce, sim::ceil_divide(hidden() * context_.plan.activation_bits, 8));
  });
}

bool LayerBuilder::lies_on_host(std::size_t layer) const {
  const auto number = static_cast<std::int64_t>(layer);
  const std::int64_t main = context_.model.main_layers;
  return number < main && number >= main - context_.placement.host_layers;
}

sim::Place LayerBuilder::weights_place() const {
  return index_ >= 0 && lies_on_host(static_cast<std::size_t>(index_)) ? sim::Place::host : sim::Place::device;
}

std::int64_t LayerBuilder::hosted_experts() const {
  const std::int64_t routed = here().experts.routed;
  return weights_place() == sim::Place::host ? routed : context_.placement.hosted(routed);
}

void LayerBuilder::own_weights(const Weights& weights) {
  for (const Weight& w : weights) {
    if (w.split != sim::StoredTensor::Split::expert) {
      own_weight(w, w.copies, weights_place());
      continue;
    }
    const std::int64_t hosted = hosted_experts();
    if (hosted < w.copies) own_weight(w, w.copies - hosted, sim::Place::device);
    if (hosted > 0) own_weight(w, hosted, sim::Place::host);
  }
}

// Equal weights of layers are one entry; experts are not, because each layer's are divided over the groups for
// themselves.
void LayerBuilder::own_weight(const Weight& weight, std::int64_t copies, sim::Place place) {
  const std::int64_t bytes = context_.model.format(weight.type).bytes(weight.values());
  const bool expert = weight.split == sim::StoredTensor::Split::expert;
  const auto same = std::find_if(demand_.tensors.begin(), demand_.tensors.end(), [&](const sim::StoredTensor& t) {
    return !expert && t.name == weight.name && t.bytes == bytes && t.split == weight.split && t.place == place;
  });
  if (same != demand_.tensors.end()) {
    same->copies += copies;
  } else {
    demand_.tensors.push_back({std::string(weight.name), weight.values(), bytes, copies, weight.split, place});
  }
}

}  // namespace kvtraffic::models
