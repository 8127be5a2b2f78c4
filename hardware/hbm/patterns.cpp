// Patterns as plans of byte ranges.
// Leaves out reading them from text (parse_pattern.cpp) and the plans (range_plans.hpp).
#include "hardware/hbm/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "hardware/hbm/range_plans.hpp"
#include "hardware/hbm/reference_traces.hpp"
#include "hardware/hbm/split_mix.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::uint64_t kPage = 4096, kLine = 64;

struct Request {
  const Pattern& pattern;
  std::uint64_t size;
  std::uint64_t seed;
  AddressSpace space;

  [[nodiscard]] SplitMix64 random(std::string_view kind) const { return SplitMix64(seed_of(kind, seed)); }
  [[nodiscard]] std::uint64_t turn() const { return std::max(kLine, space.granule); }
  [[nodiscard]] std::uint64_t turns() const { return units(turn()); }
  [[nodiscard]] std::uint64_t units(std::uint64_t bytes) const { return size / bytes + (size % bytes != 0 ? 1 : 0); }
  [[noreturn]] void refuse(std::string_view why) const {
    throw std::invalid_argument(fmt::format("pattern {}: {}", pattern.text, why));
  }
};

RangePlan plan_of_streams(const Request& request) {
  const std::uint64_t streams = request.pattern.count, turn = request.turn(), turns = request.turns();
  const std::uint64_t step = std::max(kPage, request.space.granule);
  const std::uint64_t share = request.space.capacity / streams / step * step;
  const std::uint64_t each = (turns / streams + (turns % streams != 0 ? 1 : 0)) * turn;
  if (share == 0) request.refuse(fmt::format("{} bytes have no room for so many streams", request.space.capacity));
  if (each > share && !request.space.wrap) {
    request.refuse(fmt::format("streams of {} bytes overlap when {} of them share a capacity of {} bytes", each,
                               streams, request.space.capacity));
  }
  SplitMix64 random = request.random("streams");
  StreamsShape shape{{}, turn, turns, request.pattern.write};
  for (std::uint64_t stream = 0; stream < streams; ++stream) {
    const std::uint64_t room = each < share ? (share - each) / step : 0;
    shape.bases.push_back(stream * share + random.below(room + 1) * step);
  }
  return plan_streams(std::move(shape), request.space.granule);
}

RangePlan plan_of_random(const Request& request, std::string_view kind, std::uint64_t bytes) {
  const std::uint64_t slots = request.space.capacity / bytes;
  if (slots == 0) {
    request.refuse(fmt::format("a block of {} bytes exceeds the capacity of {}", bytes, request.space.capacity));
  }
  return plan_random({bytes, slots, request.units(bytes), request.pattern.write}, request.random(kind),
                     request.space.granule);
}

RangePlan plan_of_gather(const Request& request) {
  const Pattern& pattern = request.pattern;
  const std::uint64_t region = pattern.total * pattern.entry;  // parse_pattern keeps the product in range
  const std::uint64_t regions = std::max<std::uint64_t>(1, request.space.capacity / region);
  return plan_gather({.entry = pattern.entry,
                      .chosen = pattern.count,
                      .total = pattern.total,
                      .regions = regions,
                      .entries = request.units(pattern.entry),
                      .write = pattern.write},
                     request.random("gather"), request.space.granule);
}

RangePlan plan_of_mix(const Request& request) {
  const std::uint64_t turn = request.turn();
  const std::uint64_t half = request.space.capacity / 2 / turn * turn;
  if (half == 0) request.refuse(fmt::format("{} bytes have no room for two arrays", request.space.capacity));
  if (request.turns() > half / turn && !request.space.wrap) {
    request.refuse(fmt::format("{} bytes may exceed an array of {}, half the capacity (wrapping begins an array again)",
                               request.size, half));
  }
  return plan_mix({.line = turn,
                   .lines = request.turns(),
                   .writes = request.pattern.turns - request.pattern.reads,
                   .of = request.pattern.turns,
                   .write_base = half,
                   .walk = half},
                  request.random("mix"), request.space.granule);
}

// Bytes from 0 upwards, for the kinds that are nothing else.
std::uint64_t linear_bytes(const Pattern& pattern, std::uint64_t size) {
  if (pattern.kind == PatternKind::stream) return size;
  return (size / pattern.entry + (size % pattern.entry != 0 ? 1 : 0)) * pattern.entry;
}

RangePlan plan_of(const Request& request) {
  switch (request.pattern.kind) {
    case PatternKind::streams:
      return plan_of_streams(request);
    case PatternKind::random:
      return plan_of_random(request, "random", request.pattern.entry);
    case PatternKind::gather:
      return plan_of_gather(request);
    case PatternKind::mix:
      return plan_of_mix(request);
    case PatternKind::chase:
      return plan_of_random(request, "chase", request.space.granule);
    case PatternKind::stream:
    case PatternKind::scan:
    case PatternKind::trace:  // made from its name
      break;
  }
  return plan_linear(linear_bytes(request.pattern, request.size), request.pattern.write, request.space.granule);
}

std::unique_ptr<TransactionSource> make_trace(const Request& request) {
  const auto whole = static_cast<double>(reference_trace_bytes(request.pattern.trace));
  const double scale = request.size == 0 ? 1 : static_cast<double>(request.size) / whole;
  return make_reference_trace(request.pattern.trace, scale, request.seed, request.space);
}

}  // namespace

std::unique_ptr<TransactionSource> make_source(const Pattern& pattern, sim::Bytes size, std::uint64_t seed,
                                               std::uint64_t granule, std::uint64_t capacity, bool wrap) {
  const bool whole = pattern.kind == PatternKind::trace && size.count() == 0;
  const Request request{pattern, static_cast<std::uint64_t>(size.count()), seed, {granule, capacity, wrap}};
  require_sound(request.space);
  if (size.count() <= 0 && !whole) request.refuse("a size above zero is needed");
  if (pattern.kind == PatternKind::trace) return make_trace(request);
  return make_range_source(plan_of(request), request.space, fmt::format("pattern {}", pattern.text));
}

std::optional<LinearStream> linear_stream(const Pattern& pattern, sim::Bytes size, std::uint64_t granule) {
  if (pattern.kind != PatternKind::stream && pattern.kind != PatternKind::scan) return std::nullopt;
  if (size.count() <= 0) return std::nullopt;
  const std::uint64_t bytes = linear_bytes(pattern, static_cast<std::uint64_t>(size.count()));
  return LinearStream{0, bytes / granule + (bytes % granule != 0 ? 1 : 0), pattern.write};
}

}  // namespace kvtraffic::hardware::hbm
