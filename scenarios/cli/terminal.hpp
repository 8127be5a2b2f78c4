// What a stream is connected to, and what that means for colour and progress.
// Leaves out escape sequences.
#pragma once

#include "scenarios/cli/options.hpp"

namespace kvtraffic::scenarios {

[[nodiscard]] bool is_terminal(int descriptor);  // 1: standard output, 2: standard error

// On a terminal, unless NO_COLOR is set or TERM is dumb.
[[nodiscard]] bool wants_colour(When color);

}  // namespace kvtraffic::scenarios
