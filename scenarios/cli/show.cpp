// `show`: one entry, whole, with what follows from it.
// Leaves out sources of single numbers (explain).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "reports/json_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/entry.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/cli/facts.hpp"
#include "sim/config/io_error.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Node;

bool is_file(std::string_view name) { return name.find('/') != std::string_view::npos || name.ends_with(".yaml"); }

bool knows(const Catalog& catalog, CatalogKind kind, const std::string& name) {
  const std::vector<std::string> names = catalog.names(kind);
  return std::ranges::find(names, name) != names.end();
}

[[noreturn]] void refuse_unknown(const Catalog& catalog, const std::vector<CatalogKind>& kinds,
                                 const std::string& name) {
  std::vector<std::string> known;
  for (const CatalogKind kind : kinds) std::ranges::copy(catalog.names(kind), std::back_inserter(known));
  const std::string nearest = sim::nearest_name(name, known);
  const std::string_view what = kinds.size() == 1 ? name_of(kinds.front()) : "entry";
  throw UsageError(fmt::format("kvtraffic: no {} is named {}; known are {}{}", what, sim::in_quotes(name),
                               fmt::join(known, ", "),
                               nearest.empty() ? "" : fmt::format("\n  did you mean '{}'?", nearest)));
}

// The kind that was said, or the only one that knows the name.
CatalogKind kind_of(const ShowArguments& arguments, const Catalog& catalog) {
  if (arguments.kind) {
    if (!is_file(arguments.name) && !knows(catalog, *arguments.kind, arguments.name)) {
      refuse_unknown(catalog, {*arguments.kind}, arguments.name);
    }
    return *arguments.kind;
  }
  if (is_file(arguments.name)) {
    throw UsageError(fmt::format("kvtraffic: say which kind the file is: kvtraffic show model {}", arguments.name));
  }
  std::vector<CatalogKind> found;
  for (const CatalogKind kind : all_kinds) {
    if (knows(catalog, kind, arguments.name)) found.push_back(kind);
  }
  if (found.empty()) refuse_unknown(catalog, {all_kinds.begin(), all_kinds.end()}, arguments.name);
  if (found.size() > 1) {
    throw UsageError(fmt::format("kvtraffic: {} is a {} and a {}: say which, as in kvtraffic show {} {}",
                                 arguments.name, name_of(found[0]), name_of(found[1]), name_of(found[0]),
                                 arguments.name));
  }
  return found.front();
}

// As `run` tells a scenario that is not there; what is wrong inside a file is told with its place.
void require_file(const std::string& name) {
  std::error_code fault;
  const std::filesystem::file_status status = std::filesystem::status(name, fault);
  if (!std::filesystem::exists(status)) {
    throw sim::IoError(
        fmt::format("cannot open {}: {}", sim::in_quotes(name), fault ? fault.message() : "no such file"));
  }
  if (std::filesystem::is_directory(status)) {
    throw sim::IoError(fmt::format("cannot read {}: it is a folder", sim::in_quotes(name)));
  }
}

Node with_entry(Node facts, const Node& entry) {
  facts.set("entry", entry);
  return facts;
}

std::string as_text(CatalogKind kind, const Node& entry, const Node& facts) {
  std::string text = facts_text(facts);
  if (!text.empty()) text += '\n';
  return text + (kind == CatalogKind::scenario ? "" : "As `--format yaml` prints it:\n\n") + to_yaml(entry);
}

}  // namespace

int execute(const ShowArguments& arguments) {
  const Catalog catalog = Catalog::find();
  const CatalogKind kind = kind_of(arguments, catalog);
  if (is_file(arguments.name)) require_file(arguments.name);
  sim::Diagnostics faults;
  const Node entry = catalog.resolve(kind, Node::scalar(arguments.name), "", faults);
  const Node facts = faults.has_errors() ? Node{} : facts_about(kind, entry, catalog, faults);
  if (faults.has_errors()) throw sim::ConfigError(faults);
  if (arguments.format == Listing::yaml) {
    std::cout << to_yaml(entry);
  } else if (arguments.format == Listing::table) {
    std::cout << as_text(kind, entry, facts);
  } else {
    fmt::memory_buffer buffer;
    reports::JsonText(buffer).node(with_entry(facts, entry));
    std::cout << fmt::to_string(buffer) << '\n';
  }
  return exit_done;
}

}  // namespace kvtraffic::scenarios
