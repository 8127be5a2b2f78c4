// Recorded runs of public simulators (tests/crosscheck), and the same runs of ours.
// Leaves out printing them (crosscheck_report.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/spec/catalog.hpp"

namespace kvtraffic::scenarios {

struct Recorded {
  std::string part;
  std::vector<std::string> settings;  // path=value, map and refresh among them
  std::string map;
  std::string refresh;
  std::string trace;  // a name of reference_traces.hpp
  double scale = 1;
  bool wrap = false;
  std::string peer;  // whose cycles are to be met
  std::int64_t cycles = 0;
  double tolerance = 0;
  // What other simulators gave, which need not agree: they differ from the peer and from one another.
  std::vector<std::pair<std::string, std::int64_t>> others;
};

struct Compared {
  Recorded recorded;
  std::int64_t cycles = 0;  // ours

  [[nodiscard]] double difference() const;  // ours / theirs - 1
  [[nodiscard]] bool is_inside() const;     // not beyond the tolerance
  // Whether ours lie between the least and the most of all peers, each with the tolerance.
  [[nodiscard]] bool is_inside_span() const;
};

// Every row of every file, in order of file names. Throws IoError without files and ConfigError for faulty ones.
[[nodiscard]] std::vector<Recorded> read_crosscheck(const Catalog& catalog);

// Runs the row: the trace is made anew, from seed 1. Throws ConfigError for settings that the part does not have.
[[nodiscard]] Compared compare(const Recorded& recorded, const Catalog& catalog);
// The same for many, `jobs` at a time, in the given order.
[[nodiscard]] std::vector<Compared> compare(const std::vector<Recorded>& recorded, const Catalog& catalog, int jobs);

}  // namespace kvtraffic::scenarios
