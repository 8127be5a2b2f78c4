// What the constants of engines are worth on a device that they were not fitted on: all of them are fitted again on the
// rows of the other devices, and the device's own rows are predicted.
// Leaves out what engines count (kernels, passes, tiles, split rules) and what devices state.
#pragma once

#include <string>
#include <vector>

#include "scenarios/measured/score.hpp"

namespace kvtraffic::scenarios {

// A class of kernels of whose constants no row of another device tells anything.
struct Unknown {
  std::string name;       // "vllm gemm fp8 on hopper"
  std::string stands_in;  // whose constants are taken; empty: none, it costs bytes, arithmetic and a launch
};

struct HoldOutDevice {
  std::string hardware;       // left out
  std::size_t fitted_on = 0;  // rows of other devices
  std::size_t constants = 0;  // fitted again on those
  Spread fit;                 // of those rows, afterwards
  std::vector<Unknown> unknown;
};

struct HoldOutGroup {
  std::string family;
  std::string hardware;   // left out
  Spread stated, fitted;  // of its rows: with the constants as stated, and as fitted on others
};

struct HoldOut {
  std::vector<HoldOutDevice> devices;
  std::vector<HoldOutGroup> groups;
};

// For each device of `rows`, in the fidelity flow.
[[nodiscard]] HoldOut hold_out(const std::vector<MeasuredRow>& rows, const std::string& engine, const Catalog& catalog);

}  // namespace kvtraffic::scenarios
