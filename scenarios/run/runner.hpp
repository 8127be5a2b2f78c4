// Running a scenario's points, in parallel where asked, and handing the results on in order.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/spec/catalog.hpp"
#include "scenarios/spec/sweep.hpp"
#include "sim/run/executor.hpp"
#include "sim/run/result.hpp"

namespace kvtraffic::scenarios {

struct RunOptions {
  int jobs = 1;
  std::int64_t max_points = 1'000'000;  // more is an error that says how many there are
  sim::Detail detail;
};

// A scenario file after --set, checked, with its sweep read: ready to run or to be listed.
struct Plan {
  sim::Node node;      // as written, overrides applied
  sim::Node resolved;  // every default filled in, layout chosen
  Sweep sweep;
  std::string beside;  // folder that relative files are looked up in
};

// Reads text into a plan. ConfigError carries every fault of scenario, catalogs and sweep values at once.
[[nodiscard]] Plan make_plan(const sim::Node& scenario, const std::vector<std::string>& settings,
                             const std::string& beside, const Catalog& catalog);

struct RunSummary {
  std::int64_t ok = 0;
  std::int64_t infeasible = 0;
  std::int64_t failed = 0;
};

// Calls `sink` once per point, in order of index. Stops early when `stop` turns true. A point whose own values are at
// fault (an overflow, a device that does not divide) is `failed` with its reason; the others go on.
RunSummary run_points(const Plan& plan, const Catalog& catalog, const RunOptions& options,
                      const std::function<void(const sim::PointResult&)>& sink, const std::atomic<bool>& stop);

// What `expect:` finds wrong, one sentence a limit: path, wanted, found. A path that leads nowhere is a fault too.
// `document` is the run's JSON text.
[[nodiscard]] std::vector<std::string> broken_expectations(const sim::Node& expect, const std::string& document);

}  // namespace kvtraffic::scenarios
