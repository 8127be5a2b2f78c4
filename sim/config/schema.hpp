// JSON Schema (draft-07) from the tables that the reader itself uses, so that the two cannot differ.
#pragma once

#include <string>

#include "sim/config/table.hpp"

namespace kvtraffic::sim {

// The schema of files whose root is `table`; nested tables become definitions. `title` heads it. Ends with a newline.
[[nodiscard]] std::string json_schema(const Table& table, std::string_view title);

}  // namespace kvtraffic::sim
