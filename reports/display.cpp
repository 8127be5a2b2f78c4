// A short list of wide and zero-width ranges; coarse on purpose, for aligning columns only.
// Leaves out normalisation.
#include "reports/display.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "sim/config/utf8.hpp"

namespace kvtraffic::reports {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Source of both lists: block names of the Unicode character database.
constexpr std::array<Range, 6> zero_width{
    {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};
constexpr std::array<Range, 11> double_width{{{0x1100, 0x115F},
                                              {0x2E80, 0x303E},
                                              {0x3041, 0xA4CF},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60},
                                              {0xFFE0, 0xFFE6},
                                              {0x1F300, 0x1F64F},
                                              {0x1F680, 0x1F9FF},
                                              {0x20000, 0x3FFFD}}};

bool is_in(std::span<const Range> ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [c](Range r) { return r.first <= c && c <= r.last; });
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = plain_prefix(text);
  for (std::size_t at = width; at < text.size();) {
    const sim::CodePoint c = sim::code_point_at(text, at);
    if (!is_in(zero_width, c.value)) width += is_in(double_width, c.value) ? 2 : 1;
    at += c.size;
  }
  return width;
}

std::string valid_utf8(std::string_view text) {
  std::size_t at = plain_prefix(text);
  std::string result(text.substr(0, at));
  while (at < text.size()) {
    const sim::CodePoint c = sim::code_point_at(text, at);
    result += c.is_valid ? text.substr(at, c.size) : std::string_view("\xEF\xBF\xBD");
    at += c.size;
  }
  return result;
}

std::size_t plain_prefix(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
}

}  // namespace kvtraffic::reports
