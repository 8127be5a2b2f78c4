// What a deployment must keep in memory, and how much of it fits: storage and capacity. Uses the layouts that traffic
// uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/layout.hpp"
#include "sim/graph/operation.hpp"
#include "sim/plan/deployment.hpp"
#include "sim/run/result.hpp"

namespace kvtraffic::sim {

// One weight tensor, or `copies` equal ones (a layer's experts; layers of one kind).
struct StoredTensor {
  std::string name;             // "attention", "routed experts", "embedding", ...
  std::int64_t parameters = 0;  // of one
  std::int64_t bytes = 0;       // of one, scales included
  std::int64_t copies = 1;
  enum class Split : std::uint8_t { replicated, tensor, expert } split = Split::replicated;
  Place place = Place::device;
};

// A cache that each request keeps: one entry per `ratio` tokens (growing), or a fixed number of entries.
struct StoredCache {
  std::string name;  // "main", "index", "window", "state"
  DataKind kind = DataKind::kv_main;
  std::int64_t ratio = 0;   // growing: tokens per entry; 0: fixed
  std::int64_t fixed = 0;   // entries when ratio is 0
  std::int64_t layers = 1;  // layers that own one
  std::int64_t ways = 1;    // most tensor ranks that can share it
  Layout layout;
};

struct MemoryDemand {
  std::vector<StoredTensor> tensors;
  std::vector<StoredCache> caches;

  [[nodiscard]] double growing_bytes_per_token() const;
  [[nodiscard]] std::int64_t stored_per_request(std::int64_t context, DataKind kind) const;
  [[nodiscard]] std::int64_t cache_per_request(std::int64_t context) const;
  [[nodiscard]] std::int64_t allocated_per_request(std::int64_t context) const;
  // Of one request on one device of its data rank: replicated caches whole, shared ones their part.
  [[nodiscard]] std::int64_t allocated_per_device(std::int64_t context, const Deployment& deployment) const;
  [[nodiscard]] std::int64_t weights_per_device(const Deployment& deployment) const;  // on the fullest device
  [[nodiscard]] std::int64_t host_bytes() const;
};

struct MemoryLimits {
  std::int64_t capacity_per_device = 0;
  double reserve = 0;                      // share of the capacity that stays free for activations and the runtime
  std::int64_t max_positions = INT64_MAX;  // the model's
};

// Everything in Storage at this batch and context.
[[nodiscard]] Storage storage_at(const MemoryDemand& demand, const Deployment& deployment, const MemoryLimits& limits,
                                 std::int64_t batch, std::int64_t context);
// True when used <= capacity - reserve.
[[nodiscard]] bool fits(const Storage& storage);
// "needs 701,234 B, has ..." for an infeasible point.
[[nodiscard]] std::string shortfall_text(const Storage& storage);

}  // namespace kvtraffic::sim
