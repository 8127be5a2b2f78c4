// Events per second of the kernel: advances that each receive one message and send one on, around a ring.
// Leaves out what components of a real machine do with their turn.
#include <benchmark/benchmark.h>

#include <deque>

#include "sim/kernel/loop.hpp"
#include "sim/kernel/port.hpp"

namespace kvtraffic::sim {
namespace {

struct Token {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

class Relay : public Component {
 public:
  explicit Relay(Duration delay) : Component("relay"), delay_(delay) {}
  Instant wake() const override { return tokens.next(); }
  void advance(Instant now) override {
    while (const auto token = tokens.receive(now)) next.send(now, {token->address + 32, token->bytes}, delay_);
  }
  Port<Token> tokens{"tokens", *this};
  Outlet<Token> next;

 private:
  Duration delay_;
};

class Clocked : public Component {
 public:
  Clocked(Duration period, Instant first) : Component("clocked"), period_(period), next_(first) {}
  Instant wake() const override { return next_; }
  void advance(Instant now) override { next_ = now + period_; }

 private:
  Duration period_;
  Instant next_;
};

void report(benchmark::State& state, std::uint64_t advances) {
  state.counters["events"] = benchmark::Counter(static_cast<double>(advances), benchmark::Counter::kIsRate);
}

// Every relay holds one token; delays differ, so that few events share an instant.
void ring_of_relays(benchmark::State& state) {
  std::deque<Relay> relays;
  Loop loop;
  const auto count = static_cast<std::size_t>(state.range(0));
  for (std::size_t i = 0; i < count; ++i) {
    loop.add(relays.emplace_back(tick * static_cast<std::int64_t>(1000 + i * 7919 % 997)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    relays[i].next = relays[(i + 1) % count].tokens.connect(relays[i], 64);
  }
  for (Relay& relay : relays) relay.next.send(Instant(), {}, tick);
  std::uint64_t advances = 0;
  Instant limit;
  for (auto _ : state) {
    limit = limit + tick * 1'000'000;
    advances += loop.run(limit).advances;
  }
  report(state, advances);
}
BENCHMARK(ring_of_relays)->Arg(8)->Arg(1000);

// Every component runs at every clock edge, as in a machine that is busy throughout.
void common_clock(benchmark::State& state) {
  std::deque<Clocked> all;
  Loop loop;
  for (std::int64_t i = 0; i < state.range(0); ++i) loop.add(all.emplace_back(tick * 1000, Instant()));
  std::uint64_t advances = 0;
  Instant limit;
  for (auto _ : state) {
    limit = limit + tick * 1'000'000;
    advances += loop.run(limit).advances;
  }
  report(state, advances);
}
BENCHMARK(common_clock)->Arg(8)->Arg(1000);

// Every component has its own period: the search for the earliest and nothing else.
void own_clocks(benchmark::State& state) {
  std::deque<Clocked> all;
  Loop loop;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    loop.add(all.emplace_back(tick * (100'003 + i * 7919 % 9973), Instant::at_femtoseconds(i)));
  }
  std::uint64_t advances = 0;
  Instant limit;
  for (auto _ : state) {
    limit = limit + tick * 10'000'000;
    advances += loop.run(limit).advances;
  }
  report(state, advances);
}
BENCHMARK(own_clocks)->Arg(8)->Arg(1000);

}  // namespace
}  // namespace kvtraffic::sim
