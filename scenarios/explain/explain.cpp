// Runs the point that a path names and asks the kinds of numbers in turn who can explain it.
#include "scenarios/explain/explain.hpp"

#include <fmt/format.h>

#include "scenarios/explain/derivation.hpp"
#include "scenarios/run/points.hpp"

namespace kvtraffic::scenarios {
namespace {

constexpr std::string_view known_paths =
    "storage.FIELD, traffic.LEVEL.KIND.read|write, time.FIELD, throughput.FIELD, layer_positions, "
    "flops.PRECISION, amplification[i].bytes, layers[i].seconds, layers[i].dram_seconds, layers[i].row_seconds, "
    "layers[i].traffic..., layers[i].amplification..., operations[i].seconds, "
    "operations[i].traffic...; 'run --format json' shows every path of a "
    "result";

[[noreturn]] void refuse(const std::string& path, std::string message, std::string expected) {
  sim::Diagnostics diagnostics;
  diagnostics.error({}, path, std::move(message), std::move(expected));
  throw sim::ConfigError(diagnostics);
}

struct PointPath {
  std::int64_t index = 0;
  std::string rest;
};

PointPath split_point(const std::string& path) {
  if (path.rfind("points[", 0) != 0) return {0, path};
  const std::size_t close = path.find("].");
  const std::string digits = close == std::string::npos ? "" : path.substr(7, close - 7);
  if (digits.empty() || digits.size() > 12 || digits.find_first_not_of("0123456789") != std::string::npos) {
    refuse(path, "is not a path of a result", std::string(known_paths));
  }
  return {std::stoll(digits), path.substr(close + 2)};
}

// A kernel by itself has no storage.
std::optional<Derivation> explain(const Evaluated& point, const std::string& path) {
  if (!point.result.storage && path.starts_with("storage.")) return std::nullopt;
  for (const auto& kind :
       {explain_storage, explain_positions, explain_flops, explain_traffic, explain_dram, explain_time}) {
    if (auto derivation = kind(point, path)) return derivation;
  }
  return std::nullopt;
}

std::string headlines(const Evaluated& point) {
  std::string text;
  for (const char* path :
       {"storage.growing_bytes_per_token", "storage.local_bytes_per_request", "storage.weight_bytes_per_device",
        "storage.max_batch", "traffic.logical.kv_main.read", "traffic.logical.kv_local.read",
        "traffic.logical.index_key.read", "traffic.dram.index_key.read", "time.roofline_seconds", "time.seconds"}) {
    if (const auto derivation = explain(point, path)) text += render(*derivation) + "\n";
  }
  return text;
}

}  // namespace

std::string explain_text(const Plan& plan, const Catalog& catalog, const std::string& path) {
  const PointPath asked = split_point(path);
  const PointSpace space(plan);
  if (asked.index >= space.size())
    refuse(path, fmt::format("there is no point {}", asked.index), fmt::format("0 to {}", space.size() - 1));
  sim::Diagnostics diagnostics;
  const Scenario scenario = read_scenario(space.scenario(asked.index, diagnostics), diagnostics);
  std::shared_ptr<const Setup> setup;
  if (!diagnostics.has_errors()) setup = build_setup(scenario, catalog, plan.beside, diagnostics);
  if (setup == nullptr || diagnostics.has_errors()) throw sim::ConfigError(diagnostics);
  Evaluator evaluator(setup);
  const sim::PointResult result =
      evaluator.evaluate(scenario.batch, scenario.context, {.layers = true, .operations = true});
  const Evaluated point{*setup,
                        evaluator.lowered(),
                        result,
                        evaluator.tally(),
                        evaluator.bound(),
                        evaluator.outcome(),
                        evaluator.saving_reason()};
  if (path.empty()) return headlines(point);
  const auto derivation = explain(point, asked.rest);
  if (!derivation) {
    const std::string why =
        result.reason.empty() ? "" : fmt::format(" (the point is {}: {})", name_of(result.status), result.reason);
    refuse(path, "is not a number of this result" + why, std::string(known_paths));
  }
  return render(*derivation);
}

}  // namespace kvtraffic::scenarios
