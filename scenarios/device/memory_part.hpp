// The memory part that a command line names: from the catalog, a file, or the device that carries it, with settings.
// Leaves out running it.
#pragma once

#include <string>
#include <vector>

#include "hardware/hbm/part.hpp"
#include "scenarios/spec/catalog.hpp"

namespace kvtraffic::scenarios {

struct ChosenPart {
  hardware::hbm::Part part;
  std::string carrier;  // the device or node that was named instead of the part; empty: the part itself was
};

// `settings` are "path=value" into the part's file. Throws UsageError for a name that is none or has no such memory,
// IoError for a file that is not there, ConfigError for what is wrong in the file or the settings.
[[nodiscard]] ChosenPart choose_part(const Catalog& catalog, const std::string& given,
                                     const std::vector<std::string>& settings);

}  // namespace kvtraffic::scenarios
