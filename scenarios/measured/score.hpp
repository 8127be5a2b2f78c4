// Simulated times of published kernels beside their measured ones, and how far apart they are.
// Leaves out telling them (measured_report.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scenarios/measured/rows.hpp"
#include "scenarios/spec/catalog.hpp"

namespace kvtraffic::scenarios {

struct Setup;

struct Scored {
  MeasuredRow row;
  double seconds = 0;  // simulated, over as much as the row was timed over
  double error = 0;    // |ln(simulated / measured)|; infinite where L2 holds all and a bound is zero
  std::string bound_by;
};

struct ScoreOptions {
  std::string engine;    // in place of the rows' own
  std::string fidelity;  // empty: the default of scenarios, cycle where the memory part is known
};

// Runs a row. ConfigError when its conditions make no scenario, or one that cannot be run.
[[nodiscard]] Scored score(const MeasuredRow& row, const ScoreOptions& options, const Catalog& catalog);

// The same in two steps: what a row asks to be simulated, which may then be changed, and its score.
[[nodiscard]] std::shared_ptr<const Setup> setup_of(const MeasuredRow& row, const ScoreOptions& options,
                                                    const Catalog& catalog);
[[nodiscard]] Scored score(const MeasuredRow& row, const std::shared_ptr<const Setup>& setup);

// A group of rows in one line.
struct Spread {
  std::string name;
  std::size_t rows = 0;
  double median = 0;
  double p90 = 0;
  double worst = 0;
};
[[nodiscard]] Spread spread_of(std::string name, const std::vector<const Scored*>& rows);
// By family, by hardware, and all rows; groups in order of name. Devices without rows that are predicted.
[[nodiscard]] std::vector<Spread> by_family(const std::vector<Scored>& rows);
[[nodiscard]] std::vector<Spread> by_hardware(const std::vector<Scored>& rows);

}  // namespace kvtraffic::scenarios
