// From a resolved catalog entry to a typed Hardware, and the rules between keys that a table row cannot state.
// Leaves out the keys themselves (tables.cpp) and finding entries by name (scenarios).
#include "hardware/spec/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "hardware/spec/checks.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::Diagnostics;
using sim::Node;
using sim::Precision;
using sim::View;

// ---- typed values ----

void read_compute(const View& compute, Device& device) {
  for (std::size_t i = 0; i < sim::precision_count; ++i) {
    const View rates = compute.map(sim::precision_names[i]);
    device.peak[i] = rates.flop_rate("peak");
    device.sustained[i] = rates.number("sustained");
  }
}

void read_memory(const View& memory, Device& device) {
  device.memory = memory.text("type");
  device.memory_part = memory.text("part");
  device.stacks = memory.integer("stacks");
  device.unified_memory = memory.flag("unified");
  device.bus_bits = memory.integer("bus_width");
  device.pin_bits_per_second = memory.bandwidth("pin_rate").per_second() * 8;
  device.published_bandwidth = memory.bandwidth("bandwidth");
  device.capacity = memory.bytes("capacity");
  device.stream_efficiency = memory.number("stream_efficiency");
  device.memory_latency = memory.duration("latency");
}

void read_l2(const View& l2, Device& device) {
  device.l2_capacity = l2.bytes("capacity");
  device.l2_levels = l2.integer("levels");
  device.l2_usable = l2.number("usable");
  device.l2_bandwidth = l2.bandwidth("bandwidth");
  device.l2_latency = l2.duration("latency");
  device.l2_flushed = l2.number("flushed");
  device.l2_written_back = l2.number("written_back");
}

// Where host and device share one memory, the way to the host is that memory: a machine then needs no case for it.
void read_host(const View& host, Device& device) {
  if (device.unified_memory) {
    device.host_bandwidth = device.pin_bandwidth();
    device.host_efficiency = device.stream_efficiency;
    device.host_latency = device.memory_latency;
    return;
  }
  device.host_bandwidth = host.bandwidth("bandwidth");
  device.host_efficiency = host.number("efficiency");
  device.host_latency = host.duration("latency");
}

// Only what is written: a node's `link` replaces single values of the device's.
void read_link(const View& link, Device& device) {
  if (link.has("bandwidth")) device.link_bandwidth = link.bandwidth("bandwidth");
  if (link.has("efficiency")) device.link_efficiency = link.number("efficiency");
  if (link.has("all_reduce_floor")) device.all_reduce_floor = link.duration("all_reduce_floor");
  if (link.has("all_to_all_floor")) device.all_to_all_floor = link.duration("all_to_all_floor");
}

sim::Architecture architecture_named(std::string_view name) {
  const auto found = std::ranges::find(sim::architecture_names, name);
  if (found == sim::architecture_names.end()) return sim::Architecture::other;
  return static_cast<sim::Architecture>(found - sim::architecture_names.begin());
}

Device read_device(const View& view) {
  Device device;
  device.name = view.text("name");
  device.summary = view.text("summary");
  device.architecture = architecture_named(view.text("architecture"));
  const View sm = view.map("sm");
  device.sms = sm.integer("count");
  device.clock = sm.frequency("clock");
  device.sm_load_rate = sm.bandwidth("load_rate");
  read_compute(view.map("compute"), device);
  read_memory(view.map("memory"), device);
  read_l2(view.map("l2"), device);
  const View launch = view.map("launch");
  device.launch_gap = launch.duration("gap");
  device.stream_gap = launch.duration(launch.has("stream_gap") ? "stream_gap" : "gap");
  device.kernel_start = launch.duration("start");
  read_host(view.map("host"), device);
  read_link(view.map("link"), device);
  return device;
}

// ---- rules between keys; each is silent where a value it needs is missing or was refused already ----

void check_stacks(const Device& device, const View& memory, std::string_view prefix, Diagnostics& diagnostics) {
  if (device.stacks < 1 || device.bus_bits < 1 || device.bus_bits % device.stacks == 0) return;
  diagnostics.error(memory.mark("bus_width"), join(prefix, "memory.bus_width"),
                    fmt::format("{} pins do not divide over {} stacks", device.bus_bits, device.stacks),
                    "a multiple of memory.stacks");
}

void check_precisions(const Device& device, const View& compute, std::string_view prefix, Diagnostics& diagnostics) {
  std::size_t narrower = sim::precision_count;
  for (std::size_t i = 0; i < sim::precision_count; ++i) {
    if (device.peak[i].is_zero()) continue;
    if (narrower < i && device.peak[narrower] < device.peak[i]) {
      const std::string_view name = sim::precision_names[narrower];
      diagnostics.error(compute.map(name).mark("peak"), join(prefix, fmt::format("compute.{}.peak", name)),
                        fmt::format("{} is below the {} of {}", to_text(device.peak[narrower]), to_text(device.peak[i]),
                                    sim::precision_names[i]),
                        "a narrower format that is at least as fast as the wider ones");
    }
    narrower = i;
  }
}

