// A piece of the user's text inside a message: in quotes, and cut when it is long.
// Leaves out control characters: Diagnostics::render replaces them.
#pragma once

#include <string>
#include <string_view>

namespace kvtraffic::sim {

[[nodiscard]] std::string in_quotes(std::string_view text);  // "'flw'", "'the first forty characters of ...'"

}  // namespace kvtraffic::sim
