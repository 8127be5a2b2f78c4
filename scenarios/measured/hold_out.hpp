// What a family's constants are worth on a GPU that they were not fitted on: they are fitted again on its other GPUs.
// Leaves out what a few common factors cannot change: tiles, split rules, kernel counts, and devices.
#pragma once

#include <string>
#include <vector>

#include "scenarios/measured/score.hpp"

namespace kvtraffic::scenarios {

// Multiply the times that engines state; one of each for all engines and classes.
struct Factors {
  double start = 1;    // start, group
  double soft = 1;     // soft, piece, combine
  double bubble = 1;   // bubble
  double exposed = 1;  // exposed
};

struct HoldOut {
  std::string family;
  std::string hardware;         // left out
  std::size_t fitted_on = 0;    // rows of the family on other devices of the architecture; 0: none, nothing is fitted
  Factors factors;              // fitted on those
  Spread stated, fitted_again;  // of the rows of the device that is left out
};

// One for each family and device of `rows`, in the fidelity flow; a search along one factor after another.
[[nodiscard]] std::vector<HoldOut> hold_out(const std::vector<MeasuredRow>& rows, const std::string& engine,
                                            const Catalog& catalog);

}  // namespace kvtraffic::scenarios
