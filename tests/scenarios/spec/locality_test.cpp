// `workload.selection` and `workload.pages` read from text. What is refused: tests/scenarios/broken.
#include "scenarios/spec/locality.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/spec/scenario.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using Model = sim::Selection::Model;

Scenario scenario(const std::string& workload, const std::string& fidelity, sim::Diagnostics& faults,
                  const std::string& phase = "decode") {
  return read_scenario(test::yaml("model: m\nhardware: h\nfidelity: " + fidelity + "\nworkload: {phase: " + phase +
                                  ", batch: 1, context: 1K" + workload + "}\n"),
                       faults);
}

sim::Locality locality(const std::string& workload, const std::string& phase = "decode") {
  sim::Diagnostics faults;
  const Scenario read = scenario(", " + workload, "cycle", faults, phase);
  EXPECT_EQ(faults.render(), "");
  return read.locality;
}

sim::Selection selection(const std::string& fields) { return locality("selection: {" + fields + "}").selection; }

TEST(LocalityOfAScenario, IsByDefaultThatOfTheStruct) {
  const sim::Locality read = locality("position: exact"), usual;
  EXPECT_EQ(read.selection.model, usual.selection.model);
  EXPECT_EQ(read.selection.recent, usual.selection.recent);
  EXPECT_EQ(read.selection.newest, usual.selection.newest);
  EXPECT_EQ(read.selection.run, usual.selection.run);
  EXPECT_EQ(read.selection.layers, usual.selection.layers);
  EXPECT_EQ(read.selection.queries, usual.selection.queries);
  EXPECT_EQ(read.selection.seed, usual.selection.seed);
  EXPECT_EQ(read.pages, usual.pages);
}

TEST(LocalityOfAScenario, HasEveryFieldFromText) {
  EXPECT_EQ(selection("model: uniform").model, Model::uniform);
  EXPECT_EQ(selection("model: recency").model, Model::recency);
  EXPECT_EQ(selection("model: clustered").model, Model::clustered);
  EXPECT_EQ(selection("model: recency, recent: 30%").recent, 0.3);
  EXPECT_EQ(selection("model: recency, newest: 4K").newest, 4096);
  EXPECT_EQ(selection("model: clustered, run: 16").run, 16);
  EXPECT_EQ(selection("layers: 10%").layers, 0.1);
  EXPECT_EQ(locality("selection: {queries: 0.2}", "prefill").selection.queries, 0.2);
  EXPECT_EQ(selection("seed: 7").seed, 7U);
  EXPECT_EQ(locality("pages: sequential").pages, sim::PageOrder::sequential);
  EXPECT_EQ(locality("pages: shuffled").pages, sim::PageOrder::shuffled);
  EXPECT_EQ(locality("pages: aged").pages, sim::PageOrder::aged);
}

// A resolved scenario is a scenario: defaults in another spelling are no fault.
TEST(LocalityOfAScenario, MayStateDefaultsWhereTheyHaveNoEffect) {
  sim::Diagnostics faults;
  const std::string usual = "model: uniform, recent: 0.50, newest: 2K, run: 8, layers: 0%, queries: 0.0, seed: 1";
  static_cast<void>(scenario(", pages: sequential, selection: {" + usual + "}", "roofline", faults));
  EXPECT_EQ(faults.render(), "");
}

TEST(LocalityOfAScenario, PicksActOnFlowAndCycle) {
  for (const char* fidelity : {"flow", "cycle"}) {
    sim::Diagnostics faults;
    static_cast<void>(scenario(", selection: {layers: 50%}", fidelity, faults));
    EXPECT_EQ(faults.render(), "") << fidelity;
  }
}

TEST(LocalityOfAScenario, ModelsOfPicksActOnCycleAlone) {
  sim::Diagnostics faults;
  static_cast<void>(scenario(", selection: {model: clustered}", "cycle", faults));
  EXPECT_EQ(faults.render(), "");
  static_cast<void>(scenario(", selection: {model: clustered}", "flow", faults));
  EXPECT_TRUE(faults.has_errors());
}

TEST(LocalityOfAScenario, PagesActOnCycleAlone) {
  sim::Diagnostics faults;
  static_cast<void>(scenario(", pages: shuffled", "cycle", faults));
  EXPECT_EQ(faults.render(), "");
  static_cast<void>(scenario(", pages: shuffled", "flow", faults));
  EXPECT_TRUE(faults.has_errors());
}

}  // namespace
}  // namespace kvtraffic::scenarios
