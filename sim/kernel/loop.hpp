// The event loop: picks the earliest wake, advances every component that asked for it, and notices when none can move.
// Leaves out threads and wall-clock limits: a caller on another thread sets the interrupt flag.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sim/kernel/component.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

enum class Ending {
  Done,         // the caller's question was answered with yes
  Idle,         // nobody wants to run again, and the caller asked no question
  Limit,        // the next wake lies behind the limit; run() may be called again
  Interrupted,  // the interrupt flag was seen; run() may be called again
};

struct LoopEnd {
  Ending ending = Ending::Idle;
  Instant now;                 // the last instant at which a component ran
  std::uint64_t advances = 0;  // calls of advance() in this run
};

class Loop {
 public:
  // Advancing at one instant more often than this is taken for a component that does not let time pass.
  static constexpr int most_rounds = 1000;

  Loop();
  Loop(const Loop&) = delete;  // components keep the address of `changed_`
  Loop& operator=(const Loop&) = delete;

  // The component is not owned and lives as long as run() is called. Its index is its turn within an instant.
  void add(Component& component);

  // Runs up to and including `limit`. `done` is asked between instants; the run ends as soon as it says yes.
  // KernelError if nobody wants to run again before that (with who waits for what), if a component asks for an instant
  // that is over, or if time stands still.
  LoopEnd run(Instant limit = Instant::never(), const std::function<bool()>& done = {});

  void set_interrupt(const std::atomic<bool>* flag) { interrupt_ = flag; }  // looked at every few thousand instants
  void set_order_seed(std::uint64_t seed) { shuffle_.emplace(seed); }       // for tests: any order within an instant

  // "NAME waits for ..." line by line, for those that wait.
  [[nodiscard]] std::string who_waits() const;

 private:
  std::size_t step(Instant now);  // how many it advanced
  void count_rounds(Instant now);
  void collect_due(std::size_t node, Instant now);
  void shuffle(std::size_t due);
  void ask_everyone();
  void ask(std::uint32_t index);
  void set_wake(std::uint32_t index, Instant wake);
  [[nodiscard]] bool interrupted(std::uint64_t instants) const;
  [[noreturn]] void fail_standing_still(Instant now) const;
  [[noreturn]] void fail_deadlock() const;

  std::vector<Component*> components_;
  // A tournament: leaf leaves_ + i holds the wake of component i, a node the earlier of its two children, node 1 the
  // earliest of all. It beats a heap where many share an instant: the due ones come out by index without being
  // removed, and a change climbs only while it changes a node.
  std::vector<Instant> wakes_;
  std::size_t leaves_ = 1;
  std::vector<std::uint32_t> changed_;  // those to ask again: first those due, then those whom they touched
  Instant now_;
  int rounds_ = 0;  // at the instant now_
  std::optional<std::mt19937_64> shuffle_;
  const std::atomic<bool>* interrupt_ = nullptr;
};

}  // namespace kvtraffic::sim
