// What a memory file may hold: one row per key, with the sentence that documents it.
// Leaves out rules between keys (memory_checks.cpp).
#include <array>
#include <string_view>

#include "hardware/spec/memory.hpp"
#include "hardware/spec/rows.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::Field;
using sim::Table;
using sim::Type;

constexpr double picosecond = 1e3;  // in femtoseconds, as all limits here
constexpr double microsecond = 1e9;
constexpr double second = 1e15;
constexpr double one_femtosecond = 1;

constexpr std::array<std::string_view, 1> kinds{"memory"};
constexpr std::array<std::string_view, 3> refreshes{"none", "all-bank", "per-bank"};
constexpr std::array<std::string_view, 3> pages{"open", "closed", "timeout"};

// Limits keep a capacity inside 64 bits; no part comes near them.
constexpr Field count(std::string_view name, std::string_view help, double most, std::string_view fallback = "") {
  return {.name = name,
          .type = Type::integer,
          .help = help,
          .required = fallback.empty(),
          .fallback = fallback,
          .min = 1,
          .max = most};
}

constexpr std::array geometry_fields{
    count("stacks", "Stacks of the device, all alike; they need not be a power of two.", 64, "1"),
    count("channels", "Channels of a stack; each has a controller of its own.", 64),
    count("pseudo_channels", "Pseudo-channels of a channel: they share its command buses, each has its own data pins.",
          2),
    count("stack_ids", "Ranks of dies (SID) that share a channel.", 16, "1"),
    count("bank_groups", "Bank groups of a pseudo-channel and stack ID.", 64),
    count("banks", "Banks of a bank group.", 64),
    count("rows", "Rows of a bank; they need not be a power of two.", 1 << 20),
    count("columns", "Transactions in a row of one pseudo-channel: 32 of 32 B in a page of 1 KiB.", 1024),
    Field{.name = "transaction",
          .type = Type::bytes,
          .help = "What one burst of a pseudo-channel moves.",
          .required = true,
          .min = 1,
          .max = 256},
};
constexpr Table geometry_table{
    .name = "geometry", .help = "How many of each, per parent.", .fields = geometry_fields, .sourced = true};

constexpr Field length(std::string_view name, std::string_view help) {
  return {.name = name, .type = Type::duration, .help = help, .min = 0, .max = second};
}
constexpr Field needed(std::string_view name, std::string_view help) {
  return {.name = name, .type = Type::duration, .help = help, .required = true, .min = one_femtosecond, .max = second};
}

constexpr std::array timing_fields{
    needed("tBL", "Time of one transaction on the data pins."),
    needed("tCL", "Read command to its first data."),
    needed("tCWL", "Write command to its first data."),
    needed("tRCDRD", "Activation to a read."),
    needed("tRCDWR", "Activation to a write."),
    needed("tRP", "Precharge to an activation of the same bank."),
    needed("tRAS", "Activation to the precharge of the same bank."),
    needed("tRC", "Activation to the next one of the same bank."),
    length("tCCDS", "Column command to the next one in another bank group; never below tBL."),
    length("tCCDL", "Column command to the next one in the same bank group."),
    length("tCCDR", "Column command to the next one of another stack ID."),
    length("tRRDS", "Activation to one in another bank group."),
    length("tRRDL", "Activation to one in the same bank group."),
    length("tFAW", "Window of at most four activations of a pseudo-channel."),
    length("tWTRS", "End of write data to a read in another bank group."),
    length("tWTRL", "End of write data to a read in the same bank group."),
    length("tRTW", "Read command to a write command; left out: tCL + tBL + 2 clocks - tCWL."),
    length("tWR", "End of write data to the precharge of the same bank."),
    length("tRTP", "Read command to the precharge of the same bank."),
    length("tPPD", "Precharge to the next precharge of a pseudo-channel."),
    length("tRFCab", "How long a refresh of all banks takes."),
    length("tRFCpb", "How long a refresh of one bank takes."),
    length("tRREFD", "Refresh of one bank to a refresh or activation of another."),
    length("tREFI", "Longest mean time between refreshes of all banks."),
    length("tREFIpb", "The same between refreshes of single banks; left out: tREFI / banks of a pseudo-channel."),
};
static_assert(timing_fields.size() == hbm::timing_count);
constexpr Table timing_table{.name = "timing",
                             .help = "Rules between commands; one that the part does not have is left out.",
                             .fields = timing_fields,
                             .sourced = true};

