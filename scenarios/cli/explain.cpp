// `explain`: where a number comes from.
// Leaves out the explaining itself (scenarios/explain).
#include <fmt/format.h>

#include <iostream>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/cli/load.hpp"
#if __has_include("scenarios/explain/explain.hpp")
#include "scenarios/explain/explain.hpp"
#else
namespace kvtraffic::scenarios {
static std::string explain_text(const Plan&, const Catalog&, const std::string&) {
  throw UsageError("kvtraffic: explain is not available yet");
}
}  // namespace kvtraffic::scenarios
#endif

namespace kvtraffic::scenarios {

int execute(const ExplainArguments& arguments) {
  const Catalog catalog = Catalog::find();
  const Plan plan = load_plan(arguments.scenario, catalog);
  std::cout << explain_text(plan, catalog, arguments.path);
  return exit_done;
}

}  // namespace kvtraffic::scenarios
