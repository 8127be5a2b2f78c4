// What a device file and a node file may hold: one row per key, with the sentence that documents it.
// Leaves out rules between keys (hardware.cpp).
#include <array>
#include <string_view>

#include "hardware/spec/hardware.hpp"
#include "hardware/spec/rows.hpp"

namespace kvtraffic::hardware {
namespace {

using rows::duration;
using rows::group;
using rows::optional;
using rows::positive;
using rows::rate;
using rows::share;
using sim::Field;
using sim::Table;
using sim::Type;

// One choice list for both tables: the reader picks the table by `kind`, and a misspelt kind must be told both names.
constexpr std::array<std::string_view, 2> kinds{"device", "node"};

constexpr Field kind_field = rows::kind(kinds, "What the file describes: one device, or a node of equal devices.");
constexpr Field name_field = rows::name("The name that a scenario's `hardware:` uses.");
constexpr Field summary_field = rows::summary("One line for lists: maker, part, memory and bandwidth.");

constexpr std::array sm_fields{
    Field{.name = "count",
          .type = Type::integer,
          .help = "Streaming multiprocessors that a kernel can use.",
          .required = true,
          .min = 1,
          .max = 10000},
    rate("clock", Type::frequency, "The boost clock that the peak rates belong to, such as 1830 MHz."),
    rate("load_rate", Type::bandwidth, "Most bytes per second that one multiprocessor loads, from L2 or from memory."),
};
constexpr Table sm_table{.name = "sm", .help = "The streaming multiprocessors.", .fields = sm_fields, .sourced = true};

constexpr std::array precision_fields{
    rate("peak", Type::flop_rate, "Peak of the whole device, dense: half of a figure that counts 2:4 sparsity."),
    share("sustained", "Share of the peak that a long matrix multiplication reaches."),
};
constexpr Table precision_table{
    .name = "precision", .help = "One number format of the tensor units.", .fields = precision_fields, .sourced = true};

constexpr Field precision(std::string_view name, std::string_view help, bool required) {
  return {.name = name, .type = Type::map, .help = help, .required = required, .table = &precision_table};
}
constexpr std::array compute_fields{
    precision("fp4", "4-bit floating point; leave out where there is no such unit: the work then runs as fp8.", false),
    precision("fp8", "8-bit floating point; leave out where there is no such unit: the work then runs as bf16.", false),
    precision("bf16", "16-bit floating point, with 32-bit sums.", true),
    precision("fp32", "32-bit floating point outside the tensor units.", true),
};
constexpr Table compute_table{.name = "compute",
                              .help = "Arithmetic rates by number format; a narrower format is never slower.",
                              .fields = compute_fields,
                              .sourced = true};

constexpr std::array memory_fields{
    rows::text("type", "The memory standard, such as HBM3E."),
    Field{.name = "part",
          .type = Type::name,
          .help = "Its timings and controllers: a name of hardware/memories; leave out where none fits."},
    optional(positive("stacks", Type::integer, "Memory stacks on the package; leave out where the memory is no HBM."),
             "1"),
    Field{.name = "unified",
          .type = Type::flag,
          .help = "True where host and device share this memory; there is then no `host`.",
          .fallback = "false"},
    positive("bus_width", Type::integer, "Data pins of all stacks or chips together, in bits."),
    rate("pin_rate", Type::bandwidth, "Data rate of one pin, such as 6.25 Gbit/s."),
    rate("bandwidth", Type::bandwidth, "Bandwidth as the maker prints it; within 2.5 % of bus_width x pin_rate / 8."),
    positive("capacity", Type::bytes, "Capacity as the maker prints it, in decimal units: 141 GB is 141e9 bytes."),
    share("stream_efficiency", "Share of bus_width x pin_rate / 8 that a pure read stream reaches."),
    duration("latency", "Load-to-use time of an idle device for a load that misses L2."),
};
constexpr Table memory_table{.name = "memory", .help = "The device memory.", .fields = memory_fields, .sourced = true};

constexpr std::array l2_fields{
    positive("capacity", Type::bytes, "Capacity as the maker prints it."),
    Field{.name = "levels",
          .type = Type::integer,
          .help = "Caches that multiprocessors share on the way to memory; the other figures are of the last of them. "
                  "More than one: fidelity cycle is refused.",
          .fallback = "1",
          .min = 1,
          .max = 4},
    share("usable", "Share of the capacity that a working set may fill before it starts to miss."),
    rate("bandwidth", Type::bandwidth, "Read bandwidth from L2 to all multiprocessors together."),
    duration("latency", "Load-to-use time of a load that hits L2."),
    optional(share("flushed", "Share of what is usable that a flush by writing leaves dirty; absent: as on h800-sxm."),
             "0.66"),
    optional(share("written_back", "Bytes of dirty lines that a byte read puts out; absent: as on h800-sxm."), "0.32"),
};
constexpr Table l2_table{
    .name = "l2", .help = "The cache that all multiprocessors share.", .fields = l2_fields, .sourced = true};

constexpr std::array launch_fields{
    duration("gap", "Time between two kernels of a replayed graph."),
    optional(duration("stream_gap",
                      "Time that the host needs to launch one kernel on a stream; absent: as gap, so that a stream "
                      "costs nothing.")),
    duration("start", "Time inside a kernel before its first load: block launch and descriptor fetch."),
};
constexpr Table launch_table{
    .name = "launch", .help = "What a kernel costs before it does anything.", .fields = launch_fields, .sourced = true};

constexpr std::array host_fields{
    rate("bandwidth", Type::bandwidth, "Peak to or from host memory, one way, after line coding."),
    share("efficiency", "Share of that peak which a large copy reaches."),
    duration("latency", "Round trip to host memory as a kernel sees it."),
};
constexpr Table host_table{.name = "host",
                           .help = "The way to host memory: PCIe or a chip-to-chip link.",
                           .fields = host_fields,
                           .sourced = true};

constexpr std::array host_memory_fields{
    positive("capacity", Type::bytes, "What is installed in all hosts of the entry together."),
    rate("bandwidth", Type::bandwidth, "Peak of the memory of all hosts of the entry together."),
};
constexpr Table host_memory_table{.name = "host_memory",
                                  .help = "The memory of the hosts that the devices of the entry stand behind.",
                                  .fields = host_memory_fields,
                                  .sourced = true};

constexpr std::array link_fields{
    rate("bandwidth", Type::bandwidth,
         "Peak of all links of one device together, one way: half of a figure for both ways."),
    share("efficiency", "Share of that peak which a large copy between two devices reaches."),
    duration("all_reduce_floor", "Time of the smallest all-reduce over the devices of the node."),
    duration("all_to_all_floor", "Time of the smallest dispatch or combine of experts over the devices of the node."),
};
constexpr Table link_table{
    .name = "link", .help = "The scale-up link between the devices of a node.", .fields = link_fields, .sourced = true};

constexpr std::array node_link_fields{optional(link_fields[0]), optional(link_fields[1]), optional(link_fields[2]),
                                      optional(link_fields[3])};
constexpr Table node_link_table{.name = "node_link",
                                .help = "What differs in this node from the device's own `link`.",
                                .fields = node_link_fields,
                                .sourced = true};

constexpr std::array device_fields{
    kind_field,
    name_field,
    summary_field,
    Field{.name = "architecture",
          .type = Type::choice,
          .help = "The family whose kernels an engine's plan states; other: kernels cost bytes and arithmetic alone.",
          .fallback = "other",
          .choices = sim::architecture_names},
    rows::sources,
    group(sm_table, "The streaming multiprocessors."),
    group(compute_table, "Dense peak rates and what a long matrix multiplication sustains, by number format."),
    group(memory_table, "The device memory: geometry, rate, capacity and latency."),
    group(l2_table, "The cache that all multiprocessors share."),
    group(launch_table, "What a kernel costs before it does anything."),
    group(host_table, "The way to host memory: PCIe or a chip-to-chip link; none where memory.unified.", false),
    group(host_memory_table, "The host memory beside this device when it stands alone.", false),
    group(link_table, "The scale-up link between devices; leave out where there is none.", false),
};
constexpr Table device{.name = "device",
                       .help = "One accelerator: what it can do per second, how much it holds, how long it waits.",
                       .fields = device_fields,
                       .sourced = true};

constexpr std::array node_fields{
    kind_field,
    name_field,
    summary_field,
    rows::sources,
    Field{.name = "device",
          .type = Type::reference,
          .help = "The device: a name of the catalog, a file, or a map that extends one.",
          .required = true},
    positive("count", Type::integer, "Devices in the node, all in one scale-up domain."),
    group(host_memory_table, "The memory of the node's hosts together.", false),
    Field{.name = "link",
          .type = Type::map,
          .help = "Values that replace those of the device's `link` in this node.",
          .table = &node_link_table},
};
constexpr Table node{
    .name = "node", .help = "Equal devices in one scale-up domain.", .fields = node_fields, .sourced = true};

}  // namespace

const Table& device_table() { return device; }
const Table& node_table() { return node; }

}  // namespace kvtraffic::hardware
