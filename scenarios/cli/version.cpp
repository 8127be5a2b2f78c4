// `version` and help: what this program is.
// Leaves out how it was built (doctor.cpp).
#include <fmt/format.h>

#include <iostream>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"

namespace kvtraffic::scenarios {

int execute(const VersionArguments& arguments) {
  const std::string version = KVTRAFFIC_VERSION;
  std::cout << (arguments.json ? fmt::format("{{\"version\":\"{}\"}}\n", version)
                               : fmt::format("kvtraffic {}\n", version));
  return exit_done;
}

int execute(const HelpArguments& arguments) {
  std::cout << arguments.text;
  return exit_done;
}

}  // namespace kvtraffic::scenarios
