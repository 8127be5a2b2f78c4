// Published timings of single kernels, as rows of tests/measurements: conditions that make a scenario, and a time.
// Leaves out running them (score.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/config/node.hpp"

namespace kvtraffic::scenarios {

struct MeasuredRow {
  std::string id;        // "KMLAD-006"
  std::string family;    // "KMLAD"
  std::string hardware;  // names of catalogs
  std::string engine;
  // "gemm: {m: 64, ...}", as workload.scope.kernel has it; or "model: ...", the lines of a scenario
  std::string kernel;
  std::string cache;         // cold | warm | dirty
  bool kernel_time = false;  // timed inside the kernel: without the gap between two kernels
  std::int64_t repeat = 1;   // kernels that the time covers, one after another
  double seconds = 0;
  std::string source;
  bool predicted = false;  // no limit is held on it, and few constants are fitted on it (tests/measurements)

  [[nodiscard]] bool is_part_of_step() const { return kernel.starts_with("model:"); }
  [[nodiscard]] std::string device() const;  // "h200-sxm", also where the row takes eight of them for its shapes
};

// Rows of all files of `folder`, sorted by file and then as they stand, then those of its folder `predicted`. IoError
// for a folder or file that cannot be read, ConfigError with all that is wrong in them.
[[nodiscard]] std::vector<MeasuredRow> read_measured(const std::string& folder);

// The scenario that a row asks; `engine` replaces the row's own where it is not empty; without
// `fidelity` it is the default of scenarios.
[[nodiscard]] sim::Node scenario_of(const MeasuredRow& row, const std::string& engine, const std::string& fidelity);

}  // namespace kvtraffic::scenarios
