// What tests of transaction sources share: reading one to its end, and telling transactions apart.
// Leaves out files and what a source should give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "hardware/hbm/transactions.hpp"

namespace kvtraffic::hardware::hbm {

inline bool operator==(const Transaction& a, const Transaction& b) {
  return a.address == b.address && a.write == b.write;
}

// In blocks of an odd size, so that blocks end inside ranges; then checks nothing follows.
inline std::vector<Transaction> all_of(TransactionSource& source, std::size_t block_size = 7) {
  std::vector<Transaction> all;
  std::vector<Transaction> block(block_size);
  std::size_t count = block_size;
  while (count == block_size) {
    count = source.read(block);
    all.insert(all.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
  }
  if (source.read(block) != 0) throw std::logic_error("a source went on after its end");
  return all;
}

inline std::vector<std::uint64_t> addresses_of(const std::vector<Transaction>& transactions) {
  std::vector<std::uint64_t> addresses;
  for (const Transaction& one : transactions) addresses.push_back(one.address);
  return addresses;
}

}  // namespace kvtraffic::hardware::hbm
