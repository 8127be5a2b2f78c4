// `device`: one memory part alone, by pattern or trace; or all recorded runs of the cross-check.
// Leaves out simulating (hardware/hbm) and the look of the page (reports).
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/tell.hpp"
#include "scenarios/cli/terminal.hpp"
#include "scenarios/device/command_file.hpp"
#include "scenarios/device/crosscheck.hpp"
#include "scenarios/device/crosscheck_report.hpp"
#include "scenarios/device/device_run.hpp"
#include "scenarios/spec/command_line.hpp"

namespace kvtraffic::scenarios {
namespace {

using hardware::hbm::MemoryResult;
using hardware::hbm::Part;

class Interrupted : public std::exception {};

// With a command file an interrupt must leave whole lines; without one nothing was written yet, so that the program may
// end at once, also while it waits for a trace.
MemoryResult run_with_commands(const DeviceArguments& arguments, const Part& part) {
  hardware::hbm::RunSettings settings = run_settings(arguments);
  CommandFile file(part, arguments.commands);
  const std::atomic<bool>& stop = stop_on_interrupt();
  settings.listen = [&file](int channel) { return file.of_channel(channel); };
  settings.progress = [&](std::uint64_t) {
    if (!stop) return;
    file.finish();
    throw Interrupted();
  };
  MemoryResult result = run_device(arguments, part, settings);
  file.finish();
  return result;
}

// Behind commands on standard output the page is a comment.
std::string commented(const std::string& text) {
  std::string result = "# ";
  for (const char letter : text) {
    result += letter;
    if (letter == '\n') result += "# ";
  }
  result.resize(result.size() - 2);
  return result;
}

std::string told(const DeviceArguments& arguments, const ChosenPart& chosen, const MemoryResult& result) {
  const reports::DeviceReport report = report_of(arguments, chosen, result);
  if (arguments.format == reports::Format::json) return device_json(report);
  const bool behind_commands = arguments.commands == "-";
  const std::string page = console_text(device_page(report), !behind_commands && wants_colour(arguments.color));
  return behind_commands ? commented(page) : page;
}

// A trace that is written over while it is read would be lost.
void require_other_file(const DeviceArguments& arguments) {
  std::error_code not_there;
  if (arguments.commands.empty() || arguments.trace.empty()) return;
  if (std::filesystem::equivalent(arguments.trace, arguments.commands, not_there)) {
    throw UsageError("--commands names the trace itself");
  }
}

// `--stacks` first, so that `--set geometry.stacks` wins.
DeviceArguments with_stacks(DeviceArguments arguments) {
  if (arguments.stacks > 0) {
    arguments.settings.insert(arguments.settings.begin(), fmt::format("geometry.stacks={}", arguments.stacks));
  }
  return arguments;
}

int crosscheck(const DeviceArguments& arguments) {
  const Catalog catalog = Catalog::find();
  const std::vector<Recorded> recorded = read_crosscheck(catalog);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const std::vector<Compared> compared =
      compare(recorded, catalog, arguments.jobs > 0 ? arguments.jobs : std::max(1, cores));
  const bool is_json = arguments.format == reports::Format::json;
  std::cout << (is_json ? crosscheck_json(compared) : crosscheck_table(compared));
  const bool all_inside = std::ranges::all_of(compared, &Compared::is_inside);
  return all_inside ? exit_done : exit_expectation;
}

}  // namespace

int execute(const DeviceArguments& arguments) {
  if (arguments.crosscheck) return crosscheck(arguments);
  require_other_file(arguments);
  const DeviceArguments whole = with_stacks(arguments);
  const ChosenPart chosen = choose_part(Catalog::find(), whole.part, whole.settings);
  try {
    const MemoryResult result = whole.commands.empty() ? run_device(whole, chosen.part, run_settings(whole))
                                                       : run_with_commands(whole, chosen.part);
    std::cout << told(whole, chosen, result);
    return exit_done;
  } catch (const Interrupted&) {
    tell("kvtraffic: interrupted; the file of commands ends where the run did\n");
    return exit_interrupted;
  }
}

}  // namespace kvtraffic::scenarios
