// Picks instants and turns; see loop.hpp for the contract.
// An instant has rounds: all that are due advance, and only then is anybody asked again, so turns cannot be noticed.
#include "sim/kernel/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kvtraffic::sim {
namespace {

constexpr std::uint64_t instants_between_looks = 4096;  // at the interrupt flag; well under a millisecond
constexpr std::size_t most_lines = 20;                  // of a message; a machine has thousands of components

std::string at(Instant t) { return fmt::format("{} fs", t.femtoseconds()); }

[[noreturn]] void fail_past(const Component& component, Instant wake, Instant now) {
  throw KernelError(fmt::format("{} asks to wake at {}, but it is {} already", component.name(), at(wake), at(now)));
}

}  // namespace

Loop::Loop() : wakes_(2, Instant::never()) {}

void Loop::add(Component& component) {
  component.changed_ = &changed_;
  component.index_ = static_cast<std::uint32_t>(components_.size());
  component.stale_ = false;
  components_.push_back(&component);
  changed_.reserve(components_.capacity());
  if (components_.size() <= leaves_) return;
  leaves_ *= 2;
  wakes_.assign(2 * leaves_, Instant::never());  // run() asks everyone before it looks
}

LoopEnd Loop::run(Instant limit, const std::function<bool()>& done) {
  ask_everyone();
  LoopEnd outcome;
  const auto end = [&](Ending ending) {
    outcome.ending = ending;
    outcome.now = now_;
    return outcome;
  };
  for (std::uint64_t instants = 0;; ++instants) {
    if (done && done()) return end(Ending::Done);
    const Instant next = wakes_[1];
    if (next == Instant::never()) {
      if (done) fail_deadlock();
      return end(Ending::Idle);
    }
    if (next > limit) return end(Ending::Limit);
    if (interrupted(instants)) return end(Ending::Interrupted);
    outcome.advances += step(next);
  }
}

std::size_t Loop::step(Instant now) {
  collect_due(1, now);
  const std::size_t due = changed_.size();
  count_rounds(now);
  if (shuffle_) shuffle(due);
  for (std::size_t i = 0; i < due; ++i) components_[changed_[i]]->advance(now);
  for (std::size_t i = 0; i < changed_.size(); ++i) ask(changed_[i]);
  changed_.clear();
  return due;
}

void Loop::count_rounds(Instant now) {
  rounds_ = now == now_ ? rounds_ + 1 : 0;
  now_ = now;
  if (rounds_ > most_rounds) fail_standing_still(now);
}

// Requires that `node` holds `now`. Mostly one child does, so that a step down needs no branch to guess wrong.
void Loop::collect_due(std::size_t node, Instant now) {
  while (node < leaves_) {
    const bool left = wakes_[2 * node] == now;
    const bool right = wakes_[2 * node + 1] == now;
    if (left && right) collect_due(2 * node, now);
    node = 2 * node + (right ? 1 : 0);
  }
  const auto index = static_cast<std::uint32_t>(node - leaves_);
  components_[index]->stale_ = true;  // asked again anyway, so a message to it need not say so
  changed_.push_back(index);
}

// Fisher and Yates; std::shuffle may differ between standard libraries.
void Loop::shuffle(std::size_t due) {
  for (std::size_t i = due; i > 1; --i) std::swap(changed_[i - 1], changed_[(*shuffle_)() % i]);
}

// Whatever happened between two runs, or an exception in the last one, leaves no stale answer behind.
void Loop::ask_everyone() {
  changed_.clear();
  for (std::uint32_t i = 0; i < components_.size(); ++i) ask(i);
}

void Loop::ask(std::uint32_t index) {
  Component& component = *components_[index];
  component.stale_ = false;
  const Instant wake = component.wake();
  if (wake < now_) fail_past(component, wake, now_);
  set_wake(index, wake);
}

void Loop::set_wake(std::uint32_t index, Instant wake) {
  std::size_t node = leaves_ + index;
  wakes_[node] = wake;
  while (node > 1) {
    const Instant earlier = std::min(wakes_[node], wakes_[node ^ 1]);
    node /= 2;
    if (wakes_[node] == earlier) return;
    wakes_[node] = earlier;
  }
}

bool Loop::interrupted(std::uint64_t instants) const {
  if (interrupt_ == nullptr || instants % instants_between_looks != 0) return false;
  return interrupt_->load(std::memory_order_relaxed);
}

void Loop::fail_standing_still(Instant now) const {
  std::vector<std::string> names;
  for (const std::uint32_t index : changed_) names.push_back(components_[index]->name());
  if (names.size() > most_lines) names.resize(most_lines);
  throw KernelError(fmt::format("time stands still at {}: advanced {} times and due again: {}", at(now), most_rounds,
                                fmt::join(names, ", ")));
}

void Loop::fail_deadlock() const {
  throw KernelError(
      fmt::format("deadlock at {}: nobody wants to run again, but the run is not done\n{}", at(now_), who_waits()));
}

std::string Loop::who_waits() const {
  std::string text;
  std::size_t lines = 0;
  for (const Component* component : components_) {
    const std::string reason = component->waiting_for();
    if (reason.empty()) continue;
    if (++lines <= most_lines) text += fmt::format("  {} waits for {}\n", component->name(), reason);
  }
  if (lines > most_lines) text += fmt::format("  and {} more\n", lines - most_lines);
  return lines == 0 ? "  nobody says what it waits for\n" : text;
}

}  // namespace kvtraffic::sim
