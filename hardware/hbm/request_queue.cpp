// Linked lists of requests in a pool. Leaves out choosing among banks (controller.cpp).
#include "hardware/hbm/request_queue.hpp"

#include "hardware/hbm/state_text.hpp"

namespace kvtraffic::hardware::hbm {

RequestQueue::RequestQueue(int capacity, int pseudo_channels, int banks_of_pseudo_channel)
    : banks_(static_cast<std::size_t>(banks_of_pseudo_channel)), pool_(static_cast<std::size_t>(capacity)) {
  free_.reserve(pool_.size());
  for (std::size_t i = pool_.size(); i > 0; --i) free_.push_back(static_cast<Index>(i - 1));
  for (auto& of_kind : lists_) of_kind.resize(static_cast<std::size_t>(pseudo_channels) * banks_);
}

void RequestQueue::open(Lists& of_bank, std::uint32_t row) {
  Index index = of_bank.misses.head;
  of_bank.misses = {};
  while (index != no_request) {
    const Index next = pool_[index].next;
    append(pool_[index].row == row ? of_bank.hits : of_bank.misses, index);
    index = next;
  }
}

void RequestQueue::open(BankAddress at, std::uint32_t row) {
  for (const Kind kind : {Kind::read, Kind::write}) {
    Lists& of_bank = lists(kind, at);
    if (of_bank.misses.empty()) continue;
    open(of_bank, row);
    mark_hits(kind, at);
    mark_misses(kind, at);
  }
}

// Merges hits back in order of arrival.
void RequestQueue::close(Lists& of_bank) {
  Index hit = of_bank.hits.head;
  Index miss = of_bank.misses.head;
  of_bank = {};
  while (hit != no_request || miss != no_request) {
    const bool take_hit = miss == no_request || (hit != no_request && pool_[hit].order < pool_[miss].order);
    Index& from = take_hit ? hit : miss;
    const Index index = from;
    from = pool_[index].next;
    append(of_bank.misses, index);
  }
}

void RequestQueue::close(BankAddress at) {
  for (const Kind kind : {Kind::read, Kind::write}) {
    Lists& of_bank = lists(kind, at);
    if (of_bank.hits.empty()) continue;
    close(of_bank);
    mark_hits(kind, at);
    mark_misses(kind, at);
  }
}

Index RequestQueue::find_write(BankAddress at, std::uint32_t row, std::uint16_t column) const {
  const Lists& of_bank = lists(Kind::write, at);
  for (Index index : {of_bank.hits.head, of_bank.misses.head}) {
    for (; index != no_request; index = pool_[index].next) {
      if (pool_[index].row == row && pool_[index].column == column) return index;
    }
  }
  return no_request;
}

void RequestQueue::tell(StateText& text, const RequestList& list, const Epoch& epoch) const {
  for (Index index = list.head; index != no_request; index = pool_[index].next) {
    const Request& request = pool_[index];
    text.number(request.arrival - epoch.tick);
    text.number(request.asked - epoch.tick);
    text.number(static_cast<std::int64_t>(request.order) - epoch.requests);
    text.number(epoch.row_from(request.row));
    text.number(request.column * 4 + (request.counted ? 2 : 0) + (request.held_by == Cause::queue ? 1 : 0));
  }
  text.number(-1);
}

void RequestQueue::tell(StateText& text, const Epoch& epoch) const {
  for (const auto& of_kind : lists_) {
    for (const Lists& of_bank : of_kind) {
      tell(text, of_bank.hits, epoch);
      tell(text, of_bank.misses, epoch);
    }
  }
}

void RequestQueue::shift(const Epoch& by) {
  for (Request& request : pool_) {
    request.arrival += by.tick;
    request.asked += by.tick;
    request.order += static_cast<std::uint64_t>(by.requests);
    request.row = static_cast<std::uint32_t>(by.row_after(request.row));
  }
  for (auto* orders : {&hits_, &misses_}) {
    for (auto& of_kind : *orders) {
      for (BankOrder& order : of_kind) order.shift(static_cast<std::uint64_t>(by.requests));
    }
  }
}

}  // namespace kvtraffic::hardware::hbm
