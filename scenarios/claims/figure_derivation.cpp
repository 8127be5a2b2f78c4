// Where the numbers that formulas refer to come from, in the words of `explain`.
// Leaves out the derivations themselves (scenarios/explain).
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "scenarios/claims/figures.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

std::string without_point(const Reference& reference) { return reference.text.substr(reference.point.size() + 1); }

bool has_direction(const Reference& reference) {
  const std::string& last = reference.steps.back().text;
  return last == "read" || last == "write";
}

// `path` with the list's index in place of the pattern.
std::string numbered(const std::string& path, std::size_t index) {
  const std::size_t open = path.find('['), close = path.find("\"]");
  if (open == std::string::npos || close == std::string::npos) return path;
  return fmt::format("{}[{}]{}", path.substr(0, open), index, path.substr(close + 2));
}

std::string cache_text(const sim::StoredCache& cache) {
  const std::string many =
      cache.ratio > 0 ? fmt::format("one entry every {} tokens", cache.ratio) : fmt::format("{} entries", cache.fixed);
  return fmt::format("    {}: {} layers, {}, {} B each [{}]\n", cache.name, cache.layers, many,
                     cache.layout.entry_bytes(), cache.layout.arithmetic);
}

}  // namespace

// The paths whose derivations together explain the number; empty where the room knows none.
std::vector<std::string> Figures::explained_paths(const Reference& reference) const {
  const std::string& root = reference.steps.front().text;
  std::string path = without_point(reference);
  if (root == "storage") return {path};
  const bool is_list = root == "layers" || root == "operations";
  const bool is_traffic = root == "traffic" || (is_list && path.find(".traffic.") != std::string::npos);
  if (!is_traffic) return {};
  if (is_list) path = numbered(path, chosen(reference.steps)->front());
  if (has_direction(reference)) return {path};
  return {path + ".read", path + ".write"};
}

std::string Figures::plain_derivation(const Reference& reference) const {
  const std::string& root = reference.steps.front().text;
  if (root == "caches") {
    std::string text = "  of the cache format:\n";
    const auto which = chosen(reference.steps);
    for (const std::size_t i : *which) text += cache_text(setup().lowered.demand.caches[i]);
    return text;
  }
  if (root == "parameters") {
    return fmt::format("  counted from the weights of {}, as `kvtraffic show model {}` lists them\n",
                       setup().model.name, setup().model.name);
  }
  if (root == "flops" || root == "operations") return "  2 x multiply-adds of the step's operations, by precision\n";
  if (root == "layers") {
    const std::size_t first = chosen(reference.steps)->front();
    return fmt::format("  layer {} of the model: {}\n", first, layer_names()[first]);
  }
  const std::string path = without_point(reference);
  if (root != "model") return "  of the point itself\n";
  const std::string source = source_text(setup().model.provenance, setup().model.sources, path.substr(root.size() + 1));
  return source.empty() ? "  of the model's entry\n" : fmt::format("  of the model's entry: {}\n", source);
}

std::string Figures::derivation(const Reference& reference) const {
  const auto values = at(reference);
  if (!values) return fmt::format("{}: {}\n", reference.text, values.error());
  const bool are_equal = std::ranges::all_of(*values, [&](double value) { return value == values->front(); });
  const double shown = are_equal ? values->front() : std::accumulate(values->begin(), values->end(), 0.0);
  std::string text = fmt::format("{} = {}", reference.text, sim::exact_text(shown));
  if (values->size() > 1) {
    text += are_equal ? fmt::format(", each of {}; the first:", values->size())
                      : fmt::format(", the sum of {}; the first:", values->size());
  }
  text += "\n";
  const Evaluated point{setup(),
                        evaluator_.lowered(),
                        result_,
                        evaluator_.tally(),
                        evaluator_.bound(),
                        evaluator_.outcome(),
                        evaluator_.saving_reason()};
  const std::vector<std::string> paths = explained_paths(reference);
  for (const std::string& path : paths) {
    auto found = explain_storage(point, path);
    if (!found) found = explain_traffic(point, path);
    if (found && (found->value != "0 B" || paths.size() == 1)) text += render(*found);
  }
  return paths.empty() ? text + plain_derivation(reference) : text;
}

}  // namespace kvtraffic::scenarios
