// What JSON and CSV share: the storage fields of the contract by name and in order, the names of the parameters, and
// which levels of traffic a point has.
// Leaves out `growing_bytes_per_token`, the only one that is not whole; writers put it first.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/run/result.hpp"

namespace kvtraffic::reports {

struct StorageField {
  std::string_view name;
  std::int64_t sim::Storage::*value;
};

inline constexpr std::string_view growing_name = "growing_bytes_per_token";

inline constexpr std::array<StorageField, 12> storage_fields{{
    {"local_bytes_per_request", &sim::Storage::local_bytes_per_request},
    {"state_bytes_per_request", &sim::Storage::state_bytes_per_request},
    {"cache_bytes_per_request", &sim::Storage::cache_bytes_per_request},
    {"allocated_bytes_per_request", &sim::Storage::allocated_bytes_per_request},
    {"weight_bytes_per_device", &sim::Storage::weight_bytes_per_device},
    {"capacity_bytes_per_device", &sim::Storage::capacity_bytes_per_device},
    {"used_bytes_per_device", &sim::Storage::used_bytes_per_device},
    {"reserve_bytes_per_device", &sim::Storage::reserve_bytes_per_device},
    {"host_bytes", &sim::Storage::host_bytes},
    {"host_capacity_bytes", &sim::Storage::host_capacity_bytes},
    {"max_batch", &sim::Storage::max_batch},
    {"max_context", &sim::Storage::max_context},
}};

// Every point has these, in this order; swept paths follow.
inline constexpr std::array<std::string_view, 8> parameter_names{"model",    "hardware", "format", "engine",
                                                                 "fidelity", "phase",    "batch",  "context_tokens"};

// A point that did not run has no bytes below the logical level; a zero there would be a lie.
[[nodiscard]] constexpr bool is_known(sim::Status status, sim::Level level) {
  return status == sim::Status::ok || level == sim::Level::logical;
}

}  // namespace kvtraffic::reports
