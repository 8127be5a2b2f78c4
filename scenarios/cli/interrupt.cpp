// The signal handler. It may only touch lock-free atomics with static storage, which is why there are two here.
// Leaves out messages.
#include "scenarios/cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>

#include "scenarios/cli/exit_code.hpp"

namespace kvtraffic::scenarios {
namespace {

struct InterruptState {
  std::atomic<bool> is_running{false};
  std::atomic<bool> is_stopped{false};
};
static_assert(std::atomic<bool>::is_always_lock_free);

InterruptState& state() {
  static constinit InterruptState instance;
  return instance;
}

void on_interrupt(int) {
  const bool is_first = !state().is_stopped.exchange(true);
  if (!state().is_running || !is_first) _exit(exit_interrupted);
}

}  // namespace

void heed_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

const std::atomic<bool>& stop_on_interrupt() {
  state().is_running = true;
  return state().is_stopped;
}

}  // namespace kvtraffic::scenarios
