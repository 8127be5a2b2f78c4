// `schema`: the JSON Schema of a kind of file, from the tables that check it.
// Leaves out results.
#include "sim/config/schema.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "hardware/spec/hardware.hpp"
#include "models/spec/engine.hpp"
#include "models/spec/format.hpp"
#include "models/spec/weight_set.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/spec/scenario.hpp"

namespace kvtraffic::scenarios {
namespace {

using nlohmann::ordered_json;

// What the key `instead` may supply need not stand in the file itself: `extends` another entry, or `sweep` values. Then
// nothing is required here; without it, what the tables require in the root and in the maps below it is.
void relax(ordered_json& schema, const std::string& instead) {
  ordered_json whole = {{"required", schema.value("required", ordered_json::array())}};
  schema.erase("required");
  for (const auto& [name, rule] : schema.at("properties").items()) {
    if (!rule.contains("$ref")) continue;
    const ordered_json::json_pointer pointer(rule.at("$ref").get<std::string>().substr(1));
    ordered_json& definition = schema.at(pointer);
    if (!definition.contains("required")) continue;
    whole["properties"][name]["required"] = definition.at("required");
    definition.erase("required");
  }
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
