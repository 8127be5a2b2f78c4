// Printing a derivation, and the inputs that several kinds of numbers share.
#include "scenarios/explain/derivation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {

void Derivation::add_input(Input input) {
  const auto same = [&input](const Input& known) { return known.name == input.name && known.value == input.value; };
  if (std::none_of(inputs.begin(), inputs.end(), same)) inputs.push_back(std::move(input));
}

std::string render(const Derivation& d) {
  std::string text = fmt::format("{} = {}\n  formula: {}\n", d.path, d.value, d.formula);
  if (!d.terms.empty()) text += "  arithmetic:\n";
  for (const Term& term : d.terms) text += fmt::format("    {} = {}\n", term.text, term.value);
  if (!d.inputs.empty()) text += "  inputs:\n";
  for (const Input& input : d.inputs) {
    text += fmt::format("    {} = {}", input.name, input.value);
    text += input.source.empty() ? "\n" : fmt::format("\n        {}\n", input.source);
  }
  return text;
}

std::optional<std::size_t> number_in(const std::string& path, std::string_view list) {
  if (path.rfind(fmt::format("{}[", list), 0) != 0) return std::nullopt;
  const std::string rest = path.substr(list.size() + 1);
  const std::size_t digits = rest.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string::npos || digits > 9 || rest[digits] != ']') return std::nullopt;
  return std::stoull(rest.substr(0, digits));
}

std::string source_text(const std::map<std::string, sim::Provenance>& provenance,
                        const std::map<std::string, std::string>& sources, const std::string& path) {
  const auto found = provenance.find(path);
  if (found == provenance.end()) return "";
  const auto address = sources.find(found->second.source);
  return fmt::format("{}; {}", found->second.certainty,
                     address == sources.end() ? found->second.source : address->second);
}

Input layout_input(const Setup& setup, const sim::Layout& layout) {
  const auto address = setup.format.sources.find(layout.source);
  std::string source = address == setup.format.sources.end() ? layout.source : address->second;
  if (!source.empty()) source = fmt::format("format '{}'; {}", setup.format.name, source);
  return {fmt::format("{} B, {}", sim::with_commas(layout.entry_bytes()), layout.name),
          layout.arithmetic.empty() ? fmt::format("{} B", layout.entry_bytes()) : layout.arithmetic, std::move(source)};
}

Input hardware_input(const Setup& setup, const std::string& path, std::string value) {
  const hardware::Hardware& h = setup.hardware;
  std::string source = source_text(h.provenance, h.sources, path);
  if (source.empty()) source = source_text(h.provenance, h.sources, "device." + path);
  return {fmt::format("{} of {}", path, h.device.name), std::move(value), std::move(source)};
}

namespace {

// What was drawn for each set of experts and span that operations ask for.
void add_drawn_inputs(const Evaluated& point, Derivation& d) {
  const sim::Tally& tally = point.tally;
  const auto& sets = point.lowered.graph.expert_sets();
  if (tally.drawn.empty()) return;
  const sim::Routing& routing = tally.point.routing;
  d.add_input(
      {"workload.routing, drawn", fmt::format("seed {}, skew {}", routing.seed, sim::exact_text(routing.skew)), ""});
  for (std::size_t i = 0; i < tally.drawn.size(); ++i) {
    const sim::ExpertLoad& load = tally.drawn[i];
    if (load.distinct.total == 0) continue;
    const sim::ExpertSet& set = sets[i % sets.size()];
    d.add_input({fmt::format("experts with tokens of set {}, {} tokens x {}", i % sets.size(),
                             sim::with_commas(tally.spans[i / sets.size()].tokens), set.active),
                 fmt::format("{} of {}; at most {} of them on a device, {} (token, expert) pairs and {} tiles of 64 "
                             "rows",
                             load.distinct.total, set.routed, load.distinct.device, sim::with_commas(load.pairs_device),
                             sim::with_commas(load.row_tiles_64)),
                 ""});
  }
}

}  // namespace

void add_scenario_inputs(const Evaluated& point, Derivation& d) {
  const sim::Tally& tally = point.tally;
  const sim::Deployment& where = tally.deployment;
  d.add_input({"N, workload.context", sim::with_commas(tally.point.context), ""});
  if (point.setup.scenario.phase == Phase::prefill) {
    d.add_input({"sequences, workload.batch", sim::with_commas(tally.point.batch), ""});
    d.add_input({"tokens, batch x (context - cached)", sim::with_commas(tally.tokens), ""});
  } else {
    d.add_input({"tokens, workload.batch", sim::with_commas(tally.tokens), ""});
  }
  d.add_input({"devices, tensor x data, expert",
               fmt::format("{}, {} x {}, {}", where.devices, where.tensor, where.data, where.expert), ""});
  add_drawn_inputs(point, d);
  if (tally.point.divisor > 1) {
    d.add_input(
        {"workload.position: mean", fmt::format("average over N = {} to {}", tally.point.first, tally.point.last), ""});
  }
}

}  // namespace kvtraffic::scenarios
