// Where cached entries lie in memory and which of them a token picks: row hits and L2 hits depend on it, bytes asked
// for do not. Leaves out drawing the picks (hardware/machine/picks.hpp).
#pragma once

#include <cstdint>

namespace kvtraffic::sim {

// How a sparse layer's picks are spread over the entries, and how much picks resemble one another. No public
// measurement fixes these for the DeepSeek designs; the defaults assume as little locality as is consistent.
struct Selection {
  enum class Model : std::uint8_t {
    uniform,    // every entry is as likely as any other
    recency,    // a share `recent` of the picks falls on the newest `newest` entries, the rest anywhere
    clustered,  // picks come in runs of neighbours of `run` entries on average
  };
  Model model = Model::uniform;
  double recent = 0.5;
  std::int64_t newest = 2048;
  std::int64_t run = 8;
  // Share of the picks that are the same: of two layers that choose from the same entries on their own, and of two
  // neighbouring queries of a prefill's layer. What chance alone gives is the least there can be. What two steps have
  // in common changes nothing: a step's first read of an entry always crosses the pins.
  double layers = 0;
  double queries = 0;
  std::uint64_t seed = 1;
};

// In which order a request's pages lie in the pool.
enum class PageOrder : std::uint8_t {
  sequential,  // as they are counted: a pool that nothing has been returned to
  shuffled,    // anywhere
  aged,        // in runs of neighbours, the runs anywhere: a pool that requests have come to and gone from
};

struct Locality {
  Selection selection;
  PageOrder pages = PageOrder::sequential;
};

}  // namespace kvtraffic::sim
