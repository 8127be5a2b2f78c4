// The only way components talk: messages that arrive, and credits that return, at least one tick later.
// Leaves out routing and arbitration: a component that must choose between senders has one port for each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/kernel/component.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

inline constexpr Duration tick = Duration::of_femtoseconds(1);  // the shortest step of time

// The credits of one sender in one port. A credit given back at `now` is seen by the sender from now + tick, so that
// it does not matter which of the two runs first within an instant.
class Lane {
 public:
  Lane(Component& sender, std::uint32_t credits) : sender_(&sender), credits_(credits) {}

  [[nodiscard]] bool can_send(Instant now) const {
    const std::uint32_t unseen = now <= returned_at_ ? returned_ : 0;
    return in_use_ + unseen < credits_;
  }
  [[nodiscard]] Instant earliest_send() const {
    if (in_use_ == credits_) return Instant::never();
    return can_send(returned_at_) ? Instant() : returned_at_ + tick;
  }
  void take() { ++in_use_; }
  void give_back(Instant now) {
    if (returned_at_ != now) returned_ = 0;
    returned_at_ = now;
    ++returned_;
    if (in_use_-- == credits_) sender_->wake_changed();  // only a sender without credit can be waiting for one
  }

 private:
  Component* sender_;
  std::uint32_t credits_;
  std::uint32_t in_use_ = 0;
  std::uint32_t returned_ = 0;  // credits given back at the instant `returned_at_`
  Instant returned_at_;
};

template <class T>
class Outlet;

// The receiving end, a member of the receiver. Messages come out by delivery instant; messages of one instant by the
// order in which their senders were connected, then by the order of sending. That order does not depend on who ran
// first within an instant. Senders share no credits, because the last one would go to whoever asks first.
template <class T>
class Port {
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>);

 public:
  Port(std::string name, Component& receiver) : name_(std::move(name)), receiver_(receiver) {}
  Port(const Port&) = delete;  // outlets keep its address
  Port& operator=(const Port&) = delete;

  // Adds a sender that may have `credits` messages under way or waiting. All wiring comes before the first message.
  [[nodiscard]] Outlet<T> connect(Component& sender, std::uint32_t credits);

  // Delivery of the first message not yet received, past or future; never() without one. For wake() only.
  [[nodiscard]] Instant next() const { return count_ == 0 ? Instant::never() : slots_[head_].delivery; }
  // The first message that has arrived, or null. It stays until receive() and keeps its sender's credit until then.
  [[nodiscard]] const T* front(Instant now) const { return arrived(now) ? &slots_[head_].message : nullptr; }
  // Takes the first message that has arrived and returns its credit, which the sender sees one tick later.
  std::optional<T> receive(Instant now);

  [[nodiscard]] std::string name() const { return receiver_.name() + "." + name_; }

 private:
  friend class Outlet<T>;
  struct Slot {
    Instant delivery = Instant::never();
    std::uint32_t lane = 0;
    T message{};
  };

  [[nodiscard]] bool arrived(Instant now) const { return count_ > 0 && slots_[head_].delivery <= now; }
  [[nodiscard]] Slot& slot(std::size_t place) { return slots_[(head_ + place) & (slots_.size() - 1)]; }
  void send(std::uint32_t lane, Instant now, const T& message, Duration delay);
  // Sorts from the back, where almost every message belongs; one that overtakes k others costs k moves.
  std::size_t insert(const Slot& added);

  std::string name_;
  Component& receiver_;
  std::vector<Lane> lanes_;
  std::vector<Slot> slots_;  // a ring, sorted from head_ on; its size is a power of two
  std::size_t head_ = 0;
  std::size_t count_ = 0;
  std::size_t credits_ = 0;
};

// The sending end, held by the one component that was connected; made by Port::connect, unusable before.
template <class T>
class Outlet {
 public:
  Outlet() = default;

  [[nodiscard]] bool can_send(Instant now) const { return lane().can_send(now); }
  // From when on can_send() holds, as far as is known: the beginning of time with a credit at hand, never() while
  // all are out (the loop asks the sender again when one returns). For wake() only.
  [[nodiscard]] Instant earliest_send() const { return lane().earliest_send(); }
  // Delivers at now + delay; requires can_send(now) and a delay of at least one tick.
  void send(Instant now, const T& message, Duration delay) { port_->send(lane_, now, message, delay); }

  [[nodiscard]] std::string name() const { return port_->name(); }

 private:
  friend class Port<T>;
  Outlet(Port<T>& port, std::uint32_t lane) : port_(&port), lane_(lane) {}
  [[nodiscard]] const Lane& lane() const { return port_->lanes_[lane_]; }

  Port<T>* port_ = nullptr;
  std::uint32_t lane_ = 0;
};

template <class T>
Outlet<T> Port<T>::connect(Component& sender, std::uint32_t credits) {
  if (credits == 0) throw KernelError(name() + ": a sender needs at least one credit");
  if (count_ != 0) throw KernelError(name() + ": connected after the first message");
  lanes_.emplace_back(sender, credits);
  credits_ += credits;
  slots_.resize(std::bit_ceil(credits_));
  head_ = 0;
  return Outlet<T>(*this, static_cast<std::uint32_t>(lanes_.size() - 1));
}

template <class T>
std::optional<T> Port<T>::receive(Instant now) {
  if (!arrived(now)) return std::nullopt;
  const Slot& first = slots_[head_];
  lanes_[first.lane].give_back(now);
  head_ = (head_ + 1) & (slots_.size() - 1);
  --count_;
  return first.message;
}

template <class T>
void Port<T>::send(std::uint32_t lane, Instant now, const T& message, Duration delay) {
  if (delay < tick) throw KernelError(name() + ": a message must take at least one tick");
  if (!lanes_[lane].can_send(now)) throw KernelError(name() + ": sent without a credit");
  lanes_[lane].take();
  const std::size_t place = insert({now + delay, lane, message});
  if (place == 0) receiver_.wake_changed();  // behind another message it changes nothing yet
}

template <class T>
std::size_t Port<T>::insert(const Slot& added) {
  const auto comes_before = [&added](const Slot& other) {
    return added.delivery < other.delivery || (added.delivery == other.delivery && added.lane < other.lane);
  };
  std::size_t place = count_++;
  for (; place > 0 && comes_before(slot(place - 1)); --place) slot(place) = slot(place - 1);
  slot(place) = added;
  return place;
}

}  // namespace kvtraffic::sim
