// What a run of positions costs in entries and sectors, exactly: denominators are kept, so that whoever multiplies
// rounds once. Every byte comes from Layout; here they are only added up. Leaves out what multiplies a cost
// (sim/run/tally.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/operation.hpp"

namespace kvtraffic::sim {

// Positions of one sequence that an operation runs at: first..last, none when last < first. Windows reach back to
// `origin` at most: nothing before the position after it has an entry.
struct Positions {
  std::int64_t first = 1;
  std::int64_t last = 0;
  std::int64_t origin = 0;
  [[nodiscard]] std::int64_t count() const { return last - first + 1; }
};

// What many accesses share: one is worked out once per point.
struct Charge {
  std::uint32_t layout = 0;
  std::uint32_t span = 0;
  Pattern pattern = Pattern::stream;
  Per per = Per::token;  // only `sequence` and `resumed` differ from the others
  bool only_new = false;
  std::int64_t queries = 0;
  Count count;
  friend bool operator==(const Charge&, const Charge&) = default;
};

// Sums over positions. Sector bytes are `sectors / per`, of which `apart / per` because scales lie apart from their
// values and `again / per` because query tiles read entries again. `footprint / per` are the distinct ones.
struct Cost {
  std::int64_t nominal = 0;  // bytes that the algorithm asks for
  std::int64_t sectors = 0;
  std::int64_t apart = 0;
  std::int64_t again = 0;
  std::int64_t footprint = 0;
  std::int64_t per = 1;
};

// The entries of `count` summed over positions first..last (first >= 1), without a loop.
[[nodiscard]] std::int64_t entries_over(const Count& count, std::int64_t first, std::int64_t last);
// The same where windows reach back to `at.origin` at most.
[[nodiscard]] std::int64_t entries_over(const Count& count, const Positions& at);
// Distinct entries that the positions read: all that the last one sees; of windows what they cover together; of
// selections as many as there are, or all if they could reach that many.
[[nodiscard]] std::int64_t distinct_over(const Count& count, const Positions& at);
// Entries of a charge per sequence (Per::sequence, Per::resumed).
[[nodiscard]] std::int64_t entries_per_sequence(Per per, const Count& count, const Positions& at);

// A layout's pages worked out once, so that neither a long run of positions nor a page costs a loop.
class PageCosts {
 public:
  explicit PageCosts(const Layout& layout);
  [[nodiscard]] Cost over(const Count& count, Pattern pattern, std::int64_t first, std::int64_t last) const;
  // Entries read in common by tiles of `queries` neighbouring positions: each tile requests what its last position
  // sees. A window or a selection belongs to its query, so there a tile is one position.
  [[nodiscard]] Cost shared(const Count& count, Pattern pattern, std::int64_t queries, const Positions& at) const;
  [[nodiscard]] Cost of_entries(std::int64_t entries, Pattern pattern) const;
  [[nodiscard]] Cost of(const Charge& charge, const Positions& at) const;

 private:
  struct Sum {
    std::int64_t bytes = 0;
    std::int64_t apart = 0;
  };
  [[nodiscard]] Sum streamed(std::int64_t entries) const;
  [[nodiscard]] Sum streamed_below(std::int64_t entries) const;  // of 0, 1, ... entries - 1, added up
  [[nodiscard]] std::int64_t requested(const Count& count, Pattern pattern, std::int64_t queries,
                                       const Positions& at) const;

  std::int64_t entry_bytes_ = 0;
  std::int64_t page_entries_ = 1;
  Sum whole_page_;  // streamed
  Sum gathered_;    // of `gathered_per_` entries
  std::int64_t gathered_per_ = 1;
  std::vector<Sum> rest_;       // streamed: the first 0, 1, ... page_entries - 1 entries of a page
  std::vector<Sum> rest_sums_;  // running sums of the above
};

}  // namespace kvtraffic::sim
