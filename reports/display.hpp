// Text for output: how many columns it takes on a terminal, and text that is UTF-8 whatever came in.
// Leaves out grapheme clusters (width is that of single code points) and decoding (sim/config/utf8.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kvtraffic::reports {

// Columns on a terminal: 0 for combining marks, 2 for wide East Asian characters and emoji, else 1.
[[nodiscard]] std::size_t display_width(std::string_view text);

// The same text with every stray byte replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// The length of the leading part of `text` that is printable ASCII without quote and backslash.
[[nodiscard]] std::size_t plain_prefix(std::string_view text);

}  // namespace kvtraffic::reports
