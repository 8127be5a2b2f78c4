// The signal handler. It may only touch lock-free atomics with static storage, which is why there are two here.
// Leaves out messages.
#include "scenarios/cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <ctime>

#include "scenarios/cli/exit_code.hpp"

namespace kvtraffic::scenarios {
namespace {

// `timeout` and some shells send one interrupt twice; the user's second thought takes longer.
constexpr std::int64_t same_interrupt = 500'000'000;  // nanoseconds

struct InterruptState {
  std::atomic<bool> is_running{false};
  std::atomic<bool> is_stopped{false};
  std::atomic<std::int64_t> first{0};  // when, in nanoseconds
};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

InterruptState& state() {
  static constinit InterruptState instance;
  return instance;
}

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void on_interrupt(int) {
  if (!state().is_running) _exit(exit_interrupted);
  if (!state().is_stopped.exchange(true)) {
    state().first = now();
  } else if (now() - state().first > same_interrupt) {
    _exit(exit_interrupted);
  }
}

}  // namespace

void heed_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};  // `nohup` wants its program to outlive the terminal
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a failed write like any other
}

const std::atomic<bool>& stop_on_interrupt() {
  state().is_running = true;
  return state().is_stopped;
}

}  // namespace kvtraffic::scenarios
