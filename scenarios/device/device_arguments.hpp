// What `device` is asked for.
// Leaves out reading the command line (scenarios/cli/options.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/writer.hpp"
#include "scenarios/spec/command_line.hpp"

namespace kvtraffic::scenarios {

// Texts as they were given: `device` itself reads patterns, sizes and feeds.
struct DeviceArguments {
  std::string part;     // a memory part, a file, or a device or node whose part is taken
  std::string pattern;  // either this or a trace
  std::string trace;    // "-": standard input
  std::string size;     // empty: 64 MiB, or a whole reference trace
  std::string feed;     // empty: one-at-a-time for chase, else saturated
  std::int64_t seed = 1;
  bool wrap = false;
  int stacks = 0;  // 0: the part's
  std::vector<std::string> settings;
  bool exact = false;
  int jobs = 0;          // 0: as many as there are cores
  std::string commands;  // a file for every command, "-": standard output; empty: none
  bool crosscheck = false;
  reports::Format format = reports::Format::table;
  When color = When::automatic;
};

}  // namespace kvtraffic::scenarios
