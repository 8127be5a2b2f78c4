// Arbitrary bytes through the reader, the scenario's table and the sweep: they may be refused, never crash or hang.
// Leaves out references: a fuzzer that opens files finds the disk, not our faults.
#include <cstddef>
#include <cstdint>
#include <string>

#include "scenarios/run/expect.hpp"
#include "scenarios/spec/paths.hpp"
#include "scenarios/spec/scenario.hpp"
#include "scenarios/spec/sweep.hpp"
#include "sim/config/yaml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvtraffic;
  sim::Diagnostics diagnostics;
  const sim::Node node =
      sim::read_yaml(std::string(reinterpret_cast<const char*>(data), size), "fuzz.yaml", diagnostics);
  sim::check(node, scenarios::scenario_table(), diagnostics);
  const scenarios::Sweep sweep = scenarios::Sweep::read(node, diagnostics);
  if (const sim::Node* expect = node.find("expect")) scenarios::check_expectations(*expect, diagnostics);
  sim::Node point = node;
  point.remove("sweep");
  scenarios::set_values(point, sweep.at(sweep.size() - 1), diagnostics);
  static_cast<void>(scenarios::read_scenario(point, diagnostics));
  static_cast<void>(sim::to_yaml(sim::with_defaults(node, scenarios::scenario_table())));
  static_cast<void>(diagnostics.render());
  return 0;
}
