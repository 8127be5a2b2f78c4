// One function a kind of kernel; bytes are whole blobs, because a bare kernel has one point. Gathered entries lie one
// by one. Leaves out pages: entries of a gather follow one another without gaps.
#include "models/lower/bare_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/units/whole.hpp"

namespace kvtraffic::models {
namespace {

using sim::Count;
using sim::DataKind;
using sim::Direction;
using sim::Operation;
using sim::OperationKind;

constexpr double output_bytes = 2;  // of a value that a tensor unit's kernel writes: bf16
constexpr double score_bytes = 4;   // fp32

double bytes_of(sim::Precision precision) {
  constexpr std::array<double, sim::precision_count> bytes{0.5, 1, 2, 4};
  return bytes[static_cast<std::size_t>(precision)];
}

double real(std::int64_t value) { return static_cast<double>(value); }

class Builder {
 public:
  Builder(const BareKernel& kernel, const DirtyLines& dirty) : kernel_(kernel), dirty_(dirty) {}

  static Operation begin(std::string name, OperationKind kind) {
    Operation operation;
    operation.name = std::move(name);
    operation.kind = kind;
    return operation;
  }

  // Outputs stay in L2 as far as they fit, and so do the inputs of a warm kernel. Streams of an elementwise kernel that
  // is not warm are used once.
  void moves(Operation& operation, DataKind kind, Direction direction, std::string_view role, double bytes) {
    const std::int64_t count = sim::checked_whole(std::ceil(bytes));
    if (count == 0) return;
    add(operation, kind, direction, role).layout =
        graph_.add_layout(sim::Layout::blob(fmt::format("{} {} B", role, count), count));
  }

  void gathers(Operation& operation, DataKind kind, std::string_view role, std::int64_t entries, double entry_bytes) {
    const std::int64_t bytes = sim::checked_whole(std::ceil(entry_bytes));
    if (entries == 0 || bytes == 0) return;
    sim::Access& access = add(operation, kind, Direction::read, role);
    access.pattern = sim::Pattern::gather;
    access.count = {Count::Kind::fixed, 1, entries};
    access.layout = graph_.add_layout(sim::Layout::packed(fmt::format("{} of {} B", role, bytes), bytes));
  }

  void computes(Operation& operation, double flops) const {
    sim::Work work;
    work.precision = kernel_.precision;
    work.flops = flops;
    operation.work.push_back(work);
  }

  // Lines that a flush by writing left in L2 make room for what is read.
  void writes_back(Operation& operation, double read) {
    if (kernel_.start != BareKernel::Start::dirty) return;
    const double lines = std::min(dirty_.per_byte_read * read, static_cast<double>(dirty_.most.count()));
    moves(operation, DataKind::activation, Direction::write, "lines of others", lines);
    operation.accesses.back().transient = false;
  }

  void launch(Operation operation) {
    const std::uint32_t vertex = graph_.add_vertex(graph_.add_operation(std::move(operation)), -1);
    if (last_) graph_.add_edge(*last_, vertex, "output");
    last_ = vertex;
  }

  Lowered finish() {
    graph_.finish();
    return {std::move(graph_), {}, {}};
  }

 private:
  sim::Access& add(Operation& operation, DataKind kind, Direction direction, std::string_view role) {
    sim::Access& access = operation.accesses.emplace_back();
    access.kind = kind;
    access.direction = direction;
    access.per = sim::Per::rank;
    access.owner = sim::Owner::step;
    const bool stays = direction == Direction::write && kernel_.kind != BareKernel::Kind::elementwise;
    access.transient = kernel_.start == BareKernel::Start::warm || stays;
    access.role = graph_.add_role(role);
    return access;
  }

