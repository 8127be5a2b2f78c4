// `schema`: the JSON Schema of a kind of file, from the tables that check it.
// Leaves out results.
#include "sim/config/schema.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "hardware/spec/hardware.hpp"
#include "models/spec/engine.hpp"
#include "models/spec/format.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/spec/scenario.hpp"

namespace kvtraffic::scenarios {
namespace {

using nlohmann::ordered_json;

// Hardware files are of two kinds: either schema, over one set of definitions.
std::string hardware_schema() {
  ordered_json device = ordered_json::parse(sim::json_schema(hardware::device_table(), "kvtraffic device"));
  ordered_json node = ordered_json::parse(sim::json_schema(hardware::node_table(), "kvtraffic node"));
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
  return whole.dump(2) + "\n";
}

std::string schema_of(CatalogKind kind) {
  switch (kind) {
    case CatalogKind::model:
      return sim::json_schema(models::model_table(), "kvtraffic model");
    case CatalogKind::format:
      return sim::json_schema(models::format_table(), "kvtraffic cache format set");
    case CatalogKind::engine:
      return sim::json_schema(models::engine_table(), "kvtraffic engine");
    case CatalogKind::hardware:
      return hardware_schema();
    case CatalogKind::scenario:
      return sim::json_schema(scenario_table(), "kvtraffic scenario");
  }
  return "";
}

}  // namespace

int execute(const SchemaArguments& arguments) {
  std::cout << schema_of(arguments.kind);
  return exit_done;
}

}  // namespace kvtraffic::scenarios
