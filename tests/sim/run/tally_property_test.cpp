// What must hold for the tally of any step, deployment and point.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/sim/run/any_step.hpp"

namespace kvtraffic::sim {
namespace {

RC_GTEST_PROP(TallyProperty, TheReasonsAddUpToTheSectorBytes, ()) {
  const bool prefill = *rc::gen::arbitrary<bool>();
  const Tally tally = tallied(any_step(prefill), any_deployment(), prefill ? any_chunk() : any_decode());
  for (const AccessBytes& b : tally.accesses) {
    RC_ASSERT(b.logical + b.rounding + b.apart + b.rereads + b.tensor_copies + b.data_copies == b.sector);
    RC_ASSERT(b.logical >= 0 && b.rounding >= 0 && b.apart >= 0 && b.rereads >= 0);
    RC_ASSERT(b.tensor_copies >= 0 && b.data_copies >= 0);
    RC_ASSERT(b.logical <= b.sector);
  }
}

RC_GTEST_PROP(TallyProperty, DistinctBytesAreAllOfADecodeStepAndAPartOfAPrefill, ()) {
  for (const AccessBytes& b : tallied(any_step(), any_deployment(), any_decode()).accesses) {
    RC_ASSERT(b.footprint == b.device);
    RC_ASSERT(b.rereads == 0);
  }
  for (const AccessBytes& b : tallied(any_step(true), any_deployment(), any_chunk()).accesses) {
    RC_ASSERT(b.footprint >= 0 && b.footprint <= b.device);
  }
}

// Position by position, the prompts' first to last: the chunk's writes are theirs added up.
RC_GTEST_PROP(TallyProperty, AChunkWritesWhatItsPositionsWrite, ()) {
  const StepGraph graph = any_step();
  const Deployment deployment = any_deployment();
  const Point chunk = any_chunk();
  const std::int64_t middle = chunk.first + (chunk.last - chunk.first) / 2;
  const auto at = [&](std::int64_t first, std::int64_t last) {
    return tallied(graph, deployment, Point::prefill(chunk.batch, chunk.context, first, last)).accesses;
  };
  const auto whole = at(chunk.first, chunk.last);
  const auto front = at(chunk.first, middle);
  const auto back = middle < chunk.last ? at(middle + 1, chunk.last) : std::vector<AccessBytes>(whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const Per per = graph.operations()[i / 2].accesses[i % 2].per;
    if (per == Per::token || per == Per::routed) RC_ASSERT(whole[i].logical == front[i].logical + back[i].logical);
  }
}

RC_GTEST_PROP(TallyProperty, TheFullestDeviceHasItsShareAndNoMoreThanAll, ()) {
  const Deployment deployment = any_deployment();
  const Tally tally = tallied(any_step(), deployment, any_decode());
  for (const AccessBytes& b : tally.accesses) {
    RC_ASSERT(b.device <= b.sector);
    RC_ASSERT(b.device * deployment.devices >= b.sector - deployment.devices);  // whole bytes lost to rounding
  }
}

RC_GTEST_PROP(TallyProperty, LogicalBytesDoNotDependOnTheDeployment, ()) {
  const StepGraph graph = any_step();
  const Point point = any_decode();
  const Tally a = tallied(graph, any_deployment(), point);
  const Tally b = tallied(graph, any_deployment(), point);
  for (std::size_t i = 0; i < a.accesses.size(); ++i) RC_ASSERT(a.accesses[i].logical == b.accesses[i].logical);
}

RC_GTEST_PROP(TallyProperty, BytesNeverShrinkWithContextOrBatch, ()) {
  const StepGraph graph = any_step();
  const Deployment deployment = any_deployment();
  const auto batch = *rc::gen::inRange<std::int64_t>(1, 300);
  const auto context = *rc::gen::inRange<std::int64_t>(1, 5000);
  const Tally base = tallied(graph, deployment, Point::decode(batch, context));
  const Tally longer = tallied(graph, deployment, Point::decode(batch, context + 1));
  const Tally wider = tallied(graph, deployment, Point::decode(batch + 1, context));
  for (std::size_t i = 0; i < base.accesses.size(); ++i) {
    for (const Tally* more : {&longer, &wider}) {
      RC_ASSERT(base.accesses[i].logical <= more->accesses[i].logical);
      RC_ASSERT(base.accesses[i].sector <= more->accesses[i].sector);
      RC_ASSERT(base.accesses[i].device <= more->accesses[i].device);
    }
  }
}

RC_GTEST_PROP(TallyProperty, ATallyUsedBeforeGivesTheSameNumbers, ()) {
  const StepGraph graph = any_step();
  const Deployment deployment = any_deployment();
  const Point point = any_decode();
  Tally used = tallied(any_step(), any_deployment(), any_decode());
  tally_point(graph, deployment, point, used);
  const Tally fresh = tallied(graph, deployment, point);
  RC_ASSERT(used.accesses.size() == fresh.accesses.size());
  for (std::size_t i = 0; i < fresh.accesses.size(); ++i) {
    RC_ASSERT(used.accesses[i].sector == fresh.accesses[i].sector);
    RC_ASSERT(used.accesses[i].device == fresh.accesses[i].device);
  }
  RC_ASSERT(used.tokens == fresh.tokens);
  RC_ASSERT(used.distinct_experts == fresh.distinct_experts);
}

RC_GTEST_PROP(TallyProperty, DistinctExpertsStayBetweenOneTokensAndAll, ()) {
  const ExpertSet set{*rc::gen::inRange<std::int64_t>(8, 500), *rc::gen::inRange<std::int64_t>(1, 9)};
  const auto tokens = *rc::gen::inRange<std::int64_t>(1, 2000);
  const std::int64_t distinct = expected_distinct_experts(set, tokens);
  RC_ASSERT(distinct >= set.active);
  RC_ASSERT(distinct <= std::min(set.routed, tokens * set.active));
  RC_ASSERT(distinct <= expected_distinct_experts(set, tokens + 1));
}

}  // namespace
}  // namespace kvtraffic::sim
