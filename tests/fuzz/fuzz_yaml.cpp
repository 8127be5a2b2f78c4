// Arbitrary bytes through every reader: they may be refused, never crash or hang. The first byte chooses the reader.
// Leaves out references: a fuzzer that opens files finds the disk, not our faults.
#include <cstddef>
#include <cstdint>
#include <string>

#include "hardware/spec/hardware.hpp"
#include "models/spec/engine.hpp"
#include "models/spec/format.hpp"
#include "models/spec/model.hpp"
#include "models/spec/weight_set.hpp"
#include "scenarios/run/expect.hpp"
#include "scenarios/run/settings.hpp"
#include "scenarios/spec/paths.hpp"
#include "scenarios/spec/scenario.hpp"
#include "scenarios/spec/sweep.hpp"
#include "sim/config/yaml.hpp"

namespace {

using namespace kvtraffic;
using sim::Diagnostics;
using sim::Node;

void read_scenario(const Node& node, Diagnostics& diagnostics) {
  sim::check(node, scenarios::scenario_table(), diagnostics);
  const scenarios::Sweep sweep = scenarios::Sweep::read(node, diagnostics);
  if (const Node* expect = node.find("expect")) scenarios::check_expectations(*expect, diagnostics);
  Node point = node;
  point.remove("sweep");
  scenarios::set_values(point, sweep.at(sweep.size() - 1), diagnostics);
  static_cast<void>(scenarios::read_scenario(point, diagnostics));
  static_cast<void>(sim::to_yaml(sim::with_defaults(node, scenarios::scenario_table())));
}

// One reader for each first byte, round and round.
void read_as(std::uint8_t reader, const Node& node, Diagnostics& diagnostics) {
  switch (reader) {
    case 0:
      return read_scenario(node, diagnostics);
    case 1:
      static_cast<void>(models::read_model(node, 0, diagnostics));
      break;
    case 2:
      static_cast<void>(models::read_format(node, diagnostics));
      break;
    case 3:
      static_cast<void>(models::read_engine(node, diagnostics));
      break;
    case 4:
      static_cast<void>(hardware::read_hardware(node, diagnostics));
      break;
    default:
      models::check_weight_set(node, diagnostics);
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint8_t settings = 6, readers = 7;
  if (size == 0) return 0;
  const std::uint8_t reader = data[0] % readers;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Diagnostics diagnostics;
  if (reader == settings) {
    Node scenario = Node::map({});
    scenarios::apply_settings(scenario, {text}, diagnostics);
  } else {
    read_as(reader, sim::read_yaml(text, "fuzz.yaml", diagnostics), diagnostics);
  }
  static_cast<void>(diagnostics.render());
  return 0;
}
