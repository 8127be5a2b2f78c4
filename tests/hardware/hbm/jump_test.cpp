// Jumps and symmetries are exact: whatever stream, however cut, they land where the long way lands.
// Leaves out how fast that is (benchmarks).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hardware/hbm/reference_traces.hpp"
#include "hardware/hbm/split_mix.hpp"
#include "tests/hardware/hbm/parts.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

void expect_same(const MemoryResult& fast, const MemoryResult& exact, const std::string& what) {
  EXPECT_EQ(fast.ticks, exact.ticks) << what;
  EXPECT_EQ(fast.requests, exact.requests) << what;
  EXPECT_EQ(fast.bytes, exact.bytes) << what;
  EXPECT_EQ(fast.data_buses, exact.data_buses) << what;
  EXPECT_TRUE(fast.counters == exact.counters) << what;
  EXPECT_TRUE(fast.latencies == exact.latencies) << what;
}

MemoryResult run(const Part& part, const LinearStream& stream, bool exact) {
  RunSettings settings;
  settings.exact = exact;
  return run_stream(part, stream, settings);
}

MemoryResult expect_exact(const Part& part, const LinearStream& stream) {
  const MemoryResult fast = run(part, stream, false);
  const MemoryResult exact = run(part, stream, true);
  expect_same(fast, exact,
              fmt::format("{} map {} refresh {} stacks {} channels {} queue {}: {} from {}{}", part.name, part.map,
                          static_cast<int>(part.controller.refresh), part.geometry.stacks, part.geometry.channels,
                          part.controller.read_queue, stream.count, stream.first, stream.write ? " written" : ""));
  EXPECT_EQ(exact.simulated_requests, stream.count);
  return fast;
}

// ---- random streams, cut anywhere ----

Part random_part(SplitMix64& random) {
  const std::vector<std::string> names{"hbm3-h100", "hbm3e-h200", "hbm2-2000", "xhbm3", "hbm4", "hbm2e-a100"};
  const std::vector<std::string> maps = map_names();
  Part part = part_named(names[random.below(names.size())]);
  part.map = maps[random.below(maps.size())];
  part.geometry.channels = 1 << random.below(3);
  part.geometry.stacks = static_cast<int>(1 + random.below(6));
  part.controller.refresh = static_cast<Refresh>(random.below(3));
  part.controller.postponed = static_cast<int>(random.below(2) * random.below(5));
  part.controller.page = static_cast<Page>(random.below(8) < 6 ? 0 : 1 + random.below(2));
  part.controller.page_timeout = clocks_long(part, 60);
  part.controller.read_queue = static_cast<int>(1 + random.below(130));
  part.controller.write_queue = static_cast<int>(1 + random.below(130));
  if (random.below(2) == 0) part.controller.starvation = sim::Duration{};
  return part;
}

TEST(Jump, LandsWhereTheLongWayLandsOnRandomStreams) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SplitMix64 random(seed_of("jump", seed));
    const Part part = random_part(random);
    const auto granule = static_cast<std::uint64_t>(part.geometry.transaction_bytes);
    const std::uint64_t slots = static_cast<std::uint64_t>(part.geometry.capacity().count()) / granule;
    const std::uint64_t count = 1 + random.below(std::uint64_t{1} << (2 + random.below(15)));
    const std::uint64_t first = random.below(2) == 0 ? random.below(4096) : random.below(slots - count);
    expect_exact(part, {first * granule, count, random.below(2) == 0});
  }
}

TEST(Jump, IsExactAtTheEndsOfTheCapacityAndBeyond) {
  Part part = channel_of("xhbm3");
  const auto slots = static_cast<std::uint64_t>(part.geometry.capacity().count()) / 32;
  for (const char* map : {"map-A", "i256"}) {
    part.map = map;
    expect_exact(part, {(slots - 5000) * 32, 5000, false});
    expect_exact(part, {(slots - 5000) * 32, 9000, true});
  }
}

TEST(Jump, OfNothingIsNothing) {
  const MemoryResult result = run(channel_of("xhbm3"), {0, 0, false}, false);
  EXPECT_EQ(result.ticks, 0);
  EXPECT_EQ(result.bound_by(Cause::feed), 1);
}

// ---- long streams, where there is something to jump over ----

struct Long {
  const char* part;
  const char* map;
  Refresh refresh;
  bool write;
};

