// `measured`: published timings of kernels beside simulated ones.
// Leaves out the comparison itself (scenarios/measured).
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/measured/measured_report.hpp"

namespace kvtraffic::scenarios {
namespace {

bool is_wanted(const MeasuredRow& row, const MeasuredArguments& arguments) {
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  };
  return (arguments.families.empty() || has(arguments.families, row.family)) && !has(arguments.left_out, row.device());
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
  std::erase_if(wanted, [&](const MeasuredRow& row) { return !is_wanted(row, arguments); });
  if (wanted.empty()) throw UsageError("kvtraffic: no row is left; the families are those of tests/measurements");
  if (arguments.hold_out) {
    const std::vector<HoldOut> results = hold_out(wanted, arguments.engine, catalog);
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
