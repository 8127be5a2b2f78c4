// Numbers that DRAM commands tell: what its time went into, what layers cost it, and how far off its windows may be.
// Leaves out the step's time itself (time.cpp) and bytes (traffic.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "scenarios/explain/derivation.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::time_text;

constexpr std::size_t most_mixes = 12;  // that are told one by one

std::string seconds_text(double seconds) {
  return fmt::format("{} s ({})", sim::exact_text(seconds), time_text(seconds));
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

// "98.4 % reads in streams, 1.6 % writes in pieces of 576 B"
std::string mix_text(const sim::ServedMix& mix) {
  std::string text;
  for (const sim::ServedShare& share : mix.shares) {
    const std::string how = share.piece == 0 ? "streams" : fmt::format("pieces of {} B", sim::with_commas(share.piece));
    text += fmt::format("{}{} {} in {}", text.empty() ? "" : ", ", percent(share.share),
                        share.write ? "writes" : "reads", how);
  }
  return text;
}

std::vector<sim::ServedMix> longest_first(const sim::DramTold& told) {
  std::vector<sim::ServedMix> mixes = told.mixes;
  std::ranges::stable_sort(mixes, std::greater<>(), &sim::ServedMix::seconds);
  return mixes;
}

// What windows were run of, for how long DRAM served it, and what they told.
void add_mixes(const sim::DramTold& told, Derivation& d) {
  const std::vector<sim::ServedMix> mixes = longest_first(told);
  for (std::size_t i = 0; i < std::min(mixes.size(), most_mixes); ++i) {
    const sim::ServedMix& mix = mixes[i];
    d.add_input(
        {fmt::format("{}, served for {}", mix_text(mix), time_text(mix.seconds)),
         fmt::format("{}, more or less {}, in {} windows",
                     sim::to_text(sim::Bandwidth::per_second(mix.bytes_per_second)), percent(mix.error), mix.windows),
         ""});
  }
  if (mixes.size() <= most_mixes) return;
  const double rest = std::accumulate(mixes.begin() + most_mixes, mixes.end(), 0.0,
                                      [](double sum, const sim::ServedMix& mix) { return sum + mix.seconds; });
  d.add_input({fmt::format("{} other mixes, served for", mixes.size() - most_mixes), time_text(rest), ""});
}

void add_part(const Evaluated& point, Derivation& d) {
  const hardware::Device& device = point.setup.hardware.device;
  d.add_input({fmt::format("memory.part of {}", device.name), device.memory_part,
               fmt::format("its timings and their sources: kvtraffic show memory {}", device.memory_part)});
}

void sampling_error(const Evaluated& point, Derivation& d) {
  const sim::DramTold& told = point.outcome.dram_told;
  d.value = sim::exact_text(point.result.time->sampling_error);
  if (told.mixes.empty()) {
    d.formula = "no time is derived from windows of DRAM commands";
    return;
  }
  d.formula =
      "how far the step's times lie apart at both ends of what windows of DRAM commands leave open, and in the middle "
      "/ "
      "seconds";
  d.terms.push_back(
      {"step with rates at their low end, and waits for refreshes and full queues", seconds_text(told.slow.seconds())});
  d.terms.push_back({"step with rates in the middle", seconds_text(point.outcome.total.seconds())});
  d.terms.push_back(
      {"step with rates at their high end, and no waits for the slowest channel", seconds_text(told.fast.seconds())});
  d.terms.push_back({fmt::format("{} apart / {}", seconds_text(told.left_open.seconds()),
                                 seconds_text(point.outcome.total.seconds())),
                     d.value});
  add_mixes(told, d);
  add_part(point, d);
}

double share_of(const sim::Timing& time, const std::string& cause) {
  const auto found = std::ranges::find(time.dram_time, cause, &std::pair<std::string, double>::first);
  return found == time.dram_time.end() ? -1 : found->second;
}

// What the cause with number `at` took of the time for which each mix was served.
void add_shares(const sim::DramTold& told, std::size_t at, Derivation& d) {
  const std::vector<sim::ServedMix> mixes = longest_first(told);
  double rest = 0;
  for (std::size_t i = 0; i < mixes.size(); ++i) {
    const double seconds = mixes[i].seconds * mixes[i].causes[at];
    if (i >= most_mixes) {
      rest += seconds;
      continue;
    }
    d.terms.push_back(
        {fmt::format("{} x {}: {}", time_text(mixes[i].seconds), percent(mixes[i].causes[at]), mix_text(mixes[i])),
         time_text(seconds)});
  }
  if (mixes.size() > most_mixes) {
    d.terms.push_back({fmt::format("{} other mixes", mixes.size() - most_mixes), time_text(rest)});
  }
}

void dram_time(const Evaluated& point, const std::string& cause, Derivation& d) {
  const double share = share_of(*point.result.time, cause);
  if (share < 0) return;
  const sim::DramTold& told = point.outcome.dram_told;
  const auto at = static_cast<std::size_t>(
      std::ranges::find(told.causes, cause, [](const auto& one) { return one.first; }) - told.causes.begin());
  const double whole = std::accumulate(told.causes.begin(), told.causes.end(), 0.0,
                                       [](double sum, const auto& one) { return sum + one.second; });
  d.formula = "time of the data buses that this cause took / time in which DRAM was at work, on the fullest device";
  add_shares(told, at, d);
  d.value = sim::exact_text(share);
  d.terms.push_back({fmt::format("{} of all / {}", time_text(told.causes[at].second), time_text(whole)), d.value});
  if (!told.mixes.empty()) {
    d.add_input(
        {"windows of these mixes: explain time.sampling_error", fmt::format("{} mixes", told.mixes.size()), ""});
  }
  add_part(point, d);
}

// Of a layer's operations by name.
void layer_seconds(const Evaluated& point, std::size_t layer, bool rows, Derivation& d) {
  if (layer >= point.result.layers.size()) return;
  const sim::LayerResult& its = point.result.layers[layer];
  const std::optional<double>& seconds = rows ? its.row_seconds : its.dram_seconds;
  if (!seconds) return;
  d.formula =
      rows ? "of the time that DRAM spent on the layer's bytes, what opening and closing rows, rates of activates, "
             "turnarounds and refreshes took"
           : "time that DRAM spent on the layer's bytes: operations that it serves at a time divide it";
  const sim::StepGraph& graph = point.lowered.graph;
  std::map<std::string, double> sums;
  for (std::size_t v = 0; v < graph.vertices().size(); ++v) {
    if (graph.vertices()[v].layer != static_cast<std::int32_t>(layer)) continue;
    const sim::DramSeconds& time = point.outcome.dram_told.vertices[v];
    sums[graph.operation_of(graph.vertices()[v]).name] += rows ? time.rows : time.all;
  }
  for (const auto& [name, sum] : sums) {
    if (sum > 0) d.terms.push_back({name, time_text(sum)});
  }
  d.value = seconds_text(*seconds);
  add_part(point, d);
}

}  // namespace

std::optional<Derivation> explain_dram(const Evaluated& point, const std::string& path) {
  if (!point.result.time) return std::nullopt;
  Derivation d;
  d.path = path;
  constexpr std::string_view dram_path = "time.dram_time.";
  if (path == "time.sampling_error") {
    sampling_error(point, d);
  } else if (path.starts_with(dram_path)) {
    dram_time(point, path.substr(dram_path.size()), d);
  } else if (const auto layer = number_in(path, "layers")) {
    const std::string field = path.substr(path.find(']') + 1);
    if (field == ".dram_seconds" || field == ".row_seconds") layer_seconds(point, *layer, field == ".row_seconds", d);
  }
  if (d.value.empty()) return std::nullopt;
  return d;
}

}  // namespace kvtraffic::scenarios
