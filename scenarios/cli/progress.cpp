// Counting points against the clock.
// Leaves out any guess before the first half second is over.
#include "scenarios/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "scenarios/cli/tell.hpp"
#include "scenarios/cli/terminal.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using namespace std::chrono_literals;

bool is_wanted(When when) {
  if (when != When::automatic) return when == When::always;
  return is_terminal(STDERR_FILENO) && !is_terminal(STDOUT_FILENO);
}

}  // namespace

Progress::Progress(When when, std::int64_t points)
    : points_(points),
      is_on_(points > 1 && is_wanted(when)),
      rewrites_(is_terminal(STDERR_FILENO)),
      next_(start_ + (rewrites_ ? Clock::duration(500ms) : Clock::duration(10s))) {}

void Progress::advance() {
  ++done_;
  if (!is_on_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + (rewrites_ ? Clock::duration(200ms) : Clock::duration(10s));
  print(now);
}

void Progress::print(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done_) / seconds;
  const double left = static_cast<double>(points_ - done_) / rate;
  tell_as_is(fmt::format("{}{} of {} points, {:.0f} per second, about {:.0f} s left{}", rewrites_ ? "\r\033[K" : "",
                         sim::with_commas(done_), sim::with_commas(points_), rate, left, rewrites_ ? "" : "\n"));
  is_shown_ = rewrites_;
}

void Progress::clear() {
  if (is_shown_) tell_as_is("\r\033[K");
  is_shown_ = false;
}

}  // namespace kvtraffic::scenarios
