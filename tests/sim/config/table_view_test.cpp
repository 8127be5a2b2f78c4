// Reading checked maps, filling in defaults, and where values come from.
// Leaves out faults (table_check_test.cpp).
#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/config/table.hpp"
#include "tests/sim/config/tables.hpp"
#include "tests/sim/config/trees.hpp"

namespace kvtraffic::sim {
namespace {

using testing::every_type_table;
using testing::part_table;
using testing::read_or_fail;
using testing::scenario_table;
using testing::tree_table;
using testing::worded_table;

TEST(View, ReadsEveryType) {
  const Node node = read_or_fail(
      "text: a b\nname: x\nflag: true\ninteger: -3\nnumber: 0.5\ntokens: 2K\nbytes: 4 KiB\nduration: 3 ns\n"
      "bandwidth: 8 Gbit/s\nfrequency: 2 GHz\nflop_rate: 3 TFLOPS\nratio: 25%\nchoice: flow\n"
      "map: {window: 2K}\nlist: [1, 2]\ndictionary: {a: 1}\nreference: h200-sxm\nany: [x]\n");
  const View view(node, every_type_table());
  EXPECT_EQ(view.text("text"), "a b");
  EXPECT_EQ(view.text("name"), "x");
  EXPECT_TRUE(view.flag("flag"));
  EXPECT_EQ(view.integer("integer"), -3);
  EXPECT_EQ(view.number("integer"), -3);
  EXPECT_EQ(view.number("number"), 0.5);
  EXPECT_EQ(view.integer("tokens"), 2 * 1024);
  EXPECT_EQ(view.bytes("bytes"), Bytes::of(4 * 1024));
  EXPECT_EQ(view.duration("duration"), Duration::of_femtoseconds(3'000'000));
  EXPECT_EQ(view.bandwidth("bandwidth"), Bandwidth::per_second(1e9));
  EXPECT_EQ(view.frequency("frequency"), Frequency::per_second(2e9));
  EXPECT_EQ(view.flop_rate("flop_rate"), FlopRate::per_second(3e12));
  EXPECT_EQ(view.number("ratio"), 0.25);
  EXPECT_EQ(view.text("choice"), "flow");
  EXPECT_EQ(view.map("map").integer("window"), 2 * 1024);
  EXPECT_EQ(view.texts("list"), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(view.node("dictionary").members().size(), 1U);
  EXPECT_EQ(view.text("reference"), "h200-sxm");
  EXPECT_TRUE(view.node("any").is_list());
}

TEST(View, AbsentFieldsReadAsTheirDefaultOrAsNothing) {
  const Node node = read_or_fail("layers: [{kind: a}]\n");
  const View view(node, scenario_table());
  EXPECT_FALSE(view.has("fidelity"));
  EXPECT_EQ(view.text("fidelity"), "cycle");
  EXPECT_EQ(view.bytes("budget"), Bytes::of(std::int64_t{64} << 30));
  EXPECT_EQ(view.texts("tags"), (std::vector<std::string>{"plain", "two words"}));
  EXPECT_EQ(view.text("name"), "");
  EXPECT_EQ(view.map("options").integer("window"), 1024);
  EXPECT_EQ(view.map("workload").integer("batch"), 0);
  EXPECT_TRUE(view.node("limits").is_null());
  EXPECT_EQ(view.maps("layers").at(0).integer("count"), 1);
}

TEST(View, NeverFailsOnWhatCheckRefused) {
  const Node node =
      read_or_fail("name: [a]\nfidelity: {a: b}\nworkload: 4\noptions: [1]\nlayers: [4, ~]\ntags: {a: 1}\nbudget: 4\n");
  const View view(node, scenario_table());
  EXPECT_EQ(view.text("name"), "");
  EXPECT_EQ(view.text("fidelity"), "");
  EXPECT_EQ(view.map("workload").integer("batch"), 0);
  EXPECT_EQ(view.maps("layers").size(), 2U);
  EXPECT_TRUE(view.texts("tags").empty());
  EXPECT_EQ(view.bytes("budget"), Bytes{});
  const Node scalar = Node::scalar("x");
  EXPECT_EQ(View(scalar, scenario_table()).text("fidelity"), "cycle");
}

TEST(View, AFieldThatTheTableDoesNotHaveIsOurOwnFault) {
  const Node node = read_or_fail("name: a\n");
  const View view(node, scenario_table());
  EXPECT_THROW((void)view.text("nam"), std::logic_error);
  EXPECT_THROW((void)view.has("nam"), std::logic_error);
  EXPECT_THROW((void)view.integer("name"), std::logic_error);
  EXPECT_THROW((void)view.bytes("fidelity"), std::logic_error);
  EXPECT_THROW((void)view.maps("tags"), std::logic_error);
  EXPECT_THROW((void)view.texts("layers"), std::logic_error);
}

TEST(View, MarksTheValueOrElseTheMap) {
  const Node node = read_or_fail("workload:\n  batch: 4\n  share:\n");
  const View workload = View(node, scenario_table()).map("workload");
  EXPECT_EQ(workload.mark("batch").column, 10);
  EXPECT_EQ(workload.mark("share").line, 3);    // no value: the key
  EXPECT_EQ(workload.mark("context").line, 2);  // absent: the map
}

TEST(View, LooksThroughProvenance) {
  const Node node = read_or_fail(
      "capacity: {value: 141 GB, source: s}\nmemory: {source: s, bandwidth: {value: 1 TB/s}, ports: {value: [3]}}\n");
  const View view(node, part_table());
  EXPECT_EQ(view.bytes("capacity"), Bytes::of(141'000'000'000));
  EXPECT_EQ(view.map("memory").bandwidth("bandwidth"), Bandwidth::per_second(1e12));
  EXPECT_EQ(view.map("memory").texts("ports"), (std::vector<std::string>{"3"}));
}

TEST(WithDefaults, ShowsEveryDefaultInCanonicalForm) {
  const Node node = read_or_fail("layers: [{page: 4096 B, kind: a}]\nworkload: {context: 128K, batch: +64}\n");
  EXPECT_EQ(to_yaml(with_defaults(node, scenario_table())),
            "fidelity: cycle\n"
            "workload: {batch: 64, context: 131072, share: 0.93}\n"
            "options: {window: 1024, exact: false}\n"
            "layers:\n"
            "  - {kind: a, count: 1, page: 4 KiB}\n"
            "tags: [plain, \"two words\"]\n"
            "budget: 64 GiB\n");
}

TEST(WithDefaults, IsItsOwnFixedPointAndPassesTheCheck) {
  const Node node = read_or_fail("workload: {context: 128K, batch: 64}\ncount: 3\nlimits: {hbm: 4800 GB/s}\n");
  const Node once = with_defaults(node, scenario_table());
  EXPECT_EQ(to_yaml(with_defaults(once, scenario_table())), to_yaml(once));
  Diagnostics diagnostics;
  check(once, scenario_table(), diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
}

TEST(WithDefaults, DoesNotFillWhatAGivenFieldExcludes) {
  const Node filled = with_defaults(read_or_fail("count: 3\n"), scenario_table());
  EXPECT_EQ(filled.find("budget"), nullptr);
  EXPECT_EQ(filled.find("count")->text(), "3");
}

TEST(WithDefaults, SpellsEqualQuantitiesEqually) {
  const auto spelled = [](const std::string& text) {
    return to_yaml(with_defaults(read_or_fail(text), every_type_table()));
  };
  EXPECT_EQ(spelled("bytes: 141000 MB\n"), spelled("bytes: 141 GB\n"));
  EXPECT_EQ(spelled("bandwidth: 4800 GB/s\n"), spelled("bandwidth: 4.8 TB/s\n"));
  EXPECT_EQ(spelled("duration: 0.5 us\n"), spelled("duration: 500 ns\n"));
  EXPECT_EQ(spelled("frequency: 1830 MHz\n"), spelled("frequency: 1.83 GHz\n"));
  EXPECT_EQ(spelled("ratio: 93%\n"), spelled("ratio: 0.93\n"));
  EXPECT_EQ(spelled("bytes: 141 GB\n").substr(0, 14), "bytes: 141 GB\n");
}

TEST(WithDefaults, LeavesWhatItCannotRead) {
  const Node filled = with_defaults(read_or_fail("workload: {batch: x, other: 1}\n"), scenario_table());
  EXPECT_EQ(filled.find_path("workload.batch")->text(), "x");
  EXPECT_EQ(filled.find_path("workload.other")->text(), "1");
}

TEST(WithDefaults, ShowsTheWordThatStandsForAMapOrTheMapsOwnDefaults) {
  const auto filled = [](const std::string& text) {
    return to_yaml(with_defaults(text.empty() ? Node::map({}) : read_or_fail(text), worded_table()));
  };
  EXPECT_EQ(filled(""), filled("routing: even\n"));
  EXPECT_EQ(filled("routing: {}\n"), filled("routing: {window: 1024, exact: false}\n"));
  EXPECT_NE(filled(""), filled("routing: {}\n"));
}

TEST(WithDefaults, EndsWhereATableHoldsItself) {
  EXPECT_EQ(to_yaml(with_defaults(read_or_fail("size: 2\n"), tree_table())), "size: 2\nchild: {size: 1}\n");
}

TEST(ProvenanceOf, InheritsFromTheMapsAbove) {
  const Node node = read_or_fail(
      "source: sheet\n"
      "certainty: spec\n"
      "capacity: 141 GB\n"
      "memory:\n"
      "  certainty: assumed, scaled from H100\n"
      "  bandwidth: {value: 4.8 TB/s, source: bench}\n"
      "  ports: [1, {value: 2, certainty: measured}]\n"
      "modes: {source: other, fast: {bandwidth: 1 TB/s}}\n");
  const auto origins = provenance_of(node, part_table());
  EXPECT_EQ(origins.size(), 5U);
  EXPECT_EQ(origins.at("capacity").source, "sheet");
  EXPECT_EQ(origins.at("capacity").certainty, "spec");
  EXPECT_EQ(origins.at("memory.bandwidth").source, "bench");
  EXPECT_EQ(origins.at("memory.bandwidth").certainty, "assumed, scaled from H100");
  EXPECT_EQ(origins.at("memory.ports[0]").source, "sheet");
  EXPECT_EQ(origins.at("memory.ports[1]").certainty, "measured");
  EXPECT_EQ(origins.at("modes.fast.bandwidth").source, "other");
}

TEST(ProvenanceOf, SurvivesFillingInDefaults) {
  const Node node = read_or_fail("capacity: {value: 141000 MB, source: sheet, certainty: spec}\n");
  const Node filled = with_defaults(node, part_table());
  EXPECT_EQ(provenance_of(filled, part_table()).at("capacity").source, "sheet");
  EXPECT_EQ(View(filled, part_table()).bytes("capacity"), Bytes::of(141'000'000'000));
}

TEST(ProvenanceOf, ShowsValuesWithoutAnySource) {
  const auto origins = provenance_of(read_or_fail("capacity: 141 GB\n"), part_table());
  EXPECT_EQ(origins.at("capacity").source, "");
}

}  // namespace
}  // namespace kvtraffic::sim
