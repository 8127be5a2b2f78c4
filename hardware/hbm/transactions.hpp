// A sequence of memory transactions, however it comes about: a synthetic pattern or a trace file.
// Leaves out addresses inside the device (address_map.hpp) and when a transaction is offered (feed, memory.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace kvtraffic::hardware::hbm {

struct Transaction {
  std::uint64_t address = 0;  // of the first byte, a multiple of the granule
  bool write = false;
};

// seq[i + transactions] == seq[i] with its address moved by `shift` bytes, for every i for which both exist: what makes
// a sequence regular, so that a channel's state can repeat.
struct Regularity {
  std::uint64_t transactions = 0;
  std::uint64_t shift = 0;
};

// Read front to back, once. Memory does not grow with the length of the sequence.
class TransactionSource {
 public:
  TransactionSource() = default;
  TransactionSource(const TransactionSource&) = delete;
  TransactionSource& operator=(const TransactionSource&) = delete;
  virtual ~TransactionSource() = default;

  // Fills `into` from the front and returns how many; fewer than asked only at the end, then zero for ever.
  // Throws TraceError (trace.hpp) on a malformed trace and IoError on a failing file.
  [[nodiscard]] virtual std::size_t read(std::span<Transaction> into) = 0;

  // Transactions in all, where that is known without reading them.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<Regularity> regularity() const { return std::nullopt; }
};

// The plain case: `count` transactions of `granule` bytes from `first` upwards, all reads or all writes.
struct LinearStream {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool write = false;
};

}  // namespace kvtraffic::hardware::hbm
