// The rules themselves; each is silent where a value it needs is missing or was refused already.
// Leaves out faults of a single key (sim/config).
#include "hardware/spec/checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/units/format.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::Diagnostics;
using sim::Node;

// Makers round what they print: NVIDIA's 8 TB/s is 2.3 % below the pins of a B200, AMD's figures 2.4 %. Beyond that the
// entry mixes two parts.
constexpr double largest_bandwidth_difference = 0.025;

// What names and describes the entry is no figure and needs no source.
bool is_figure(std::string_view path) {
  return path != "kind" && path != "name" && path != "summary" && path != "device" && path != "memory.part" &&
         !path.starts_with("sources");
}

}  // namespace

std::string join(std::string_view prefix, std::string_view key) {
  if (prefix.empty()) return std::string(key);
  return key.empty() ? std::string(prefix) : fmt::format("{}.{}", prefix, key);
}

void add_provenance(const Node& node, const sim::Table& table, std::string_view prefix, Provenances& provenance) {
  for (auto& [path, known] : sim::provenance_of(node, table)) {
    if (is_figure(path)) provenance.emplace(join(prefix, path), known);
  }
}

void add_sources(const sim::View& view, std::string_view prefix, Sources& sources, Diagnostics& diagnostics) {
  for (const Node::Member& source : view.node("sources").members()) {
    const auto [known, is_new] = sources.emplace(source.key, source.value.text());
    if (is_new || known->second == source.value.text()) continue;
    diagnostics.error(source.value.mark(), join(prefix, "sources." + source.key),
                      "the device gives another address for this key: " + known->second,
                      "a key of its own for each address");
  }
}

sim::Bandwidth Pins::bandwidth() const {
  return sim::Bandwidth::per_second(static_cast<double>(bits) * bits_per_second / 8);
}

void check_pins(const Pins& pins, std::string_view width, const sim::View& memory, std::string_view path,
                Diagnostics& diagnostics) {
  const double carried = pins.bandwidth().per_second();
  const double published = memory.bandwidth("bandwidth").per_second();
  if (carried <= 0 || published <= 0) return;
  const double difference = std::abs(carried - published) / published;
  if (difference <= largest_bandwidth_difference) return;
  diagnostics.error(
      memory.mark("bandwidth"), join(path, "bandwidth"),
      fmt::format("{} differs by {:.1f} % from the {} of {} pins at {} Gbit/s", to_text(memory.bandwidth("bandwidth")),
                  difference * 100, to_text(pins.bandwidth()), pins.bits, sim::exact_text(pins.bits_per_second / 1e9)),
      fmt::format("at most {} % between bandwidth and {} x pin_rate / 8",
                  sim::exact_text(largest_bandwidth_difference * 100), width));
}

}  // namespace kvtraffic::hardware
