// Quoting for messages.
// Leaves out everything else.
#include "sim/units/quote.hpp"

#include <fmt/format.h>

namespace kvtraffic::sim {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) {
    return fmt::format("'{}'", text);
  }
  std::size_t end = longest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;  // never cut inside a UTF-8 sequence
  }
  return fmt::format("'{}...'", text.substr(0, end));
}

}  // namespace kvtraffic::sim
