// What the event loop moves: a component says when it wants to run next and is advanced exactly then.
// Leaves out how components talk to each other (port.hpp) and who picks the next instant (loop.hpp).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

// A component or its wiring broke the rules of time, or nothing can move any more: our fault, never the user's.
class KernelError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

class Component {
 public:
  explicit Component(std::string name) : name_(std::move(name)) {}
  virtual ~Component() = default;
  Component(const Component&) = delete;  // the loop and the ports keep its address
  Component& operator=(const Component&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

  // When it next wants to run, from its state alone: never() when idle, never an instant that is over.
  // The loop keeps the answer and asks again after advance() and after wake_changed(). Here, and only here, ports may
  // be asked about the future (Port::next, Outlet::earliest_send): during advance() the answer would depend on who
  // else has already run at this instant.
  [[nodiscard]] virtual Instant wake() const = 0;

  // Does what is due at `now`, which equals wake(). It may touch its own state and its own ends of ports.
  virtual void advance(Instant now) = 0;

  // Completes "NAME waits for ..." when a run is stuck; empty when it waits for nothing.
  [[nodiscard]] virtual std::string waiting_for() const { return {}; }

  // Tells the loop that wake() may answer differently although advance() did not run. Ports call it; a component calls
  // it on itself when a plain function changed it. Without a loop it does nothing.
  void wake_changed() {
    if (changed_ == nullptr || stale_) return;
    stale_ = true;
    changed_->push_back(index_);  // the loop has reserved room for every component
  }

 private:
  friend class Loop;
  std::string name_;
  std::vector<std::uint32_t>* changed_ = nullptr;  // the loop's list of components to ask again
  std::uint32_t index_ = 0;
  bool stale_ = false;  // already on that list
};

}  // namespace kvtraffic::sim
