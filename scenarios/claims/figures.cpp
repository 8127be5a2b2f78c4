// From the steps of a path to numbers of the result, the graph and the model.
// Leaves out where those come from (figure_derivation.cpp).
#include "scenarios/claims/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reports/fields.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

using Found = tl::expected<std::vector<double>, std::string>;
using Number = tl::expected<double, std::string>;
using Steps = std::vector<PathStep>;

tl::unexpected<std::string> unknown(std::string_view what, std::string_view name,
                                    const std::vector<std::string>& known) {
  const std::string nearest = sim::nearest_name(name, known);
  return tl::unexpected(fmt::format("no {} is named {}; {}", what, sim::in_quotes(name),
                                    nearest.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                                                    : fmt::format("did you mean '{}'?", nearest)));
}

// The key at `i`, or "" where the path ends or holds an index.
std::string_view key_at(const Steps& steps, std::size_t i) {
  return i < steps.size() && steps[i].kind == PathStep::Kind::key ? std::string_view(steps[i].text) : "";
}

template <std::size_t size>
std::vector<std::string> texts(const std::array<std::string_view, size>& names) {
  return {names.begin(), names.end()};
}

// ---- traffic and arithmetic: of the step, a layer or an operation ----

// `steps[at]` is the level.
Number traffic_figure(const sim::Traffic& traffic, const Steps& steps, std::size_t at) {
  const auto level = std::ranges::find(sim::level_names, key_at(steps, at));
  if (level == sim::level_names.end()) return unknown("level", key_at(steps, at), texts(sim::level_names));
  const auto kind = std::ranges::find(sim::kind_names, key_at(steps, at + 1));
  if (kind == sim::kind_names.end()) return unknown("kind of data", key_at(steps, at + 1), texts(sim::kind_names));
  const sim::ReadWrite& cell = traffic.at(static_cast<sim::Level>(level - sim::level_names.begin()),
                                          static_cast<sim::DataKind>(kind - sim::kind_names.begin()));
  if (steps.size() == at + 2) return static_cast<double>(cell.total());
  const std::string_view direction = key_at(steps, at + 2);
  if (steps.size() > at + 3 || (direction != "read" && direction != "write")) {
    return unknown("direction", direction, {"read", "write"});
  }
  return static_cast<double>(direction == "read" ? cell.read : cell.write);
}

Number flops_figure(const std::array<double, sim::precision_count>& flops, const Steps& steps, std::size_t at) {
  const std::string_view name = key_at(steps, at);
  std::vector<std::string> known = texts(sim::precision_names);
  known.emplace_back("total");
  if (steps.size() != at + 1) return unknown("precision", name, known);
  if (name == "total") return std::accumulate(flops.begin(), flops.end(), 0.0);
  const auto precision = sim::precision_named(name);
  if (!precision) return unknown("precision", name, known);
  return flops[static_cast<std::size_t>(*precision)];
}

// ---- storage, parameters, the model's own keys ----

Number storage_figure(const sim::Storage& storage, std::string_view name) {
  if (name == reports::growing_name) return storage.growing_bytes_per_token;
  std::vector<std::string> known{std::string(reports::growing_name)};
  for (const reports::StorageField& field : reports::storage_fields) {
    if (field.name == name) return static_cast<double>(storage.*field.value);
    known.emplace_back(field.name);
  }
  return unknown("storage field", name, known);
}

Number parameter_figure(const models::ParameterCount& count, std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::int64_t models::ParameterCount::*>, 5> fields{
      {{"total", &models::ParameterCount::total},
       {"active", &models::ParameterCount::active},
       {"active_prefill", &models::ParameterCount::active_prefill},
       {"engram", &models::ParameterCount::engram},
       {"draft", &models::ParameterCount::draft}}};
  std::vector<std::string> known;
  for (const auto& [field, value] : fields) {
    if (field == name) return static_cast<double>(count.*value);
    known.emplace_back(field);
  }
  return unknown("number of parameters", name, known);
}

