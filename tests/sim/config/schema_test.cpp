// The JSON Schema says what check() says.
// Leaves out a schema validator: the patterns are tried with POSIX regular expressions.
#include "sim/config/schema.hpp"

#include <gtest/gtest.h>
#include <regex.h>

#include <nlohmann/json.hpp>
#include <set>

#include "sim/units/parse.hpp"
#include "tests/sim/config/tables.hpp"

namespace kvtraffic::sim {
namespace {

using Json = nlohmann::json;
using testing::every_type_table;
using testing::part_table;
using testing::scenario_table;
using testing::tree_table;
using testing::worded_table;

Json schema_of(const Table& table) { return Json::parse(json_schema(table, "title")); }

bool fits(const Json& rule, const std::string& text) {
  regex_t compiled{};
  const bool is_pattern = regcomp(&compiled, rule.at("pattern").get<std::string>().c_str(), REG_EXTENDED) == 0;
  EXPECT_TRUE(is_pattern) << rule;
  const bool result = is_pattern && regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return result;
}

TEST(JsonSchema, EveryTypeHasItsRule) {
  const Json properties = schema_of(every_type_table()).at("properties");
  ASSERT_EQ(properties.size(), every_type_table().fields.size());
  EXPECT_EQ(properties["text"]["type"], Json({"string", "number", "boolean"}));
  EXPECT_TRUE(fits(properties["name"], "h200-sxm"));
  EXPECT_FALSE(fits(properties["name"], "a b"));
  EXPECT_EQ(properties["flag"]["type"], "boolean");
  EXPECT_EQ(properties["integer"]["type"], "integer");
  EXPECT_EQ(properties["number"]["type"], "number");
  EXPECT_TRUE(fits(properties["tokens"], "128K"));
  EXPECT_FALSE(fits(properties["tokens"], "128k"));
  for (const char* text : {"4096", " 1.5 K ", "+64", "4e3", ".5M", "-1", "12 KB", "1_000", ""}) {  // as the reader does
    EXPECT_EQ(fits(properties["tokens"], text), parse_tokens(text).has_value()) << text;
  }
  EXPECT_TRUE(fits(properties["ratio"], "93%"));
  EXPECT_EQ(properties["choice"]["enum"], Json({"cycle", "flow", "roofline"}));
  EXPECT_EQ(properties["map"]["$ref"], "#/definitions/options");
  EXPECT_EQ(properties["list"]["items"]["type"], "integer");
  EXPECT_EQ(properties["dictionary"]["additionalProperties"]["type"], "integer");
  EXPECT_EQ(properties["reference"]["type"], Json({"string", "number", "object"}));
  EXPECT_EQ(properties["any"], Json::object());
}

TEST(JsonSchema, WhereAUnitIsNeededANumberIsNotAllowed) {
  const Json properties = schema_of(every_type_table()).at("properties");
  const std::pair<const char*, const char*> samples[] = {{"bytes", "80 GB"},
                                                         {"duration", "1.5us"},
                                                         {"bandwidth", "4.8 TB/s"},
                                                         {"frequency", "1.83 GHz"},
                                                         {"flop_rate", "989 TFLOPS"}};
  for (const auto& [name, right] : samples) {
    EXPECT_EQ(properties[name]["type"], "string") << name;
    EXPECT_TRUE(fits(properties[name], right)) << name;
    EXPECT_FALSE(fits(properties[name], "80")) << name;
    EXPECT_FALSE(fits(properties[name], "80 GBx")) << name;
  }
}

TEST(JsonSchema, CarriesRangesDefaultsHelpAndRequirements) {
  const Json schema = schema_of(scenario_table());
  EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(schema["title"], "title");
  EXPECT_EQ(schema["description"], "a question");
  EXPECT_EQ(schema["required"], Json::array({"workload"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["fidelity"]["default"], "cycle");
  EXPECT_EQ(schema["properties"]["fidelity"]["description"], "how exact");
  EXPECT_EQ(schema["properties"]["tags"]["default"], Json({"plain", "two words"}));
  EXPECT_EQ(schema["properties"]["count"]["default"], 7);
  EXPECT_EQ(schema["properties"]["workload"]["allOf"][0]["$ref"], "#/definitions/workload");
  EXPECT_EQ(schema["allOf"][0]["not"]["required"], Json({"budget", "count"}));
  const Json workload = schema["definitions"]["workload"];
  EXPECT_EQ(workload["required"], Json({"batch", "context"}));
  EXPECT_EQ(workload["properties"]["batch"]["minimum"], 1);
  EXPECT_EQ(workload["properties"]["batch"]["maximum"], 4096);
  EXPECT_EQ(schema["definitions"]["options"]["properties"]["exact"]["default"], false);
}

TEST(JsonSchema, SourcedScalarsMayCarryTheirProvenance) {
  const Json schema = schema_of(part_table());
  const Json capacity = schema["properties"]["capacity"]["anyOf"];
  ASSERT_EQ(capacity.size(), 2U);
  EXPECT_EQ(capacity[0]["type"], "string");
  EXPECT_EQ(capacity[1]["required"], Json::array({"value"}));
  EXPECT_EQ(capacity[1]["properties"]["value"], capacity[0]);
  EXPECT_EQ(schema["definitions"]["memory"]["properties"]["source"]["$ref"], "#/definitions/provenance.source");
  EXPECT_TRUE(fits(schema["definitions"]["provenance.certainty"], "assumed, scaled from H100"));
  EXPECT_FALSE(fits(schema["definitions"]["provenance.certainty"], "guess"));
}

TEST(JsonSchema, ATableMayHoldItself) { EXPECT_EQ(schema_of(tree_table())["properties"]["child"]["$ref"], "#"); }

TEST(JsonSchema, AWordMayStandInPlaceOfAMap) {
  const Json rule = schema_of(worded_table())["properties"]["routing"];
  EXPECT_EQ(rule["anyOf"], Json::parse(R"([{"$ref": "#/definitions/options"}, {"enum": ["even"]}])"));
  EXPECT_EQ(rule["default"], "even");
}

TEST(JsonSchema, TablesOfOneNameStayApart) {
  static constexpr Field inner_fields[] = {{.name = "a"}};
  static constexpr Table first = {.name = "inner", .help = "", .fields = inner_fields};
  static constexpr Table second = {.name = "inner", .help = "", .fields = inner_fields};
  static constexpr Field fields[] = {{.name = "x", .type = Type::map, .table = &first},
                                     {.name = "y", .type = Type::map, .table = &second}};
  const Json schema = schema_of({.name = "outer", .help = "", .fields = fields});
  EXPECT_NE(schema["properties"]["x"]["$ref"], schema["properties"]["y"]["$ref"]);
  EXPECT_EQ(schema["definitions"].size(), 2U);
}

// Every "$ref" of every schema leads somewhere.
void collect_references(const Json& value, std::set<std::string>& references) {
  if (value.is_object() && value.contains("$ref")) {
    references.insert(value["$ref"].get<std::string>());
  }
  for (const Json& inner : value) {
    if (inner.is_structured()) {
      collect_references(inner, references);
    }
  }
}

TEST(JsonSchema, ReferencesLeadSomewhere) {
  for (const Table* table : {&scenario_table(), &every_type_table(), &part_table(), &tree_table()}) {
    const Json schema = schema_of(*table);
    std::set<std::string> references;
    collect_references(schema, references);
    for (const std::string& reference : references) {
      EXPECT_TRUE(schema.contains(Json::json_pointer(reference.substr(1)))) << reference;
    }
  }
}

}  // namespace
}  // namespace kvtraffic::sim
