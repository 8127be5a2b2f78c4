// `doctor`: whether this installation is whole, and what it was built from.
// Leaves out repairing anything.
#include <fmt/format.h>

#include <iostream>
#include <thread>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/entry.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "sim/config/io_error.hpp"

namespace kvtraffic::scenarios {
namespace {

std::string_view build_words() {
#ifdef __OPTIMIZE__
  constexpr std::string_view speed = "optimised";
#else
  constexpr std::string_view speed = "not optimised: slow";
#endif
  return speed;
}

void tell(std::string_view what, std::string_view answer) { std::cout << fmt::format("{:<12}{}\n", what, answer); }

// Reads every entry of a kind and tells how many there are; true when none has a fault.
bool examine(CatalogKind kind, const Catalog& catalog) {
  const std::vector<std::string> names = catalog.names(kind);
  std::string text = fmt::format("{} in {}", names.size(), folder_of(kind));
  sim::Diagnostics faults;
  for (const std::string& name : names) {
    sim::Diagnostics own;
    try {
      check_entry(kind, name, catalog, own);
    } catch (const sim::IoError& fault) {
      own.error({}, name, fault.what());
    }
    if (own.has_errors()) text += fmt::format("; {} has faults", name);
    faults.append(own);
  }
  tell(name_of(kind), text);
  if (!faults.all().empty()) std::cerr << faults.render();
  return !names.empty() && !faults.has_errors();
}

}  // namespace

int execute(const DoctorArguments&) {
  tell("version", KVTRAFFIC_VERSION);
  tell("compiler", __VERSION__);
  tell("build", build_words());
  tell("cores", fmt::format("{}", std::thread::hardware_concurrency()));
  const Catalog catalog = Catalog::find();
  tell("data", catalog.folder());
  bool is_whole = true;
  for (const CatalogKind kind : all_kinds) is_whole = examine(kind, catalog) && is_whole;
  tell("verdict", is_whole ? "everything reads without a fault" : "something is missing or faulty");
  return is_whole ? exit_done : exit_config;
}

}  // namespace kvtraffic::scenarios
