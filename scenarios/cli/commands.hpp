// One function per verb: carries it out, writes to standard output, returns the exit code. Mistakes are thrown.
// Leaves out the command line (options.hpp).
#pragma once

#include <exception>

#include "scenarios/cli/options.hpp"

namespace kvtraffic::scenarios {

// Standard output takes no more. `error` is the system's reason, kept because errno belongs to a thread.
class OutputLost : public std::exception {
 public:
  explicit OutputLost(int error) : error_(error) {}
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] const char* what() const noexcept override { return "standard output is lost"; }

 private:
  int error_;
};

[[nodiscard]] int execute(const RunArguments& arguments);
[[nodiscard]] int execute(const CheckArguments& arguments);
[[nodiscard]] int execute(const ExplainArguments& arguments);
[[nodiscard]] int execute(const ListArguments& arguments);
[[nodiscard]] int execute(const ShowArguments& arguments);
[[nodiscard]] int execute(const SchemaArguments& arguments);
[[nodiscard]] int execute(const ClaimsArguments& arguments);
[[nodiscard]] int execute(const DeviceArguments& arguments);
[[nodiscard]] int execute(const MeasuredArguments& arguments);
[[nodiscard]] int execute(const DoctorArguments& arguments);
[[nodiscard]] int execute(const VersionArguments& arguments);
[[nodiscard]] int execute(const HelpArguments& arguments);

// `explain claim:ID`.
[[nodiscard]] int explain_claim(const std::string& id);

}  // namespace kvtraffic::scenarios
