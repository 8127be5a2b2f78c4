// `explain`: where a number comes from.
// Leaves out the explaining itself (scenarios/explain, scenarios/claims).
#include "scenarios/explain/explain.hpp"

#include <iostream>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/cli/load.hpp"

namespace kvtraffic::scenarios {

int execute(const ExplainArguments& arguments) {
  constexpr std::string_view claim = "claim:";
  if (arguments.scenario.file.starts_with(claim)) return explain_claim(arguments.scenario.file.substr(claim.size()));
  const Catalog catalog = Catalog::find();
  const Plan plan = load_plan(arguments.scenario, catalog);
  std::cout << explain_text(plan, catalog, arguments.path);
  return exit_done;
}

}  // namespace kvtraffic::scenarios
