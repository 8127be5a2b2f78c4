// Reading entries by kind, each through the room it belongs to.
// Leaves out telling them.
#include "scenarios/cli/entry.hpp"

#include <filesystem>

#include "hardware/spec/drive.hpp"
#include "hardware/spec/hardware.hpp"
#include "hardware/spec/host.hpp"
#include "hardware/spec/link.hpp"
#include "hardware/spec/memory.hpp"
#include "models/spec/engine.hpp"
#include "models/spec/format.hpp"
#include "models/spec/model.hpp"
#include "models/spec/weight_set.hpp"
#include "scenarios/run/runner.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Node;

void check_scenario(const std::string& name, const Catalog& catalog, Diagnostics& diagnostics) {
  const Node node = catalog.read(CatalogKind::scenario, name, diagnostics);
  if (diagnostics.has_errors()) return;
  const std::string file = catalog.path_of(CatalogKind::scenario, name);
  try {
    static_cast<void>(make_plan(node, {}, std::filesystem::path(file).parent_path().string(), catalog));
  } catch (const sim::ConfigError& fault) {
    diagnostics.append(fault.diagnostics());
  }
}

void check_name(const Node& entry, const std::string& name, Diagnostics& diagnostics) {
  const Node* own = entry.find("name");
  if (own == nullptr || own->text() == name) return;
  diagnostics.error(own->mark(), "name", "differs from the file's name", name);
}

}  // namespace

void read_entry(CatalogKind kind, const Node& entry, Diagnostics& diagnostics) {
  if (kind == CatalogKind::model) static_cast<void>(models::read_model(entry, 0, diagnostics));
  if (kind == CatalogKind::format) static_cast<void>(models::read_format(entry, diagnostics));
  if (kind == CatalogKind::engine) static_cast<void>(models::read_engine(entry, diagnostics));
  if (kind == CatalogKind::weights) models::check_weight_set(entry, diagnostics);
  if (kind == CatalogKind::hardware) static_cast<void>(hardware::read_hardware(entry, diagnostics));
  if (kind == CatalogKind::memory) static_cast<void>(hardware::read_memory(entry, diagnostics));
  if (kind == CatalogKind::host) static_cast<void>(hardware::read_host(entry, diagnostics));
  if (kind == CatalogKind::drive) static_cast<void>(hardware::read_drive(entry, diagnostics));
  if (kind == CatalogKind::link) static_cast<void>(hardware::read_link(entry, diagnostics));
}

std::string summary_of(const Node& entry) {
  for (const char* key : {"summary", "description"}) {
    const Node* text = entry.find(key);
    if (text != nullptr && text->is_scalar()) return text->text().substr(0, text->text().find('\n'));
  }
  return "";
}

void check_entry(CatalogKind kind, const std::string& name, const Catalog& catalog, Diagnostics& diagnostics) {
  if (kind == CatalogKind::scenario) return check_scenario(name, catalog, diagnostics);
  Diagnostics faults;
  const Node entry = catalog.resolve(kind, Node::scalar(name), "", faults);
  if (!faults.has_errors()) {
    check_name(entry, name, faults);
    read_entry(kind, entry, faults);
  }
  diagnostics.append(faults);
}

std::vector<Claim> read_claims(const Catalog& catalog, Diagnostics& diagnostics) {
  const std::string folder = ledger_folder(catalog);
  std::error_code ignored;  // read_ledger says why a folder cannot be read
  for (const auto& file : std::filesystem::directory_iterator(folder, ignored)) {
    if (file.path().extension() == ".yaml") require_regular_file(file.path().string());
  }
  return read_ledger(folder, diagnostics);
}

}  // namespace kvtraffic::scenarios
