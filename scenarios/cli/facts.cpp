// Reading an entry and counting what it declares.
// Leaves out the entry itself, which is shown beside its facts.
#include "scenarios/cli/facts.hpp"

#include <fmt/format.h>

#include "hardware/spec/hardware.hpp"
#include "hardware/spec/memory.hpp"
#include "models/lower/lower.hpp"
#include "models/lower/weights.hpp"
#include "models/spec/engine.hpp"
#include "models/spec/format.hpp"
#include "scenarios/cli/entry.hpp"
#include "sim/units/format.hpp"
#include "sim/units/parse.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Node;

Node text(std::string value) { return Node::scalar(std::move(value), {}, true); }
Node whole(std::int64_t value) { return Node::scalar(std::to_string(value)); }
Node number(double value) { return Node::scalar(sim::exact_text(value)); }

Node head(CatalogKind kind, const Node& entry) {
  Node facts = Node::map({});
  facts.set("kind", text(std::string(name_of(kind))));
  const Node* name = entry.find("name");
  if (name != nullptr) facts.set("name", text(name->text()));
  facts.set("summary", text(summary_of(entry)));
  return facts;
}

// Layers that follow each other and have one kind of attention, counted.
Node layer_runs(const models::Model& model) {
  std::vector<Node> runs;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    ++count;
    const models::Attention& attention = model.layers[i].attention;
    const bool is_last = i + 1 == model.layers.size();
    if (!is_last && model.layers[i + 1].attention.kind == attention.kind &&
        model.layers[i + 1].attention.mode == attention.mode &&
        model.layers[i + 1].attention.ratio == attention.ratio) {
      continue;
    }
    Node run = Node::map({});
    run.set("count", whole(count));
    run.set("attention", text(std::string(name_of(attention.kind))));
    const std::string mode(name_of(attention.mode));
    if (!mode.empty()) run.set("mode", text(mode));
    if (attention.ratio > 1) run.set("ratio", whole(attention.ratio));
    runs.push_back(std::move(run));
    count = 0;
  }
  return Node::list(std::move(runs));
}

// Growing bytes per token in every format that knows the model's caches.
Node growing(const models::Model& model, const Catalog& catalog, Diagnostics& diagnostics) {
  Node sizes = Node::map({});
  Diagnostics faults;
  const Node engine_entry = catalog.resolve(CatalogKind::engine, Node::scalar("reference"), "", faults);
  const models::Engine engine = models::read_engine(engine_entry, faults);
  for (const std::string& name : catalog.names(CatalogKind::format)) {
    const Node entry = catalog.resolve(CatalogKind::format, Node::scalar(name), "", faults);
    const models::CacheFormat format = models::read_format(entry, faults);
    Diagnostics misfits;
    models::check_family(format, model, {}, misfits);
    if (faults.has_errors() || misfits.has_errors()) continue;
    const models::Lowered lowered = models::lower_decode(model, format, engine.plan, {});
    sizes.set(name, number(lowered.demand.growing_bytes_per_token()));
  }
  diagnostics.append(faults);
  return sizes;
}

void add_model(const Node& entry, const Catalog& catalog, Node& facts, Diagnostics& diagnostics) {
  const models::Model model = models::read_model(entry, 0, diagnostics);
  if (diagnostics.has_errors()) return;
  const models::ParameterCount count = models::count_parameters(model);
  facts.set("total_parameters", whole(count.total));
  facts.set("active_parameters", whole(count.active));
  facts.set("active_parameters_prefill", whole(count.active_prefill));
  facts.set("engram_parameters", whole(count.engram));
  facts.set("max_positions", whole(model.max_positions));
  facts.set("main_layers", whole(model.main_layers));
  facts.set("draft_layers", whole(model.draft_layers));
  facts.set("cache", text(model.cache));
  facts.set("growing_bytes_per_token", growing(model, catalog, diagnostics));
  facts.set("layers", layer_runs(model));
}

void add_hardware(const Node& entry, Node& facts, Diagnostics& diagnostics) {
  const hardware::Hardware hardware = hardware::read_hardware(entry, diagnostics);
  if (diagnostics.has_errors()) return;
  const hardware::Device& device = hardware.device;
  facts.set("device", text(device.name));
  facts.set("devices", whole(hardware.count));
  facts.set("capacity_bytes_per_device", whole(device.capacity.count()));
  facts.set("pin_bandwidth_bytes_per_second", number(device.pin_bandwidth().per_second()));
  facts.set("published_bandwidth_bytes_per_second", number(device.published_bandwidth.per_second()));
  facts.set("l2_bytes", whole(device.l2_capacity.count()));
  facts.set("sms", whole(device.sms));
  facts.set("clock_hz", number(device.clock.per_second()));
  for (std::size_t i = 0; i < sim::precision_count; ++i) {
    if (device.peak[i].is_zero()) continue;
    facts.set(fmt::format("{}_flops", sim::precision_names[i]), number(device.peak[i].per_second()));
  }
}

