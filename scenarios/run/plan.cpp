// Making a plan: settings applied, sweep read, and every value that a point may take checked before anything runs.
// Leaves out faults that only a combination of swept values has: those points fail, the others run.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "scenarios/run/entries.hpp"
#include "scenarios/run/expect.hpp"
#include "scenarios/run/points.hpp"
#include "scenarios/run/runner.hpp"
#include "scenarios/run/settings.hpp"
#include "scenarios/spec/paths.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Node;

// Each needs an entry read again, so that of a longer axis only the values themselves are checked ahead.
constexpr std::size_t most_entries_read_ahead = 1000;

bool is_count_axis(const Axis& axis) { return std::ranges::all_of(axis.paths, is_count); }

// Adds to `all` what is not told yet: each value is checked beside the same others.
class FaultSet {
 public:
  void add(const Diagnostics& faults) {
    for (const sim::Diagnostic& fault : faults.all()) {
      const std::string file = fault.where.file ? fault.where.file->name : "";
      if (!told_.emplace(file, fault.where.line, fault.where.column, fault.path, fault.message).second) continue;
      all_.error(fault.where, fault.path, fault.message, fault.expected, fault.nearest);
    }
  }
  [[nodiscard]] const Diagnostics& all() const { return all_; }

 private:
  std::set<std::tuple<std::string, int, int, std::string, std::string>> told_;
  Diagnostics all_;
};

// The entries that setting any of `paths` changes.
Parts touched_by(const std::vector<std::string>& paths) {
  const auto touches = [&](std::string_view key) {
    return std::ranges::any_of(paths, [&](const std::string& path) { return first_key(path) == key; });
  };
  return {.model = touches("model") || touches("draft") || touches("weights"),
          .format = touches("format"),
          .engine = touches("engine"),
          .hardware = touches("hardware")};
}

class Planner {
 public:
  Planner(Node scenario, const std::string& beside, const Catalog& catalog) : catalog_(catalog) {
    plan_.node = std::move(scenario);
    plan_.beside = beside;
  }

  Plan make(const std::vector<std::string>& settings) {
    Diagnostics faults;
    apply_settings(plan_.node, settings, faults);
    plan_.sweep = Sweep::read(plan_.node, faults);
    if (const Node* expect = plan_.node.find("expect")) check_expectations(*expect, faults);
    faults_.add(faults);
    check_first_point();
    for (const Axis& axis : plan_.sweep.axes()) check_axis(axis);
    if (faults_.all().has_errors()) throw sim::ConfigError(faults_.all());
    plan_.resolved = resolved();
    return std::move(plan_);
  }

 private:
  Node point_with(const std::vector<std::pair<std::string, Node>>& values, Diagnostics& faults) const {
    Node point = unswept(plan_.node);
    auto all = plan_.sweep.at(0);
    for (const auto& [path, value] : values) {
      std::ranges::find(all, path, &std::pair<std::string, Node>::first)->second = value;
    }
    set_values(point, std::move(all), faults);
    return point;
  }

  // Checks one point; the entries in `parts` are read, if they are named at all.
  Entries check_point(const Node& point, Parts parts, Diagnostics& faults) const {
    check(point, table_for(point), faults);
    if (!point.is_map()) return {};
    const Scenario scenario = read_scenario(point, faults);
    const bool is_bare = scenario.scope.kernel.has_value();
    parts.model = parts.model && !is_bare && is_named(point, "model");
    parts.hardware = parts.hardware && is_named(point, "hardware");
    parts.format = parts.format && !is_bare && (point.find("format") == nullptr || is_named(point, "format"));
    parts.engine = parts.engine && (point.find("engine") == nullptr || is_named(point, "engine"));
    return read_entries(scenario, catalog_, plan_.beside, parts, faults);
  }

  static bool is_named(const Node& point, std::string_view field) {
    const Node* reference = point.find(field);
    return reference != nullptr && (reference->is_scalar() || reference->is_map());
  }

  void check_first_point() {
    Diagnostics faults;
    const Node point = point_with({}, faults);
    const Entries entries = check_point(point, {}, faults);
    const bool is_one_combination = std::ranges::all_of(plan_.sweep.axes(), is_count_axis);
    check_cached(point, faults);
    if (!entries.engine.plan.name.empty()) launch_ = entries.engine.plan.launch;
    if (!faults.has_errors() && !faults_.all().has_errors())
      fit_first_point(entries, point, is_one_combination, faults);
    faults_.add(without_consequences(faults));
  }

  // A fault of the scenario when all its points have it; of swept values some may.
  void check_cached(const Node& point, Diagnostics& faults) const {
    const std::vector<std::string> swept = swept_paths(plan_.node);
    const auto decides = [](const std::string& path) {
      return path == "workload.context" || path == "workload.cached" || path == "workload.phase";
    };
    if (faults.has_errors() || !point.is_map() || std::ranges::any_of(swept, decides)) return;
    Diagnostics misread;
    const Scenario scenario = read_scenario(point, misread);
    if (scenario.phase != Phase::prefill || scenario.cached < scenario.context) return;
    faults.error(point.find("workload")->find("cached")->mark(), "workload.cached",
                 fmt::format("{} leaves nothing of a prompt of {} tokens to compute", sim::with_commas(scenario.cached),
                             sim::with_commas(scenario.context)),
                 fmt::format("less than {}", sim::with_commas(scenario.context)));
  }

