// Picked entries as pieces of memory: what lies together is read together. Leaves out which entries are picked
// (picks.hpp) and where pages lie (page_table.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hardware/machine/page_table.hpp"
#include "sim/graph/layout.hpp"

namespace kvtraffic::hardware {

struct Piece {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const Piece&, const Piece&) = default;
};

// Adds to `into` the pieces that reading `picks` (ascending, different) takes: for each run of neighbours within a page
// its rows, then its bytes apart where the layout has any. The pool begins at `base` and has `pages.pages()` pages of
// `layout.page_bytes`, so an entry must be below pages x page_entries.
void gather_pieces(std::span<const std::int64_t> picks, const sim::Layout& layout, const PageTable& pages,
                   std::uint64_t base, std::vector<Piece>& into);

}  // namespace kvtraffic::hardware
