// From a resolved memory file to a typed part, with what it leaves out derived.
// Leaves out the keys (memory_table.cpp) and the rules between them (memory_checks.cpp).
#include "hardware/spec/memory.hpp"

#include <algorithm>
#include <cmath>

#include "hardware/spec/memory_checks.hpp"

namespace kvtraffic::hardware {
namespace {

using hbm::Part;
using hbm::Timing;
using sim::Diagnostics;
using sim::Duration;
using sim::View;

Duration& length(Part& part, Timing timing) { return part.timings.length.at(static_cast<std::size_t>(timing)); }

int small(const View& view, std::string_view key) { return static_cast<int>(view.integer(key)); }

hbm::Geometry read_geometry(const View& view) {
  return {.stacks = small(view, "stacks"),
          .channels = small(view, "channels"),
          .pseudo_channels = small(view, "pseudo_channels"),
          .stack_ids = small(view, "stack_ids"),
          .bank_groups = small(view, "bank_groups"),
          .banks = small(view, "banks"),
          .rows = view.integer("rows"),
          .columns = small(view, "columns"),
          .transaction_bytes = static_cast<int>(view.bytes("transaction").count())};
}

int half_clocks(const View& view, std::string_view key) { return static_cast<int>(std::lround(view.number(key) * 2)); }

hbm::BusLengths read_bus(const View& view) {
  return {.activate = half_clocks(view, "activate"),
          .precharge = half_clocks(view, "precharge"),
          .refresh = half_clocks(view, "refresh"),
          .column = half_clocks(view, "column"),
          .precharge_on_falling_edge = view.flag("precharge_on_falling_edge")};
}

hbm::Refresh refresh_named(const std::string& name) {
  if (name == "none") return hbm::Refresh::none;
  return name == "all-bank" ? hbm::Refresh::all_bank : hbm::Refresh::per_bank;
}

hbm::Page page_named(const std::string& name) {
  if (name == "closed") return hbm::Page::closed;
  return name == "timeout" ? hbm::Page::timeout : hbm::Page::open;
}

hbm::ControllerSettings read_controller(const View& view) {
  return {.read_queue = small(view, "read_queue"),
          .write_queue = small(view, "write_queue"),
          .drain_above = view.number("drain_above"),
          .drain_below = view.number("drain_below"),
          .refresh = refresh_named(view.text("refresh")),
          .postponed = small(view, "postponed"),
          .page = page_named(view.text("page")),
          .page_timeout = view.duration("page_timeout"),
          .starvation = view.duration("starvation"),
          .write_age = view.duration("write_age"),
          .age_above = view.number("age_above")};
}

hbm::Energy read_energy(const View& view, Diagnostics& diagnostics) {
  return {.activate = picojoules(view, "activate", diagnostics),
          .read = picojoules(view, "read", diagnostics),
          .write = picojoules(view, "write", diagnostics),
          .refresh_bank = picojoules(view, "refresh_bank", diagnostics),
          .background_watts = watts(view, "background", diagnostics)};
}

void read_timings(const View& view, Part& part) {
  part.timings.clock = view.duration("clock");
  const View timing = view.map("timing");
  for (std::size_t i = 0; i < hbm::timing_count; ++i) {
    part.timings.length.at(i) = timing.duration(name_of(static_cast<Timing>(i)));
  }
}

// Counted in whole clocks, as Ramulator 2.1 does for HBM2: the last read data, two clocks for the bus to turn, then the
// first write data.
Duration read_to_write(const Part& part) {
  const auto cycles = [&](Timing timing) { return part.timings.cycles(timing); };
  const std::int64_t clocks = cycles(Timing::tCL) + cycles(Timing::tBL) + 2 - cycles(Timing::tCWL);
  return part.timings.clock * std::max<std::int64_t>(clocks, 0);
}

void derive(const View& timing, Part& part) {
  if (part.timings.clock <= Duration{}) return;  // refused already
  length(part, Timing::tCCDS) = std::max(length(part, Timing::tCCDS), length(part, Timing::tBL));
  if (!timing.has("tRTW")) length(part, Timing::tRTW) = read_to_write(part);
  const int banks = part.geometry.banks_of_pseudo_channel();
  if (timing.has("tREFIpb") || banks < 1) return;
  length(part, Timing::tREFIpb) = Duration::of_femtoseconds(length(part, Timing::tREFI).femtoseconds() / banks);
}

Part typed(const View& view, Diagnostics& diagnostics) {
  Part part;
  part.name = view.text("name");
  part.summary = view.text("summary");
  part.geometry = read_geometry(view.map("geometry"));
  part.bus = read_bus(view.map("command_bus"));
  part.controller = read_controller(view.map("controller"));
  part.energy = read_energy(view.map("energy"), diagnostics);
  part.map = view.text("map");
  read_timings(view, part);
  derive(view.map("timing"), part);
  return part;
}

}  // namespace

MemoryEntry read_memory(const sim::Node& entry, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.all().size();
  check(entry, memory_table(), diagnostics);
  const bool is_readable = diagnostics.all().size() == before;
  const View view(entry, memory_table());
  MemoryEntry result;
  result.part = typed(view, diagnostics);
  if (is_readable) check_memory(result.part, view, diagnostics);
  add_sources(view, "", result.sources, diagnostics);
  add_provenance(entry, memory_table(), "", result.provenance);
  check_sources(entry, result.provenance, result.sources, diagnostics);
  result.resolved = entry;
  return result;
}

}  // namespace kvtraffic::hardware
