// How far a sweep is, on standard error: one line that rewrites itself on a terminal, a line every ten seconds
// elsewhere. Leaves out results: they are told in order, as they come.
#pragma once

#include <chrono>
#include <cstdint>

#include "scenarios/cli/options.hpp"

namespace kvtraffic::scenarios {

class Progress {
 public:
  // Automatic: on a terminal, and only where the results do not appear on one at the same time.
  Progress(When when, std::int64_t points);
  void advance();  // one more point is done
  void clear();    // takes the line away

 private:
  using Clock = std::chrono::steady_clock;
  void print(Clock::time_point now);

  std::int64_t points_;
  std::int64_t done_ = 0;
  bool is_on_;
  bool rewrites_;
  bool is_shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace kvtraffic::scenarios
