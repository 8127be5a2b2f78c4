// Two walks over the step: the first leaves L2 as a step leaves it, the second counts. What L2 holds after a walk
// depends only on the walk, so a third one would count the same.
#include "hardware/machine/l2_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kvtraffic::hardware {
namespace {

constexpr std::int64_t sector = sim::sector_bytes;
constexpr std::int64_t million = 1'000'000;
constexpr std::int64_t most_turns = 8;
constexpr std::int64_t turn_bytes = std::int64_t{4} << 20U;  // fewer bytes are not worth a turn of their own

// Where byte `at` of a selection's lines is among the bytes that it reads of them.
std::int64_t bytes_before(std::int64_t at, std::int64_t span, std::int64_t footprint) {
  return static_cast<std::int64_t>(static_cast<__int128>(at) * footprint / span);
}

}  // namespace

L2Model::L2Model(sim::Bytes usable, double alike)
    : cache_(usable), alike_(std::llround(std::clamp(alike, 0.0, 1.0) * static_cast<double>(million))) {}

void L2Model::run(const sim::StepGraph& graph, const AccessTable& table, std::vector<std::int64_t>& dram, Start start) {
  number_parts(graph, table);
  cache_.reset(static_cast<std::uint32_t>(parts_.size()));
  left_.assign(graph.vertex_accesses(), 0);
  for (int walks = start == Start::steady ? 2 : 1; walks > 0; --walks) {
    dram.assign(graph.vertex_accesses(), 0);
    evicted_.assign(graph.vertex_accesses(), 0);
    walk(graph, table, dram);
  }
  if (start == Start::steady) return;
  for (std::uint32_t part = 0; part < parts_.size(); ++part) cache_.clean(part);
  settle(left_);
}

// ---- what has lines of its own ----

void L2Model::number_parts(const sim::StepGraph& graph, const AccessTable& table) {
  parts_.assign(graph.region_count(), {});
  for (std::uint32_t region = 0; region < graph.region_count(); ++region) parts_[region].region = region;
  part_of_.assign(graph.regions().begin(), graph.regions().end());
  for (const sim::Vertex& vertex : graph.vertices()) {
    const AccessTable::Range range = table.ranges[vertex.operation];
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const AccessCost& cost = table.costs[range.first + i];
      if (cost.write) note_write(parts_[part_of_[vertex.first_access + i]], cost);
      if (cost.pool > 0) part_of_[vertex.first_access + i] = add_selection(graph, vertex, i, cost);
    }
  }
}

void L2Model::note_write(Part& part, const AccessCost& cost) {
  if (cost.place != sim::Place::device || cost.footprint == 0) return;
  part.written = std::max(part.written, cost.footprint);
  part.kept = part.kept || !cost.transient;
}

std::uint32_t L2Model::add_selection(const sim::StepGraph& graph, const sim::Vertex& vertex, std::uint32_t access,
                                     const AccessCost& cost) {
  const bool in_layer = vertex.layer >= 0;
  const std::int32_t source = in_layer ? graph.layers()[static_cast<std::size_t>(vertex.layer)].selection_source : -1;
  const std::uint32_t part = part_of(graph.regions()[vertex.first_access + access], source);
  parts_[part].span = std::max(parts_[part].span, cost.lines * l2::line_bytes);
  parts_[part].footprint = std::max(parts_[part].footprint, cost.footprint);
  return part;
}

std::uint32_t L2Model::part_of(std::uint32_t region, std::int32_t source) {
  std::uint32_t last = region;
  for (std::uint32_t part = parts_[region].next; part != none; part = parts_[part].next) {
    if (parts_[part].source == source) return part;
    last = part;
  }
  const auto made = static_cast<std::uint32_t>(parts_.size());
  parts_.push_back({.region = region, .source = source});
  parts_[last].next = made;
  return made;
}

// ---- a walk ----

void L2Model::walk(const sim::StepGraph& graph, const AccessTable& table, std::vector<std::int64_t>& dram) {
  for (Part& part : parts_) part.read_until = part.region_read = 0;
  for (const std::uint32_t v : graph.order()) {
    const sim::Vertex& vertex = graph.vertices()[v];
    const std::int64_t bytes = gather_streams(vertex, table);
    if (graph.operation_of(vertex).kind == sim::OperationKind::gemm) mark_panels();
    run_streams(bytes, dram);
  }
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    if (parts_[part].kept) cache_.clean(part);
  }
  settle(dram);
}

// Reads before writes, small ones first, so that a long stream does not push out what is asked for beside it. Returns
// how much they touch.
std::int64_t L2Model::gather_streams(const sim::Vertex& vertex, const AccessTable& table) {
  streams_.clear();
  std::int64_t bytes = 0;
  const AccessTable::Range range = table.ranges[vertex.operation];
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const AccessCost& cost = table.costs[range.first + i];
    if (cost.place != sim::Place::device || cost.footprint == 0) continue;
    const std::uint32_t access = vertex.first_access + i;
    const std::uint32_t part = part_of_[access];
    const std::int64_t span = cost.pool > 0 ? cost.lines * l2::line_bytes : cost.footprint;
    const Stream stream{&cost, access, part, span, 0, parts_[parts_[part].region].region_read, false};
    const auto later = [](const Stream& a, const Stream& b) {
      if (a.cost->write != b.cost->write) return b.cost->write;
      return !a.cost->write && a.span < b.span;
    };
    streams_.insert(std::upper_bound(streams_.begin(), streams_.end(), stream, later), stream);
    bytes = sim::checked_add(bytes, span);
  }
  return bytes;
}

