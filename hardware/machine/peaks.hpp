// What one floating-point operation costs a whole device, by precision.
// Leaves out how much of a device a kernel fills (tiles and waves).
#pragma once

#include "hardware/spec/hardware.hpp"

namespace kvtraffic::hardware {

enum class Roof { peak, sustained };

// Zero where the device has no unit that could run it: such arithmetic is not charged.
[[nodiscard]] inline double seconds_per_flop(const Device& device, sim::Precision precision, Roof roof) {
  const auto unit = static_cast<std::size_t>(device.runs_as(precision));
  const double rate = device.peak[unit].per_second() * (roof == Roof::peak ? 1 : device.sustained[unit]);
  return rate > 0 ? 1 / rate : 0;
}

}  // namespace kvtraffic::hardware
