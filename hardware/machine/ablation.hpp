// Mechanisms that a machine can leave out, so that their effect on time can be told apart. Bytes asked for never
// change.
#pragma once

#include "hardware/hbm/part.hpp"
#include "hardware/spec/hardware.hpp"

namespace kvtraffic::hardware {

// True: the mechanism is at work.
struct Mechanisms {
  bool l2 = true;             // off: L2 holds nothing between two accesses
  bool launch = true;         // off: kernels are launched at once and start at once
  bool refresh = true;        // off: DRAM is never refreshed (cycle)
  bool dram_commands = true;  // off: DRAM serves any mix at the device's measured stream rate, as flow does (cycle)
  bool gather = true;         // off: gathered entries lie one after another in DRAM (cycle)
};

[[nodiscard]] inline Device without_ablated(Device device, const Mechanisms& mechanisms) {
  if (!mechanisms.l2) device.l2_usable = 0;
  if (!mechanisms.launch) device.launch_gap = device.stream_gap = device.kernel_start = sim::Duration();
  return device;
}

[[nodiscard]] inline hbm::Part without_ablated(hbm::Part part, const Mechanisms& mechanisms) {
  if (!mechanisms.refresh) part.controller.refresh = hbm::Refresh::none;
  return part;
}

}  // namespace kvtraffic::hardware
