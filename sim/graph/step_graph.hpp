// One step (a decode step, or a prefill) as operations and what they wait for. Built once per model, deployment, plan
// and phase; a point changes only counts. The graph library stays in the source file; what runs walks the flat arrays
// below.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/charge.hpp"
#include "sim/graph/operation.hpp"

namespace kvtraffic::sim {

struct ExpertSet {
  std::int64_t routed = 0;  // experts in the layer
  std::int64_t active = 0;  // chosen per token
  std::int64_t hosted = 0;  // of `routed`, those whose weights lie in host memory

  // Of `distinct` experts, expected ones, those that lie in `place`: in proportion, whole ones, the parts add up.
  [[nodiscard]] std::int64_t part_in(Place place, std::int64_t distinct) const;
};

// Which of a step's positions run an operation. A decode step has one span, number 0.
struct Span {
  std::int64_t tail = 0;  // only the last `tail` positions of the whole prompt; 0: all
  bool replays = false;   // also the cached positions that a prefill computes again
  friend bool operator==(const Span&, const Span&) = default;
};

struct LayerInfo {
  std::string attention;              // "csa2"
  std::string mode;                   // "reuse"; empty where the kind has none
  std::int32_t kv_source = 0;         // layer whose main cache and index keys this one reads
  std::int32_t selection_source = 0;  // layer that made the selection this one reads
  std::uint32_t span = 0;             // positions that run the layer as a whole
};

struct Vertex {
  std::uint32_t operation = 0;     // index into operations(): layers of one kind share them
  std::int32_t layer = -1;         // -1: outside the layers
  std::uint32_t first_access = 0;  // of this vertex in arrays with one element per vertex access
};

struct Edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::string why;  // "selection", "hidden state"
};

// The dependencies form a cycle. what() prints it as a chain of names with the reasons.
class CycleError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

class StepGraph {
 public:
  // ---- building ----
  [[nodiscard]] std::uint32_t add_layout(Layout layout);        // equal names are one layout
  [[nodiscard]] std::uint32_t add_role(std::string_view name);  // equal names are one role
  [[nodiscard]] std::uint32_t add_experts(ExpertSet set);
  [[nodiscard]] std::uint32_t add_span(Span span);  // equal ones are one; number 0, all new positions, is there already
  std::uint32_t add_operation(Operation operation);
  void add_layer(LayerInfo layer);
  std::uint32_t add_vertex(std::uint32_t operation, std::int32_t layer);
  void add_edge(std::uint32_t from, std::uint32_t to, std::string_view why);
  // Checks and freezes: vertices are ordered so that all that one waits for stands before it, ties by index.
  // CycleError.
  void finish();

  // ---- reading (after finish) ----
  [[nodiscard]] const std::vector<Layout>& layouts() const { return layouts_; }
  [[nodiscard]] const std::vector<std::string>& roles() const { return roles_; }
  [[nodiscard]] const std::vector<ExpertSet>& expert_sets() const { return expert_sets_; }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
  [[nodiscard]] const std::vector<LayerInfo>& layers() const { return layers_; }
  [[nodiscard]] const std::vector<Vertex>& vertices() const { return vertices_; }
  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
  [[nodiscard]] std::span<const std::uint32_t> order() const { return order_; }  // of execution
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t vertex) const;
  [[nodiscard]] std::uint32_t waits_for(std::uint32_t vertex) const {
    return waits_[vertex];
  }  // number of predecessors
  [[nodiscard]] const Operation& operation_of(const Vertex& v) const { return operations_[v.operation]; }
  [[nodiscard]] std::uint32_t first_access_of(std::uint32_t operation) const { return first_access_[operation]; }
  [[nodiscard]] std::uint32_t operation_accesses() const { return operation_accesses_; }       // over all operations
  [[nodiscard]] std::uint32_t vertex_accesses() const { return vertex_accesses_; }             // over all vertices
  [[nodiscard]] std::int64_t uses(std::uint32_t operation) const { return uses_[operation]; }  // vertices that run it
  // "layer 20 index.scan", or "head" outside the layers.
  [[nodiscard]] std::string name_of(const Vertex& v) const;
  // The distinct charges of all operation accesses, and which of them an operation access has.
  [[nodiscard]] const std::vector<Charge>& charges() const { return charges_; }
  [[nodiscard]] std::uint32_t charge_of(std::uint32_t operation_access) const { return charge_of_[operation_access]; }
  // What a charge costs one sequence: summed over the positions, or per sequence.
  [[nodiscard]] Cost cost(const Charge& charge, const Positions& at) const {
    return page_costs_[charge.layout].of(charge, at);
  }
  // Region ids of all vertex accesses, dense from zero; equal ids are the same bytes.
  [[nodiscard]] std::span<const std::uint32_t> regions() const { return regions_; }
  [[nodiscard]] std::uint32_t region_count() const { return region_count_; }

 private:
  void require_building() const;
  void check_references() const;
  void check_access(const Operation& operation, const Access& access) const;
  void order_vertices();
  void flatten_edges();
  void number_accesses();
  void number_charges();
  void number_regions();
  [[nodiscard]] std::int32_t owner_of(const Vertex& v, Owner owner) const;

  std::vector<Layout> layouts_;
  std::vector<std::string> roles_;
  std::vector<ExpertSet> expert_sets_;
  std::vector<Span> spans_{Span{}};
  std::vector<Operation> operations_;
  std::vector<LayerInfo> layers_;
  std::vector<Vertex> vertices_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> order_, successors_, first_successor_, waits_, first_access_, regions_;
  std::vector<std::int64_t> uses_;
  std::vector<PageCosts> page_costs_;  // one per layout
  std::vector<Charge> charges_;
  std::vector<std::uint32_t> charge_of_;
  bool finished_ = false;
  std::uint32_t operation_accesses_ = 0;
  std::uint32_t vertex_accesses_ = 0;
  std::uint32_t region_count_ = 0;
};

}  // namespace kvtraffic::sim
