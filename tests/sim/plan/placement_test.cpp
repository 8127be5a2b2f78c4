// A share of experts as whole experts.
#include "sim/plan/placement.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/graph/step_graph.hpp"

namespace kvtraffic::sim {
namespace {

std::int64_t hosted(double share, std::int64_t routed) {
  Placement placement;
  placement.host_experts = share;
  return placement.hosted(routed);
}

TEST(HostedExperts, AreWholeOnesRoundedDown) {
  EXPECT_EQ(hosted(0.25, 256), 64);
  EXPECT_EQ(hosted(0.25, 255), 63);  // 63.75
  EXPECT_EQ(hosted(0, 256), 0);
  EXPECT_EQ(hosted(1, 256), 256);
  EXPECT_EQ(hosted(0.5, 0), 0);
}

TEST(HostedExperts, EveryPercentOfAHundredIsAnExpert) {
  for (std::int64_t percent = 0; percent <= 100; ++percent) {
    EXPECT_EQ(hosted(static_cast<double>(percent) / 100, 100), percent);
  }
}

RC_GTEST_PROP(ExpertSet, SplitsWhatItReadsBetweenItsPlaces, ()) {
  const auto routed = *rc::gen::inRange<std::int64_t>(1, 1000);
  const ExpertSet set{routed, 1, *rc::gen::inRange<std::int64_t>(0, routed + 1)};
  const auto distinct = *rc::gen::inRange<std::int64_t>(0, routed + 1);
  const std::int64_t host = set.part_in(Place::host, distinct), device = set.part_in(Place::device, distinct);
  RC_ASSERT(host + device == distinct);
  RC_ASSERT(host >= 0 && host <= set.hosted);
  RC_ASSERT(device >= 0 && device <= routed - set.hosted);
  RC_ASSERT(2 * std::abs(host * routed - distinct * set.hosted) <= routed);  // in proportion, to half an expert
}

TEST(ExpertSet, OfOnePlaceReadsThereAlone) {
  EXPECT_EQ((ExpertSet{256, 8, 0}.part_in(Place::host, 163)), 0);
  EXPECT_EQ((ExpertSet{256, 8, 256}.part_in(Place::device, 163)), 0);
}

}  // namespace
}  // namespace kvtraffic::sim
