// How kernels come to a device. Data from models/engines; what a launch costs is the device's (hardware/spec).
// Leaves out mixtures: all kernels of a step are launched in one way.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace kvtraffic::sim {

// graph: a replayed graph, whose kernels the device launches by itself. stream: the host launches one kernel after
// another and runs ahead of the device if it can. overlapped: as graph, and a kernel that waits for one kernel alone is
// launched while that one's last tiles run (programmatic dependent launch).
enum class LaunchMode : std::uint8_t { graph, stream, overlapped };
inline constexpr std::array<std::string_view, 3> launch_mode_names{"graph", "stream", "overlapped"};
[[nodiscard]] constexpr std::string_view name_of(LaunchMode mode) {
  return launch_mode_names[static_cast<std::size_t>(mode)];
}
// Graph for any other name.
[[nodiscard]] constexpr LaunchMode launch_mode_named(std::string_view name) {
  const auto found = std::ranges::find(launch_mode_names, name);
  return found == launch_mode_names.end() ? LaunchMode::graph
                                          : static_cast<LaunchMode>(found - launch_mode_names.begin());
}

}  // namespace kvtraffic::sim
