// `measured`: published timings of kernels beside simulated ones.
// Leaves out the comparison itself (scenarios/measured).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/measured/measured_report.hpp"
#include "sim/config/diagnostics.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

bool is_wanted(const MeasuredRow& row, const MeasuredArguments& arguments) {
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  };
  return (arguments.families.empty() || has(arguments.families, row.family)) && !has(arguments.left_out, row.device());
}

// The families, devices or engines of rows, or of the catalog, that can be asked for.
void require_known(const std::string& what, const std::string& name, const std::set<std::string>& known) {
  if (known.contains(name)) return;
  const std::string nearest = sim::nearest_name(name, {known.begin(), known.end()});
  throw UsageError(fmt::format("kvtraffic: no {} is named {}{}; known are {}", what, sim::in_quotes(name),
                               nearest.empty() ? "" : fmt::format(", did you mean {}?", sim::in_quotes(nearest)),
                               fmt::join(known, ", ")));
}

void check(const MeasuredArguments& arguments, const std::vector<MeasuredRow>& rows, const Catalog& catalog) {
  std::set<std::string> families, devices;
  for (const MeasuredRow& row : rows) {
    families.insert(row.family);
    devices.insert(row.device());
  }
  for (const std::string& family : arguments.families) require_known("family", family, families);
  for (const std::string& device : arguments.left_out) require_known("hardware of a row", device, devices);
  const std::vector<std::string> engines = catalog.names(CatalogKind::engine);
  if (!arguments.engine.empty()) require_known("engine", arguments.engine, {engines.begin(), engines.end()});
}

std::string told(const std::vector<Scored>& rows, reports::Format format) {
  if (format == reports::Format::json) return measured_json(rows);
  if (format == reports::Format::csv) return measured_csv(rows);
  return measured_table(rows);
}

}  // namespace

int execute(const MeasuredArguments& arguments) {
  const Catalog catalog = Catalog::find();
  std::vector<MeasuredRow> wanted = read_measured(catalog.folder() + "/tests/measurements");
  check(arguments, wanted, catalog);
  std::erase_if(wanted, [&](const MeasuredRow& row) { return !is_wanted(row, arguments); });
  if (wanted.empty()) throw UsageError("kvtraffic: no row is left");
  if (arguments.hold_out) {
    std::erase_if(wanted, [](const MeasuredRow& row) { return row.predicted; });
    if (wanted.empty()) throw UsageError("kvtraffic: no constant is fitted on these rows");
    const HoldOut results = hold_out(wanted, arguments.engine, catalog);
    std::cout << (arguments.format == reports::Format::json ? hold_out_json(results) : hold_out_table(results))
              << std::flush;
    return exit_done;
  }
  std::vector<Scored> rows;
  for (const MeasuredRow& row : wanted) rows.push_back(score(row, {arguments.engine, arguments.fidelity}, catalog));
  std::cout << told(rows, arguments.format) << std::flush;
  return exit_done;
}

}  // namespace kvtraffic::scenarios
