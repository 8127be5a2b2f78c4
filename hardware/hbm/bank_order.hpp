// Banks of a pseudo-channel in the order of their oldest waiting request, so that the first that may go is the oldest.
// Leaves out which requests wait (request_queue.hpp).
#pragma once

#include <array>
#include <cstdint>

namespace kvtraffic::hardware::hbm {

class BankOrder {
 public:
  static constexpr std::uint8_t end = 64;

  BankOrder() { next_[end] = previous_[end] = end; }

  [[nodiscard]] std::uint8_t first() const { return next_[end]; }
  [[nodiscard]] std::uint8_t after(std::uint8_t bank) const { return next_[bank]; }
  [[nodiscard]] std::uint64_t order_of(std::uint8_t bank) const { return order_[bank]; }
  [[nodiscard]] std::uint64_t banks() const { return banks_; }  // as a mask

  void remove(std::uint8_t bank) {
    unlink(bank);
    banks_ &= ~(std::uint64_t{1} << bank);
  }
  // Puts a bank in, or moves one that is in, to where `order` belongs. A step or none in all usual cases: new requests
  // are the youngest, and the next request of a bank is hardly younger than the one that left.
  void set(std::uint8_t bank, std::uint64_t order) {
    const std::uint64_t bit = std::uint64_t{1} << bank;
    std::uint8_t before = previous_[end];
    if ((banks_ & bit) != 0) {
      before = previous_[bank];
      unlink(bank);
    }
    banks_ |= bit;
    order_[bank] = order;
    while (before != end && order_[before] > order) before = previous_[before];
    while (next_[before] != end && order_[next_[before]] < order) before = next_[before];
    const std::uint8_t behind = next_[before];
    next_[before] = previous_[behind] = bank;
    previous_[bank] = before;
    next_[bank] = behind;
  }

  // All orders grow by `requests`.
  void shift(std::uint64_t requests) {
    for (std::uint64_t& order : order_) order += requests;
  }

 private:
  void unlink(std::uint8_t bank) {
    next_[previous_[bank]] = next_[bank];
    previous_[next_[bank]] = previous_[bank];
  }

  std::uint64_t banks_ = 0;
  std::array<std::uint64_t, end> order_{};
  std::array<std::uint8_t, end + 1> next_{};  // place `end` closes the ring
  std::array<std::uint8_t, end + 1> previous_{};
};

}  // namespace kvtraffic::hardware::hbm
