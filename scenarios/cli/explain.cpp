// `explain`: where a number comes from.
// Leaves out the explaining itself (scenarios/explain, scenarios/claims).
#include "scenarios/explain/explain.hpp"

#include <iostream>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/cli/load.hpp"

namespace kvtraffic::scenarios {
namespace {

// The path stands on the command line, so that a wrong one is a mistake there.
std::string explained(const Plan& plan, const Catalog& catalog, const std::string& path) {
  try {
    return explain_text(plan, catalog, path);
  } catch (const sim::ConfigError& fault) {
    const std::vector<sim::Diagnostic>& all = fault.diagnostics().all();
    if (path.empty() || all.size() != 1 || all.front().where.file || all.front().path != path) throw;
    std::string text = fault.what();
    while (text.ends_with('\n')) text.pop_back();
    throw UsageError(text);
  }
}

}  // namespace

int execute(const ExplainArguments& arguments) {
  constexpr std::string_view claim = "claim:";
  if (arguments.scenario.file.starts_with(claim)) return explain_claim(arguments.scenario.file.substr(claim.size()));
  const Catalog catalog = Catalog::find();
  const Plan plan = load_plan(arguments.scenario, catalog);
  std::cout << explained(plan, catalog, arguments.path);
  return exit_done;
}

}  // namespace kvtraffic::scenarios
