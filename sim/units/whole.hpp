// A real number as a whole one, or OverflowError: the plain conversion is undefined where 64 bits do not hold it.
// Leaves out rounding: callers round before.
#pragma once

#include <cstdint>
#include <string>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

[[nodiscard]] inline std::int64_t checked_whole(double value) {
  constexpr double end = 9223372036854775808.0;  // 2^63, the first that does not fit; not a number fails as well
  if (!(value > -end && value < end)) throw OverflowError(std::to_string(value) + " does not fit into 64 bits");
  return static_cast<std::int64_t>(value);
}

}  // namespace kvtraffic::sim
