// What must hold for any step: bounds between fidelities, order within an instant, monotony, no allocation.
// Leaves out closed forms (flow_test.cpp, roofline_test.cpp).
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "hardware/machine/flow.hpp"
#include "hardware/machine/flow_device.hpp"
#include "hardware/machine/l2_model.hpp"
#include "hardware/machine/roofline.hpp"
#include "tests/hardware/machine/allocations.hpp"
#include "tests/hardware/machine/step.hpp"
#include "tests/sim/plan/round_plan.hpp"

namespace kvtraffic::hardware::testing {
namespace {

using Random = std::mt19937_64;

// Between nothing and `most`, small values as likely as large ones.
std::int64_t draw(Random& random, std::int64_t most) {
  const auto up_to = static_cast<std::uint64_t>(most) >> (random() % 20);
  return static_cast<std::int64_t>(random() % (up_to + 1));
}

Use random_use(Random& random) {
  Use use;
  use.region = "region" + std::to_string(random() % 30);
  use.bytes = draw(random, 30 * mega);
  use.direction = random() % 3 == 0 ? sim::Direction::write : sim::Direction::read;
  use.dependent = random() % 2 == 0;
  if (random() % 15 == 0) {
    use.place = random() % 2 == 0 ? sim::Place::host : sim::Place::remote;
    use.bytes /= 10;
    use.region += "h";
  } else if (random() % 3 == 0) {
    use.transient = true;
    use.region += "t";
  }
  return use;
}

void add_random_kernel(Random& random, Step& step) {
  std::vector<Use> uses;
  for (std::uint64_t n = random() % 5; n > 0; --n) uses.push_back(random_use(random));
  const std::uint64_t choice = random() % 8;
  if (choice == 0) {
    const auto kind = random() % 2 == 0 ? sim::Collective::Kind::all_reduce : sim::Collective::Kind::combine;
    step.add_message(kind, draw(random, 10 * mega), uses);
  } else if (choice < 4) {
    step.add_gemm(1 + draw(random, 20'000), static_cast<double>(draw(random, 10'000 * mega)), uses);
  } else {
    step.add(uses, static_cast<double>(draw(random, 1000 * mega)));
  }
}

enum class Order { some, chain };

Step random_step(std::uint64_t seed, Order order = Order::some) {
  Random random(seed);
  Step step;
  const auto kernels = static_cast<std::uint32_t>(1 + random() % 40);
  for (std::uint32_t v = 0; v < kernels; ++v) {
    add_random_kernel(random, step);
    if (v > 0 && order == Order::chain) step.after(v - 1, v);
    for (std::uint64_t n = random() % 3; n > 0 && v > 0; --n) {
      step.after(static_cast<std::uint32_t>(random() % v), v);
    }
  }
  step.finish();
  return step;
}

double seconds_on(const Device& device, Step& step) {
  Hardware hardware;
  hardware.device = device;
  FlowMachine machine(hardware, sim::test::round_plan());
  return step.run_on(machine).total.seconds();
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

// Without any overhead the two come as close as they can.
Device ideal_device() {
  Device device = round_device();
  device.stream_efficiency = device.link_efficiency = device.host_efficiency = 1;
  device.sustained = {1, 1, 1, 1};
  device.launch_gap = device.kernel_start = device.memory_latency = device.l2_latency = device.host_latency = {};
  device.all_reduce_floor = device.all_to_all_floor = {};
  device.l2_bandwidth = sim::Bandwidth::per_second(1e15);
  device.sm_load_rate = sim::Bandwidth::per_second(1e15);
  return device;
}

TEST(RandomStep, TakesNoLessThanTheRoofline) {
  for (const Device& device : {round_device(), ideal_device()}) {
    Hardware hardware;
    hardware.device = device;
    RooflineMachine roofline(hardware);
    FlowMachine flow(hardware, sim::test::round_plan());
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      Step step = random_step(seed);
      const sim::Outcome bound = step.run_on(roofline);
      const sim::Outcome outcome = step.run_on(flow);
      ASSERT_GE(outcome.total, bound.total) << seed;
      ASSERT_GE(sum(outcome.dram), sum(bound.dram)) << seed;
    }
  }
}

TEST(RandomStep, KeepsDependencies) {
  Hardware hardware = round_hardware();
  FlowMachine machine(hardware, sim::test::round_plan());
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Step step = random_step(seed);
    const sim::Outcome outcome = step.run_on(machine);
    for (const sim::Edge& edge : step.graph.edges()) {
      ASSERT_GE(outcome.vertices[edge.to].start, outcome.vertices[edge.from].end) << seed;
    }
  }
}

