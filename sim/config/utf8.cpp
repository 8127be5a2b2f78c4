// Decoding by the table of well-formed byte sequences (Unicode 15, table 3-7).
// Leaves out encoding: texts are passed on as they came.
#include "sim/config/utf8.hpp"

namespace kvtraffic::sim {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return 2;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    return 3;
  }
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

bool is_well_formed(char32_t value, std::size_t size) {
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value >= smallest[size] && value <= 0x10FFFF && !is_surrogate;
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = length_of(byte(at));
  if (size == 0 || at + size > text.size()) {
    return {byte(at), 1, false};
  }
  if (size == 1) {
    return {byte(at), 1, true};
  }
  char32_t value = byte(at) & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) {
      return {byte(at), 1, false};
    }
    value = value << 6U | (byte(at + i) & 0x3FU);
  }
  return is_well_formed(value, size) ? CodePoint{value, size, true} : CodePoint{byte(at), 1, false};
}

bool is_unprintable(char32_t value) {
  const bool is_control = value < 0x20 || (value >= 0x7F && value < 0xA0);
  const bool breaks_line = value == 0x2028 || value == 0x2029;
  const bool turns_direction = value == 0x200E || value == 0x200F || (value >= 0x202A && value <= 0x202E) ||
                               (value >= 0x2066 && value <= 0x2069);
  return is_control || breaks_line || turns_direction || value == 0xFEFF;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (point.value == '\t' || point.value == '\n' || point.value == '\r') {
      result += ' ';
    } else if (!point.is_valid || is_unprintable(point.value)) {
      result += kReplacement;
    } else {
      result += text.substr(at, point.size);
    }
    at += point.size;
  }
  return result;
}

}  // namespace kvtraffic::sim