  // Where the layout is written: what --set changed in it comes before the map that it was laid on.
  static sim::Mark layout_mark(const Node& point, const Scenario& scenario) {
    const Node* parallel = point.find("parallel");
    if (parallel == nullptr) return scenario.hardware.mark();
    for (const Node::Member& member : parallel->members()) {
      const sim::Mark& mark = member.value.mark();
      if (mark.file && (!parallel->mark().file || mark.file->name == "<--set>")) return mark;
    }
    return parallel->mark();
  }

  // A rule broken between entries is the scenario's fault when all its points break it.
  void fit_first_point(const Entries& entries, const Node& point, bool is_one_combination, Diagnostics& faults) {
    Diagnostics misfits;
    const Scenario scenario = read_scenario(point, misfits);
    if (scenario.scope.kernel) return;
    const auto deployment = fit_together(entries, scenario, layout_mark(point, scenario), misfits);
    if (is_one_combination) faults.append(misfits);
    if (deployment) layout_ = *deployment;
  }

  // An axis that could not be read leaves its field unset; that the field is missing is no fault of its own.
  Diagnostics without_consequences(const Diagnostics& faults) const {
    Diagnostics kept;
    const std::vector<std::string> swept = swept_paths(plan_.node);
    for (const sim::Diagnostic& fault : faults.all()) {
      const auto is_missed = [&](const std::string& path) {
        const std::size_t dot = path.rfind('.');
        const std::string key = dot == std::string::npos ? path : path.substr(dot + 1);
        return fault.path == (dot == std::string::npos ? "" : path.substr(0, dot)) &&
               fault.message == fmt::format("missing key '{}'", key);
      };
      if (std::ranges::any_of(swept, is_missed)) continue;
      kept.error(fault.where, fault.path, fault.message, fault.expected, fault.nearest);
    }
    return kept;
  }

  void check_axis(const Axis& axis) {
    const bool reads_entries = !is_count_axis(axis);
    for (std::size_t step = 0; step < axis.values.size(); ++step) {
      Diagnostics faults;
      if (reads_entries && step < most_entries_read_ahead) {
        check_step(axis, step, faults);
      } else {
        check_fields(axis, step, faults);
      }
      if (!faults.all().empty()) faults_.add(without_consequences(faults));
    }
  }

  void check_step(const Axis& axis, std::size_t step, Diagnostics& faults) const {
    std::vector<std::pair<std::string, Node>> values;
    for (std::size_t p = 0; p < axis.paths.size(); ++p) values.emplace_back(axis.paths[p], axis.values[step][p]);
    const Node point = point_with(values, faults);
    check_point(point, touched_by(axis.paths), faults);
  }

  static void check_fields(const Axis& axis, std::size_t step, Diagnostics& faults) {
    for (std::size_t p = 0; p < axis.paths.size(); ++p) {
      const sim::Field* field = field_at(axis.paths[p]);
      if (field != nullptr) check_value(*field, axis.paths[p], axis.values[step][p], faults);
    }
  }

  Node resolved() const {
    Node node = with_defaults(plan_.node, scenario_table());
    if (launch_ && node.find("launch") == nullptr && !is_launch_swept()) {
      node.set("launch", Node::scalar(std::string(sim::name_of(*launch_))));
    }
    if (!layout_ || is_layout_swept()) return node;
    Node parallel = Node::map({});
    parallel.set("tensor", Node::scalar(std::to_string(layout_->tensor)));
    parallel.set("data", Node::scalar(std::to_string(layout_->data)));
    parallel.set("expert", Node::scalar(std::to_string(layout_->expert)));
    node.set("parallel", std::move(parallel));
    return node;
  }

  bool is_launch_swept() const {
    return std::ranges::any_of(swept_paths(plan_.node), [](const std::string& path) {
      return first_key(path) == "engine" || first_key(path) == "launch";
    });
  }

  bool is_layout_swept() const {
    const std::vector<std::string> swept = swept_paths(plan_.node);
    const auto decides = [](const std::string& path) {
      const std::string_view key = first_key(path);
      return key == "model" || key == "hardware" || key == "parallel" || (key == "workload" && !is_count(path));
    };
    return std::ranges::any_of(swept, decides);
  }

  const Catalog& catalog_;
  Plan plan_;
  FaultSet faults_;
  std::optional<sim::Deployment> layout_;
  std::optional<sim::LaunchMode> launch_;  // of the engine
};

}  // namespace

Plan make_plan(const Node& scenario, const std::vector<std::string>& settings, const std::string& beside,
               const Catalog& catalog) {
  return Planner(scenario, beside, catalog).make(settings);
}

}  // namespace kvtraffic::scenarios
