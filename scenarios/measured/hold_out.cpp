// Gauss-Newton in logarithms of constants, each begun at half of what is stated, so that nothing of a device that is
// left out stays in its fit. Slopes are taken once, at what is stated; residuals are those of the constants as they
// are.
#include "scenarios/measured/hold_out.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "reports/fit.hpp"
#include "scenarios/measured/constants.hpp"
#include "scenarios/run/setup.hpp"

namespace kvtraffic::scenarios {
namespace {

constexpr double step = 0.25;    // of a logarithm, for slopes
constexpr double longest = 0.7;  // that a constant may move in one round
constexpr double least_slope = 0.01;
constexpr double ridge = 1e-3;
constexpr double small_error = 0.03;  // errors beyond count by their size, not its square
constexpr int rounds = 8;

using ClassKey = std::pair<std::string, std::size_t>;  // engine, number in its plan
using Values = std::map<Constant, double>;

struct Case {
  MeasuredRow row;
  std::shared_ptr<const Setup> setup;

  [[nodiscard]] std::string engine() const { return setup->engine.plan.name; }
  // ln(simulated / measured) with these constants; those that are not named count as zero if the rows are their source.
  [[nodiscard]] double residual(const Values& values) const {
    auto changed = std::make_shared<Setup>(*setup);
    std::vector<sim::KernelClass>& classes = changed->engine.plan.classes;
    for (const Constant& constant : fitted_constants(setup->engine))
      set_value(classes[constant.number], constant.field, 0);
    for (auto at = values.lower_bound({engine(), 0, 0}); at != values.end() && at->first.engine == engine(); ++at) {
      set_value(classes[at->first.number], at->first.field, at->second);
    }
    return std::log(score(row, changed).seconds / row.seconds);
  }
  [[nodiscard]] bool has(const sim::KernelClass& its) const {
    if (setup->hardware.device.architecture != its.architecture) return false;
    return std::ranges::any_of(setup->lowered.graph.operations(),
                               [&](const sim::Operation& operation) { return operation.kind == its.kind; });
  }
};

struct Slopes {
  std::map<std::size_t, double> rows;  // d residual / d ln(constant), by number of the case; others are zero
};

class Study {
 public:
  Study(const std::vector<MeasuredRow>& rows, const std::string& engine, const Catalog& catalog) {
    for (const MeasuredRow& row : rows) {
      cases_.push_back({row, setup_of(row, {engine, "flow"}, catalog)});
      const models::Engine& its = cases_.back().setup->engine;
      if (!engines_.emplace(its.plan.name, its).second) continue;
      for (const Constant& constant : fitted_constants(its)) {
        stated_[constant] = value_of(its.plan.classes[constant.number], constant.field);
      }
    }
    for (const Case& one : cases_) base_.push_back(one.residual(stated_));
    for (const auto& [constant, value] : stated_) slopes_[constant] = slopes_of(constant, value);
  }

  [[nodiscard]] HoldOut all() const {
    std::set<std::string> devices;
    for (const Case& one : cases_) devices.insert(one.row.device());
    HoldOut result;
    for (const std::string& device : devices) leave_out(device, result);
    return result;
  }

 private:
  [[nodiscard]] const sim::KernelClass& class_of(const ClassKey& key) const {
    return engines_.at(key.first).plan.classes[key.second];
  }

  [[nodiscard]] Slopes slopes_of(const Constant& constant, double value) const {
    Values moved = stated_;
    moved[constant] = value * std::exp(step);
    Slopes result;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (cases_[i].engine() != constant.engine || !cases_[i].has(class_of({constant.engine, constant.number})))
        continue;
      const double slope = (cases_[i].residual(moved) - base_[i]) / step;
      if (slope != 0) result.rows[i] = slope;
    }
    return result;
  }

  // Those on which at least one row of `training` depends noticeably.
  [[nodiscard]] std::vector<Constant> determined(const std::vector<std::size_t>& training) const {
    std::vector<Constant> result;
    for (const auto& [constant, slopes] : slopes_) {
      const auto tells = [&](std::size_t i) {
        const auto found = slopes.rows.find(i);
        return found != slopes.rows.end() && std::abs(found->second) >= least_slope;
      };
      if (std::ranges::any_of(training, tells)) result.push_back(constant);
    }
    return result;
  }

  [[nodiscard]] std::vector<double> residuals(const std::vector<std::size_t>& rows, const Values& values) const {
    std::vector<double> result;
    for (const std::size_t i : rows) result.push_back(cases_[i].residual(values));
    return result;
  }

  static double mean_size(const std::vector<double>& residuals) {
    double sum = 0;
    for (const double r : residuals) sum += std::abs(r);
    return sum / static_cast<double>(residuals.size());
  }