constexpr Field half_clocks(std::string_view name, std::string_view help, std::string_view fallback) {
  return {.name = name, .type = Type::number, .help = help, .fallback = fallback, .min = 0.5, .max = 16};
}
constexpr std::array command_bus_fields{
    half_clocks("activate", "Clock cycles that an activation holds the row bus: 1.5 in HBM3, 2 in HBM2.", "1.5"),
    half_clocks("precharge", "Clock cycles that a precharge holds the row bus: 0.5 in HBM3, 1 in HBM2.", "0.5"),
    half_clocks("refresh", "Clock cycles that a refresh command holds the row bus.", "0.5"),
    half_clocks("column", "Clock cycles that a read or write command holds the column bus.", "1"),
    Field{.name = "precharge_on_falling_edge",
          .type = Type::flag,
          .help = "Whether a precharge may start on a falling edge, as in HBM3.",
          .fallback = "true"},
};
constexpr Table command_bus_table{.name = "command_bus",
                                  .help = "Lengths of commands in clock cycles, multiples of 0.5.",
                                  .fields = command_bus_fields,
                                  .sourced = true};

constexpr Field fill(std::string_view name, std::string_view help, std::string_view fallback) {
  return {.name = name, .type = Type::ratio, .help = help, .fallback = fallback, .min = 0, .max = 1};
}
constexpr std::array controller_fields{
    count("read_queue", "Reads that wait in a channel, of both pseudo-channels together.", 16384, "128"),
    count("write_queue", "Writes that wait in a channel, of both pseudo-channels together.", 16384, "64"),
    fill("drain_above", "Writes go first when the write queue is fuller than this.", "0.8"),
    fill("drain_below", "They do until it is emptier than this and a read waits.", "0.2"),
    Field{.name = "refresh",
          .type = Type::choice,
          .help = "Banks are refreshed all together, one by one, or not at all.",
          .fallback = "per-bank",
          .choices = refreshes},
    Field{.name = "postponed",
          .type = Type::integer,
          .help = "Refresh intervals that a refresh may be late for traffic's sake; JEDEC allows 8.",
          .fallback = "0",
          .min = 0,
          .max = 64},
    Field{.name = "page",
          .type = Type::choice,
          .help = "What becomes of a row without waiting hits: it stays open, closes, or closes after page_timeout.",
          .fallback = "open",
          .choices = pages},
    Field{.name = "page_timeout",
          .type = Type::duration,
          .help = "Time after which such a row closes where page is timeout.",
          .fallback = "0 ns",
          .min = 0,
          .max = second},
    Field{
        .name = "starvation",
        .type = Type::duration,
        .help = "A request older than this stops younger row hits of its bank, and a drain of writes; 0 ns never does.",
        .fallback = "4 us",
        .min = 0,
        .max = second},
    Field{.name = "write_age",
          .type = Type::duration,
          .help = "Writes that waited so long while reads went first are drained; 0 ns never does.",
          .fallback = "0 ns",
          .min = 0,
          .max = second},
};
constexpr Table controller_table{.name = "controller",
                                 .help = "How the device's own controllers schedule; nothing of it is published.",
                                 .fields = controller_fields,
                                 .sourced = true};

constexpr std::array energy_fields{
    rows::optional(rows::text("activate", "One activation with its precharge, such as 909 pJ.")),
    rows::optional(rows::text("read", "One transaction from the array to the pins, such as 890 pJ.")),
    rows::optional(rows::text("write", "One transaction from the pins to the array, such as 890 pJ.")),
    rows::optional(rows::text("refresh_bank", "One refresh of one bank, such as 1.1 nJ.")),
    rows::optional(rows::text("background", "Power of one stack at rest, such as 2.5 W.")),
};
constexpr Table energy_table{.name = "energy",
                             .help = "Energy of commands (fJ, pJ, nJ) and power at rest (mW, W).",
                             .fields = energy_fields,
                             .sourced = true};

constexpr std::array memory_fields{
    rows::kind(kinds, "What the file describes: a memory part."),
    rows::name("The part's name, which is the file's."),
    rows::summary("One line for lists: standard, device, stacks and peak."),
    rows::sources,
    rows::group(geometry_table, "How many of each, per parent."),
    Field{.name = "clock",
          .type = Type::duration,
          .help = "tCK, the cycle that all lengths are rounded to.",
          .required = true,
          .min = 10 * picosecond,
          .max = microsecond},
    rows::group(timing_table, "Rules between commands; one that the part does not have is left out."),
    rows::group(command_bus_table, "Lengths of commands in clock cycles; those of HBM3 where left out.", false),
    rows::group(controller_table, "How the device's own controllers schedule.", false),
    Field{.name = "map",
          .type = Type::name,
          .help = "Which bits of an address name channel, bank, row and column: i256, i64, map-A and others.",
          .fallback = "i256"},
    rows::group(energy_table, "Energy of commands and power at rest; leave out what is not known.", false),
};
constexpr Table memory{.name = "memory",
                       .help = "One kind of stacked memory as a device carries it.",
                       .fields = memory_fields,
                       .sourced = true};

}  // namespace

const Table& memory_table() { return memory; }

}  // namespace kvtraffic::hardware
