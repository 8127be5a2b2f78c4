// Limits held against a result: every form on both sides of its limit, and paths that lead nowhere.
#include "scenarios/run/expect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/run/runner.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using test::messages;
using test::yaml;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* document = R"({"points": [
  {"status": "ok", "reason": null, "parameters": {"batch": 1, "workload.batch": 1},
   "storage": {"growing_bytes_per_token": 890}, "traffic": {"logical": {"weight": {"read": 7}}, "dram": {}},
   "time": {"seconds": 0.25}},
  {"status": "infeasible", "reason": "needs more", "parameters": {"batch": 2, "workload.batch": 2},
   "storage": {"growing_bytes_per_token": 900}, "traffic": {"logical": {}}, "time": null}]})";

std::vector<std::string> broken(const std::string& expect) { return broken_expectations(yaml(expect), document); }

TEST(Expectation, HoldsWhenEqual) {
  EXPECT_THAT(broken("points[0].storage.growing_bytes_per_token: 890"), IsEmpty());
  EXPECT_THAT(broken("points[0].time.seconds: 0.25"), IsEmpty());
  EXPECT_THAT(broken("points[0].status: ok"), IsEmpty());
  EXPECT_THAT(broken("points[1].time: null"), IsEmpty());
  EXPECT_THAT(broken("points[0].reason: ~"), IsEmpty());
}

TEST(Expectation, SaysPathWantedAndFound) {
  EXPECT_THAT(broken("points[0].storage.growing_bytes_per_token: 891"),
              ElementsAre("points[0].storage.growing_bytes_per_token: wanted 891, found 890"));
  EXPECT_THAT(broken("points[1].status: ok"), ElementsAre("points[1].status: wanted ok, found \"infeasible\""));
  EXPECT_THAT(broken("points[1].time.seconds: 1"), ElementsAre("points[1].time.seconds: leads nowhere in the result"));
}

TEST(Expectation, RangeIncludesItsEnds) {
  EXPECT_THAT(broken("points[0].storage.growing_bytes_per_token: {min: 890, max: 890}"), IsEmpty());
  EXPECT_THAT(broken("points[0].storage.growing_bytes_per_token: {min: 891}"),
              ElementsAre("points[0].storage.growing_bytes_per_token: wanted at least 891, found 890"));
  EXPECT_THAT(broken("points[0].storage.growing_bytes_per_token: {max: 889.5}"),
              ElementsAre("points[0].storage.growing_bytes_per_token: wanted at most 889.5, found 890"));
}

TEST(Expectation, WithinIsAShareOrANumber) {
  // 1 % of 899 is 8.99, and 890 is 9 off.
  EXPECT_THAT(broken("points[0].storage.growing_bytes_per_token: {value: 898, within: 1%}"), IsEmpty());
  EXPECT_THAT(broken("points[0].storage.growing_bytes_per_token: {value: 899, within: 1%}"),
              ElementsAre("points[0].storage.growing_bytes_per_token: wanted 899 within 1%, found 890"));
  EXPECT_THAT(broken("points[0].storage.growing_bytes_per_token: {value: 899, within: 9}"), IsEmpty());
  EXPECT_THAT(broken("points[0].storage.growing_bytes_per_token: {value: 899, within: 8.99}"),
              ElementsAre("points[0].storage.growing_bytes_per_token: wanted 899 within 8.99, found 890"));
}

TEST(Expectation, HoldsForEveryPoint) {
  EXPECT_THAT(broken("points[*].storage.growing_bytes_per_token: {min: 890}"), IsEmpty());
  EXPECT_THAT(broken("points[*].storage.growing_bytes_per_token: {min: 1000}"),
              ElementsAre("points[0].storage.growing_bytes_per_token: wanted at least 1000, found 890 (and 1 more)"));
}

TEST(Expectation, FindsKeysWithDots) { EXPECT_THAT(broken("points[1].parameters.workload.batch: 2"), IsEmpty()); }

TEST(Expectation, LeadsNowhere) {
  EXPECT_THAT(broken("points[2].status: ok"), ElementsAre("points[2].status: leads nowhere in the result"));
  EXPECT_THAT(broken("points[0].storage.growing: 1"),
              ElementsAre("points[0].storage.growing: leads nowhere in the result"));
}

TEST(Expectation, TakesOmittedTrafficAsZeroWhereItIsKnown) {
  EXPECT_THAT(broken("points[0].traffic.dram.weight.read: 0"), IsEmpty());
  EXPECT_THAT(broken("points[0].traffic.logical.weight.write: 0"), IsEmpty());
  EXPECT_THAT(broken("points[1].traffic.logical.weight.read: 0"), IsEmpty());
  EXPECT_THAT(broken("points[1].traffic.dram.weight.read: 0"),
              ElementsAre("points[1].traffic.dram.weight.read: leads nowhere in the result"));
  EXPECT_THAT(broken("points[0].traffic.dram.wieght.read: 0"),
              ElementsAre("points[0].traffic.dram.wieght.read: leads nowhere in the result"));
}

TEST(Expectation, NumberIsNoText) {
  EXPECT_THAT(broken("points[0].storage.growing_bytes_per_token: \"890\""),
              ElementsAre("points[0].storage.growing_bytes_per_token: wanted '890', found 890"));
  EXPECT_THAT(broken("points[0].status: {min: 1}"), ElementsAre("points[0].status: wanted at least 1, found \"ok\""));
}

std::vector<std::string> faults(const std::string& expect) {
  sim::Diagnostics diagnostics;
  check_expectations(yaml(expect), diagnostics);
  return messages(diagnostics);
}

TEST(ExpectationCheck, RefusesUnreadablePaths) {
  for (const std::string path : {"points[0", "points[x].a", "[0].a", "points..a", "points[0]a", "points."}) {
    EXPECT_THAT(faults("\"" + path + "\": 1"), ElementsAre("expect." + path + ": is no path"));
  }
  EXPECT_THAT(faults("points[*].status: ok\npoints[12].layers[3].seconds: 1"), IsEmpty());
}

TEST(ExpectationCheck, RefusesLimitsThatSayNothingOrTooMuch) {
  for (const std::string limit : {"{}", "{value: 1}", "{within: 1}", "{value: 1, within: 1, min: 0}"}) {
    EXPECT_THAT(faults("a: " + limit), ElementsAre("expect.a: does not say what is wanted")) << limit;
  }
  EXPECT_THAT(faults("a: {min: 2, max: 1}"), ElementsAre("expect.a.max: is below min"));
  EXPECT_THAT(faults("a: {value: 2, within: -1}"), ElementsAre("expect.a.within: '-1' is no tolerance"));
  EXPECT_THAT(faults("a: [1]"),
              ElementsAre("expect.a: expected a value, {min, max}, or {value, within}; found a list"));
}

}  // namespace
}  // namespace kvtraffic::scenarios
