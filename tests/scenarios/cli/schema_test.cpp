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
  for (const CatalogKind kind : {CatalogKind::model, CatalogKind::format, CatalogKind::engine, CatalogKind::hardware}) {
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
