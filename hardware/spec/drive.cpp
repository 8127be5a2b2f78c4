// The keys of a drive file, and from them to a typed Drive.
// Leaves out finding drives by name.
#include "hardware/spec/drive.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "hardware/spec/rows.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::Diagnostics;
using sim::Field;
using sim::Table;
using sim::Type;
using sim::View;

constexpr std::array<std::string_view, 1> kinds{"drive"};
constexpr double block_bytes = 4096;  // of a random access, as makers print IOPS
constexpr double one_femtosecond = 1;

constexpr Field above_zero(std::string_view name, std::string_view help) {
  return {.name = name, .type = Type::number, .help = help, .min = 1e-300};
}

constexpr Field iops = rows::optional(
    rows::positive("iops", Type::number, "Random accesses of 4,096 bytes per second with a deep queue."));
constexpr Field latency{.name = "latency",
                        .type = Type::duration,
                        .help = "Time of one random access of 4,096 bytes in an idle drive.",
                        .min = one_femtosecond};

constexpr std::array read_fields{
    rows::rate("bandwidth", Type::bandwidth, "Sequential reading with large blocks."),
    iops,
    latency,
};
constexpr Table read_table{.name = "read", .help = "Reading.", .fields = read_fields, .sourced = true};

constexpr std::array write_fields{
    rows::optional(rows::rate("bandwidth", Type::bandwidth, "Sequential writing with large blocks.")),
    iops,
    latency,
};
constexpr Table write_table{.name = "write", .help = "Writing.", .fields = write_fields, .sourced = true};

constexpr std::array capacity_fields{
    rows::optional(rows::positive("smallest", Type::bytes, "The smallest capacity that is sold.")),
    rows::optional(rows::positive("largest", Type::bytes, "The largest capacity that is sold.")),
};
constexpr Table capacity_table{
    .name = "capacity", .help = "Capacities that the model is sold in.", .fields = capacity_fields, .sourced = true};

constexpr std::array endurance_fields{
    above_zero("drive_writes_per_day", "Full writes of the drive per day over the warranty."),
    rows::optional(rows::positive("written", Type::bytes, "What may be written in all: 1.2 PB for 1,200 TBW.")),
};
constexpr Table endurance_table{.name = "endurance",
                                .help = "What may be written before it wears out.",
                                .fields = endurance_fields,
                                .sourced = true};

constexpr std::array power_fields{
    above_zero("active_watts", "Power while it reads or writes, in watts."),
    above_zero("idle_watts", "Power while it waits, in watts."),
};
constexpr Table power_table{.name = "power", .help = "Power.", .fields = power_fields, .sourced = true};

constexpr std::array drive_fields{
    rows::kind(kinds, "What the file describes: a drive."),
    rows::name("The drive's name, which is the file's."),
    rows::summary("One line for lists: maker, model, interface and sequential read rate."),
    rows::sources,
    rows::text("interface", "Generation and width of its port, such as PCIe 5 x4."),
    rows::optional(rows::text("media", "What stores the bits, such as TLC with 176 layers.")),
    rows::group(read_table, "Reading."),
    rows::group(write_table, "Writing; leave out what is not known.", false),
    rows::group(capacity_table, "Capacities that the model is sold in.", false),
    rows::group(endurance_table, "What may be written before it wears out.", false),
    rows::group(power_table, "Power.", false),
};
constexpr Table drive{.name = "drive",
                      .help = "One solid-state drive; what its maker does not print is left out.",
                      .fields = drive_fields,
                      .sourced = true};

DriveRates read_rates(const View& side) {
  return {side.bandwidth("bandwidth"), side.number("iops"), side.duration("latency")};
}

Drive typed(const View& view) {
  Drive result;
  result.name = view.text("name");
  result.summary = view.text("summary");
  result.interface = view.text("interface");
  result.media = view.text("media");
  result.read = read_rates(view.map("read"));
  result.write = read_rates(view.map("write"));
  result.smallest = view.map("capacity").bytes("smallest");
  result.largest = view.map("capacity").bytes("largest");
  result.writes_per_day = view.map("endurance").number("drive_writes_per_day");
  result.endurance = view.map("endurance").bytes("written");
  result.active_watts = view.map("power").number("active_watts");
  result.idle_watts = view.map("power").number("idle_watts");
  return result;
}

// Small blocks never move more bytes than large ones; IOPS of another block size, or in thousands, show here.
void check_blocks(const DriveRates& rates, const View& side, std::string_view path, Diagnostics& diagnostics) {
  if (rates.bandwidth.is_zero() || rates.iops * block_bytes <= rates.bandwidth.per_second()) return;
  diagnostics.error(
      side.mark("iops"), join(path, "iops"),
      fmt::format("{} blocks of 4,096 bytes are {}, more than {} with large blocks", sim::exact_text(rates.iops),
                  to_text(sim::Bandwidth::per_second(rates.iops * block_bytes)), to_text(rates.bandwidth)),
      "at most bandwidth / 4,096");
}

void check_capacity(const Drive& result, const View& capacity, Diagnostics& diagnostics) {
  if (result.smallest.count() <= 0 || result.largest.count() <= 0 || result.smallest <= result.largest) return;
  diagnostics.error(capacity.mark("smallest"), "capacity.smallest",
                    fmt::format("{} is above the largest, {}", to_text(result.smallest), to_text(result.largest)),
                    "at most capacity.largest");
}

void check_power(const Drive& result, const View& power, Diagnostics& diagnostics) {
  if (result.active_watts <= 0 || result.idle_watts <= result.active_watts) return;
  diagnostics.error(power.mark("idle_watts"), "power.idle_watts",
                    fmt::format("{} W is above the {} W of an active drive", sim::exact_text(result.idle_watts),
                                sim::exact_text(result.active_watts)),
                    "at most power.active_watts");
}

}  // namespace

const Table& drive_table() { return drive; }

Drive read_drive(const sim::Node& entry, Diagnostics& diagnostics) {
  check(entry, drive_table(), diagnostics);
  const View view(entry, drive_table());
  Drive result = typed(view);
  check_blocks(result.read, view.map("read"), "read", diagnostics);
  check_blocks(result.write, view.map("write"), "write", diagnostics);
  check_capacity(result, view.map("capacity"), diagnostics);
  check_power(result, view.map("power"), diagnostics);
  add_sources(view, "", result.sources, diagnostics);
  add_provenance(entry, drive_table(), "", result.provenance);
  check_sources(entry, result.provenance, result.sources, diagnostics);
  return result;
}

}  // namespace kvtraffic::hardware
