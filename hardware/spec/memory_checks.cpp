// The rules themselves: powers of two for address maps, queues that can drain, refreshes that keep up.
// Leaves out faults of a single key (memory_table.cpp, sim/config).
#include "hardware/spec/memory_checks.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "hardware/hbm/address_map.hpp"
#include "sim/units/format.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::hardware {
namespace {

using hbm::Part;
using hbm::Timing;
using sim::Diagnostics;
using sim::View;

constexpr int most_banks = 64;  // a refresh and a queue keep a bank set in one word

// ---- energy and power ----

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array<Unit, 3> energies{{{"fJ", 1e-3}, {"pJ", 1}, {"nJ", 1e3}}};
constexpr std::array<Unit, 2> powers{{{"mW", 1e-3}, {"W", 1}}};

std::optional<double> measured(std::string_view text, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    std::string_view digits = text.substr(0, text.size() - unit.name.size());
    while (digits.ends_with(' ')) digits.remove_suffix(1);
    const sim::Parsed<double> number = sim::parse_number(digits);
    if (number && *number >= 0) return *number * unit.factor;
  }
  return std::nullopt;
}

double in_units(const View& energy, std::string_view key, std::span<const Unit> units, std::string_view expected,
                Diagnostics& diagnostics) {
  const std::string text = energy.text(key);
  if (text.empty()) return 0;
  const std::optional<double> value = measured(text, units);
  constexpr double most = 1e9;  // picojoules or watts: a millijoule for one command
  if (value && *value <= most) return *value;
  const char* fault = value ? "{} is more than any part needs" : "{} cannot be read";
  diagnostics.error(energy.mark(key), fmt::format("energy.{}", key),
                    fmt::format(fmt::runtime(fault), sim::in_quotes(text)), std::string(expected));
  return 0;
}

// ---- geometry ----

void check_powers_of_two(const View& geometry, Diagnostics& diagnostics) {
  for (const std::string_view key : {"channels", "pseudo_channels", "stack_ids", "bank_groups", "banks", "columns"}) {
    const std::int64_t count = geometry.integer(key);
    if (std::has_single_bit(static_cast<std::uint64_t>(count))) continue;
    diagnostics.error(geometry.mark(key), fmt::format("geometry.{}", key), fmt::format("{} is no power of two", count),
                      "a power of two: an address map takes whole bits for it");
  }
  const std::int64_t bytes = geometry.bytes("transaction").count();
  if (std::has_single_bit(static_cast<std::uint64_t>(bytes))) return;
  diagnostics.error(geometry.mark("transaction"), "geometry.transaction", fmt::format("{} B is no power of two", bytes),
                    "such as 32 B");
}

void check_banks(const hbm::Geometry& counts, const View& geometry, Diagnostics& diagnostics) {
  if (counts.banks_of_pseudo_channel() <= most_banks) return;
  diagnostics.error(geometry.mark("banks"), "geometry.banks",
                    fmt::format("{} stack IDs x {} bank groups x {} banks are {} banks of a pseudo-channel",
                                counts.stack_ids, counts.bank_groups, counts.banks, counts.banks_of_pseudo_channel()),
                    fmt::format("at most {}", most_banks));
}

void check_map(const Part& part, const View& view, Diagnostics& diagnostics) {
  const std::optional<hbm::MapSpec> map = hbm::find_map(part.map);
  if (!map) {
    const std::vector<std::string> known = hbm::map_names();
    diagnostics.error(view.mark("map"), "map", fmt::format("no address map is named {}", sim::in_quotes(part.map)),
                      fmt::format("one of {}", fmt::join(known, ", ")), sim::nearest_name(part.map, known));
    return;
  }
  try {
    static_cast<void>(hbm::AddressMap(*map, part.geometry));
  } catch (const std::invalid_argument& misfit) {
    diagnostics.error(view.mark("map"), "map", misfit.what(), "a map that fits the geometry");
  }
}

// ---- command bus and controller ----

void check_half_clocks(const View& bus, Diagnostics& diagnostics) {
  for (const std::string_view key : {"activate", "precharge", "refresh", "column"}) {
    const double halves = bus.number(key) * 2;
    if (halves == std::floor(halves)) continue;
    diagnostics.error(bus.mark(key), fmt::format("command_bus.{}", key),
                      fmt::format("{} clock cycles are no multiple of 0.5", sim::exact_text(bus.number(key))),
                      "half clock cycles: commands start at clock edges");
  }
}

