// Ranges of bytes, and the device transactions that cover them: what patterns, reference traces and trace files share.
// Leaves out where ranges come from (range_plans.hpp, trace.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "hardware/hbm/transactions.hpp"

namespace kvtraffic::hardware::hbm {

// Requires size > 0 and address + size < 2^64.
struct ByteRange {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool write = false;
};

struct AddressSpace {
  static constexpr std::uint64_t unlimited = std::uint64_t{1} << 63U;
  std::uint64_t granule = 32;          // bytes of a transaction: a power of two
  std::uint64_t capacity = unlimited;  // a multiple of the granule
  bool wrap = false;                   // addresses beyond the capacity are taken modulo it
};

// Throws std::invalid_argument for a granule or a capacity that is not as AddressSpace says.
void require_sound(const AddressSpace& space);

// Cuts one range after the other into transactions. A granule that a range only touches costs a transaction.
class RangeExpander {
 public:
  explicit RangeExpander(const AddressSpace& space) : granule_(space.granule), capacity_(space.capacity) {}

  // Begins the next range; requires that the last one is used up.
  void begin(const ByteRange& range) {
    const std::uint64_t mask = ~(granule_ - 1);
    const std::uint64_t first = range.address & mask;
    left_ = (((range.address + range.size - 1) & mask) - first) / granule_ + 1;
    next_ = first < capacity_ ? first : first % capacity_;
    write_ = range.write;
  }

  // Fills `into` from the front as far as the range reaches.
  [[nodiscard]] std::size_t take(std::span<Transaction> into) {
    const std::size_t count = left_ < into.size() ? left_ : into.size();
    for (Transaction& transaction : into.first(count)) {
      transaction = {next_, write_};
      next_ += granule_;
      if (next_ == capacity_) next_ = 0;
    }
    left_ -= count;
    return count;
  }

 private:
  std::uint64_t granule_;
  std::uint64_t capacity_;
  std::uint64_t next_ = 0;
  std::uint64_t left_ = 0;
  bool write_ = false;
};

// Ranges in order. Its state does not grow with their number.
class RangeGenerator {
 public:
  RangeGenerator() = default;
  RangeGenerator(const RangeGenerator&) = delete;
  RangeGenerator& operator=(const RangeGenerator&) = delete;
  virtual ~RangeGenerator() = default;
  [[nodiscard]] virtual bool next(ByteRange& range) = 0;  // false at the end
};

// A generator, and what is known of its ranges before they are made.
struct RangePlan {
  std::unique_ptr<RangeGenerator> ranges;
  std::uint64_t extent = 0;                   // all ranges lie in [0, extent)
  std::optional<std::uint64_t> transactions;  // at the granule that the plan was made for
  std::optional<Regularity> regularity;       // as long as no address wraps
};

// `name` is for the message: throws std::invalid_argument when the plan reaches beyond the capacity and may not wrap.
[[nodiscard]] std::unique_ptr<TransactionSource> make_range_source(RangePlan plan, const AddressSpace& space,
                                                                   std::string_view name);

}  // namespace kvtraffic::hardware::hbm
