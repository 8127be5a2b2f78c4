// Regions get their places in order of their numbers; what lies in them is laid out when a kernel first asks for it.
// Leaves out other devices' memory, and regions beyond the part's capacity: addresses there begin again at zero.
#include "hardware/machine/dram_places.hpp"

#include <algorithm>

namespace kvtraffic::hardware {
namespace {

constexpr std::uint64_t alignment = 4096;  // of a region
constexpr std::size_t kept_vertices = 16;  // more kernels hardly ever run side by side

// Adds bytes that lie together, and joins them to the last ones where they follow on.
class Layer {
 public:
  Layer(std::uint64_t granule, std::uint64_t most, Spans& spans) : granule_(granule), most_(most), spans_(spans) {}
  [[nodiscard]] bool is_full() const { return spans_.transactions >= most_; }
  void begin_again() { last_ = UINT64_MAX; }
  void add(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t first = std::max(address / granule_, last_ == address / granule_ + 1 ? last_ : 0);
    const std::uint64_t end = (address + bytes + granule_ - 1) / granule_;
    if (end <= first || is_full()) return;
    if (spans_.list.empty() || first != last_) spans_.list.push_back({first * granule_, spans_.transactions});
    spans_.transactions += std::min(end - first, most_ - spans_.transactions);
    last_ = end;
  }

 private:
  std::uint64_t granule_;
  std::uint64_t most_;
  Spans& spans_;
  std::uint64_t last_ = UINT64_MAX;  // granule behind what was added last
};

}  // namespace

void RequestWalk::add(std::shared_ptr<const Spans> spans, std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  const auto after = std::ranges::upper_bound(spans->list, begin, {}, &Span::first);
  const auto span = static_cast<std::size_t>(after - spans->list.begin()) - 1;
  parts_.push_back({.spans = std::move(spans), .span = span, .at = begin, .weight = end - begin});
  whole_ += end - begin;
  left_ += end - begin;
}

std::uint64_t RequestWalk::next() {
  Part* chosen = parts_.data();
  for (Part& part : parts_) {
    part.owed += static_cast<std::int64_t>(part.weight);
    if (part.owed > chosen->owed) chosen = &part;
  }
  chosen->owed -= static_cast<std::int64_t>(whole_);
  const auto& list = chosen->spans->list;
  if (chosen->span + 1 < list.size() && list[chosen->span + 1].first == chosen->at) ++chosen->span;
  const Span& span = list[chosen->span];
  const std::uint64_t address = span.address + (chosen->at - span.first) * granule_;
  ++chosen->at;
  --left_;
  return address;
}

DramPlaces::DramPlaces(const hbm::Part& part, const sim::Locality& locality, bool gathers)
    : granule_(static_cast<std::uint64_t>(part.geometry.transaction_bytes)),
      capacity_(static_cast<std::uint64_t>(part.geometry.capacity().count())),
      locality_(locality),
      gathers_(gathers),
      picks_(locality.selection),
      kept_(kept_vertices) {}

void DramPlaces::fill(const sim::StepGraph& graph, const sim::Tally& tally, const AccessTable& table,
                      const DramFlows& flows, std::span<const KernelWork> works) {
  graph_ = &graph;
  tally_ = &tally;
  table_ = &table;
  flows_ = &flows;
  works_ = works;
  for (Laid& laid : kept_) laid = {};
  regions_.assign(graph.region_count(), {});
  for (const sim::Vertex& vertex : graph.vertices()) {
    const AccessTable::Range range = table.ranges[vertex.operation];
    const std::int64_t position = tally.spans[graph.operations()[vertex.operation].span].at.last;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      Region& region = regions_[graph.regions()[vertex.first_access + i]];
      const sim::Access& access = graph.operations()[vertex.operation].accesses[i];
      region.size = std::max(region.size, size_of(access, table.costs[range.first + i], position));
    }
  }
  std::uint64_t base = 0;
  for (Region& region : regions_) {
    region.base = base % capacity_;
    base += (region.size + alignment - 1) / alignment * alignment;
  }
}

std::uint64_t DramPlaces::size_of(const sim::Access& access, const AccessCost& cost, std::int64_t position) const {
  if (access.place != sim::Place::device) return 0;
  if (gathers_ && access.pattern == sim::Pattern::gather) {
    const PickShape shape = pick_shape_of(access, graph_->layouts()[access.layout], cost, position);
    return static_cast<std::uint64_t>(shape.requests) * static_cast<std::uint64_t>(shape.pages()) *
           static_cast<std::uint64_t>(shape.page_bytes());
  }
  return std::max(granule_, static_cast<std::uint64_t>(cost.footprint));
}

