// Synthetic patterns: what a memory is asked for, in words such as `gather:2048x656/131072`, as a transaction source.
// Leaves out when a transaction is offered (feed) and traffic of a model, which comes from its step graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hardware/hbm/transactions.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware::hbm {

enum class PatternKind : std::uint8_t { stream, streams, random, gather, scan, mix, chase, trace };

// Only the fields of its kind mean anything. A turn is 64 bytes, or one transaction where that is more.
//   stream            bytes from 0 upwards
//   streams:N         N of them, round-robin, a turn each: bases evenly spaced over the capacity, each plus a random
//                     multiple of 4 KiB that leaves the stream inside its share
//   random:B          aligned blocks of B bytes, anywhere in the capacity
//   gather:KxE/T      rounds of K distinct of T packed entries of E bytes, as drawn; every round in the next region of
//                     T entries, beginning again at 0 when the capacity has no room for one more
//   scan:E            packed entries of E bytes in order, neighbours merged: every transaction once
//   mix:F             turns, each a read with probability F (at most nine decimals); reads walk up the lower half of
//                     the capacity and writes the upper half, both starting again at the half's end
//   chase             single transactions anywhere; what makes the chain dependent is the feed
//   trace:NAME        a trace of reference_traces.hpp, at scale size / (its size at scale 1)
// `:write` behind the first five makes them writes; the others are reads (gather:...:write scatters).
struct Pattern {
  PatternKind kind = PatternKind::stream;
  bool write = false;
  std::uint64_t count = 0;  // streams: N; gather: K
  std::uint64_t entry = 0;  // bytes: B or E
  std::uint64_t total = 0;  // gather: T
  std::uint64_t reads = 0;  // mix: F = reads / turns, without common divisors
  std::uint64_t turns = 1;
  std::string trace;
  std::string text;  // as it was given, for messages
};

// Throws std::invalid_argument that names the forms, and the nearest name where there is one.
[[nodiscard]] Pattern parse_pattern(std::string_view text);

// "stream, streams:16, ..., trace:NAME": for help and messages.
[[nodiscard]] std::string pattern_forms();

// A source that asks for `size` bytes in all, rounded up to whole blocks, entries, turns or transactions; gathers may
// end inside a round. `trace:` alone takes size zero: the whole trace. Random numbers come from SplitMix64 with
// seed_of(kind, seed), such as seed_of("gather", 1); traces use the seed as it is.
// Throws std::invalid_argument for a size of zero, for blocks or entries that the capacity does not hold, and for
// addresses beyond the capacity unless `wrap` takes them modulo it. Requires a capacity that is a multiple of the
// granule.
[[nodiscard]] std::unique_ptr<TransactionSource> make_source(const Pattern& pattern, sim::Bytes size,
                                                             std::uint64_t seed, std::uint64_t granule,
                                                             std::uint64_t capacity, bool wrap = false);

// The same transactions as make_source for stream and scan, as long as none wraps; nothing for the other kinds.
[[nodiscard]] std::optional<LinearStream> linear_stream(const Pattern& pattern, sim::Bytes size, std::uint64_t granule);

}  // namespace kvtraffic::hardware::hbm
