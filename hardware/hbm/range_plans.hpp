// The access orders of which patterns and reference traces are made, each as a plan of byte ranges.
// Leaves out their names, their sizes in the user's words and their seeds (patterns.hpp, reference_traces.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/hbm/range_source.hpp"
#include "hardware/hbm/split_mix.hpp"

namespace kvtraffic::hardware::hbm {

// [0, size) in one range.
[[nodiscard]] RangePlan plan_linear(std::uint64_t size, bool write, std::uint64_t granule);

// `entries` neighbours of `entry` bytes, each fetched by itself: a granule that two share is fetched twice.
[[nodiscard]] RangePlan plan_split_scan(std::uint64_t entry, std::uint64_t entries, std::uint64_t granule);

// Turn by turn, each of the streams in order: `turn` bytes a turn, `turns` turns in all. Requires a base at least.
struct StreamsShape {
  std::vector<std::uint64_t> bases;
  std::uint64_t turn = 64;
  std::uint64_t turns = 0;
  bool write = false;
};
[[nodiscard]] RangePlan plan_streams(StreamsShape shape, std::uint64_t granule);

// `accesses` times one of the `slots` aligned blocks of `bytes` bytes.
struct RandomShape {
  std::uint64_t bytes = 64;
  std::uint64_t slots = 1;
  std::uint64_t accesses = 0;
  bool write = false;
};
[[nodiscard]] RangePlan plan_random(const RandomShape& shape, SplitMix64 random, std::uint64_t granule);

// Rounds of `chosen` distinct of `total` packed entries of `entry` bytes; round r lies in region r mod `regions`.
// The last round may be cut short by `entries`, the entries of all rounds.
struct GatherShape {
  std::uint64_t entry = 656;
  std::uint64_t chosen = 2048;
  std::uint64_t total = 131072;
  std::uint64_t regions = 1;
  std::uint64_t entries = 0;
  bool ascending = false;  // in every round; otherwise as drawn
  bool write = false;
};
[[nodiscard]] RangePlan plan_gather(const GatherShape& shape, SplitMix64 random, std::uint64_t granule);

// `lines` lines of `line` bytes; each is a write with probability writes / of. Reads walk upwards from 0 and writes
// from `write_base`, both back to their start after `walk` bytes (a multiple of the line).
struct MixShape {
  std::uint64_t line = 64;
  std::uint64_t lines = 0;
  std::uint64_t writes = 1;
  std::uint64_t of = 10;
  std::uint64_t write_base = 0;
  std::uint64_t walk = AddressSpace::unlimited;
};
[[nodiscard]] RangePlan plan_mix(const MixShape& shape, SplitMix64 random, std::uint64_t granule);

}  // namespace kvtraffic::hardware::hbm
