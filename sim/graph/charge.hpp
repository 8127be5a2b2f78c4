// What a run of positions costs in entries and sectors, exactly: denominators are kept, so that whoever multiplies
// rounds once. Every byte comes from Layout; here they are only added up. Leaves out what multiplies a cost
// (sim/run/tally.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/operation.hpp"

namespace kvtraffic::sim {

// What many accesses share: one is worked out once per point.
struct Charge {
  std::uint32_t layout = 0;
  Pattern pattern = Pattern::stream;
  Count count;
  friend bool operator==(const Charge&, const Charge&) = default;
};

// Sums over positions. Sector bytes are `sectors / per`, of which `apart / per` because scales lie apart from their
// values.
struct Cost {
  std::int64_t nominal = 0;  // bytes
  std::int64_t sectors = 0;
  std::int64_t apart = 0;
  std::int64_t per = 1;
};

// The entries of `count` summed over positions first..last (first >= 1), without a loop.
[[nodiscard]] std::int64_t entries_over(const Count& count, std::int64_t first, std::int64_t last);

// A layout's pages worked out once, so that neither a long run of positions nor a page costs a loop.
class PageCosts {
 public:
  explicit PageCosts(const Layout& layout);
  [[nodiscard]] Cost over(const Count& count, Pattern pattern, std::int64_t first, std::int64_t last) const;

 private:
  struct Sum {
    std::int64_t bytes = 0;
    std::int64_t apart = 0;
  };
  [[nodiscard]] Sum streamed(std::int64_t entries) const;
  [[nodiscard]] Sum streamed_below(std::int64_t entries) const;  // of 0, 1, ... entries - 1, added up

  std::int64_t entry_bytes_ = 0;
  std::int64_t page_entries_ = 1;
  Sum whole_page_;  // streamed
  Sum gathered_;    // of `gathered_per_` entries
  std::int64_t gathered_per_ = 1;
  std::vector<Sum> rest_;       // streamed: the first 0, 1, ... page_entries - 1 entries of a page
  std::vector<Sum> rest_sums_;  // running sums of the above
};

}  // namespace kvtraffic::sim