// Operands of a GEMM that are smaller than one slice of its largest are read again by every tile of that.
void L2Model::mark_panels() {
  std::int64_t largest = 0;
  for (const Stream& stream : streams_) {
    if (!stream.cost->write) largest = std::max(largest, stream.span);
  }
  for (Stream& stream : streams_) stream.in_all_turns = !stream.cost->write && stream.span <= largest / most_turns;
}

void L2Model::run_streams(std::int64_t bytes, std::vector<std::int64_t>& dram) {
  const std::int64_t turns = std::clamp<std::int64_t>(bytes / turn_bytes, 1, most_turns);
  for (std::int64_t turn = 1; turn <= turns; ++turn) {
    for (Stream& stream : streams_) {
      const Slice slice = next_slice(stream, turn, turns);
      const bool is_counted = !stream.in_all_turns || turn == 1;
      if (stream.cost->write || !is_counted) {
        static_cast<void>(touch(stream, slice));
      } else {
        read(stream, slice, dram[stream.access]);
      }
    }
  }
  for (const Stream& stream : streams_) {
    if (stream.cost->write) continue;
    dram[stream.access] += stream.cost->again;
    evicted_[stream.access] += stream.cost->again;
  }
  settle(dram);
}

// Whole lines, so that no two turns share one.
L2Model::Slice L2Model::next_slice(Stream& stream, std::int64_t turn, std::int64_t turns) {
  if (stream.in_all_turns) return {0, stream.span};
  const std::int64_t lines = sim::ceil_divide(stream.span, l2::line_bytes);
  const std::int64_t end = turn == turns ? stream.span : lines * turn / turns * l2::line_bytes;
  return {std::exchange(stream.done, end), end};
}

l2::Found L2Model::touch(const Stream& stream, Slice slice) {
  return cache_.touch({stream.part, slice.first, slice.last, stream.cost->write, stream.access});
}

// Bytes that the walk reads for the first time move in any case.
void L2Model::read(const Stream& stream, Slice slice, std::int64_t& dram) {
  if (stream.cost->pool > 0) return read_selection(stream, slice, dram);
  Part& part = parts_[stream.part];
  const bool counts = !stream.cost->transient;
  const std::int64_t from = counts ? std::clamp(part.read_until, slice.first, slice.last) : slice.last;
  const std::int64_t fresh = slice.last - from;
  const std::int64_t cut = fresh == 0 ? slice.last : from / sector * sector;
  const std::int64_t lost = touch(stream, {slice.first, cut}).missed;
  const std::int64_t moved = lost + std::max(touch(stream, {cut, slice.last}).missed, fresh);
  dram += moved;
  evicted_[stream.access] += moved - fresh;
  if (!counts) return;
  part.read_until = std::max(part.read_until, slice.last);
  part.region_read += fresh;
}

// The same for entries of which others may have been read with another selection.
void L2Model::read_selection(const Stream& stream, Slice slice, std::int64_t& dram) {
  Part& part = parts_[stream.part];
  const auto before = [&](std::int64_t at) { return bytes_before(at, stream.span, stream.cost->footprint); };
  const std::int64_t from = stream.cost->transient ? slice.last : std::clamp(part.read_until, slice.first, slice.last);
  const std::int64_t fresh = before(slice.last) - before(from);
  const Common common = common_with_others(stream, fresh);
  const std::int64_t missed = touch(stream, {slice.first, from}).missed;
  static_cast<void>(touch(stream, {from, slice.last}));
  const std::int64_t lost = before(slice.first + missed) - before(slice.first);
  dram += lost + fresh - common.held;
  evicted_[stream.access] += lost + common.read - common.held;
  if (stream.cost->transient) return;
  part.read_until = std::max(part.read_until, slice.last);
  parts_[part.region].region_read += fresh - common.read;
}

// Never more than others have read: the step's distinct bytes stay at least those of its largest access.
L2Model::Common L2Model::common_with_others(const Stream& stream, std::int64_t fresh) const {
  if (fresh == 0 || stream.known == 0) return {};
  std::int64_t held = 0;
  std::int64_t stated = 0;  // millionths of a selection that another one has in common
  std::int64_t stated_held = 0;
  for (std::uint32_t part = parts_[stream.part].region; part != none; part = parts_[part].next) {
    const Part& other = parts_[part];
    if (part == stream.part || other.read_until == 0) continue;
    const std::int64_t its = held_of(part);
    held += its;
    if (other.span == 0) continue;
    stated = alike_;
    stated_held = std::max(stated_held, sim::scale(alike_, its, other.footprint));
  }
  const std::int64_t pool = stream.cost->pool;
  const auto found = [&](std::int64_t by_chance, std::int64_t by_statement) {
    return std::max(sim::scale(fresh, std::min(by_chance, pool), pool), sim::scale(fresh, by_statement, million));
  };
  const std::int64_t most = std::min(fresh, sim::scale(stream.known, fresh, stream.cost->footprint));
  const std::int64_t read = std::min(most, found(stream.known, stated));
  return {read, std::min(read, found(std::min(held, stream.known), stated_held))};
}

// Bytes of a part that are in L2.
std::int64_t L2Model::held_of(std::uint32_t part) const {
  const Part& its = parts_[part];
  const std::int64_t lines = cache_.lines_of(part) * l2::line_bytes;
  return its.span == 0 ? std::min(lines, its.read_until) : sim::scale(its.footprint, lines, its.span);
}

// Whole sectors were written back; the last one of a part may be more than anybody asked for.
void L2Model::settle(std::vector<std::int64_t>& bytes) {
  for (const l2::WriteBack& record : cache_.written_back()) {
    bytes[record.writer] += std::min(record.last, parts_[record.region].written) - record.first;
  }
  cache_.clear_written_back();
}

}  // namespace kvtraffic::hardware
