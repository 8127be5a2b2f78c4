// The lower bound: compulsory bytes, sums per resource, the longest path.
#include "hardware/machine/roofline.hpp"

#include <gtest/gtest.h>

#include "tests/hardware/machine/step.hpp"

namespace kvtraffic::hardware::testing {
namespace {

using sim::Bound;
using Dram = std::vector<std::int64_t>;

TEST(Roofline, CountsARegionOnceAtItsLargestRequest) {
  Step step;
  step.add({reads("keys", 100)});
  step.add({reads("keys", 300), reads("other", 10)});
  step.add({reads("keys", 200)});
  RooflineMachine machine(round_hardware());
  EXPECT_EQ(step.run_on(machine).dram, (Dram{100, 200, 10, 0}));
}

TEST(Roofline, CountsReadsAndWritesOfARegionApart) {
  Step step;
  step.add({reads("state", 100), writes("state", 100)});
  step.add({writes("state", 120)});
  RooflineMachine machine(round_hardware());
  EXPECT_EQ(step.run_on(machine).dram, (Dram{100, 100, 20}));
}

TEST(Roofline, LeavesOutWhatNeedNotReachDram) {
  Step step;
  step.add({transient(writes("hidden", 100)), on_host(reads("table", 1000))});
  RooflineMachine machine(round_hardware());
  EXPECT_EQ(step.run_on(machine).dram, (Dram{0, 0}));
}

TEST(Roofline, DividesBytesByThePins) {
  Step step;
  step.add({reads("a", 3 * mega)});
  step.add({reads("b", 2 * mega)});
  RooflineMachine machine(round_hardware());
  const sim::Outcome outcome = step.run_on(machine);
  EXPECT_EQ(outcome.total, microseconds(5));  // 5 MB at 1 TB/s
  EXPECT_EQ(outcome.bound_by, Bound::hbm);
  EXPECT_EQ(busy_of(outcome, Bound::hbm), 1);
}

TEST(Roofline, ComputesAtThePeakOfTheUnitThatRunsIt) {
  Step step;
  step.add({reads("a", 2 * mega)});
  step.finish();
  step.tally.operations[0].flops = {400e6, 0, 800e6, 0};  // FP4 runs as FP8 at 200 TFLOPS: 2 us; BF16 at 100: 8 us
  RooflineMachine machine(round_hardware());
  const sim::Outcome outcome = step.run_on(machine);
  EXPECT_EQ(outcome.total, microseconds(10));
  EXPECT_EQ(outcome.bound_by, Bound::compute);
  EXPECT_DOUBLE_EQ(busy_of(outcome, Bound::hbm), 0.2);
}

TEST(Roofline, SumsMessagesAndHostReads) {
  Step step;
  step.add({on_host(reads("table", mega))});                    // 1 MB at 50 GB/s: 20 us
  step.add_message(sim::Collective::Kind::dispatch, 4 * mega);  // 4 MB at 400 GB/s: 10 us
  step.add_message(sim::Collective::Kind::dispatch, 2 * mega);  // 5 us
  RooflineMachine machine(round_hardware());
  const sim::Outcome outcome = step.run_on(machine);
  EXPECT_EQ(outcome.total, microseconds(20));
  EXPECT_EQ(outcome.bound_by, Bound::host);
  EXPECT_DOUBLE_EQ(busy_of(outcome, Bound::link), 0.75);
}

TEST(Roofline, AddsReadsFromAnotherNodeToTheLinksMessages) {
  Step step;
  step.add({in_another_node(reads("table", 2 * mega))});        // 2 MB at 400 GB/s: 5 us
  step.add_message(sim::Collective::Kind::dispatch, 4 * mega);  // 10 us
  RooflineMachine machine(round_hardware());
  const sim::Outcome outcome = step.run_on(machine);
  EXPECT_EQ(outcome.total, microseconds(15));
  EXPECT_EQ(outcome.bound_by, Bound::link);
  EXPECT_EQ(busy_of(outcome, Bound::host), 0);
}

TEST(Roofline, WaitsForAReadFromAnotherNodeThatDependsOnTheStep) {
  const auto after_compute = [](bool waits) {
    Step step;
    const std::uint32_t first = step.add({}, 1000e6);            // 10 us
    const Use read = in_another_node(reads("table", 2 * mega));  // 5 us
    step.after(first, step.add({waits ? dependent(read) : read}));
    RooflineMachine machine(round_hardware());
    return step.run_on(machine).total;
  };
  EXPECT_EQ(after_compute(false), microseconds(10));
  EXPECT_EQ(after_compute(true), microseconds(10 + 5));
}

TEST(Roofline, NamesHbmWhenResourcesTie) {
  Step step;
  step.add({reads("a", mega)}, 100e6);  // 1 us each
  RooflineMachine machine(round_hardware());
  EXPECT_EQ(step.run_on(machine).bound_by, Bound::hbm);
}

Step compute_then_read(bool waits) {
  Step step;
  const std::uint32_t first = step.add({}, 1000e6);  // 10 us
  const Use read = reads("a", 10 * mega);            // 10 us
  step.after(first, step.add({waits ? dependent(read) : read}));
  return step;
}

TEST(Roofline, FetchesAheadWhatDoesNotDependOnTheStep) {
  RooflineMachine machine(round_hardware());
  EXPECT_EQ(compute_then_read(false).run_on(machine).total, microseconds(10));
}

TEST(Roofline, AddsDependentReadsAlongAPath) {
  RooflineMachine machine(round_hardware());
  const sim::Outcome outcome = compute_then_read(true).run_on(machine);
  EXPECT_EQ(outcome.total, microseconds(20));
  EXPECT_EQ(outcome.bound_by, Bound::latency);
}

TEST(Roofline, AnswersForTheGraphItIsGiven) {
  RooflineMachine machine(round_hardware());
  Step large;
  large.add({reads("a", 9 * mega), reads("b", 9 * mega)});
  large.add({reads("a", 9 * mega)});
  (void)large.run_on(machine);
  Step small;
  small.add({reads("a", mega)});
  const sim::Outcome outcome = small.run_on(machine);
  EXPECT_EQ(outcome.dram, Dram{mega});
  EXPECT_EQ(outcome.total, microseconds(1));
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
