// What L2 lets through: reuse by distance, write-back, the steady state. Usable L2 is 1,000 bytes here.
#include "hardware/machine/l2_model.hpp"

#include <gtest/gtest.h>

#include "tests/hardware/machine/step.hpp"

namespace kvtraffic::hardware::testing {
namespace {

using Dram = std::vector<std::int64_t>;

Dram dram_of(Step& step, std::int64_t usable = 1000) {
  step.finish();
  AccessTable table;
  table.fill(step.graph, step.tally);
  Dram dram;
  L2Model(sim::Bytes::of(usable)).run(step.graph, table, dram);
  return dram;
}

TEST(L2Model, HoldsASmallRegionForItsNextRead) {
  Step step;
  step.add({reads("keys", 100)});
  step.add({reads("keys", 100)});
  EXPECT_EQ(dram_of(step), (Dram{100, 0}));
}

TEST(L2Model, NeverHoldsARegionThatDoesNotFit) {
  Step step;
  step.add({reads("keys", 1001)});
  step.add({reads("keys", 1001)});
  EXPECT_EQ(dram_of(step), (Dram{1001, 1001}));
}

TEST(L2Model, ForgetsBeyondItsSize) {
  for (const std::int64_t between : {900, 901}) {
    Step step;
    step.add({reads("keys", 100), reads("stream", between)});
    step.add({reads("keys", 100)});
    EXPECT_EQ(dram_of(step), (Dram{100, between, between + 100 <= 1000 ? 0 : 100}));
  }
}

TEST(L2Model, HoldsNoMoreThanWasBroughtIn) {
  Step step;
  step.add({transient(writes("scores", 10))});
  step.add({transient(reads("scores", 500))});
  step.add({reads("flush", 1000)});
  EXPECT_EQ(dram_of(step)[1], 490);
}

TEST(L2Model, APartDoesNotKeepTheWholeYoung) {
  Step step;
  step.add({reads("keys", 500), reads("stream", 400)});
  step.add({reads("keys", 50), reads("more", 400)});
  step.add({reads("keys", 500)});
  EXPECT_EQ(dram_of(step), (Dram{500, 400, 0, 400, 500}));
}

TEST(L2Model, WritesOnceWhatIsOverwrittenInTime) {
  Step step;
  step.add({writes("state", 100)});
  step.add({reads("state", 100), writes("state", 100)});
  const Dram dram = dram_of(step);
  EXPECT_EQ(dram[0] + dram[2], 100);
  EXPECT_EQ(dram[2], 100);
}

TEST(L2Model, WritesTwiceWhatIsOverwrittenLate) {
  Step step;
  step.add({writes("state", 100), reads("stream", 901)});
  step.add({writes("state", 100)});
  EXPECT_EQ(dram_of(step), (Dram{100, 901, 100}));
}

TEST(L2Model, WritesTheTailThatALaterWriteDoesNotCover) {
  Step step;
  step.add({writes("state", 100)});
  step.add({writes("state", 30)});
  EXPECT_EQ(dram_of(step), (Dram{70, 30}));
}

TEST(L2Model, KeepsTransientBytesOfASmallStepForGood) {
  Step step;
  step.add({transient(writes("hidden", 100))});
  step.add({transient(reads("hidden", 100))});
  EXPECT_EQ(dram_of(step), (Dram{0, 0}));
}

TEST(L2Model, SpillsTransientBytesThatDoNotFit) {
  Step step;
  step.add({transient(writes("scores", 2000))});
  step.add({transient(reads("scores", 2000))});
  EXPECT_EQ(dram_of(step), (Dram{2000, 2000}));
}

TEST(L2Model, AlwaysMovesWhatTheRooflineCallsCompulsory) {
  Step step;  // fits altogether, so every step would find it in L2
  step.add({reads("weight", 100), writes("state", 50)});
  EXPECT_EQ(dram_of(step), (Dram{100, 50}));
}

TEST(L2Model, LeavesHostMemoryAlone) {
  Step step;
  step.add({reads("keys", 500), on_host(reads("table", 5000))});
  step.add({reads("keys", 500)});
  EXPECT_EQ(dram_of(step), (Dram{500, 0, 0}));
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
