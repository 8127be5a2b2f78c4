// Hardware entries for the tests of this room: the catalog's files, and one made-up device whose text a test may spoil.
// Leaves out looking entries up by name (scenarios): a node's device is put in by hand here.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/spec/hardware.hpp"
#include "sim/config/yaml.hpp"

namespace kvtraffic::hardware {

// A correct device in 40 short lines. Every figure is round; none is a real part's.
[[nodiscard]] std::string device_text();
// A correct node of four such devices, with `link` values of its own; 'DEVICE' is replaced by the indented device text.
[[nodiscard]] std::string node_text(const std::string& device = device_text());

// `text` with the one occurrence of `from` replaced. A test that misspells `from` fails.
[[nodiscard]] std::string with(std::string text, std::string_view from, std::string_view to);

struct Reading {
  Hardware hardware;
  std::vector<std::string> faults;  // "line:column path: message | expected | nearest", by place
};
[[nodiscard]] Reading read_text(const std::string& text);

// Faults as `Reading` tells them.
[[nodiscard]] std::vector<std::string> told(const sim::Diagnostics& diagnostics);

// The entries of "catalog", "hosts", "drives" or "links", by file name.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder);
[[nodiscard]] sim::Node entry_in(const std::string& folder, const std::string& name);
// A test's name from an entry's: no '-'.
[[nodiscard]] std::string test_name(std::string entry);

// Paths of the figures that `node` gives, collected from the table: provenance is on trial.
[[nodiscard]] std::vector<std::string> figures_of(const sim::Node& node, const sim::Table& table,
                                                  const std::string& prefix);
// Each figure has a certainty, and a source that is known.
void expect_known(const std::vector<std::string>& figures, const std::map<std::string, sim::Provenance>& provenance,
                  const std::map<std::string, std::string>& sources);
// Each source is used and is an address, or says that none is kept.
void expect_used(const std::map<std::string, sim::Provenance>& provenance,
                 const std::map<std::string, std::string>& sources);

[[nodiscard]] std::vector<std::string> catalog_names();
// The entry with a node's device put in; faults of the YAML text fail the test.
[[nodiscard]] sim::Node catalog_entry(const std::string& name);
[[nodiscard]] Hardware from_catalog(const std::string& name);

}  // namespace kvtraffic::hardware
