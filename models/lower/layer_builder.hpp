// Emits the operations of one layer after another into a graph, layers of one shape sharing their operations.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/lower/operation_maker.hpp"
#include "sim/plan/memory_demand.hpp"

namespace kvtraffic::models {

// A vertex that another waits for, and why.
struct After {
  std::uint32_t vertex;
  std::string_view why;
};

class LayerBuilder {
 public:
  LayerBuilder(Context& context, sim::MemoryDemand& demand);

  // Operations before the first layer, one layer, and after the last. In this order.
  void begin();
  void layer(std::int32_t index);
  void end();

 private:
  // Vertices of earlier layers that later ones read from.
  struct Made {
    std::optional<std::uint32_t> main_entry;  // wrote this token's main entry and index key
    std::optional<std::uint32_t> selection;
    std::optional<std::uint32_t> pool;
  };
  using Fill = std::function<void(OperationMaker&)>;

  // Adds a vertex of this layer (or of none); `fill` describes the operation the first time a layer of this shape has
  // it.
  std::uint32_t add(std::string_view name, sim::OperationKind kind, const std::vector<After>& after, const Fill& fill);
  std::uint32_t add_elementwise(std::string_view name, const std::vector<After>& after, std::string_view from,
                                std::int64_t read, std::string_view to, std::int64_t written,
                                std::int64_t ways = whole);
  void start_layer(std::int32_t index);
  // Runs `build` with its operations in `span`.
  template <class Build>
  auto in_span(std::uint32_t span, const Build& build) {
    const std::uint32_t before = std::exchange(span_, span);
    const auto built = build();
    span_ = before;
    return built;
  }

  // What the residual stream gives a module; from here on operations are the module's, its small kernels the first.
  std::uint32_t enter(sim::Module module, std::string_view part, std::uint32_t input);

  // attention.cpp
  void head_attention();
  void latent_attention();
  void shared_entry_attention();
  std::uint32_t project_down(std::uint32_t normed, std::int64_t cached_width);
  std::uint32_t store_window_entry(std::uint32_t down);
  std::uint32_t store_latent_entry(std::uint32_t down);
  std::uint32_t expand_latent(std::uint32_t down);
  std::uint32_t expand_context(std::uint32_t stored);
  std::uint32_t query_heads(std::uint32_t normed, std::uint32_t latents, std::int64_t width, bool absorbed);
  std::uint32_t compress(std::uint32_t normed);
  void update_state(OperationMaker& op);
  void update_state_of_token(OperationMaker& op, std::string_view role, std::int64_t width);
  void update_state_of_chunk(OperationMaker& op, std::string_view role, std::int64_t width);
  std::uint32_t store_index_key(std::uint32_t normed);
  void index(std::uint32_t normed, std::uint32_t query_latent, std::optional<std::uint32_t> key);
  std::uint32_t scan(const std::vector<After>& after);
  std::uint32_t pick(std::uint32_t scores);
  std::uint32_t attend(std::vector<After> after, std::int64_t query_width, std::int64_t output_width,
                       double flops_per_entry);
  void read_main_entries(OperationMaker& op);
  void read_expanded_heads(OperationMaker& op);
  void finish_attention(std::uint32_t projected);
  [[nodiscard]] bool expands_context() const;  // prefill from a latent cache with keys and values of every head
  [[nodiscard]] bool selects_here() const { return attention().selects() && !expands_context(); }
  [[nodiscard]] std::int64_t query_tile() const;  // tokens that attention loads entries for together; 0 in decode
  [[nodiscard]] sim::Shape attention_shape() const;
  [[nodiscard]] sim::Count main_count() const;     // entries that attention reads
  [[nodiscard]] sim::Count scanned_count() const;  // keys that the indexer scores
  [[nodiscard]] sim::Layout entry(EntryRole role) const;
  [[nodiscard]] sim::Precision core_precision() const;
  [[nodiscard]] std::int64_t cache_ways() const;  // tensor ranks that can share the main cache
  void own_caches();

  // feed_forward.cpp
  std::uint32_t residual_in(std::string_view part);  // norm, or mixing the streams into one input
  std::uint32_t stream_in(std::string_view part);
  void residual_out(std::string_view part, std::uint32_t from);
  std::uint32_t engram();
  void dense();
  void mixture();
  std::uint32_t choose_experts(std::uint32_t scores);
  std::uint32_t routed_experts(std::uint32_t routed, std::uint32_t experts);
  std::optional<std::uint32_t> shared_experts(std::uint32_t normed);
  void own_weights(const Weights& weights);
  void own_weight(const Weight& weight, std::int64_t copies, sim::Place place);
  [[nodiscard]] bool lies_on_host(std::size_t layer) const;  // the whole layer
  [[nodiscard]] sim::Place weights_place() const;            // of this layer, or of what is outside the layers
  [[nodiscard]] std::int64_t hosted_experts() const;         // of this layer
  std::uint32_t all_reduce(std::string_view name, std::uint32_t from);

  [[nodiscard]] const Layer& here() const { return context_.model.layers[static_cast<std::size_t>(index_)]; }
  [[nodiscard]] const Attention& attention() const { return here().attention; }
  [[nodiscard]] std::int64_t hidden() const { return context_.model.hidden; }
  [[nodiscard]] const Weight& weight(std::string_view name) const;

  Context& context_;
  sim::MemoryDemand& demand_;
  std::int32_t index_ = -1;
  std::size_t shape_ = 0;  // of this layer: index of the first layer that looks the same and lies in the same memory
  LayerSpans spans_;
  std::uint32_t span_ = 0;                  // of operations that are added
  sim::Module module_ = sim::Module::none;  // of operations that are added
  std::optional<std::uint32_t> last_;       // vertex before, on the engine's stream
  std::uint32_t tail_ = 0;                  // vertex that made the residual stream as it stands
  std::map<std::tuple<std::size_t, std::string, std::uint32_t>, std::uint32_t> operations_;
  std::vector<Made> made_;
  Weights attention_weights_, forward_weights_;
};

}  // namespace kvtraffic::models
