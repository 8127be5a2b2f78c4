// Every source that an entry names must be explained by it: where the fault is told, and that it is told once.
#include "sim/config/sources.hpp"

#include <gtest/gtest.h>

#include <array>

#include "sim/config/yaml.hpp"

namespace kvtraffic::sim {
namespace {

constexpr std::array<Field, 2> part_fields{Field{.name = "width", .type = Type::integer},
                                           Field{.name = "depth", .type = Type::integer}};
constexpr Table part{.name = "part", .fields = part_fields};
constexpr std::array<Field, 4> fields{
    Field{.name = "sources", .type = Type::dictionary},
    Field{.name = "height", .type = Type::integer},
    Field{.name = "part", .type = Type::map, .table = &part},
    Field{.name = "parts", .type = Type::list, .table = &part, .item = Type::map},
};
constexpr Table table{.name = "entry", .fields = fields, .sourced = true};

std::string faults(const std::string& text) {
  Diagnostics diagnostics;
  const Node entry = read_yaml(text, "e.yaml", diagnostics);
  check_sources(entry, table, diagnostics);
  std::string lines;
  for (const Diagnostic& fault : diagnostics.all()) {
    lines += fault.path + ": " + fault.message + " | " + fault.expected + " | " + fault.nearest + "\n";
  }
  return lines;
}

TEST(Sources, ThatAreExplainedAreNoFault) {
  EXPECT_EQ(faults("sources: {sheet: address}\nheight: {value: 3, source: sheet}\npart: {source: sheet, width: 1}"),
            "");
  EXPECT_EQ(faults("height: 3"), "");
}

TEST(Sources, AreToldAtTheValueWithTheNearestKey) {
  EXPECT_EQ(faults("sources: {sheet: address}\nheight: {value: 3, source: sheets}"),
            "height.source: 'sheets' is no key of `sources` | one of sheet | sheet\n");
}

TEST(Sources, OfAMapAreToldOnceForAllBelowIt) {
  EXPECT_EQ(faults("part: {source: sheet, width: 1, depth: 2}"),
            "part.source: 'sheet' is no key of `sources` | a `sources:` map that has it | \n");
  EXPECT_EQ(faults("source: sheet\nheight: 3\npart: {width: 1}"),
            "source: 'sheet' is no key of `sources` | a `sources:` map that has it | \n");
}

TEST(Sources, OfAListsItemAreToldThere) {
  EXPECT_EQ(faults("parts: [{width: 1}, {source: sheet, width: 2, depth: 3}]"),
            "parts[1].source: 'sheet' is no key of `sources` | a `sources:` map that has it | \n");
}

}  // namespace
}  // namespace kvtraffic::sim
