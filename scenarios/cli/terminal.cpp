// Asking the system and the environment about the terminal.
// Leaves out its width: tables are as wide as they are.
#include "scenarios/cli/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace kvtraffic::scenarios {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool is_terminal(int descriptor) { return isatty(descriptor) == 1; }

bool wants_colour(When color) {
  if (color != When::automatic) return color == When::always;
  return is_terminal(STDOUT_FILENO) && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

}  // namespace kvtraffic::scenarios