  const BareKernel& kernel_;
  const DirtyLines& dirty_;
  sim::StepGraph graph_;
  std::optional<std::uint32_t> last_;
};

void gemm(const BareKernel& k, Builder& build) {
  Operation op = build.begin("gemm", OperationKind::gemm);
  build.moves(op, DataKind::weight, Direction::read, "weight", real(k.columns) * real(k.depth) * k.weight_bits / 8);
  build.moves(op, DataKind::activation, Direction::read, "input", real(k.rows) * real(k.depth) * bytes_of(k.precision));
  build.moves(op, DataKind::activation, Direction::write, "output", real(k.rows) * real(k.columns) * output_bytes);
  build.computes(op, 2 * real(k.columns) * real(k.depth));
  op.shape.columns = k.columns;
  op.shape.depth = k.depth;
  build.launch(std::move(op));
}

// Experts without tokens are not read.
void grouped(const BareKernel& k, std::string name, std::int64_t columns, std::int64_t depth, Builder& build) {
  const ExpertRows rows = expert_rows(k.experts, k.rows, k.spread);
  Operation op = build.begin(std::move(name), OperationKind::grouped_gemm);
  const double weights = real(rows.active) * real(columns) * real(depth) * k.weight_bits / 8;
  build.moves(op, DataKind::weight, Direction::read, op.name + " weight", weights);
  build.moves(op, DataKind::activation, Direction::read, op.name + " input",
              real(k.rows) * real(depth) * bytes_of(k.precision));
  build.moves(op, DataKind::activation, Direction::write, op.name + " output",
              real(k.rows) * real(columns) * output_bytes);
  build.computes(op, 2 * real(columns) * real(depth));
  op.shape.columns = columns;
  op.shape.depth = depth;
  op.shape.groups = std::max<std::int64_t>(1, rows.active);
  op.shape.local = k.experts;
  op.shape.group_rows = rows.mean;
  op.shape.row_tiles_64 = rows.row_tiles_64;
  op.shape.row_tiles_128 = rows.row_tiles_128;
  build.launch(std::move(op));
}

void attention(const BareKernel& k, Builder& build) {
  Operation op = build.begin("attention", OperationKind::attention);
  const double tokens = real(k.rows) * real(k.queries);
  build.moves(op, DataKind::kv_main, Direction::read, "entries", real(k.rows) * real(k.keys) * k.entry_bytes);
  build.moves(op, DataKind::activation, Direction::read, "query", tokens * real(k.heads * k.key_width) * output_bytes);
  build.moves(op, DataKind::activation, Direction::write, "output",
              tokens * real(k.heads * k.value_width) * output_bytes);
  build.computes(op, 2 * real(k.heads * (k.key_width + k.value_width)) * real(k.keys) * real(k.queries));
  op.shape.heads = k.heads * k.queries;
  op.shape.keys = {Count::Kind::fixed, 1, k.keys};
  build.launch(std::move(op));
}

void scan(const BareKernel& k, Builder& build) {
  Operation op = build.begin("scan", OperationKind::scan);
  const double tokens = real(k.rows) * real(k.queries);
  build.moves(op, DataKind::index_key, Direction::read, "index keys", real(k.rows) * real(k.keys) * k.entry_bytes);
  build.moves(op, DataKind::activation, Direction::read, "index query",
              tokens * real(k.heads * k.key_width) * bytes_of(k.precision));
  build.moves(op, DataKind::selection, Direction::write, "scores", tokens * real(k.keys) * score_bytes);
  build.writes_back(op, real(k.rows) * real(k.keys) * k.entry_bytes);
  build.computes(op, 2 * real(k.heads * k.key_width) * real(k.keys) * real(k.queries));
  op.shape.heads = k.heads;
  op.shape.keys = {Count::Kind::fixed, 1, k.keys};
  build.launch(std::move(op));
}

void gather(const BareKernel& k, Builder& build) {
  Operation op = build.begin("gather", OperationKind::lookup);
  build.gathers(op, DataKind::kv_main, "entries", sim::checked_multiply(k.rows, k.keys), k.entry_bytes);
  build.moves(op, DataKind::activation, Direction::write, "output", real(k.rows) * real(k.keys) * k.entry_bytes);
  build.launch(std::move(op));
}

void topk(const BareKernel& k, Builder& build) {
  Operation op = build.begin("topk", OperationKind::topk);
  build.moves(op, DataKind::selection, Direction::read, "scores", real(k.rows) * real(k.keys) * score_bytes);
  build.moves(op, DataKind::selection, Direction::write, "picked", real(k.rows) * real(k.picked) * score_bytes);
  op.shape.keys = {Count::Kind::fixed, 1, k.keys};
  op.shape.picked = k.picked;
  build.launch(std::move(op));
}

void elementwise(const BareKernel& k, Builder& build) {
  const double stream = real(k.rows) * real(k.values) * bytes_of(k.precision) / real(k.kernels);
  for (std::int64_t i = 0; i < k.kernels; ++i) {
    Operation op = build.begin(fmt::format("elementwise {}", i + 1), OperationKind::elementwise);
    build.moves(op, DataKind::activation, Direction::read, fmt::format("input {}", i + 1), stream * real(k.reads));
    build.moves(op, DataKind::activation, Direction::write, fmt::format("output {}", i + 1), stream * real(k.writes));
    build.launch(std::move(op));
  }
}

}  // namespace

ExpertRows expert_rows(std::int64_t experts, std::int64_t rows, double spread) {
  ExpertRows result;
  const double mean = real(rows) / real(experts);
  for (std::int64_t i = 0; i < experts; ++i) {
    const double drawn = mean * (1 - spread + 2 * spread * (real(i) + 0.5) / real(experts));
    const std::int64_t even = rows / experts + (i < rows % experts ? 1 : 0);
    const std::int64_t its = spread > 0 ? sim::checked_whole(drawn) : even;
    if (its == 0) continue;
    ++result.active;
    result.row_tiles_64 += sim::ceil_divide(its, 64);
    result.row_tiles_128 += sim::ceil_divide(its, 128);
  }
  result.mean = sim::ceil_divide(rows, std::max<std::int64_t>(1, spread > 0 ? experts : result.active));
  return result;
}

Lowered lower_kernel(const BareKernel& kernel, const DirtyLines& dirty) {
  using Kind = BareKernel::Kind;
  Builder build(kernel, dirty);
  switch (kernel.kind) {
    case Kind::gemm:
      gemm(kernel, build);
      break;
    case Kind::grouped_gemm:
      grouped(kernel, "grouped_gemm", kernel.columns, kernel.depth, build);
      break;
    case Kind::moe:
      grouped(kernel, "gate_up", 2 * kernel.columns, kernel.depth, build);
      grouped(kernel, "down", kernel.depth, kernel.columns, build);
      break;
    case Kind::attention:
      attention(kernel, build);
      break;
    case Kind::gather:
      gather(kernel, build);
      break;
    case Kind::scan:
      scan(kernel, build);
      break;
    case Kind::topk:
      topk(kernel, build);
      break;
    case Kind::elementwise:
      elementwise(kernel, build);
      break;
  }
  return build.finish();
}

}  // namespace kvtraffic::models
