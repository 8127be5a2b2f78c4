// One run of a memory part alone: from the texts of a command line to a record of what happened.
// Leaves out printing it (reports/device_page.hpp).
#pragma once

#include <functional>
#include <string>

#include "hardware/hbm/memory.hpp"
#include "reports/device_page.hpp"
#include "scenarios/device/device_arguments.hpp"
#include "scenarios/device/memory_part.hpp"

namespace kvtraffic::scenarios {

// How the run's requests come: the feed, threads and exactness that the arguments ask for. Throws UsageError.
[[nodiscard]] hardware::hbm::RunSettings run_settings(const DeviceArguments& arguments);

// Runs pattern or trace. Throws UsageError for a pattern, size or seed that does not fit the part, TraceError and
// IoError for the trace, and whatever the settings' callbacks throw.
[[nodiscard]] hardware::hbm::MemoryResult run_device(const DeviceArguments& arguments, const hardware::hbm::Part& part,
                                                     const hardware::hbm::RunSettings& settings);

[[nodiscard]] reports::DeviceReport report_of(const DeviceArguments& arguments, const ChosenPart& chosen,
                                              const hardware::hbm::MemoryResult& result);

}  // namespace kvtraffic::scenarios
