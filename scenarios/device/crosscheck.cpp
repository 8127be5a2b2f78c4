// Reading the recorded runs, and running them again.
// Leaves out what decides whether they agree: the rows carry their tolerance.
#include "scenarios/device/crosscheck.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "hardware/hbm/memory.hpp"
#include "hardware/hbm/reference_traces.hpp"
#include "scenarios/device/memory_part.hpp"
#include "scenarios/spec/folder.hpp"
#include "sim/config/io_error.hpp"
#include "sim/config/table.hpp"
#include "sim/config/yaml.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Field;
using sim::Table;
using sim::Type;
using sim::View;

constexpr std::string_view folder = "tests/crosscheck";
constexpr std::uint64_t seed = 1;
constexpr double most_cycles = 1e15;

constexpr std::array run_fields{
    Field{.name = "map", .type = Type::name, .help = "The address map.", .required = true},
    Field{.name = "refresh", .type = Type::name, .help = "The refresh policy.", .required = true},
    Field{.name = "trace", .type = Type::name, .help = "A reference trace.", .required = true},
    Field{.name = "cycles",
          .type = Type::integer,
          .help = "Clock cycles that the peer took.",
          .required = true,
          .min = 1,
          .max = most_cycles},
    Field{.name = "others",
          .type = Type::dictionary,
          .help = "Clock cycles of simulators that need not agree, by name.",
          .item = Type::integer},
};
constexpr Table run_table{.name = "run", .help = "One recorded run.", .fields = run_fields};

constexpr std::array file_fields{
    Field{.name = "peer", .type = Type::text, .help = "Whose cycles they are.", .required = true},
    Field{.name = "source", .type = Type::text, .help = "Where to find it.", .required = true},
    Field{.name = "part", .type = Type::name, .help = "The memory part.", .required = true},
    Field{.name = "settings",
          .type = Type::list,
          .help = "Settings of all runs, path=value.",
          .required = true,
          .item = Type::text},
    Field{.name = "scale", .type = Type::number, .help = "Of all traces.", .required = true, .min = 1e-6, .max = 1024},
    Field{.name = "wrap",
          .type = Type::flag,
          .help = "Whether addresses are taken modulo the capacity.",
          .fallback = "false"},
    Field{.name = "tolerance",
          .type = Type::ratio,
          .help = "How far ours may be from theirs.",
          .required = true,
          .min = 0,
          .max = 1},
    Field{.name = "runs",
          .type = Type::list,
          .help = "The recorded runs.",
          .required = true,
          .table = &run_table,
          .item = Type::map},
};
constexpr Table file_table{.name = "crosscheck", .help = "Recorded runs of one part.", .fields = file_fields};

Recorded recorded_run(const View& file, const View& run) {
  Recorded recorded;
  recorded.part = file.text("part");
  recorded.map = run.text("map");
  recorded.refresh = run.text("refresh");
  recorded.settings = file.texts("settings");
  recorded.settings.push_back("map=" + recorded.map);
  recorded.settings.push_back("controller.refresh=" + recorded.refresh);
  recorded.trace = run.text("trace");
  recorded.scale = file.number("scale");
  recorded.wrap = file.flag("wrap");
  recorded.peer = file.text("peer");
  recorded.cycles = run.integer("cycles");
  recorded.tolerance = file.number("tolerance");
  for (const sim::Node::Member& other : run.node("others").members()) {
    recorded.others.emplace_back(other.key, std::stoll(other.value.text()));
  }
  return recorded;
}

std::vector<std::string> recorded_files(const std::string& data) {
  const std::string there = fmt::format("{}/{}", data, folder);
  std::vector<std::string> files = files_in(there, ".yaml");
  if (files.empty()) throw sim::IoError(fmt::format("no recorded runs in {}", sim::in_quotes(there)));
  return files;
}

}  // namespace

double Compared::difference() const { return static_cast<double>(cycles) / static_cast<double>(recorded.cycles) - 1; }

bool Compared::is_inside() const {
  const auto theirs = static_cast<double>(recorded.cycles);
  return std::abs(static_cast<double>(cycles) - theirs) <= recorded.tolerance * theirs;
}

bool Compared::is_inside_span() const {
  std::int64_t least = recorded.cycles, most = recorded.cycles;
  for (const auto& [name, theirs] : recorded.others) {
    least = std::min(least, theirs);
    most = std::max(most, theirs);
  }
  const auto ours = static_cast<double>(cycles);
  return ours >= static_cast<double>(least) * (1 - recorded.tolerance) &&
         ours <= static_cast<double>(most) * (1 + recorded.tolerance);
}

std::vector<Recorded> read_crosscheck(const Catalog& catalog) {
  std::vector<Recorded> recorded;
  sim::Diagnostics faults;
  for (const std::string& path : recorded_files(catalog.folder())) {
    sim::Diagnostics own;
    const sim::Node node = sim::read_yaml_file(path, own);
    if (!own.has_errors()) check(node, file_table, own);
    faults.append(own);
    if (own.has_errors()) continue;
    const View file(node, file_table);
    for (const View& run : file.maps("runs")) recorded.push_back(recorded_run(file, run));
  }
  if (faults.has_errors()) throw sim::ConfigError(faults);
  return recorded;
}

Compared compare(const Recorded& recorded, const Catalog& catalog) {
  const hardware::hbm::Part part = choose_part(catalog, recorded.part, recorded.settings).part;
  const hardware::hbm::AddressSpace space{static_cast<std::uint64_t>(part.geometry.transaction_bytes),
                                          static_cast<std::uint64_t>(part.geometry.capacity().count()), recorded.wrap};
  const auto source = hardware::hbm::make_reference_trace(recorded.trace, recorded.scale, seed, space);
  return {recorded, run_memory(part, *source, {}).cycles()};
}

std::vector<Compared> compare(const std::vector<Recorded>& recorded, const Catalog& catalog, int jobs) {
  std::vector<Compared> compared(recorded.size());
  oneapi::tbb::task_arena arena(jobs);
  arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, recorded.size(),
                              [&](std::size_t i) { compared[i] = compare(recorded[i], catalog); });
  });
  return compared;
}

}  // namespace kvtraffic::scenarios
