// The units that texts may carry, as rows: one table serves reading, canonical printing and the JSON Schema.
// Leaves out the reading itself (parse.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kvtraffic::sim {

// One `name` is `times` x 10^exponent10 x 2^exponent2 base units.
struct Unit {
  std::string_view name;
  std::int64_t times = 1;
  int exponent10 = 0;
  int exponent2 = 0;
};

[[nodiscard]] std::span<const Unit> byte_units();       // base unit: byte
[[nodiscard]] std::span<const Unit> duration_units();   // base unit: femtosecond
[[nodiscard]] std::span<const Unit> bandwidth_units();  // base unit: byte per second
[[nodiscard]] std::span<const Unit> frequency_units();  // base unit: hertz
[[nodiscard]] std::span<const Unit> flop_rate_units();  // base unit: operation per second
[[nodiscard]] std::span<const Unit> token_units();      // base unit: token

}  // namespace kvtraffic::sim
