// The program's exit codes, as scripts rely on them.
// Leaves out when each is used.
#pragma once

namespace kvtraffic::scenarios {

inline constexpr int exit_done = 0;
inline constexpr int exit_points = 1;       // some points infeasible or failed
inline constexpr int exit_usage = 2;        // bad command line
inline constexpr int exit_config = 3;       // invalid scenario, catalog or trace
inline constexpr int exit_expectation = 4;  // a limit of `expect:`, a verdict or a cross-check broken
inline constexpr int exit_io = 5;
inline constexpr int exit_fault = 70;  // our own
inline constexpr int exit_interrupted = 130;

}  // namespace kvtraffic::scenarios
