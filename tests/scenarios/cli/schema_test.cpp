// The schema that the program prints, held against its own files by a validator that none of us wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "reports/writer.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios::test {
namespace {

using nlohmann::json;

class PrintedSchema {
 public:
  explicit PrintedSchema(const std::string& kind = "scenario") : text_(json::parse(run_program({"schema", kind}).out)) {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(text_), schema_);
  }
  bool accepts(const json& document) {
    valijson::Validator validator;
    return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
  }

 private:
  json text_;
  valijson::Schema schema_;
};

json json_of(const sim::Node& node) {
  std::ostringstream out;
  const auto writer = reports::make_writer(reports::Format::json, {}, out);
  writer->begin({"", node, {}});
  writer->end();
  return json::parse(out.str())["scenario"];
}

TEST(PrintedSchema, AcceptsWhatTheLibraryResolvesTo) {
  PrintedSchema schema;
  const Catalog catalog(KVTRAFFIC_ROOT);
  for (const std::string& name : catalog.names(CatalogKind::scenario)) {
    const Outcome run = run_program({"run", catalog.path_of(CatalogKind::scenario, name), "--format", "json"});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(schema.accepts(json::parse(run.out)["scenario"])) << name;
  }
}

TEST(PrintedSchema, AcceptsEveryCatalogEntryAndWhatExtendsOne) {
  const Catalog catalog(KVTRAFFIC_ROOT);
  for (const CatalogKind kind : all_kinds) {
    if (kind == CatalogKind::scenario) continue;
    PrintedSchema schema(std::string(name_of(kind)));
    for (const std::string& name : catalog.names(kind)) {
      sim::Diagnostics diagnostics;
      const sim::Node entry = catalog.read(kind, name, diagnostics);
      EXPECT_TRUE(schema.accepts(json_of(entry))) << name;
    }
    EXPECT_TRUE(schema.accepts({{"extends", "another"}}));
    EXPECT_FALSE(schema.accepts({{"extend", "another"}}));
  }
}

// What a base or a sweep supplies may be missing at any depth; without one it may not.
TEST(PrintedSchema, AsksForNothingThatABaseOrASweepSupplies) {
  PrintedSchema model("model"), hardware("hardware"), scenario;
  EXPECT_TRUE(model.accepts({{"extends", "deepseek-v4.1-flash"}, {"attention", {{"top_k", 256}}}}));
  EXPECT_TRUE(hardware.accepts({{"extends", "8x-h200-sxm"}, {"device", {{"memory", {{"capacity", "80 GB"}}}}}}));
  EXPECT_FALSE(hardware.accepts({{"name", "mine"}, {"memory", {{"capacity", "80 GB"}}}}));
  json question = {{"model", "m"}, {"hardware", "h"}, {"workload", {{"phase", "decode"}, {"batch", 1}}}};
  EXPECT_FALSE(scenario.accepts(question));
  question["sweep"] = {{"workload.context", {1024, 2048}}};
  EXPECT_TRUE(scenario.accepts(question));
}

TEST(PrintedSchema, RefusesWhatTheReaderRefuses) {
  PrintedSchema schema;
  const json good = {{"model", "deepseek-v3.2"},
                     {"hardware", "8x-b200"},
                     {"workload", {{"phase", "decode"}, {"batch", 1}, {"context", "4K"}}}};
  EXPECT_TRUE(schema.accepts(good));
  for (const json& patch :
       {json{{"fidelty", "flow"}}, json{{"fidelity", "fast"}}, json{{"workload", {{"batch", "many"}}}},
        json{{"workload", {{"phase", "train"}}}}, json{{"parallel", {{"tensor", 0}}}}}) {
    json bad = good;
    bad.merge_patch(patch);
    EXPECT_FALSE(schema.accepts(bad)) << patch;
  }
}

}  // namespace
}  // namespace kvtraffic::scenarios::test
