// `run --timeline FILE`: the one point of a run as a Chrome trace in a file.
// Leaves out the trace's content (reports/timeline.hpp).
#pragma once

#include <string>

#include "reports/timeline.hpp"
#include "scenarios/run/runner.hpp"
#include "sim/run/result.hpp"

namespace kvtraffic::scenarios {

// "0us:500us", either end may be left out. Throws std::invalid_argument with a message for the user.
[[nodiscard]] reports::TimelineLimits parse_window(const std::string& text);

// Whether the plan has a timeline: one point, and a fidelity that places kernels in time. UsageError if not.
void require_timeline(const Plan& plan);

// Writes the file, whole or not at all. IoError when it cannot be written.
void write_timeline(const std::string& file, const sim::PointResult& point, const reports::TimelineLimits& limits);

}  // namespace kvtraffic::scenarios