// Shares go by the bytes that the request's tiles were given, so that tiles without a byte have no transaction either.
RequestWalk DramPlaces::walk(const Request& request) {
  RequestWalk walk(granule_);
  const Laid& there = laid(request.vertex);
  const KernelWork& work = works_[request.vertex];
  const std::int64_t bytes = request.write ? work.hbm_write : work.hbm_read;
  const auto first = static_cast<double>(bytes_of_tiles(bytes, work, request.first)) / static_cast<double>(bytes);
  const auto last = static_cast<double>(bytes_of_tiles(bytes, work, request.last)) / static_cast<double>(bytes);
  const std::span<const DramFlow> flows = flows_->of(request.vertex);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i].write != request.write) continue;
    const auto all = static_cast<double>(there.flows[i]->transactions);
    walk.add(there.flows[i], static_cast<std::uint64_t>(first * all), static_cast<std::uint64_t>(last * all));
  }
  return walk;
}

const DramPlaces::Laid& DramPlaces::laid(std::uint32_t vertex) {
  for (const Laid& one : kept_) {
    if (one.vertex == vertex) return one;
  }
  Laid& one = kept_[oldest_];
  oldest_ = (oldest_ + 1) % kept_.size();
  one.vertex = vertex;
  one.flows.clear();
  for (const DramFlow& flow : flows_->of(vertex)) one.flows.push_back(lay(vertex, flow));
  return one;
}

std::shared_ptr<const Spans> DramPlaces::lay(std::uint32_t vertex, const DramFlow& flow) {
  const sim::Vertex& its = graph_->vertices()[vertex];
  const sim::Access& access = graph_->operations()[its.operation].accesses[flow.access];
  const std::uint32_t number = graph_->regions()[its.first_access + flow.access];
  const std::uint64_t transactions = (static_cast<std::uint64_t>(flow.bytes) + granule_ - 1) / granule_;
  auto spans = std::make_shared<Spans>();
  if (gathers_ && access.pattern == sim::Pattern::gather) {
    const AccessCost& cost = table_->costs[table_->ranges[its.operation].first + flow.access];
    const PickShape shape = pick_shape_of(access, graph_->layouts()[access.layout], cost,
                                          tally_->spans[graph_->operations()[its.operation].span].at.last);
    const std::int32_t source =
        its.layer < 0 ? -1 : graph_->layers()[static_cast<std::size_t>(its.layer)].selection_source;
    lay_picks(regions_[number], shape, static_cast<std::uint64_t>(source) + 1, transactions, *spans);
  } else {
    lay_stream(regions_[number], access, transactions, *spans);
  }
  return spans;
}

// What is longer than its region is read more than once. Pages of caches stand in the order of their pool.
void DramPlaces::lay_stream(const Region& region, const sim::Access& access, std::uint64_t transactions,
                            Spans& spans) const {
  Layer layer(granule_, transactions, spans);
  const sim::Layout& layout = graph_->layouts()[access.layout];
  const auto page = static_cast<std::uint64_t>(layout.page_entries > 1 ? layout.page_bytes : 0);
  const bool pages = page > 0 && region.size > page;
  const std::uint64_t count = pages ? region.size / page : 1;
  const std::uint64_t length = pages ? page : region.size;
  const PageTable table(locality_.pages, count, locality_.selection.seed);
  while (!layer.is_full()) {
    layer.begin_again();
    for (std::uint64_t i = 0; i < count && !layer.is_full(); ++i) {
      layer.add(region.base + table.place_of(i) * length, length);
    }
  }
}

// All requests' pools are one, page after page, so that their pages lie among one another's.
void DramPlaces::lay_picks(const Region& region, const PickShape& shape, std::uint64_t identity,
                           std::uint64_t transactions, Spans& spans) {
  Layer layer(granule_, transactions, spans);
  draw_pieces(region, shape, identity);
  const Shuffle order(pieces_.size(), locality_.selection.seed);
  while (!layer.is_full()) {
    layer.begin_again();
    for (std::uint64_t i = 0; i < pieces_.size() && !layer.is_full(); ++i) {
      const Piece& piece = pieces_[shape.is_all() ? i : order(i)];
      layer.add(piece.address, static_cast<std::uint64_t>(piece.bytes));
    }
  }
}

void DramPlaces::draw_pieces(const Region& region, const PickShape& shape, std::uint64_t identity) {
  sim::Layout layout = *shape.layout;
  layout.page_bytes = shape.page_bytes();
  const PageTable table(locality_.pages, static_cast<std::uint64_t>(shape.pages() * shape.requests),
                        locality_.selection.seed);
  pieces_.clear();
  for (std::int64_t r = 0; r < shape.requests; ++r) {
    picks_.draw(shape.entries, shape.picked, (identity << 32U) + static_cast<std::uint64_t>(r), picked_);
    for (std::int64_t& entry : picked_) entry += r * shape.pages() * layout.page_entries;
    gather_pieces(picked_, layout, table, region.base, pieces_);
  }
}

}  // namespace kvtraffic::hardware
