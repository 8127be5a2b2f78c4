// The front door: a command line in, an exit code out. Every mistake is caught here, once, and told on standard error.
// Leaves out what the commands do.
#include <fmt/format.h>

#include <cerrno>
#include <iostream>
#include <system_error>

#include "hardware/hbm/trace.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/options.hpp"
#include "scenarios/cli/tell.hpp"
#include "sim/config/io_error.hpp"

namespace {

using namespace kvtraffic;
using namespace kvtraffic::scenarios;

// Whoever reads from us may stop reading: no mistake that anybody needs to hear of.
int output_lost(int error) {
  if (error != EPIPE) {
    tell(fmt::format("kvtraffic: cannot write to standard output: {}\n", std::generic_category().message(error)));
  }
  return exit_io;
}

int carry_out(int argc, const char* const* argv) {
  const Command command = parse_command_line(argc, argv);
  const int code = std::visit([](const auto& arguments) { return execute(arguments); }, command);
  std::cout.flush();
  return std::cout ? code : output_lost(errno);
}

int answer(int argc, const char* const* argv) {
  try {
    return carry_out(argc, argv);
  } catch (const UsageError& mistake) {
    tell(fmt::format("{}\n", mistake.what()));
    return exit_usage;
  } catch (const sim::ConfigError& mistake) {
    tell(mistake.what());
    return exit_config;
  } catch (const hardware::hbm::TraceError& fault) {
    tell(fmt::format("{}\n", fault.what()));
    return exit_config;
  } catch (const OutputLost& fault) {
    return output_lost(fault.error());
  } catch (const sim::IoError& fault) {
    tell(fmt::format("kvtraffic: {}\n", fault.what()));
    return exit_io;
  } catch (const std::exception& fault) {
    tell(fmt::format("kvtraffic: this is a fault of the program, not of its input: {}\n", fault.what()));
    return exit_fault;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  heed_interrupts();
  return answer(argc, argv);
}
