// The files of a folder that end alike.
// Leaves out reading them, and folders inside.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvtraffic::scenarios {

// Paths in order of name; `extension` with its dot. Throws IoError for a folder that is not there or cannot be read.
[[nodiscard]] std::vector<std::string> files_in(const std::string& folder, std::string_view extension);

}  // namespace kvtraffic::scenarios
