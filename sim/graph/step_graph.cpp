// Building, checking and flattening a step graph. The only user of Boost.Graph, and only while a graph is being
// finished.
#include "sim/graph/step_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/topological_sort.hpp>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <utility>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

using EdgeIndex = boost::property<boost::edge_index_t, std::uint32_t>;
using Dependencies = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, EdgeIndex>;

Dependencies dependencies_of(std::size_t vertices, const std::vector<Edge>& edges) {
  Dependencies dependencies(vertices);
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    boost::add_edge(edges[i].from, edges[i].to, EdgeIndex(i), dependencies);
  }
  return dependencies;
}

bool has_cycle(const Dependencies& dependencies) {
  std::vector<Dependencies::vertex_descriptor> sorted;
  try {
    boost::topological_sort(dependencies, std::back_inserter(sorted));
  } catch (const boost::not_a_dag&) {
    return true;
  }
  return false;
}

// Remembers how the search reached each vertex and keeps the first edge that leads back onto its own path.
class CycleFinder : public boost::default_dfs_visitor {
 public:
  CycleFinder(const std::vector<Edge>& edges, std::vector<std::uint32_t>& reached_by, std::vector<std::uint32_t>& cycle)
      : edges_(edges), reached_by_(reached_by), cycle_(cycle) {}

  void tree_edge(Dependencies::edge_descriptor e, const Dependencies& g) {
    reached_by_[boost::target(e, g)] = boost::get(boost::edge_index, g, e);
  }
  void back_edge(Dependencies::edge_descriptor e, const Dependencies& g) {
    if (!cycle_.empty()) return;
    cycle_.push_back(boost::get(boost::edge_index, g, e));
    for (auto v = boost::source(e, g); v != boost::target(e, g); v = edges_[cycle_.back()].from) {
      cycle_.push_back(reached_by_[v]);
    }
    std::reverse(cycle_.begin(), cycle_.end());
  }

 private:
  const std::vector<Edge>& edges_;
  std::vector<std::uint32_t>& reached_by_;
  std::vector<std::uint32_t>& cycle_;
};

// The edges of one cycle, each starting where the one before ends.
std::vector<std::uint32_t> cycle_in(const Dependencies& dependencies, const std::vector<Edge>& edges) {
  std::vector<std::uint32_t> reached_by(boost::num_vertices(dependencies));
  std::vector<std::uint32_t> cycle;
  boost::depth_first_search(dependencies, boost::visitor(CycleFinder(edges, reached_by, cycle)));
  return cycle;
}

std::string cycle_text(const StepGraph& graph, const std::vector<std::uint32_t>& cycle) {
  const auto name = [&](std::uint32_t vertex) { return graph.name_of(graph.vertices()[vertex]); };
  std::string text = name(graph.edges()[cycle.front()].from);
  for (const std::uint32_t i : cycle) {
    const Edge& edge = graph.edges()[i];
    text += fmt::format(" -({})-> {}", edge.why, name(edge.to));
  }
  return text;
}

bool same_geometry(const Layout& a, const Layout& b) {
  return a.row == b.row && a.apart == b.apart && a.page_entries == b.page_entries && a.page_bytes == b.page_bytes;
}

}  // namespace

void StepGraph::require_building() const {
  if (finished_) throw std::logic_error("the step graph is finished and cannot be changed");
}

std::uint32_t StepGraph::add_layout(Layout layout) {
  require_building();
  const auto known =
      std::find_if(layouts_.begin(), layouts_.end(), [&](const Layout& l) { return l.name == layout.name; });
  if (known != layouts_.end()) {
    if (!same_geometry(*known, layout)) {
      throw std::logic_error(fmt::format("layout '{}' is added twice with different sizes", layout.name));
    }
    return static_cast<std::uint32_t>(known - layouts_.begin());
  }
  layouts_.push_back(std::move(layout));
  return static_cast<std::uint32_t>(layouts_.size() - 1);
}

std::uint32_t StepGraph::add_role(std::string_view name) {
  require_building();
  const auto known = std::find(roles_.begin(), roles_.end(), name);
  if (known != roles_.end()) return static_cast<std::uint32_t>(known - roles_.begin());
  roles_.emplace_back(name);
  return static_cast<std::uint32_t>(roles_.size() - 1);
}

std::int64_t ExpertSet::part_in(Place place, std::int64_t distinct) const {
  if (place == Place::remote) throw std::logic_error("no expert lies in another node");
  const std::int64_t on_host = hosted == 0 ? 0 : scale(distinct, hosted, routed);
  return place == Place::host ? on_host : distinct - on_host;
}

std::uint32_t StepGraph::add_experts(ExpertSet set) {
  require_building();
  expert_sets_.push_back(set);
  return static_cast<std::uint32_t>(expert_sets_.size() - 1);
}

std::uint32_t StepGraph::add_span(Span span) {
  require_building();
  const auto known = std::find(spans_.begin(), spans_.end(), span);
  if (known != spans_.end()) return static_cast<std::uint32_t>(known - spans_.begin());
  spans_.push_back(span);
  return static_cast<std::uint32_t>(spans_.size() - 1);
}

std::uint32_t StepGraph::add_operation(Operation operation) {
  require_building();
  operations_.push_back(std::move(operation));
  return static_cast<std::uint32_t>(operations_.size() - 1);
}

void StepGraph::add_layer(LayerInfo layer) {
  require_building();
  layers_.push_back(std::move(layer));
}

std::uint32_t StepGraph::add_vertex(std::uint32_t operation, std::int32_t layer) {
  require_building();
  vertices_.push_back({operation, layer, 0});
  return static_cast<std::uint32_t>(vertices_.size() - 1);
}

