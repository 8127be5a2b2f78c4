// What a run tells of DRAM, as plain data: what the data buses did, for whom, and what windows told of what was served.
// Leaves out serving it (shared_dram.hpp, dram_channels.hpp).
#pragma once

#include <array>

#include "hardware/hbm/command.hpp"
#include "sim/run/machine.hpp"

namespace kvtraffic::hardware {

class DramChannels;
class DramRates;
class SharedDram;

using CauseTimes = std::array<double, hbm::cause_count>;  // by hbm::Cause

// What rows cost: opening and closing them, the rate of activates, turnarounds and refreshes.
[[nodiscard]] double row_part(const CauseTimes& causes);

void tell(const SharedDram& dram, DramRates& rates, sim::DramTold& told);
// What the channels waited for is spread over vertices by their transactions.
void tell(const DramChannels& dram, sim::DramTold& told);

}  // namespace kvtraffic::hardware
