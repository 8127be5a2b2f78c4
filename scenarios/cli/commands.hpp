// One function per verb: carries it out, writes to standard output, returns the exit code. Mistakes are thrown.
// Leaves out the command line (options.hpp).
#pragma once

#include "scenarios/cli/options.hpp"

namespace kvtraffic::scenarios {

[[nodiscard]] int execute(const RunArguments& arguments);
[[nodiscard]] int execute(const CheckArguments& arguments);
[[nodiscard]] int execute(const ExplainArguments& arguments);
[[nodiscard]] int execute(const ListArguments& arguments);
[[nodiscard]] int execute(const ShowArguments& arguments);
[[nodiscard]] int execute(const SchemaArguments& arguments);
[[nodiscard]] int execute(const DoctorArguments& arguments);
[[nodiscard]] int execute(const VersionArguments& arguments);
[[nodiscard]] int execute(const HelpArguments& arguments);

}  // namespace kvtraffic::scenarios