  [[nodiscard]] std::vector<std::vector<double>> columns(const std::vector<Constant>& constants,
                                                         const std::vector<std::size_t>& training) const {
    std::vector<std::vector<double>> result;
    for (const Constant& constant : constants) {
      const Slopes& slopes = slopes_.at(constant);
      std::vector<double>& column = result.emplace_back();
      for (const std::size_t i : training) {
        const auto found = slopes.rows.find(i);
        column.push_back(found == slopes.rows.end() ? 0 : found->second);
      }
    }
    return result;
  }

  [[nodiscard]] Values fitted(const std::vector<Constant>& constants, const std::vector<std::size_t>& training) const {
    Values now;
    for (const Constant& constant : constants) now[constant] = stated_.at(constant) / 2;
    Values best = now;
    const auto design = columns(constants, training);
    double least = HUGE_VAL;
    for (int round = 0; round <= rounds; ++round) {
      std::vector<double> left = residuals(training, now), weights;
      if (const double error = mean_size(left); error < least) {
        least = error;
        best = now;
      }
      for (double& r : left) {
        weights.push_back(1 / std::max(std::abs(r), small_error));
        r = -r;
      }
      const std::vector<double> moves = reports::fit_columns(design, left, weights, ridge);
      for (std::size_t c = 0; c < constants.size(); ++c) {
        now[constants[c]] *= std::exp(std::clamp(moves[c], -longest, longest));
      }
    }
    return best;
  }

  // Another class whose constants are known: of another engine on the architecture, then of another architecture; first
  // of the same precision and layers.
  [[nodiscard]] std::optional<ClassKey> nearest(const ClassKey& key, const std::set<ClassKey>& known) const {
    const sim::KernelClass& its = class_of(key);
    for (const bool strict : {true, false}) {
      for (const bool on_same : {true, false}) {
        const auto fits = [&](const ClassKey& other) {
          const sim::KernelClass& that = class_of(other);
          return is_alike(its, that, strict) && (that.architecture == its.architecture) == on_same;
        };
        const auto own =
            std::ranges::find_if(known, [&](const ClassKey& k) { return k.first == key.first && fits(k); });
        if (own != known.end()) return *own;
        const auto found = std::ranges::find_if(known, fits);
        if (found != known.end()) return *found;
      }
    }
    return std::nullopt;
  }

  // Constants of classes that `rows` need and nothing told: those of the nearest class.
  void stand_in(const std::vector<std::size_t>& rows, Values& values, std::vector<Unknown>& unknown) const {
    std::set<ClassKey> known, needed;
    for (const auto& [constant, value] : values) known.insert({constant.engine, constant.number});
    for (const auto& [constant, slopes] : slopes_) {
      const auto needs = [&](std::size_t i) { return slopes.rows.contains(i); };
      if (std::ranges::any_of(rows, needs)) needed.insert({constant.engine, constant.number});
    }
    for (const ClassKey& key : needed) {
      if (known.contains(key)) continue;
      const std::optional<ClassKey> other = nearest(key, known);
      unknown.push_back({name_of(key.first, class_of(key)), other ? name_of(other->first, class_of(*other)) : ""});
      for (std::size_t field = 0; other && field < fields(); ++field) {
        const auto found = values.find({other->first, other->second, field});
        if (found != values.end()) values[{key.first, key.second, field}] = found->second;
      }
    }
  }

  void leave_out(const std::string& device, HoldOut& result) const {
    std::vector<std::size_t> training, own;
    for (std::size_t i = 0; i < cases_.size(); ++i) (cases_[i].row.device() == device ? own : training).push_back(i);
    const std::vector<Constant> constants = determined(training);
    Values values = training.empty() ? Values{} : fitted(constants, training);
    HoldOutDevice about{device, training.size(), constants.size(), {}, {}};
    about.fit = spread("others", training, values);
    stand_in(own, values, about.unknown);
    std::map<std::string, std::vector<std::size_t>> families;
    for (const std::size_t i : own) families[cases_[i].row.family].push_back(i);
    for (const auto& [family, rows] : families) {
      result.groups.push_back({family, device, spread(family, rows, stated_), spread(family, rows, values)});
    }
    result.groups.push_back({"all", device, spread("all", own, stated_), spread("all", own, values)});
    result.devices.push_back(std::move(about));
  }

  [[nodiscard]] Spread spread(const std::string& name, const std::vector<std::size_t>& rows,
                              const Values& values) const {
    std::vector<Scored> scored(rows.size());
    std::vector<const Scored*> pointers;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      scored[i].error = std::abs(cases_[rows[i]].residual(values));
      pointers.push_back(&scored[i]);
    }
    return spread_of(name, pointers);
  }

  std::vector<Case> cases_;
  std::map<std::string, models::Engine> engines_;
  Values stated_;
  std::vector<double> base_;  // residuals of the constants as stated
  std::map<Constant, Slopes> slopes_;
};

}  // namespace

HoldOut hold_out(const std::vector<MeasuredRow>& rows, const std::string& engine, const Catalog& catalog) {
  return Study(rows, engine, catalog).all();
}

}  // namespace kvtraffic::scenarios
