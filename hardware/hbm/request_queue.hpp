// The requests that wait in one controller, by bank, kind and whether they hit the open row: each question of the
// scheduler (oldest hit, oldest miss of a bank) is answered without a search; only `find_write` walks a bank's writes.
// Leaves out choosing among banks.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "hardware/hbm/bank_order.hpp"
#include "hardware/hbm/command.hpp"
#include "hardware/hbm/state_text.hpp"

namespace kvtraffic::hardware::hbm {

enum class Kind : std::uint8_t { read, write };
inline constexpr std::size_t kind_count = 2;

using Index = std::uint16_t;  // of a request in the pool
inline constexpr Index no_request = UINT16_MAX;

struct Request {
  Tick arrival = 0;         // when it entered the queue
  Tick asked = 0;           // when it was asked for: its latency counts from here
  std::uint64_t order = 0;  // position in the sequence of arrivals
  std::uint64_t tag = 0;    // the caller's name for it
  std::uint32_t row = 0;
  std::uint16_t column = 0;
  Index next = no_request;
  Kind kind = Kind::read;
  Cause held_by = Cause::feed;  // what kept it outside until `arrival`
  bool counted = false;         // as row hit, miss or conflict
};

// Requests in order of arrival, linked through the pool.
struct RequestList {
  Index head = no_request;
  Index tail = no_request;
  [[nodiscard]] bool empty() const { return head == no_request; }
};

class RequestQueue {
 public:
  RequestQueue(int capacity, int pseudo_channels, int banks_of_pseudo_channel);

  [[nodiscard]] const Request& operator[](Index index) const { return pool_[index]; }
  [[nodiscard]] Request& operator[](Index index) { return pool_[index]; }
  [[nodiscard]] int size(Kind kind) const { return sizes_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] int size() const { return sizes_[0] + sizes_[1]; }

  // Banks of a pseudo-channel with a waiting request of `kind` that hits, that does not hit.
  [[nodiscard]] const BankOrder& hits(Kind kind, int pseudo_channel) const {
    return hits_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(pseudo_channel)];
  }
  [[nodiscard]] const BankOrder& misses(Kind kind, int pseudo_channel) const {
    return misses_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(pseudo_channel)];
  }
  [[nodiscard]] std::uint64_t waiting(int pseudo_channel) const {
    return hits(Kind::read, pseudo_channel).banks() | hits(Kind::write, pseudo_channel).banks() |
           misses(Kind::read, pseudo_channel).banks() | misses(Kind::write, pseudo_channel).banks();
  }
  [[nodiscard]] Index oldest_hit(Kind kind, BankAddress at) const { return lists(kind, at).hits.head; }
  [[nodiscard]] Index oldest_miss(Kind kind, BankAddress at) const { return lists(kind, at).misses.head; }

  // Adds a request; `hit` says whether its row is open. Requires room in the pool.
  void push(const Request& request, BankAddress at, bool hit);
  // Takes the oldest hit or miss out of its list and out of the count; its entry stays valid until `release`.
  Index pop_hit(Kind kind, BankAddress at);
  Index pop_miss(Kind kind, BankAddress at);
  void release(Index index) { free_.push_back(index); }
  // A row has been opened: those of its requests that wait become hits. A row has been closed: none hits.
  void open(BankAddress at, std::uint32_t row);
  void close(BankAddress at);
  // A waiting write to this very transaction, or `no_request`.
  [[nodiscard]] Index find_write(BankAddress at, std::uint32_t row, std::uint16_t column) const;

  // The waiting requests as numbers that repeat when the state does, and the same state later on: see Epoch.
  void tell(StateText& text, const Epoch& epoch) const;
  void shift(const Epoch& by);

 private:
  struct Lists {
    RequestList hits;
    RequestList misses;
  };
  [[nodiscard]] std::size_t flat(BankAddress at) const {
    return static_cast<std::size_t>(at.pseudo_channel) * banks_ + static_cast<std::size_t>(at.bank);
  }
  [[nodiscard]] const Lists& lists(Kind kind, BankAddress at) const {
    return lists_[static_cast<std::size_t>(kind)][flat(at)];
  }
  [[nodiscard]] Lists& lists(Kind kind, BankAddress at) { return lists_[static_cast<std::size_t>(kind)][flat(at)]; }
  void append(RequestList& list, Index index);
  Index pop(RequestList& list);
  // Bring the order of banks in line with the oldest request of a list.
  void mark_hits(Kind kind, BankAddress at);
  void mark_misses(Kind kind, BankAddress at);
  void mark(BankOrder& order, BankAddress at, const RequestList& list);
  void open(Lists& of_bank, std::uint32_t row);
  void close(Lists& of_bank);
  void tell(StateText& text, const RequestList& list, const Epoch& epoch) const;

  std::size_t banks_;
  std::vector<Request> pool_;
  std::vector<Index> free_;
  std::array<std::vector<Lists>, kind_count> lists_;
  std::array<std::array<BankOrder, 2>, kind_count> hits_;
  std::array<std::array<BankOrder, 2>, kind_count> misses_;
  std::array<int, kind_count> sizes_{};
};

// Every request passes here; these stay in the header for the compiler to melt them into the controller.
inline void RequestQueue::append(RequestList& list, Index index) {
  pool_[index].next = no_request;
  if (list.empty()) {
    list.head = index;
  } else {
    pool_[list.tail].next = index;
  }
  list.tail = index;
}

inline Index RequestQueue::pop(RequestList& list) {
  const Index index = list.head;
  list.head = pool_[index].next;
  return index;
}

inline void RequestQueue::mark(BankOrder& order, BankAddress at, const RequestList& list) {
  const auto bank = static_cast<std::uint8_t>(at.bank);
  if (!list.empty()) {
    order.set(bank, pool_[list.head].order);
  } else if (((order.banks() >> bank) & 1U) != 0) {
    order.remove(bank);
  }
}

inline void RequestQueue::mark_hits(Kind kind, BankAddress at) {
  mark(hits_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(at.pseudo_channel)], at, lists(kind, at).hits);
}

inline void RequestQueue::mark_misses(Kind kind, BankAddress at) {
  mark(misses_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(at.pseudo_channel)], at,
       lists(kind, at).misses);
}

inline void RequestQueue::push(const Request& request, BankAddress at, bool hit) {
  assert(!free_.empty() && "no room for a request");
  const Index index = free_.back();
  free_.pop_back();
  pool_[index] = request;
  ++sizes_[static_cast<std::size_t>(request.kind)];
  Lists& of_bank = lists(request.kind, at);
  RequestList& list = hit ? of_bank.hits : of_bank.misses;
  const bool first = list.empty();
  append(list, index);
  if (!first) return;
  if (hit) {
    mark_hits(request.kind, at);
  } else {
    mark_misses(request.kind, at);
  }
}

inline Index RequestQueue::pop_hit(Kind kind, BankAddress at) {
  const Index index = pop(lists(kind, at).hits);
  --sizes_[static_cast<std::size_t>(kind)];
  mark_hits(kind, at);
  return index;
}

inline Index RequestQueue::pop_miss(Kind kind, BankAddress at) {
  const Index index = pop(lists(kind, at).misses);
  --sizes_[static_cast<std::size_t>(kind)];
  mark_misses(kind, at);
  return index;
}

}  // namespace kvtraffic::hardware::hbm
