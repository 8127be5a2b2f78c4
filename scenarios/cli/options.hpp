// The command line as typed records: one per verb, with its defaults. The source file alone knows the parsing library.
// Leaves out what the verbs do (commands.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reports/writer.hpp"
#include "scenarios/device/device_arguments.hpp"
#include "scenarios/spec/catalog.hpp"
#include "scenarios/spec/command_line.hpp"

namespace kvtraffic::scenarios {

enum class Listing { table, json, yaml };

struct ScenarioArguments {
  std::string file;  // "-": standard input; a name of the library where no such file exists
  std::vector<std::string> settings;
};

struct RunArguments {
  ScenarioArguments scenario;
  int jobs = 0;  // 0: as many as there are cores
  std::int64_t max_points = 1'000'000;
  bool dry_run = false;
  bool layers = false;
  bool operations = false;
  std::string timeline;  // a file; empty: none
  std::string window;    // of the timeline: FROM:TO
  reports::Format format = reports::Format::table;
  When color = When::automatic;
  When progress = When::automatic;
};

struct CheckArguments {
  ScenarioArguments scenario;
};

struct ExplainArguments {
  ScenarioArguments scenario;
  std::string path;  // into the result; empty: the most asked-for numbers
};

struct ListArguments {
  std::optional<CatalogKind> kind;  // none: all catalogs
  Listing format = Listing::table;
  bool claims = false;  // the claims ledger instead of a catalog
};

struct ShowArguments {
  std::optional<CatalogKind> kind;  // none: the one kind that knows the name
  std::string name;
  Listing format = Listing::table;
};

struct SchemaArguments {
  CatalogKind kind = CatalogKind::scenario;
};

struct ClaimsArguments {
  std::vector<std::string> ids;  // empty: all
  reports::Format format = reports::Format::table;
  bool explain = false;  // each with its definition and arithmetic
};

struct MeasuredArguments {
  std::vector<std::string> families;  // empty: all
  std::vector<std::string> left_out;  // hardware whose rows are not compared
  std::string engine;                 // in place of the rows' own
  std::string fidelity;               // empty: cycle where the memory part is known, else flow
  bool hold_out = false;              // tell what is reached on devices whose rows are left out of the fit
  reports::Format format = reports::Format::table;
};

struct DoctorArguments {};

struct VersionArguments {
  bool json = false;
};

struct HelpArguments {
  std::string text;
};

using Command =
    std::variant<RunArguments, CheckArguments, ExplainArguments, ListArguments, ShowArguments, SchemaArguments,
                 ClaimsArguments, DeviceArguments, MeasuredArguments, DoctorArguments, VersionArguments, HelpArguments>;

// Throws UsageError.
[[nodiscard]] Command parse_command_line(int argc, const char* const* argv);

}  // namespace kvtraffic::scenarios
