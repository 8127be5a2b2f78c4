// The keys of a host file, and from them to a typed Host.
// Leaves out finding hosts by name.
#include "hardware/spec/host.hpp"

#include <array>
#include <string_view>

#include "hardware/spec/rows.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::Table;
using sim::Type;

constexpr std::array<std::string_view, 1> kinds{"host"};

constexpr std::int64_t most = 1024;  // more channels, or pins in one, no socket has

constexpr sim::Field few(std::string_view name, std::string_view help) {
  return {.name = name, .type = Type::integer, .help = help, .required = true, .min = 1, .max = most};
}

constexpr std::array memory_fields{
    rows::text("type", "The memory standard, such as DDR5."),
    few("channels", "Memory channels of one socket."),
    few("channel_width", "Data pins of one channel, in bits, without those for correction."),
    rows::rate("pin_rate", Type::bandwidth, "Data rate of one pin: 4.8 Gbit/s for DDR5-4800."),
    rows::rate(
        "bandwidth", Type::bandwidth,
        "Bandwidth of one socket as the maker prints it; within 2.5 % of channels x channel_width x pin_rate / 8."),
    rows::positive("capacity", Type::bytes, "What is installed at one socket."),
    rows::share("efficiency", "Share of channels x channel_width x pin_rate / 8 that a large copy reaches."),
    rows::duration("latency", "Load-to-use time of an idle host, from a core to the memory of its own socket."),
};
constexpr Table memory_table{
    .name = "memory", .help = "The memory of one socket.", .fields = memory_fields, .sourced = true};

constexpr std::array host_fields{
    rows::kind(kinds, "What the file describes: a host."),
    rows::name("The host's name, which is the file's."),
    rows::summary("One line for lists: maker, sockets, memory and bandwidth."),
    rows::sources,
    rows::positive("sockets", Type::integer, "Processors with a memory of their own."),
    rows::optional(rows::positive("cores", Type::integer, "Cores of one socket.")),
    rows::group(memory_table, "The memory of one socket."),
};
constexpr Table host{.name = "host",
                     .help = "The processors beside the devices, and their memory.",
                     .fields = host_fields,
                     .sourced = true};

void read_memory(const sim::View& memory, Host& result) {
  result.memory = memory.text("type");
  result.channels = memory.integer("channels");
  result.channel_bits = memory.integer("channel_width");
  result.pin_bits_per_second = memory.bandwidth("pin_rate").per_second() * 8;
  result.published_bandwidth = memory.bandwidth("bandwidth");
  result.capacity = memory.bytes("capacity");
  result.efficiency = memory.number("efficiency");
  result.latency = memory.duration("latency");
}

// What the table refused stays out of the product, which could wrap.
Pins pins_of(const Host& result) {
  if (result.channels > most || result.channel_bits > most) return {};
  return {result.channels * result.channel_bits, result.pin_bits_per_second};
}

}  // namespace

sim::Bandwidth Host::pin_bandwidth() const { return pins_of(*this).bandwidth(); }

const Table& host_table() { return host; }

Host read_host(const sim::Node& entry, sim::Diagnostics& diagnostics) {
  check(entry, host_table(), diagnostics);
  const sim::View view(entry, host_table());
  Host result;
  result.name = view.text("name");
  result.summary = view.text("summary");
  result.sockets = view.integer("sockets");
  result.cores = view.integer("cores");
  read_memory(view.map("memory"), result);
  check_pins(pins_of(result), "channels x channel_width", view.map("memory"), "memory", diagnostics);
  add_sources(view, "", result.sources, diagnostics);
  add_provenance(entry, host_table(), "", result.provenance);
  check_sources(entry, result.provenance, result.sources, diagnostics);
  return result;
}

}  // namespace kvtraffic::hardware