// A value as its entry writes it: "1M", "512", or {value: 512, source: ...}.
Number written_number(const sim::Node& node) {
  const sim::Node* value = node.is_map() ? node.find("value") : &node;
  if (value == nullptr || !value->is_scalar()) return tl::unexpected(std::string("is no number"));
  if (const auto tokens = sim::parse_tokens(value->text())) return static_cast<double>(*tokens);
  const auto number = sim::parse_number(value->text());
  if (!number) return tl::unexpected(fmt::format("is no number: {}", sim::in_quotes(value->text())));
  return *number;
}

Number model_figure(const sim::Node& entry, const Steps& steps) {
  const sim::Node* node = &entry;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const sim::Node* next = node->find(key_at(steps, i));
    if (next == nullptr) {
      std::vector<std::string> known;
      for (const sim::Node::Member& member : node->members()) known.push_back(member.key);
      return unknown("key of the model", key_at(steps, i), known);
    }
    node = next;
  }
  return written_number(*node);
}

Number cache_figure(const sim::StoredCache& cache, std::string_view name) {
  if (name == "layers") return static_cast<double>(cache.layers);
  if (name == "ratio") return static_cast<double>(cache.ratio);
  if (name == "entries") return static_cast<double>(cache.fixed);
  if (name == "entry_bytes") return static_cast<double>(cache.layout.entry_bytes());
  return unknown("field of a cache", name, {"layers", "ratio", "entries", "entry_bytes"});
}

Found one(const Number& number) {
  if (!number) return tl::unexpected(number.error());
  return std::vector<double>{*number};
}

// What count() counts.
Found each_one(const std::vector<std::size_t>& which) { return std::vector<double>(which.size(), 1.0); }

std::vector<std::string> each_once(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    if (std::ranges::find(result, name) == result.end()) result.push_back(name);
  }
  return result;
}

}  // namespace

Figures::Figures(const std::shared_ptr<const Setup>& setup, std::int64_t batch, std::int64_t context)
    : evaluator_(setup), result_(evaluator_.evaluate(batch, context, {.layers = true, .operations = true})) {}

std::vector<std::string> Figures::layer_names() const {
  std::vector<std::string> names;
  for (const models::Layer& layer : setup().model.layers) {
    const std::string_view mode = name_of(layer.attention.mode);
    names.push_back(fmt::format("{} {}{}{}", layer.side == models::Side::encoder ? "encoder" : "decoder",
                                name_of(layer.attention.kind), mode.empty() ? "" : " ", mode));
  }
  return names;
}

std::vector<std::string> Figures::operation_names() const {
  const sim::StepGraph& graph = setup().lowered.graph;
  std::vector<std::string> names;
  for (const std::uint32_t v : graph.order()) names.push_back(graph.operation_of(graph.vertices()[v]).name);
  return names;
}

std::vector<std::string> Figures::cache_names() const {
  std::vector<std::string> names;
  for (const sim::StoredCache& cache : setup().lowered.demand.caches) {
    names.push_back(cache.ratio > 0 ? fmt::format("{} 1/{}", cache.name, cache.ratio) : cache.name);
  }
  return names;
}

// Which items of the list `steps[0]` the index `steps[1]` chooses; at least one.
tl::expected<std::vector<std::size_t>, std::string> Figures::chosen(const Steps& steps) const {
  const std::string_view list = key_at(steps, 0);
  const std::vector<std::string> names = list == "layers"       ? layer_names()
                                         : list == "operations" ? operation_names()
                                                                : cache_names();
  if (steps.size() < 2 || steps[1].kind == PathStep::Kind::key) {
    return tl::unexpected(fmt::format("say which: {0}[0] to {0}[{1}], or {0}[\"pattern\"]", list, names.size() - 1));
  }
  if (steps[1].kind == PathStep::Kind::number) {
    if (steps[1].number < names.size()) return std::vector{steps[1].number};
    return tl::unexpected(fmt::format("there are {}, so the last is {}[{}]", names.size(), list, names.size() - 1));
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (fits_pattern(names[i], steps[1].text)) found.push_back(i);
  }
  if (!found.empty()) return found;
  return tl::unexpected(
      fmt::format("nothing fits {}; there are {}", sim::in_quotes(steps[1].text), fmt::join(each_once(names), ", ")));
}

