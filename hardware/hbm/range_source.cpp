// A transaction source over a range generator.
// Leaves out the generators.
#include "hardware/hbm/range_source.hpp"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>
#include <utility>

namespace kvtraffic::hardware::hbm {
namespace {

class RangeSource final : public TransactionSource {
 public:
  RangeSource(RangePlan plan, const AddressSpace& space) : plan_(std::move(plan)), expander_(space) {}

  [[nodiscard]] std::size_t read(std::span<Transaction> into) override {
    std::size_t count = 0;
    while (true) {
      count += expander_.take(into.subspan(count));
      ByteRange range;
      if (count == into.size() || !plan_.ranges->next(range)) return count;
      expander_.begin(range);
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> size() const override { return plan_.transactions; }
  [[nodiscard]] std::optional<Regularity> regularity() const override { return plan_.regularity; }

 private:
  RangePlan plan_;
  RangeExpander expander_;
};

}  // namespace

void require_sound(const AddressSpace& space) {
  if (!std::has_single_bit(space.granule)) {
    throw std::invalid_argument(fmt::format("a transaction of {} bytes: not a power of two", space.granule));
  }
  if (space.capacity == 0 || space.capacity % space.granule != 0) {
    throw std::invalid_argument(fmt::format("a capacity of {} bytes is no whole number of {}-byte transactions",
                                            space.capacity, space.granule));
  }
}

std::unique_ptr<TransactionSource> make_range_source(RangePlan plan, const AddressSpace& space, std::string_view name) {
  require_sound(space);
  if (plan.extent > space.capacity) {
    if (!space.wrap) {
      throw std::invalid_argument(
          fmt::format("{} needs {} bytes of addresses, beyond the capacity of {} (wrapping takes addresses modulo it)",
                      name, plan.extent, space.capacity));
    }
    const bool linear = plan.regularity && plan.regularity->transactions == 1;
    plan.regularity.reset();
    if (linear) plan.regularity = Regularity{space.capacity / space.granule, 0};
  }
  return std::make_unique<RangeSource>(std::move(plan), space);
}

}  // namespace kvtraffic::hardware::hbm
