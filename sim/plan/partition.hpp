// How attention libraries hand out work to SMs: the published rules as pure functions. Tiles of GEMMs: gemm_tile.hpp.
// Leaves out what a block costs and requests of unequal length.
#pragma once

#include <cstdint>

#include "sim/plan/kernel_class.hpp"

namespace kvtraffic::sim {

// Attention of one step on one device: equal requests.
struct AttentionLoad {
  std::int64_t requests = 1;
  std::int64_t keys = 1;        // of a request
  std::int64_t head_rows = 1;   // query heads x queries
  std::int64_t block_rows = 1;  // of them in a block
  std::int64_t block_keys = 1;
  std::int64_t sms = 1;

  [[nodiscard]] std::int64_t head_tiles() const;
  [[nodiscard]] std::int64_t blocks() const;  // of a request and head tile
};

// What SMs get. An SM that runs several thread blocks one after another counts as one part.
struct Parts {
  std::int64_t count = 1;   // SMs with work, head tiles included
  std::int64_t blocks = 1;  // of the slowest
  std::int64_t pieces = 1;  // requests or parts of requests that it works on
  std::int64_t splits = 1;  // most parts of one request
};

// The rule must be one for attention: neither SplitRule::even nor one of DeepGEMM.
[[nodiscard]] Parts partition(SplitRule rule, const AttentionLoad& load);

}  // namespace kvtraffic::sim
