// Writes to the descriptor itself: a stream of either library would throw, or remember what was lost.
// Leaves out waiting for a reader that is not ready.
#include "scenarios/cli/tell.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "sim/config/utf8.hpp"

namespace kvtraffic::scenarios {
namespace {

bool may_be_shown(const sim::CodePoint& point) {
  if (!point.is_valid) return false;
  if (point.value == '\n' || point.value == '\t') return true;
  return !sim::is_unprintable(point.value);
}

}  // namespace

void tell(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const sim::CodePoint point = sim::code_point_at(text, at);
    may_be_shown(point) ? shown.append(text.substr(at, point.size)) : shown.append("\uFFFD");
    at += point.size;
  }
  tell_as_is(shown);
}

void tell_as_is(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace kvtraffic::scenarios
