// `doctor`: whether this installation is whole, and what it was built from.
// Leaves out repairing anything.
#include <fmt/format.h>

#include <iostream>
#include <thread>

#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/entry.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/cli/tell.hpp"
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

void print(std::string_view what, std::string_view answer) { std::cout << fmt::format("{:<12}{}\n", what, answer); }

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
  print(name_of(kind), text);
  tell(faults.render());
  return !names.empty() && !faults.has_errors();
}

bool examine_claims(const Catalog& catalog) {
  sim::Diagnostics faults;
  std::size_t count = 0;
  try {
    count = read_claims(catalog, faults).size();
  } catch (const sim::IoError& fault) {
    faults.error({}, "claims", fault.what());
  }
  print("claims", fmt::format("{} in scenarios/claims{}", count, faults.has_errors() ? "; some have faults" : ""));
  tell(faults.render());
  return count > 0 && !faults.has_errors();
}

}  // namespace

int execute(const DoctorArguments&) {
  print("version", KVTRAFFIC_VERSION);
  print("compiler", __VERSION__);
  print("build", build_words());
  print("cores", fmt::format("{}", std::thread::hardware_concurrency()));
  const Catalog catalog = Catalog::find();
  print("data", catalog.folder());
  bool is_whole = true;
  for (const CatalogKind kind : all_kinds) is_whole = examine(kind, catalog) && is_whole;
  is_whole = examine_claims(catalog) && is_whole;
  print("verdict", is_whole ? "everything reads without a fault" : "something is missing or faulty");
  return is_whole ? exit_done : exit_config;
}

}  // namespace kvtraffic::scenarios
