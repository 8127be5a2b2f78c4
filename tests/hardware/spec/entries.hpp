// Hardware entries for the tests of this room: the catalog's files, and one made-up device whose text a test may spoil.
// Leaves out looking entries up by name (scenarios): a node's device is put in by hand here.
#pragma once

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

[[nodiscard]] std::string catalog_folder();
[[nodiscard]] std::vector<std::string> catalog_names();
// The entry with a node's device put in; faults of the YAML text fail the test.
[[nodiscard]] sim::Node catalog_entry(const std::string& name);
[[nodiscard]] Hardware from_catalog(const std::string& name);

}  // namespace kvtraffic::hardware
