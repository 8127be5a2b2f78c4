// Results to report: DeepSeek-V4.1-Flash decoding on eight H200, from the published shape by plain formulas.
// Leaves out any simulation: times are bytes over a rate, just consistent enough to read.
#pragma once

#include <cstdint>

#include "sim/run/result.hpp"

namespace kvtraffic::reports::testing {

inline constexpr std::int64_t sample_devices = 8;

// What V4.1-Flash reads logically from its caches for one token at this context.
[[nodiscard]] std::int64_t sample_main_read(std::int64_t context);
[[nodiscard]] std::int64_t sample_local_read(std::int64_t context);
[[nodiscard]] std::int64_t sample_index_read(std::int64_t context);

// A point that ran, with layers, a few operations and reasons.
[[nodiscard]] sim::PointResult sample_point(std::int64_t context = 131072, std::int64_t batch = 64);
[[nodiscard]] sim::PointResult infeasible_point();  // batch 16384: storage and logical traffic only
[[nodiscard]] sim::PointResult failed_point();
// The resolved scenario that goes with them.
[[nodiscard]] sim::RunResult sample_head();

// A sweep over workload.context, 4K to 1M, layers left out.
[[nodiscard]] std::vector<sim::PointResult> context_sweep();
// Batch by context, the largest of which does not fit, and one point that failed.
[[nodiscard]] std::vector<sim::PointResult> mixed_sweep();

// `point` with a swept path behind its parameters.
[[nodiscard]] sim::PointResult with_parameter(sim::PointResult point, std::string name, std::string value);

}  // namespace kvtraffic::reports::testing
