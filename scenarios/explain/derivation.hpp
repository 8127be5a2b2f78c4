// One number with all that it follows from. Filled by the room's other files, printed by render().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/run/setup.hpp"
#include "sim/run/result.hpp"

namespace kvtraffic::scenarios {

struct Term {
  std::string text;
  std::string value;  // with its unit
};

struct Input {
  std::string name;
  std::string value;
  std::string source;  // address or document, with its certainty; empty: the scenario itself
};

struct Derivation {
  std::string path;
  std::string value;
  std::string formula;
  std::vector<Term> terms;
  std::vector<Input> inputs;  // each once

  void add_input(Input input);
};

// A point with everything that was computed for it.
struct Evaluated {
  const Setup& setup;
  const models::Lowered& lowered;
  const sim::PointResult& result;
  const sim::Tally& tally;
  const sim::Outcome& bound;    // the roofline's outcome
  const sim::Outcome& outcome;  // the chosen fidelity's
  std::string_view saving_reason;
};

// The parts of a path after its point: "traffic.logical.kv_main.read". Nothing when the path is of another kind.
[[nodiscard]] std::optional<Derivation> explain_storage(const Evaluated& point, const std::string& path);
[[nodiscard]] std::optional<Derivation> explain_positions(const Evaluated& point, const std::string& path);
[[nodiscard]] std::optional<Derivation> explain_traffic(const Evaluated& point, const std::string& path);
[[nodiscard]] std::optional<Derivation> explain_flops(const Evaluated& point, const std::string& path);
[[nodiscard]] std::optional<Derivation> explain_time(const Evaluated& point, const std::string& path);
[[nodiscard]] std::optional<Derivation> explain_dram(const Evaluated& point, const std::string& path);

// 20 of "layers[20].seconds" and the list "layers"; nothing when the path begins otherwise.
[[nodiscard]] std::optional<std::size_t> number_in(const std::string& path, std::string_view list);

[[nodiscard]] std::string render(const Derivation& derivation);

// "spec, https://..." of a catalog path; "" when it is not known.
[[nodiscard]] std::string source_text(const std::map<std::string, sim::Provenance>& provenance,
                                      const std::map<std::string, std::string>& sources, const std::string& path);
[[nodiscard]] Input layout_input(const Setup& setup, const sim::Layout& layout);
[[nodiscard]] Input hardware_input(const Setup& setup, const std::string& path, std::string value);
void add_scenario_inputs(const Evaluated& point, Derivation& derivation);

}  // namespace kvtraffic::scenarios