Figures::Found Figures::of_layers(const Steps& steps) const {
  const auto which = chosen(steps);
  if (!which) return tl::unexpected(which.error());
  std::vector<double> values;
  if (steps.size() == 2) return each_one(*which);
  for (const std::size_t i : *which) {
    if (key_at(steps, 2) != "traffic") return unknown("part of a layer", key_at(steps, 2), {"traffic"});
    const Number value = traffic_figure(result_.layers[i].traffic, steps, 3);
    if (!value) return tl::unexpected(value.error());
    values.push_back(*value);
  }
  return values;
}

Figures::Found Figures::of_operations(const Steps& steps) const {
  const auto which = chosen(steps);
  if (!which) return tl::unexpected(which.error());
  if (steps.size() == 2) return each_one(*which);
  const sim::StepGraph& graph = setup().lowered.graph;
  std::vector<double> values;
  for (const std::size_t i : *which) {
    const std::uint32_t operation = graph.vertices()[graph.order()[i]].operation;
    const std::string_view part = key_at(steps, 2);
    if (part != "traffic" && part != "flops") return unknown("part of an operation", part, {"traffic", "flops"});
    const Number value = part == "traffic"
                             ? traffic_figure(result_.operations[i].traffic, steps, 3)
                             : flops_figure(evaluator_.tally().operations[operation].flops_total, steps, 3);
    if (!value) return tl::unexpected(value.error());
    values.push_back(*value);
  }
  return values;
}

Figures::Found Figures::of_caches(const Steps& steps) const {
  const auto which = chosen(steps);
  if (!which) return tl::unexpected(which.error());
  if (steps.size() == 2) return each_one(*which);
  std::vector<double> values;
  for (const std::size_t i : *which) {
    const Number value = cache_figure(setup().lowered.demand.caches[i], steps.size() == 3 ? key_at(steps, 2) : "");
    if (!value) return tl::unexpected(value.error());
    values.push_back(*value);
  }
  return values;
}

Figures::Found Figures::scalar(const Steps& steps) const {
  const std::string_view root = key_at(steps, 0);
  if (root == "model") return one(model_figure(setup().model.resolved, steps));
  if (root == "traffic") return one(traffic_figure(*result_.traffic, steps, 1));
  if (root == "flops") return one(flops_figure(result_.flops, steps, 1));
  const sim::Point& point = evaluator_.tally().point;
  if (root == "batch" && steps.size() == 1) return std::vector{static_cast<double>(point.batch)};
  if (root == "context" && steps.size() == 1) return std::vector{static_cast<double>(point.context)};
  const std::string_view field = steps.size() == 2 ? key_at(steps, 1) : "";
  if (root == "storage") return one(storage_figure(*result_.storage, field));
  if (root == "parameters") return one(parameter_figure(setup().lowered.parameters, field));
  return tl::unexpected(fmt::format("is no number of a point; there are {}", figure_paths));
}

Figures::Found Figures::at(const Reference& reference) const {
  if (result_.status == sim::Status::failed) return tl::unexpected("the point failed: " + result_.reason);
  const std::string_view root = key_at(reference.steps, 0);
  if (root == "layers") return of_layers(reference.steps);
  if (root == "operations") return of_operations(reference.steps);
  if (root == "caches") return of_caches(reference.steps);
  return scalar(reference.steps);
}

}  // namespace kvtraffic::scenarios
