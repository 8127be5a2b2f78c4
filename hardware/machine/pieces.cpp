// Runs of neighbours, page by page. Leaves out merging across pages that happen to lie side by side: a kernel takes an
// address from the page table for each page.
#include "hardware/machine/pieces.hpp"

namespace kvtraffic::hardware {
namespace {

// Picks that `picks` starts with and that follow one another in one page; `slot` is where the first lies in it.
std::size_t run_in_page(std::span<const std::int64_t> picks, std::int64_t slot, std::int64_t page_entries) {
  std::size_t length = 1;
  const auto most = static_cast<std::size_t>(page_entries - slot);
  while (length < most && length < picks.size() && picks[length] == picks[length - 1] + 1) ++length;
  return length;
}

}  // namespace

void gather_pieces(std::span<const std::int64_t> picks, const sim::Layout& layout, const PageTable& pages,
                   std::uint64_t base, std::vector<Piece>& into) {
  while (!picks.empty()) {
    const std::int64_t page = picks.front() / layout.page_entries, slot = picks.front() % layout.page_entries;
    const std::size_t run = run_in_page(picks, slot, layout.page_entries);
    const auto length = static_cast<std::int64_t>(run);
    const std::uint64_t place = pages.place_of(static_cast<std::uint64_t>(page));
    const std::uint64_t start = base + place * static_cast<std::uint64_t>(layout.page_bytes);
    const auto add = [&](std::int64_t offset, std::int64_t bytes) {
      if (bytes > 0) into.push_back({start + static_cast<std::uint64_t>(offset), bytes});
    };
    add(slot * layout.row, length * layout.row);
    add(layout.page_entries * layout.row + slot * layout.apart, length * layout.apart);
    picks = picks.subspan(run);
  }
}

}  // namespace kvtraffic::hardware