void check_controller(const hbm::ControllerSettings& settings, const View& controller, Diagnostics& diagnostics) {
  if (settings.drain_below > settings.drain_above) {
    diagnostics.error(controller.mark("drain_below"), "controller.drain_below",
                      fmt::format("{} is above drain_above, {}: writes would never stop being drained",
                                  sim::exact_text(settings.drain_below), sim::exact_text(settings.drain_above)),
                      "at most controller.drain_above");
  }
  if (settings.page == hbm::Page::timeout && settings.page_timeout <= sim::Duration{}) {
    diagnostics.error(controller.mark("page_timeout"), "controller.page_timeout", "page: timeout needs a time",
                      "a time above zero, or page: closed");
  }
}

// ---- refresh ----

class RefreshCheck {
 public:
  RefreshCheck(const Part& part, const View& timing, Diagnostics& diagnostics)
      : part_(part), timing_(timing), diagnostics_(diagnostics) {}

  void run() const {
    check_single_bank();
    if (part_.controller.refresh == hbm::Refresh::all_bank) check_all_bank();
    if (part_.controller.refresh == hbm::Refresh::per_bank) check_per_bank();
  }

 private:
  [[nodiscard]] std::int64_t cycles(Timing timing) const { return part_.timings.cycles(timing); }
  [[nodiscard]] bool has(Timing timing) const { return cycles(timing) > 0; }

  void fault(Timing timing, std::string message, std::string expected) const {
    diagnostics_.error(timing_.mark(name_of(timing)), fmt::format("timing.{}", name_of(timing)), std::move(message),
                       std::move(expected));
  }

  void check_single_bank() const {
    if (!has(Timing::tRFCab) || cycles(Timing::tRFCpb) <= cycles(Timing::tRFCab)) return;
    fault(Timing::tRFCpb,
          fmt::format("{} cycles for one bank are more than tRFCab, {} for all of them", cycles(Timing::tRFCpb),
                      cycles(Timing::tRFCab)),
          "at most timing.tRFCab");
  }

  [[nodiscard]] bool needs(std::string_view policy, std::initializer_list<Timing> timings) const {
    bool has_all = true;
    for (const Timing timing : timings) {
      if (has(timing)) continue;
      has_all = false;
      fault(timing, fmt::format("is missing: controller.refresh is {}", policy), "its time, or refresh: none");
    }
    return has_all;
  }

  void check_all_bank() const {
    if (!needs("all-bank", {Timing::tRFCab, Timing::tREFI})) return;
    if (cycles(Timing::tRFCab) < cycles(Timing::tREFI)) return;
    fault(Timing::tREFI,
          fmt::format("a refresh every {} cycles that takes {} leaves no time for anything else", cycles(Timing::tREFI),
                      cycles(Timing::tRFCab)),
          "more than timing.tRFCab");
  }

  // Each bank comes once in a round of the pseudo-channel's banks.
  void check_per_bank() const {
    if (!needs("per-bank", {Timing::tRFCpb, Timing::tREFIpb})) return;
    if (cycles(Timing::tREFIpb) < cycles(Timing::tRREFD)) {
      fault(Timing::tREFIpb,
            fmt::format("refreshes every {} cycles come faster than tRREFD, {}, lets them", cycles(Timing::tREFIpb),
                        cycles(Timing::tRREFD)),
            "at least timing.tRREFD");
    }
    const std::int64_t round = cycles(Timing::tREFIpb) * part_.geometry.banks_of_pseudo_channel();
    if (cycles(Timing::tRFCpb) < round) return;
    fault(Timing::tRFCpb,
          fmt::format("{} cycles for a bank that is refreshed every {} leave no time for anything else",
                      cycles(Timing::tRFCpb), round),
          "less than timing.tREFIpb x banks of a pseudo-channel");
  }

  const Part& part_;
  const View& timing_;
  Diagnostics& diagnostics_;
};

}  // namespace

double picojoules(const View& energy, std::string_view key, Diagnostics& diagnostics) {
  return in_units(energy, key, energies, "an energy such as 909 pJ (fJ, pJ, nJ)", diagnostics);
}

double watts(const View& energy, std::string_view key, Diagnostics& diagnostics) {
  return in_units(energy, key, powers, "a power such as 2.5 W (mW, W)", diagnostics);
}

void check_memory(const Part& part, const View& view, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.all().size();
  check_powers_of_two(view.map("geometry"), diagnostics);
  check_banks(part.geometry, view.map("geometry"), diagnostics);
  if (diagnostics.all().size() == before) check_map(part, view, diagnostics);
  check_half_clocks(view.map("command_bus"), diagnostics);
  check_controller(part.controller, view.map("controller"), diagnostics);
  RefreshCheck(part, view.map("timing"), diagnostics).run();
}

}  // namespace kvtraffic::hardware
