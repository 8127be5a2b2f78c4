// Finding and reading the scenario that a command line names.
// Leaves out checking it (make_plan).
#include "scenarios/cli/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/config/io_error.hpp"
#include "sim/config/yaml.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

namespace fs = std::filesystem;

std::string file_of(const std::string& given, const Catalog& catalog) {
  std::error_code ignored;
  if (given == "-" || fs::exists(given, ignored)) return given;
  const std::vector<std::string> library = catalog.names(CatalogKind::scenario);
  if (std::ranges::find(library, given) != library.end()) {
    std::string file = catalog.path_of(CatalogKind::scenario, given);
    require_regular_file(file);
    return file;
  }
  const std::string nearest = sim::nearest_name(given, library);
  const std::string hint =
      nearest.empty() ? "" : fmt::format("; did you mean the library's {}?", sim::in_quotes(nearest));
  throw sim::IoError(fmt::format("no file and no scenario of the library is named {}{}", sim::in_quotes(given), hint));
}

}  // namespace

Plan load_plan(const ScenarioArguments& arguments, const Catalog& catalog) {
  const std::string file = file_of(arguments.file, catalog);
  sim::Diagnostics faults;
  const sim::Node scenario = sim::read_yaml_file(file, faults);
  if (faults.has_errors()) throw sim::ConfigError(faults);
  const std::string beside = file == "-" ? "" : fs::path(file).parent_path().string();
  return make_plan(scenario, arguments.settings, beside, catalog);
}

}  // namespace kvtraffic::scenarios
