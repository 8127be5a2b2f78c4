// Finding and reading a memory part.
// Leaves out checking its numbers (hardware/spec).
#include "scenarios/device/memory_part.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "hardware/spec/hardware.hpp"
#include "hardware/spec/memory.hpp"
#include "scenarios/spec/command_line.hpp"
#include "scenarios/spec/paths.hpp"
#include "scenarios/spec/sweep.hpp"
#include "sim/config/io_error.hpp"
#include "sim/config/yaml.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Node;

bool is_file(std::string_view given) {
  return given.find('/') != std::string_view::npos || given.ends_with(".yaml") || given.ends_with(".yml");
}

bool knows(const Catalog& catalog, CatalogKind kind, const std::string& name) {
  return std::ranges::binary_search(catalog.names(kind), name);
}

[[noreturn]] void refuse_unknown(const Catalog& catalog, const std::string& name) {
  if (knows(catalog, CatalogKind::drive, name)) {
    throw UsageError(
        fmt::format("kvtraffic: {} is a drive: only memory parts can be driven yet", sim::in_quotes(name)));
  }
  const std::vector<std::string> parts = catalog.names(CatalogKind::memory);
  std::vector<std::string> known = parts;
  std::ranges::copy(catalog.names(CatalogKind::hardware), std::back_inserter(known));
  const std::string nearest = sim::nearest_name(name, known);
  throw UsageError(fmt::format("kvtraffic: no memory part and no device is named {}; parts are {}{}",
                               sim::in_quotes(name), fmt::join(parts, ", "),
                               nearest.empty() ? "" : fmt::format("\n  did you mean '{}'?", nearest)));
}

// Entries of one kind look alike only to their own room, so a file must say what it is, or what it extends must.
bool is_hardware_file(const std::string& file, Diagnostics& faults) {
  require_regular_file(file);
  const Node entry = sim::read_yaml_file(file, faults);
  if (faults.has_errors()) throw sim::ConfigError(faults);
  const Node* kind = entry.find("kind");
  return kind != nullptr && (kind->text() == "device" || kind->text() == "node");
}

bool names_hardware(const Catalog& catalog, const std::string& given, Diagnostics& faults) {
  if (is_file(given)) return is_hardware_file(given, faults);
  if (knows(catalog, CatalogKind::memory, given)) return false;
  if (knows(catalog, CatalogKind::hardware, given)) return true;
  refuse_unknown(catalog, given);
}

std::string part_of(const Catalog& catalog, const std::string& carrier, Diagnostics& faults) {
  const Node entry = catalog.resolve(CatalogKind::hardware, Node::scalar(carrier), "", faults);
  if (faults.has_errors()) throw sim::ConfigError(faults);
  const hardware::Hardware found = hardware::read_hardware(entry, faults);
  if (faults.has_errors()) throw sim::ConfigError(faults);
  if (!found.device.memory_part.empty()) return found.device.memory_part;
  throw UsageError(
      fmt::format("kvtraffic: no memory part describes the {} of {}; kvtraffic list memories tells which "
                  "there are",
                  found.device.memory, sim::in_quotes(carrier)));
}

void apply(Node& memory, const std::vector<std::string>& settings, Diagnostics& faults) {
  for (const std::string& text : settings) {
    Diagnostics own;
    auto setting = parse_setting(text, own);
    if (!own.has_errors()) set_values(memory, {std::move(setting)}, own);
    faults.append(own);
  }
}

}  // namespace

ChosenPart choose_part(const Catalog& catalog, const std::string& given, const std::vector<std::string>& settings) {
  Diagnostics faults;
  ChosenPart chosen;
  std::string name = given;
  if (names_hardware(catalog, given, faults)) {
    chosen.carrier = given;
    name = part_of(catalog, given, faults);
  }
  Node memory = catalog.resolve(CatalogKind::memory, Node::scalar(name), "", faults);
  if (faults.has_errors()) throw sim::ConfigError(faults);
  apply(memory, settings, faults);
  chosen.part = hardware::read_memory(memory, faults).part;
  if (faults.has_errors()) throw sim::ConfigError(faults);
  return chosen;
}

}  // namespace kvtraffic::scenarios