void check_l2(const Device& device, const View& l2, std::string_view prefix, Diagnostics& diagnostics) {
  const bool known = device.l2_latency > sim::Duration{} && device.memory_latency > sim::Duration{};
  if (!known || device.l2_latency < device.memory_latency) return;
  diagnostics.error(l2.mark("latency"), join(prefix, "l2.latency"),
                    fmt::format("a hit takes {} and a miss {}", sim::time_text(device.l2_latency.seconds()),
                                sim::time_text(device.memory_latency.seconds())),
                    "less than memory.latency");
}

// `host` and `host_memory` are of a host with a memory of its own: needed where there is one, and wrong where there is
// not.
void check_host(const Device& device, const View& view, std::string_view prefix, Diagnostics& diagnostics) {
  if (!view.raw().is_map()) return;
  if (!device.unified_memory && !view.has("host")) {
    diagnostics.error(view.mark("host"), std::string(prefix), "missing key 'host'",
                      "host: a map (The way to host memory: PCIe or a chip-to-chip link), or memory.unified: true");
  }
  for (const std::string_view key : {"host", "host_memory"}) {
    if (!device.unified_memory || !view.has(key)) continue;
    diagnostics.error(view.mark(key), join(prefix, key), "the host shares the device's memory (memory.unified)",
                      fmt::format("no `{}`, or a memory that is not unified", key));
  }
}

Device checked_device(const Node& node, std::string_view prefix, Diagnostics& diagnostics) {
  check(node, device_table(), diagnostics, prefix);
  const View view(node, device_table());
  Device device = read_device(view);
  check_pins({device.bus_bits, device.pin_bits_per_second}, "bus_width", view.map("memory"), join(prefix, "memory"),
             diagnostics);
  check_stacks(device, view.map("memory"), prefix, diagnostics);
  check_precisions(device, view.map("compute"), prefix, diagnostics);
  check_l2(device, view.map("l2"), prefix, diagnostics);
  check_host(device, view, prefix, diagnostics);
  return device;
}

// ---- entries ----

void read_host_memory(const View& view, Hardware& hardware) {
  const View memory = view.map("host_memory");
  hardware.host_memory_capacity = memory.bytes("capacity");
  hardware.host_memory_bandwidth = memory.bandwidth("bandwidth");
}

Hardware read_single(const Node& entry, Diagnostics& diagnostics) {
  Hardware hardware;
  hardware.device = checked_device(entry, "", diagnostics);
  hardware.name = hardware.device.name;
  hardware.summary = hardware.device.summary;
  read_host_memory(View(entry, device_table()), hardware);
  add_sources(View(entry, device_table()), "", hardware.sources, diagnostics);
  add_provenance(entry, device_table(), "", hardware.provenance);
  return hardware;
}

void read_node_device(const View& node, Hardware& hardware, Diagnostics& diagnostics) {
  const Node& device = node.node("device");
  if (!device.is_map()) {
    if (node.has("device")) {
      diagnostics.error(node.mark("device"), "device", fmt::format("'{}' is only a name here", device.text()),
                        "the device's own map");
    }
    return;
  }
  hardware.device = checked_device(device, "device", diagnostics);
  add_sources(View(device, device_table()), "device", hardware.sources, diagnostics);
  add_provenance(device, device_table(), "device", hardware.provenance);
}

void check_link(const View& node, std::int64_t count, Diagnostics& diagnostics) {
  const Node& device = node.node("device");
  if (count < 2 || !device.is_map() || node.map("link").has("bandwidth")) return;
  if (View(device, device_table()).map("link").has("bandwidth")) return;
  diagnostics.error(node.mark("count"), "count", fmt::format("{} devices have no link between them", count),
                    "a `link` with a bandwidth, in the device or in the node");
}

Hardware read_node(const Node& entry, Diagnostics& diagnostics) {
  check(entry, node_table(), diagnostics);
  const View view(entry, node_table());
  Hardware hardware;
  hardware.name = view.text("name");
  hardware.summary = view.text("summary");
  hardware.count = view.integer("count");
  read_node_device(view, hardware, diagnostics);
  read_link(view.map("link"), hardware.device);
  check_link(view, hardware.count, diagnostics);
  read_host_memory(view, hardware);
  add_sources(view, "", hardware.sources, diagnostics);
  add_provenance(entry, node_table(), "", hardware.provenance);
  return hardware;
}

// A file without `kind` is judged by what it holds, so that the other faults in it can be told too.
bool describes_node(const Node& entry) {
  const Node* kind = entry.find("kind");
  if (kind != nullptr && kind->text() == "device") return false;
  return (kind != nullptr && kind->text() == "node") || entry.find("device") != nullptr;
}

}  // namespace

sim::Bandwidth Device::pin_bandwidth() const { return Pins{bus_bits, pin_bits_per_second}.bandwidth(); }

Precision Device::runs_as(Precision p) const {
  for (auto i = static_cast<std::size_t>(p); i < sim::precision_count; ++i) {
    if (!peak[i].is_zero()) return static_cast<Precision>(i);
  }
  return p;
}

Hardware read_hardware(const Node& entry, Diagnostics& diagnostics) {
  Hardware hardware = describes_node(entry) ? read_node(entry, diagnostics) : read_single(entry, diagnostics);
  check_sources(entry, hardware.provenance, hardware.sources, diagnostics);
  hardware.resolved = entry;
  return hardware;
}

}  // namespace kvtraffic::hardware
