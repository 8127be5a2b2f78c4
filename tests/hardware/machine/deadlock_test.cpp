// What is said when a step cannot end: who waits, and for whom. Leaves out the loop that notices it (tests/sim/kernel).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/machine/cycle.hpp"
#include "hardware/machine/shared_dram.hpp"
#include "tests/hardware/hbm/parts.hpp"
#include "tests/hardware/machine/exact_rig.hpp"
#include "tests/hardware/machine/random_steps.hpp"

namespace kvtraffic::hardware::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Takes requests and never answers; it has no clock.
class SilentMemory : public MemoryServer {
 public:
  SilentMemory() : MemoryServer("HBM") {}
  void reset(sim::Instant) override {}
  [[nodiscard]] sim::Duration busy() const override { return {}; }
  [[nodiscard]] sim::Instant wake() const override { return requests.next(); }
  void advance(sim::Instant now) override {
    while (requests.receive(now)) ++taken_;
  }
  [[nodiscard]] std::string waiting_for() const override { return std::to_string(taken_) + " answers that never come"; }

 private:
  int taken_ = 0;
};

std::string fault_of(Step& step) {
  step.finish();
  const Device device = round_device();
  StepWork work(device, sim::test::round_plan());
  sim::Outcome outcome;
  const std::vector<KernelWork>& works = work.fill(step.graph, step.tally, outcome);
  FlowDevice running(device, std::make_unique<SilentMemory>());
  try {
    running.run(step.graph, works, outcome);
  } catch (const sim::KernelError& error) {
    EXPECT_TRUE(running.is_worn());
    return error.what();
  }
  return {};
}

TEST(Deadlock, NamesWhoWaitsOnWhom) {
  Step step;
  step.add_gemm(10, 0, {reads("a", mega), writes("b", mega)});
  step.add_gemm(10, 0, {reads("b", mega)});
  step.after(0, 1);
  const std::string text = fault_of(step);
  EXPECT_THAT(text, HasSubstr("dispatcher waits for 2 of 2 kernels"));
  EXPECT_THAT(text, HasSubstr("SMs waits for memories and links to answer 1 loads and 0 stores of 1 kernels"));
  EXPECT_THAT(text, HasSubstr("HBM waits for 1 answers that never come"));
  EXPECT_THAT(text, Not(HasSubstr("L2 waits")));
}

TEST(Deadlock, NamesStoresThatNobodyAcknowledges) {
  Step step;
  step.add_gemm(10, 0, {writes("b", mega)});
  EXPECT_THAT(fault_of(step), HasSubstr("answer 0 loads and 1 stores of 1 kernels"));
}

// Sends one request and hears no answers.
class Asker : public sim::Component {
 public:
  Asker() : Component("asker") {}
  [[nodiscard]] sim::Instant wake() const override { return replies.next(); }
  void advance(sim::Instant now) override {
    while (replies.receive(now)) {
    }
  }
  void ask(MemoryServer& server, std::int64_t bytes) {
    server.replies = replies.connect(server, 8);
    sim::Outlet<Request> outlet = server.requests.connect(*this, 8);
    server.reset({});
    Request request;
    request.bytes = bytes;
    request.last = 1;
    request.window = 640;
    outlet.send({}, request, sim::tick);
  }
  sim::Port<Reply> replies{"replies", *this};
};

TEST(Deadlock, SharedDramTellsWhatItStillHasToMove) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  DramRates rates(part);
  const VertexMixes mixes{rates.mix_of({{false, 0, 6400}}), 0};
  SharedDram dram(rates, 1, part.peak(), part);
  dram.set_work({&mixes, 1});
  Asker asker;
  asker.ask(dram, 6400);
  EXPECT_EQ(dram.waiting_for(), "");
  dram.advance(sim::Instant() + sim::tick);
  EXPECT_EQ(dram.waiting_for(), "its pins to move 6400 B for 1 lines of requests");
  for (int i = 0; i < 10 && !dram.waiting_for().empty(); ++i) dram.advance(dram.wake());
  EXPECT_EQ(dram.waiting_for(), "");
}

// 6,400 bytes in windows of 640: 20 of 200 transactions are under way.
TEST(Deadlock, ChannelsTellWhichTransactionsAreMissing) {
  const hbm::Part part = hbm::part_named("hbm3-h100");
  const Device device = hardware_on(part).device;
  Step step;
  step.add_gemm(1, 0, {reads("a", 6400)});
  step.finish();
  StepWork work(device, sim::test::round_plan());
  sim::Outcome outcome;
  const std::vector<KernelWork>& works = work.fill(step.graph, step.tally, outcome);
  DramFlows flows;
  flows.fill(step.graph, outcome.dram, works);
  DramPlaces places(part, {});
  places.fill(step.graph, step.tally, work.table(), flows, works);
  DramChannels channels(part, places, device.sms);
  channels.set_work(works.size());
  channels.reset({});
  Asker asker;
  asker.ask(channels, 6400);
  EXPECT_EQ(channels.waiting_for(), "");
  channels.advance(sim::Instant() + sim::tick);
  EXPECT_EQ(channels.waiting_for(), "its channels to answer 20 transactions, and 180 more, of 1 lines of requests");
  for (int i = 0; i < 10'000 && !channels.waiting_for().empty(); ++i) channels.advance(channels.wake());
  EXPECT_EQ(channels.waiting_for(), "");
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