// Two to four rounds over all banks find a period of one row without refresh.
TEST(Jump, SkipsNearlyAllOfAStreamWithoutRefresh) {
  for (const Long& one : {Long{"hbm3-h100", "map-A", Refresh::none, false},
                          {"hbm3-h100", "map-B", Refresh::none, true},
                          {"xhbm2", "stock", Refresh::none, false},
                          {"xhbm3", "ds3", Refresh::none, false},
                          {"hbm4", "mop", Refresh::none, false}}) {
    Part part = channel_of(one.part);
    part.map = one.map;
    part.controller.refresh = one.refresh;
    const MemoryResult fast = expect_exact(part, {96, 300'001, one.write});
    EXPECT_LT(fast.simulated_requests, fast.requests / 8) << one.part << ' ' << one.map;
  }
}

TEST(Jump, CrossesRefreshes) {
  int jumped = 0;
  for (const Long& one : {Long{"xhbm3", "map-B", Refresh::all_bank, false},
                          {"xhbm2", "map-A", Refresh::all_bank, false},
                          {"xhbm3", "map-B", Refresh::per_bank, true}}) {
    Part part = channel_of(one.part);
    part.map = one.map;
    part.controller.refresh = one.refresh;
    // A round thousands of half clocks long against a refresh interval of tREFI: the interval is made a whole number of
    // bursts, so that they come round together soon.
    set_clocks(part, Timing::tREFI, 4096);
    set_clocks(part, Timing::tREFIpb, 128);
    const MemoryResult fast = expect_exact(part, {0, 700'000, one.write});
    EXPECT_GT(fast.count(one.refresh == Refresh::all_bank ? Command::refresh_all : Command::refresh_bank), 100U);
    jumped += fast.simulated_requests < fast.requests / 2 ? 1 : 0;
  }
  EXPECT_GE(jumped, 2) << "where rounds and refreshes come round together within the states that are remembered";
}

TEST(Symmetry, SimulatesOneChannelForAllThatSeeTheSame) {
  for (const char* map : {"map-A", "i32", "i64", "i256", "i512", "i1K"}) {
    Part part = part_named("hbm3-h100");
    part.map = map;
    const std::uint64_t block = 80 * 32;  // transactions of all channels in whole blocks of the largest grain
    const MemoryResult fast = expect_exact(part, {0, 100 * block, false});
    EXPECT_LE(fast.simulated_requests, fast.requests / 20) << map;
  }
}

// ---- threads ----

TEST(Threads, DoNotChangeAResult) {
  Part part = part_named("hbm3-h100");
  for (const char* trace : {"gather656", "rand64", "stream_rd_wr"}) {
    const auto run_with = [&](int jobs) {
      const AddressSpace space{32, static_cast<std::uint64_t>(part.geometry.capacity().count()), true};
      const auto source = make_reference_trace(trace, 0.0625, 1, space);
      RunSettings settings;
      settings.jobs = jobs;
      return run_memory(part, *source, settings);
    };
    const MemoryResult alone = run_with(1);
    expect_same(run_with(2), alone, trace);
    expect_same(run_with(5), alone, trace);
  }
}

// ---- one controller ----

// A channel that is read a row of every bank at a time.
class Rounds {
 public:
  explicit Rounds(const ControllerPlan& plan) : controller_(plan), rows_(plan.rules.geometry.rows) {}

  void round() {
    const int banks = 32;
    for (int i = 0; i < 32 * banks; ++i) take(i % banks, i / banks);
    row_ = (row_ + 1) % rows_;
  }
  void take(int bank, int column) {
    const Place place{.row = static_cast<std::uint32_t>(row_),
                      .pseudo_channel = static_cast<std::uint8_t>(bank & 1),
                      .bank = static_cast<std::uint8_t>(bank >> 1),
                      .column = static_cast<std::uint16_t>(column)};
    Offer offer{.place = place, .held_by = Cause::queue, .asked = controller_.now()};
    while (!controller_.offer(offer, controller_.now())) {
      controller_.advance(controller_.next());
      offer.asked = controller_.now();
    }
  }
  void jump(const Controller::Mark& earlier, std::uint64_t cycles, std::int64_t rows_each) {
    controller_.jump(earlier, row_, cycles);
    row_ = (row_ + rows_each * static_cast<std::int64_t>(cycles)) % rows_;
  }
  [[nodiscard]] Controller::Mark mark() const { return controller_.mark(row_); }
  [[nodiscard]] std::vector<std::int64_t> state() const {
    StateText text;
    controller_.tell(text, mark().epoch);
    return text.words();
  }
  [[nodiscard]] const Controller& controller() const { return controller_; }
  void drain() {
    while (!controller_.idle()) controller_.advance(controller_.next());
  }

 private:
  Controller controller_;
  std::int64_t rows_;
  std::int64_t row_ = 0;
};

void expect_equal(const Rounds& a, const Rounds& b) {
  EXPECT_EQ(a.state(), b.state());
  EXPECT_EQ(a.controller().now(), b.controller().now());
  EXPECT_EQ(a.controller().taken(), b.controller().taken());
  EXPECT_EQ(a.controller().last_answer(), b.controller().last_answer());
  EXPECT_TRUE(a.controller().counters() == b.controller().counters());
  EXPECT_TRUE(a.controller().latencies() == b.controller().latencies());
}

TEST(Jump, LeavesAControllerInTheStateOfTheLongWay) {
  Part part = channel_of("xhbm3");
  part.controller.refresh = Refresh::none;
  part.geometry.rows = 50;  // the jump passes the last row
  const ControllerPlan plan(part);
  Rounds rounds(plan);
  for (int i = 0; i < 3; ++i) rounds.round();
  const Controller::Mark earlier = rounds.mark();
  const std::vector<std::int64_t> before = rounds.state();
  rounds.round();
  ASSERT_EQ(rounds.state(), before) << "a round is a period";
  Rounds long_way = rounds;
  rounds.jump(earlier, 61, 1);
  for (int i = 0; i < 61; ++i) long_way.round();
  expect_equal(rounds, long_way);
  for (Rounds* one : {&rounds, &long_way}) {
    for (int i = 0; i < 300; ++i) one->take(i % 7, i % 32);
    one->drain();
  }
  expect_equal(rounds, long_way);
}

TEST(State, TellsApartWhatGoesOnDifferently) {
  const ControllerPlan plan(channel_of("xhbm3"));
  Rounds a(plan), b(plan);
  for (Rounds* one : {&a, &b}) one->round();
  EXPECT_EQ(a.state(), b.state());
  a.take(0, 0);
  b.take(0, 1);
  EXPECT_NE(a.state(), b.state());
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
