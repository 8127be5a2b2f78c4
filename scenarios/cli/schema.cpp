// `schema`: the JSON Schema of a kind of file, from the tables that check it.
// Leaves out results.
#include "sim/config/schema.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "hardware/spec/drive.hpp"
#include "hardware/spec/hardware.hpp"
#include "hardware/spec/host.hpp"
#include "hardware/spec/link.hpp"
#include "hardware/spec/memory.hpp"
#include "models/spec/engine.hpp"
#include "models/spec/format.hpp"
#include "models/spec/weight_set.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/spec/scenario.hpp"

namespace kvtraffic::scenarios {
namespace {

using nlohmann::ordered_json;

// Where a property's map is defined; a description beside the reference puts it into `allOf`.
std::optional<ordered_json::json_pointer> definition_of(const ordered_json& rule) {
  const ordered_json& holder = rule.contains("allOf") ? rule.at("allOf").at(0) : rule;
  if (!holder.contains("$ref")) return std::nullopt;
  return ordered_json::json_pointer(holder.at("$ref").get<std::string>().substr(1));
}

// What must stand in a map and in the maps below it. `above` are the definitions on the way there.
ordered_json demands(const ordered_json& schema, const ordered_json& map, std::vector<std::string> above) {
  ordered_json result = ordered_json::object();
  if (map.contains("required")) result["required"] = map.at("required");
  for (const auto& [name, rule] : map.at("properties").items()) {
    const auto pointer = definition_of(rule);
    if (!pointer || std::ranges::find(above, pointer->to_string()) != above.end()) continue;
    const ordered_json& definition = schema.at(*pointer);
    if (!definition.contains("properties")) continue;
    std::vector<std::string> here = above;
    here.push_back(pointer->to_string());
    const ordered_json below = demands(schema, definition, std::move(here));
    if (!below.empty()) result["properties"][name] = below;
  }
  return result;
}

// The definitions of the maps below `map`; not those of the items of lists, which are always written whole.
void find_maps(const ordered_json& schema, const ordered_json& map, std::set<std::string>& found) {
  for (const auto& [name, rule] : map.at("properties").items()) {
    const auto pointer = definition_of(rule);
    if (!pointer || !schema.at(*pointer).contains("properties") || !found.insert(pointer->to_string()).second) continue;
    find_maps(schema, schema.at(*pointer), found);
  }
}

// What the key `instead` may supply need not stand in the file itself: `extends` another entry, or `sweep` values. Then
// nothing is required here; without it, what the tables require in the root and in the maps below it is.
void relax(ordered_json& schema, const std::string& instead) {
  const ordered_json whole = demands(schema, schema, {});
  std::set<std::string> maps;
  find_maps(schema, schema, maps);
  schema.erase("required");
  for (const std::string& pointer : maps) schema.at(ordered_json::json_pointer(pointer)).erase("required");
  schema["anyOf"] = {{{"required", {instead}}}, whole};
}

ordered_json entry_schema(const sim::Table& table, std::string_view title) {
  ordered_json schema = ordered_json::parse(sim::json_schema(table, title));
  schema["properties"]["extends"] = {{"type", "string"},
                                     {"description", "Name or file of the entry that this one is laid on."}};
  relax(schema, "extends");
  return schema;
}

// Hardware files are of two kinds: either schema, over one set of definitions.
ordered_json hardware_schema() {
  ordered_json device = entry_schema(hardware::device_table(), "kvtraffic device");
  ordered_json node = entry_schema(hardware::node_table(), "kvtraffic node");
  ordered_json whole;
  whole["$schema"] = device.at("$schema");
  whole["title"] = "kvtraffic hardware";
  whole["definitions"] = ordered_json::object();
  for (ordered_json* part : {&device, &node}) {
    part->erase("$schema");
    if (part->contains("definitions")) whole["definitions"].update(part->at("definitions"));
    part->erase("definitions");
  }
  whole["anyOf"] = {device, node};
  return whole;
}

ordered_json scenario_schema() {
  ordered_json schema = ordered_json::parse(sim::json_schema(scenario_table(), "kvtraffic scenario"));
  relax(schema, "sweep");
  return schema;
}

ordered_json schema_of(CatalogKind kind) {
  switch (kind) {
    case CatalogKind::model:
      return entry_schema(models::model_table(), "kvtraffic model");
    case CatalogKind::format:
      return entry_schema(models::format_table(), "kvtraffic cache format set");
    case CatalogKind::engine:
      return entry_schema(models::engine_table(), "kvtraffic engine");
    case CatalogKind::weights:
      return entry_schema(models::weight_set_table(), "kvtraffic weight set");
    case CatalogKind::hardware:
      return hardware_schema();
    case CatalogKind::memory:
      return entry_schema(hardware::memory_table(), "kvtraffic memory");
    case CatalogKind::host:
      return entry_schema(hardware::host_table(), "kvtraffic host");
    case CatalogKind::drive:
      return entry_schema(hardware::drive_table(), "kvtraffic drive");
    case CatalogKind::link:
      return entry_schema(hardware::link_table(), "kvtraffic link");
    case CatalogKind::scenario:
      return scenario_schema();
  }
  return {};
}

}  // namespace

int execute(const SchemaArguments& arguments) {
  std::cout << schema_of(arguments.kind).dump(2) << "\n";
  return exit_done;
}

}  // namespace kvtraffic::scenarios