// Lengths as the part has them, derived ones too, beside the clock cycles that a simulation counts.
Node timings_of(const hardware::hbm::Timings& timings) {
  std::vector<Node> rows;
  for (std::size_t i = 0; i < hardware::hbm::timing_count; ++i) {
    const auto timing = static_cast<hardware::hbm::Timing>(i);
    const sim::Duration length = timings.length.at(i);
    if (length == sim::Duration{}) continue;  // the part has no such rule
    Node row = Node::map({});
    row.set("timing", text(name_of(timing)));
    row.set("nanoseconds", number(static_cast<double>(length.femtoseconds()) / 1e6));
    row.set("cycles", whole(timings.cycles(timing)));
    rows.push_back(std::move(row));
  }
  return Node::list(std::move(rows));
}

void add_memory(const Node& entry, Node& facts, Diagnostics& diagnostics) {
  const hardware::hbm::Part part = hardware::read_memory(entry, diagnostics).part;
  if (diagnostics.has_errors()) return;
  facts.set("capacity_bytes", whole(part.geometry.capacity().count()));
  facts.set("peak_bytes_per_second", number(part.peak().per_second()));
  facts.set("clock_hz", number(part.clock_rate().per_second()));
  facts.set("channels", whole(part.geometry.all_channels()));
  facts.set("pseudo_channels_per_channel", whole(part.geometry.pseudo_channels));
  facts.set("banks_per_pseudo_channel", whole(part.geometry.banks_of_pseudo_channel()));
  facts.set("map", text(part.map));
  facts.set("timings", timings_of(part.timings));
}

void add_format(const Node& entry, Node& facts, Diagnostics& diagnostics) {
  const models::CacheFormat format = models::read_format(entry, diagnostics);
  std::vector<Node> families;
  for (const std::string& family : format.families()) families.push_back(text(family));
  facts.set("families", Node::list(std::move(families)));
}

// ---- for people ----

std::string on_one_line(const Node& node) {
  std::vector<std::string> parts;
  for (const Node& item : node.items()) parts.push_back(on_one_line(item));
  for (const Node::Member& member : node.members()) parts.push_back(member.key + " " + on_one_line(member.value));
  if (node.is_list() || node.is_map()) return fmt::format("{}", fmt::join(parts, ", "));
  const auto count = sim::parse_integer(node.text());
  return count && !node.quoted() ? sim::with_commas(*count) : node.text();
}

std::string words_of(std::string_view key) {
  std::string words(key);
  for (char& c : words) {
    if (c == '_') c = ' ';
  }
  return words;
}

}  // namespace

Node facts_about(CatalogKind kind, const Node& entry, const Catalog& catalog, Diagnostics& diagnostics) {
  Node facts = head(kind, entry);
  if (kind == CatalogKind::model) add_model(entry, catalog, facts, diagnostics);
  if (kind == CatalogKind::hardware) add_hardware(entry, facts, diagnostics);
  if (kind == CatalogKind::memory) add_memory(entry, facts, diagnostics);
  if (kind == CatalogKind::format) add_format(entry, facts, diagnostics);
  const bool is_counted = kind == CatalogKind::model || kind == CatalogKind::hardware || kind == CatalogKind::memory ||
                          kind == CatalogKind::format;
  if (!is_counted && kind != CatalogKind::scenario) read_entry(kind, entry, diagnostics);
  return facts;
}

std::string facts_text(const Node& facts) {
  std::string lines;
  for (const Node::Member& fact : facts.members()) {
    const bool has_rows = !fact.value.items().empty() && fact.value.items().front().is_map();
    if (!has_rows) {
      lines += fmt::format("{:<38}{}\n", words_of(fact.key), on_one_line(fact.value));
      continue;
    }
    lines += words_of(fact.key) + "\n";
    for (const Node& row : fact.value.items()) lines += fmt::format("  {}\n", on_one_line(row));
  }
  return lines;
}

}  // namespace kvtraffic::scenarios
