// The reference traces as a table of shapes over the plans that patterns use too.
// Leaves out the plans (range_plans.hpp).
#include "hardware/hbm/reference_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "hardware/hbm/range_plans.hpp"
#include "hardware/hbm/split_mix.hpp"
#include "sim/config/diagnostics.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::uint64_t kKiB = 1U << 10U, kMiB = 1U << 20U, kGiB = 1U << 30U;
constexpr std::uint64_t kLine = 64;
constexpr double kLargestScale = 1024;

enum class Kind : std::uint8_t {
  linear,
  mix,
  streams,
  aligned_streams,
  random,
  gather,
  sorted_gather,
  scan,
  split_scan
};

struct Row {
  std::string_view name;
  std::string_view family;
  Kind kind = Kind::linear;
  std::uint64_t units = 0;  // what `scale` multiplies: bytes (of each stream), accesses, rounds or entries
  std::uint64_t entry = 0;
  std::uint64_t chosen = 0;  // gathers: of 131072
};

constexpr std::uint64_t kStreams = 16, kStreamSpacing = 64 * kMiB, kEntries = 131072;

constexpr std::array kRows = {
    Row{"stream", "stream", Kind::linear, 64 * kMiB},
    Row{"stream_rd_wr", "stream_rd_wr", Kind::mix, 64 * kMiB},
    Row{"streams16", "streams16", Kind::streams, 4 * kMiB},
    Row{"streams16_al", "streams16", Kind::aligned_streams, 4 * kMiB},
    Row{"rand64", "rand64", Kind::random, 1U << 19U},
    Row{"gather656", "gather656", Kind::gather, 16, 656, 2048},
    Row{"gather656_1", "gather656", Kind::gather, 1, 656, 2048},
    Row{"gather656_sort", "gather656", Kind::sorted_gather, 16, 656, 2048},
    Row{"gather576", "gather576", Kind::gather, 16, 576, 2048},
    Row{"gather1152", "gather1152", Kind::gather, 16, 1152, 2048},
    Row{"gather288", "gather288", Kind::gather, 64, 288, 512},
    Row{"gather288_1", "gather288", Kind::gather, 1, 288, 512},
    Row{"scan132", "scan132", Kind::scan, kEntries, 132},
    Row{"scan132_split", "scan132", Kind::split_scan, kEntries, 132},
};

const Row& row_of(std::string_view name) {
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) { return one.name == name; });
  if (row != kRows.end()) return *row;
  const std::vector<std::string> names = reference_trace_names();
  const std::string nearest = sim::nearest_name(name, names);
  throw std::invalid_argument(fmt::format("{} is no reference trace; there are {}{}", sim::in_quotes(name),
                                          fmt::join(names, ", "),
                                          nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

RangePlan plan_of_streams(bool aligned, std::uint64_t each, SplitMix64 random, std::uint64_t granule) {
  StreamsShape shape;
  for (std::uint64_t stream = 0; stream < kStreams; ++stream) {
    const std::uint64_t offset = aligned ? 0 : random.below(60 * kMiB / (4 * kKiB)) * 4 * kKiB;
    shape.bases.push_back(stream * kStreamSpacing + offset);
  }
  shape.turn = kLine;
  shape.turns = kStreams * (each / kLine);
  return plan_streams(std::move(shape), granule);
}

RangePlan plan_of_gather(const Row& row, std::uint64_t rounds, SplitMix64 random, std::uint64_t granule) {
  rounds = std::max<std::uint64_t>(1, rounds);
  return plan_gather({.entry = row.entry,
                      .chosen = row.chosen,
                      .total = kEntries,
                      .regions = rounds,
                      .entries = rounds * row.chosen,
                      .ascending = row.kind == Kind::sorted_gather},
                     random, granule);
}

RangePlan plan_of(const Row& row, std::uint64_t units, SplitMix64 random, std::uint64_t granule) {
  switch (row.kind) {
    case Kind::linear:
      return plan_linear(units / kLine * kLine, false, granule);
    case Kind::mix:
      return plan_mix({.line = kLine, .lines = units / kLine, .writes = 1, .of = 10, .write_base = kGiB}, random,
                      granule);
    case Kind::streams:
    case Kind::aligned_streams:
      return plan_of_streams(row.kind == Kind::aligned_streams, units, random, granule);
    case Kind::random:
      return plan_random({.bytes = kLine, .slots = kGiB / kLine, .accesses = units}, random, granule);
    case Kind::gather:
    case Kind::sorted_gather:
      return plan_of_gather(row, units, random, granule);
    case Kind::scan:
      return plan_linear(units * row.entry, false, granule);
    case Kind::split_scan:
      break;
  }
  return plan_split_scan(row.entry, units, granule);
}

std::uint64_t bytes_of_unit(const Row& row) {
  switch (row.kind) {
    case Kind::linear:
    case Kind::mix:
      return 1;
    case Kind::streams:
    case Kind::aligned_streams:
      return kStreams;
    case Kind::random:
      return kLine;
    case Kind::gather:
    case Kind::sorted_gather:
      return row.chosen * row.entry;
    case Kind::scan:
    case Kind::split_scan:
      break;
  }
  return row.entry;
}

}  // namespace

std::vector<std::string> reference_trace_names() {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.emplace_back(row.name);
  return names;
}

std::uint64_t reference_trace_bytes(std::string_view name) {
  const Row& row = row_of(name);
  return row.units * bytes_of_unit(row);
}

std::unique_ptr<TransactionSource> make_reference_trace(std::string_view name, double scale, std::uint64_t seed,
                                                        const AddressSpace& space) {
  const Row& row = row_of(name);
  require_sound(space);
  if (!(scale > 0 && scale <= kLargestScale)) {
    throw std::invalid_argument(
        fmt::format("trace {} at scale {}: a scale is above 0 and at most {}", name, scale, kLargestScale));
  }
  const auto units = static_cast<std::uint64_t>(static_cast<double>(row.units) * scale);
  RangePlan plan = plan_of(row, units, SplitMix64(seed_of(row.family, seed)), space.granule);
  if (plan.transactions == std::uint64_t{0}) {
    throw std::invalid_argument(fmt::format("nothing is left of trace {} at scale {}", name, scale));
  }
  return make_range_source(std::move(plan), space, fmt::format("trace {}", name));
}

std::unique_ptr<TransactionSource> make_reference_trace(std::string_view name, double scale, std::uint64_t seed,
                                                        std::uint64_t granule) {
  return make_reference_trace(name, scale, seed, AddressSpace{.granule = granule});
}

}  // namespace kvtraffic::hardware::hbm
