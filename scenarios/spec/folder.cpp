// Errors are asked for at each step: the iterator would otherwise end early, or throw what nobody catches.
// Leaves out links that lead nowhere: they are files until somebody reads them.
#include "scenarios/spec/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/config/io_error.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {

std::vector<std::string> files_in(const std::string& folder, std::string_view extension) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == extension) files.push_back(at->path().string());
  }
  if (error) throw sim::IoError(fmt::format("cannot read the folder {}: {}", sim::in_quotes(folder), error.message()));
  std::ranges::sort(files);
  return files;
}

}  // namespace kvtraffic::scenarios