TEST(RandomStep, NoResourceIsBusierThanAlways) {
  Hardware hardware = round_hardware();
  FlowMachine machine(hardware, sim::test::round_plan());
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const auto& [bound, busy] : random_step(seed).run_on(machine).busy) {
      ASSERT_GE(busy, 0) << seed;
      ASSERT_LE(busy, 1 + 1e-9) << seed;
    }
  }
}

sim::Outcome run_in_order(Step& step, std::uint64_t order) {
  const Device device = round_device();
  AccessTable table;
  table.fill(step.graph, step.tally);
  sim::Outcome outcome;
  L2Model(sim::Bytes::of(8 * mega)).run(step.graph, table, outcome.dram);
  KernelWorks works(device, sim::test::round_plan());
  FlowDevice running(device);
  if (order > 0) running.set_order_seed(order);
  running.run(step.graph, works.fill(step.graph, step.tally, table, outcome.dram), outcome);
  return outcome;
}

TEST(RandomStep, DoesNotDependOnTheOrderWithinAnInstant) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Step step = random_step(seed);
    const sim::Outcome expected = run_in_order(step, 0);
    for (std::uint64_t order = 1; order <= 3; ++order) {
      const sim::Outcome outcome = run_in_order(step, order);
      ASSERT_EQ(outcome.total, expected.total) << seed;
      ASSERT_EQ(outcome.bound_by, expected.bound_by) << seed;
      ASSERT_EQ(outcome.busy, expected.busy) << seed;
      for (std::size_t v = 0; v < expected.vertices.size(); ++v) {
        ASSERT_EQ(outcome.vertices[v].start, expected.vertices[v].start) << seed << " " << v;
        ASSERT_EQ(outcome.vertices[v].end, expected.vertices[v].end) << seed << " " << v;
      }
    }
  }
}

std::vector<Device> faster_devices() {
  std::vector<Device> faster(5, round_device());
  faster[0].pin_bits_per_second *= 2;
  faster[1].link_bandwidth = faster[1].link_bandwidth * 2;
  for (sim::FlopRate& peak : faster[2].peak) peak = peak * 2;
  faster[3].l2_capacity = sim::Bytes::of(40 * mega);
  faster[4].sms *= 2;
  for (sim::FlopRate& peak : faster[4].peak) peak = peak * 2;
  return faster;
}

// `most`: how much slower than before a single step may be.
void expect_not_slower(const Device& device, Order order, double most) {
  double before = 0;
  double after = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Step step = random_step(seed, order);
    const double slow = seconds_on(round_device(), step);
    const double fast = seconds_on(device, step);
    before += slow;
    after += fast;
    ASSERT_LE(fast, slow * most) << seed;
  }
  EXPECT_LT(after, before);
}

// One after another: only where the last wave of a kernel ends can differ, by how far its stores lag behind its loads.
TEST(RandomStep, FasterPartsDelayNoChain) {
  for (const Device& device : faster_devices()) expect_not_slower(device, Order::chain, 1.01);
}

// Kernels that run at the same time are scheduled from a list, and lists have anomalies: one that ends earlier may hand
// its SMs to another than before. Graham's bound for them is 2; on average the steps gain.
TEST(RandomStep, FasterPartsDelayOverlappingKernelsLittle) {
  for (const Device& device : faster_devices()) expect_not_slower(device, Order::some, 2);
}

TEST(RandomStep, AllocatesNothingOnceWarm) {
  Hardware hardware = round_hardware();
  RooflineMachine roofline(hardware);
  FlowMachine flow(hardware, sim::test::round_plan());
  Step step = random_step(7);
  for (sim::Machine* machine : {static_cast<sim::Machine*>(&roofline), static_cast<sim::Machine*>(&flow)}) {
    sim::Outcome outcome;
    machine->execute(step.graph, step.tally, outcome);
    const std::uint64_t before = test::allocations();
    machine->execute(step.graph, step.tally, outcome);
    EXPECT_EQ(test::allocations(), before);
  }
}

}  // namespace
}  // namespace kvtraffic::hardware::testing
