// UTF-8 one code point at a time, for places that count columns or print a user's text.
// Leaves out display width: a wide character counts as one column.
#pragma once

#include <string>
#include <string_view>

namespace kvtraffic::sim {

struct CodePoint {
  char32_t value = 0;
  std::size_t size = 1;   // bytes
  bool is_valid = false;  // else one stray byte
};

// The code point at `at`; requires at < text.size().
[[nodiscard]] CodePoint code_point_at(std::string_view text, std::size_t at);

// True for what must not reach a terminal: control characters, line separators and marks that turn the text's
// direction.
[[nodiscard]] bool is_unprintable(char32_t value);

// `text` with every unprintable character and stray byte replaced by U+FFFD; tabs and line breaks become blanks.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace kvtraffic::sim
