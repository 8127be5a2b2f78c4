// The timing rules read row by row over everything that was issued: slow and plain, to hold the compiled rules against.
// Leaves out bank states, edges and refresh deadlines (legality_checker.hpp).
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "hardware/hbm/rules.hpp"

namespace kvtraffic::hardware::hbm {

struct Issued {
  Tick tick = 0;
  Command command = Command::activate;
  BankAddress at;
};

// A command's lengths and a rule's distance in half clocks, read here anew.
[[nodiscard]] Tick bus_time(Command command, const BusLengths& bus);
[[nodiscard]] std::int64_t clocks_of(Timing timing, const Timings& timings);
[[nodiscard]] Tick distance_of(const Rule& rule, Command before, Command after, const Part& part);
[[nodiscard]] bool holds_between(const Rule& rule, BankAddress before, BankAddress after, const Geometry& geometry);

class NaiveRules {
 public:
  struct Bound {
    Tick tick = 0;
    const Rule* rule = nullptr;  // null: the command bus
    Issued before;
    [[nodiscard]] std::string why() const;
  };

  explicit NaiveRules(const Part& part);
  void record(const Issued& issued);
  // The first half clock on which no row and no command bus forbids `command`: the maximum over all that apply.
  [[nodiscard]] Bound earliest(Command command, BankAddress at) const;
  // Drops what can no longer forbid anything at or after `now`.
  void forget(Tick now);

 private:
  struct Row {
    const Rule* rule;
    Tick distance;
  };
  void bound_by_rows(Command before, Command after, BankAddress at, Bound& bound) const;

  const Part* part_;
  std::array<std::array<std::vector<Row>, command_count>, command_count> rows_;  // by before and after
  std::array<Tick, command_count> reach_{};                                      // longest distance from a command
  std::array<std::deque<Issued>, command_count> past_;                           // by command
  std::array<Issued, 2> on_bus_;                                                 // the latest, row bus and column bus
  std::array<bool, 2> bus_used_{};
};

}  // namespace kvtraffic::hardware::hbm
