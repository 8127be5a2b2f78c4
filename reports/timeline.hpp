// A step as a Chrome trace (JSON) that Perfetto and chrome://tracing open: operations as slices, traffic and the use of
// each resource as counters. Leaves out writing a file.
#pragma once

#include <optional>
#include <string>

#include "sim/run/result.hpp"

namespace kvtraffic::reports {

struct TimelineLimits {
  double first_seconds = 0;               // what ends before it, or starts after `last_seconds`, is left out
  std::optional<double> last_seconds;     // none: the end of the step
  std::size_t most_operations = 100'000;  // the first of them are told; the trace says how many are not
};

// Requires a point whose operations were told and placed in time. Times in the trace are microseconds of simulated
// time.
[[nodiscard]] std::string timeline_of(const sim::PointResult& point, const TimelineLimits& limits);

}  // namespace kvtraffic::reports
