// Fixed traces on which public simulators were run, by name: what our results are held against.
// Leaves out files: a trace is made again from its name, bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/hbm/range_source.hpp"

namespace kvtraffic::hardware::hbm {

// At scale 1:
//   stream          a sequential read of 64 MiB
//   stream_rd_wr    sequential 64 MiB in all; each 64-B line is a write with probability 0.1; writes begin at 1 GiB
//   streams16       16 sequential reads of 4 MiB, round-robin, a 64-B line a turn; bases 64 MiB apart plus a random
//                   multiple of 4 KiB
//   streams16_al    the same without the random part
//   rand64          2^19 random aligned 64-B reads over 1 GiB
//   gather656       rounds of 2048 distinct of 131072 packed entries of 656 B, as drawn; 16 rounds, each in a region of
//                   its own; _1: the first round; _sort: every round ascending
//   gather576, gather1152   the same with other entries
//   gather288       64 rounds of 512 distinct of 131072 entries of 288 B; _1: the first round
//   scan132         131072 packed entries of 132 B in order, every granule once
//   scan132_split   the same, each entry fetched by itself
// Draws come from SplitMix64 with seed_of(family, seed); the family is the name without _1, _sort, _al and _split.
[[nodiscard]] std::vector<std::string> reference_trace_names();

// Bytes asked for at scale 1. Throws std::invalid_argument for a name that is none.
[[nodiscard]] std::uint64_t reference_trace_bytes(std::string_view name);

// `scale` multiplies a trace's length: lines, accesses, entries or (whole, at least one) rounds, rounded down. Throws
// std::invalid_argument for an unknown name, a scale outside (0, 1024], one that leaves nothing, and a trace that
// reaches beyond the capacity and may not wrap.
[[nodiscard]] std::unique_ptr<TransactionSource> make_reference_trace(std::string_view name, double scale,
                                                                      std::uint64_t seed, const AddressSpace& space);
[[nodiscard]] std::unique_ptr<TransactionSource> make_reference_trace(std::string_view name, double scale,
                                                                      std::uint64_t seed, std::uint64_t granule);

}  // namespace kvtraffic::hardware::hbm
