// The points of a scenario: axes multiplied or tied, each point a set of values for paths. Lazily indexed,
// so that a million points cost no memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/config/node.hpp"

namespace kvtraffic::scenarios {

// One path, or several tied ones (`zip`), and the values they take together: values[step][path].
struct Axis {
  std::vector<std::string> paths;
  std::vector<std::vector<sim::Node>> values;
};

class Sweep {
 public:
  // Reads the `sweep:` map: lists, {range: {from, to, step}}, {log2: {from, to}}, {linspace: {from, to, count}},
  // {geomspace: {from, to, count}}, `zip`. Ends are included. Faults go to `diagnostics`: unknown form, unequal zip
  // lengths (both said), an axis without values, a path that no field has, a path swept twice, more than 10^9 points,
  // an end that is not reached, values that come twice.
  [[nodiscard]] static Sweep read(const sim::Node& scenario, sim::Diagnostics& diagnostics);

  [[nodiscard]] std::int64_t size() const;  // 1 without axes
  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  // Values of point `index`, first axis slowest, as (path, value) in file order.
  [[nodiscard]] std::vector<std::pair<std::string, sim::Node>> at(std::int64_t index) const;

 private:
  std::vector<Axis> axes_;
};

// Sets `path` in a scenario. `model.attention.top_k` on `model: NAME` turns the name into {extends: NAME, attention:
// {top_k: ...}}.
void set_value(sim::Node& scenario, const std::string& path, const sim::Node& value);

// "path=value" of --set as (path, value node marked "<--set>"). Values are YAML ("[1, 2]" is a list).
[[nodiscard]] std::pair<std::string, sim::Node> parse_setting(const std::string& text, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
