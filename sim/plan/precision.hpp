// The number formats that tensor units distinguish.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace kvtraffic::sim {

enum class Precision { fp4, fp8, bf16, fp32 };
inline constexpr std::size_t precision_count = 4;
inline constexpr std::array<std::string_view, precision_count> precision_names{"fp4", "fp8", "bf16", "fp32"};

[[nodiscard]] constexpr std::string_view name_of(Precision p) { return precision_names[static_cast<std::size_t>(p)]; }
[[nodiscard]] constexpr std::optional<Precision> precision_named(std::string_view name) {
  for (std::size_t i = 0; i < precision_count; ++i) {
    if (precision_names[i] == name) return static_cast<Precision>(i);
  }
  return std::nullopt;
}

}  // namespace kvtraffic::sim