void StepGraph::add_edge(std::uint32_t from, std::uint32_t to, std::string_view why) {
  require_building();
  edges_.push_back({from, to, std::string(why)});
}

void StepGraph::finish() {
  require_building();
  check_references();
  flatten_edges();
  order_vertices();
  number_accesses();
  number_charges();
  number_regions();
  finished_ = true;
}

void StepGraph::check_access(const Operation& operation, const Access& access) const {
  const auto require = [&](bool holds, std::string_view what) {
    if (!holds) throw std::logic_error(fmt::format("operation '{}' has an access with {}", operation.name, what));
  };
  const bool routed = access.per == Per::expert || access.per == Per::routed;
  require(access.layout < layouts_.size(), "an unknown layout");
  require(access.role < roles_.size(), "an unknown role");
  require(!routed || access.experts < expert_sets_.size(), "unknown experts");
  require(access.ways >= 1, "no way to share it");
  require(access.count.ratio >= 1, "a ratio below one");
}

void StepGraph::check_references() const {
  for (const Operation& operation : operations_) {
    if (operation.span >= spans_.size()) {
      throw std::logic_error(fmt::format("operation '{}' has an unknown span", operation.name));
    }
    for (const Access& access : operation.accesses) check_access(operation, access);
  }
  for (const Vertex& v : vertices_) {
    if (v.operation >= operations_.size()) throw std::logic_error("a vertex runs an unknown operation");
    if (v.layer < -1 || v.layer >= static_cast<std::int32_t>(layers_.size())) {
      throw std::logic_error(fmt::format("{} is not among the {} layers", name_of(v), layers_.size()));
    }
  }
  for (const Edge& edge : edges_) {
    if (edge.from >= vertices_.size() || edge.to >= vertices_.size()) {
      throw std::logic_error(fmt::format("an edge ({}) leads to an unknown vertex", edge.why));
    }
  }
}

// Two edges between the same vertices, for two reasons, are waited for once.
void StepGraph::flatten_edges() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Edge& edge : edges_) pairs.emplace_back(edge.from, edge.to);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  successors_.clear();
  first_successor_.assign(vertices_.size() + 1, 0);
  waits_.assign(vertices_.size(), 0);
  for (const auto& [from, to] : pairs) {
    successors_.push_back(to);
    ++first_successor_[from + 1];
    ++waits_[to];
  }
  for (std::size_t v = 0; v < vertices_.size(); ++v) first_successor_[v + 1] += first_successor_[v];
}

// A topological sort of the library would do, but not name the order among vertices that are ready at once.
void StepGraph::order_vertices() {
  const Dependencies dependencies = dependencies_of(vertices_.size(), edges_);
  if (has_cycle(dependencies)) throw CycleError(cycle_text(*this, cycle_in(dependencies, edges_)));
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  std::vector<std::uint32_t> missing = waits_;
  for (std::uint32_t v = 0; v < vertices_.size(); ++v) {
    if (missing[v] == 0) ready.push(v);
  }
  order_.clear();
  while (!ready.empty()) {
    const std::uint32_t next = ready.top();
    ready.pop();
    order_.push_back(next);
    for (const std::uint32_t successor : successors(next)) {
      if (--missing[successor] == 0) ready.push(successor);
    }
  }
}

void StepGraph::number_accesses() {
  first_access_.clear();
  operation_accesses_ = 0;
  for (const Operation& operation : operations_) {
    first_access_.push_back(operation_accesses_);
    operation_accesses_ += static_cast<std::uint32_t>(operation.accesses.size());
  }
  uses_.assign(operations_.size(), 0);
  vertex_accesses_ = 0;
  for (Vertex& v : vertices_) {
    ++uses_[v.operation];
    v.first_access = vertex_accesses_;
    vertex_accesses_ += static_cast<std::uint32_t>(operation_of(v).accesses.size());
  }
}

void StepGraph::number_charges() {
  for (const Layout& layout : layouts_) page_costs_.emplace_back(layout);
  for (const Operation& operation : operations_) {
    for (const Access& access : operation.accesses) {
      const bool each_sequence = access.per == Per::sequence || access.per == Per::resumed;
      const Charge charge{access.layout,   operation.span, access.pattern, each_sequence ? access.per : Per::token,
                          access.only_new, access.queries, access.count};
      const auto known = std::find(charges_.begin(), charges_.end(), charge);
      charge_of_.push_back(static_cast<std::uint32_t>(known - charges_.begin()));
      if (known == charges_.end()) charges_.push_back(charge);
    }
  }
}

std::int32_t StepGraph::owner_of(const Vertex& v, Owner owner) const {
  if (v.layer < 0 || owner == Owner::step) return -1;
  const LayerInfo& layer = layers_[static_cast<std::size_t>(v.layer)];
  if (owner == Owner::kv_source) return layer.kv_source;
  return owner == Owner::selection_source ? layer.selection_source : v.layer;
}

void StepGraph::number_regions() {
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> known;
  regions_.clear();
  for (const Vertex& v : vertices_) {
    for (const Access& access : operation_of(v).accesses) {
      const std::pair key(access.role, owner_of(v, access.owner));
      regions_.push_back(known.try_emplace(key, static_cast<std::uint32_t>(known.size())).first->second);
    }
  }
  region_count_ = static_cast<std::uint32_t>(known.size());
}

std::span<const std::uint32_t> StepGraph::successors(std::uint32_t vertex) const {
  return std::span(successors_)
      .subspan(first_successor_[vertex], first_successor_[vertex + 1] - first_successor_[vertex]);
}

std::string StepGraph::name_of(const Vertex& v) const {
  const std::string& name = operation_of(v).name;
  return v.layer < 0 ? name : fmt::format("layer {} {}", v.layer, name);
}

}  // namespace kvtraffic::sim
