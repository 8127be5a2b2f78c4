// Memory parts through the catalog: extended and changed as everything else is, by a map or by `path=value`.
// Leaves out what a part's numbers mean (tests/hardware/spec/memory_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/spec/memory.hpp"
#include "scenarios/spec/paths.hpp"
#include "scenarios/spec/sweep.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using hardware::hbm::Part;
using hardware::hbm::Timing;
using sim::Node;
using test::messages;
using test::yaml;
using testing::IsEmpty;

class MemorySettings : public testing::Test {
 protected:
  Part read(const std::string& reference, const std::vector<std::string>& settings = {}) {
    const Catalog catalog(KVTRAFFIC_ROOT);
    Node memory = catalog.resolve(CatalogKind::memory, yaml(reference), "", faults_);
    std::vector<std::pair<std::string, Node>> values;
    for (const std::string& text : settings) values.push_back(parse_setting(text, faults_));
    set_values(memory, std::move(values), faults_);
    return hardware::read_memory(memory, faults_).part;
  }

  sim::Diagnostics faults_;
};

TEST_F(MemorySettings, ReachEveryGroup) {
  const Part part = read("hbm3e-h200", {"timing.tFAW=12ns", "controller.refresh=all-bank", "geometry.channels=1",
                                        "map=i64", "clock=0.625 ns", "command_bus.activate=2", "energy.read=1 nJ"});
  EXPECT_THAT(messages(faults_), IsEmpty());
  EXPECT_EQ(part.timings.length.at(static_cast<std::size_t>(Timing::tFAW)).femtoseconds(), 12'000'000);
  EXPECT_EQ(part.controller.refresh, hardware::hbm::Refresh::all_bank);
  EXPECT_EQ(part.geometry.all_channels(), 6);
  EXPECT_EQ(part.map, "i64");
  EXPECT_EQ(part.timings.clock.femtoseconds(), 625'000);
  EXPECT_EQ(part.bus.activate, 4);
  EXPECT_EQ(part.energy.read, 1000);
}

TEST_F(MemorySettings, TakeAnOptionalRuleAway) {
  EXPECT_EQ(read("hbm3e-h200", {"timing.tPPD=0 ns"}).timings.cycles(Timing::tPPD), 0);
  EXPECT_THAT(messages(faults_), IsEmpty());
}

TEST_F(MemorySettings, AreCheckedLikeAFile) {
  static_cast<void>(read("hbm3e-h200", {"timing.tFAW=12", "controller.red_queue=3"}));
  EXPECT_THAT(messages(faults_),
              testing::UnorderedElementsAre("timing.tFAW: '12' needs a unit", "controller.red_queue: unknown key"));
}

TEST_F(MemorySettings, AMapExtendsAPart) {
  const Part part = read("{extends: hbm3-h100, geometry: {stacks: 1}, controller: {refresh: none}}");
  EXPECT_THAT(messages(faults_), IsEmpty());
  EXPECT_EQ(part.name, "hbm3-h100-changed");
  EXPECT_EQ(part.geometry.all_channels(), 16);
  EXPECT_EQ(part.controller.read_queue, 80);
}

TEST_F(MemorySettings, TheNearestNameIsTold) {
  static_cast<void>(Catalog(KVTRAFFIC_ROOT).resolve(CatalogKind::memory, yaml("hbm3e-h20"), "", faults_));
  ASSERT_EQ(faults_.all().size(), 1U);
  EXPECT_EQ(faults_.all().front().message, "no memory is named 'hbm3e-h20'");
  EXPECT_EQ(faults_.all().front().nearest, "hbm3e-h200");
}

}  // namespace
}  // namespace kvtraffic::scenarios
