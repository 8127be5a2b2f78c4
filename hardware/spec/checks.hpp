// Rules that every kind of hardware file obeys: figures have known sources, and pins carry what the maker prints.
// Leaves out what only one kind knows (hardware.cpp, host.cpp, drive.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/config/sources.hpp"

namespace kvtraffic::hardware {

using sim::Provenances;
using sim::Sources;

// Dotted path of `key` below `prefix`; either may be empty.
[[nodiscard]] std::string join(std::string_view prefix, std::string_view key);

// The provenance of every figure of `node`; what names and describes the entry is none.
void add_provenance(const sim::Node& node, const sim::Table& table, std::string_view prefix, Provenances& provenance);
// The entry's `sources`. A key that stands for another address already is an error.
void add_sources(const sim::View& view, std::string_view prefix, Sources& sources, sim::Diagnostics& diagnostics);

// `bits` pins, each with a data rate of its own; what a maker prints lies within 2.5 % of them.
struct Pins {
  std::int64_t bits = 0;
  double bits_per_second = 0;  // of one pin
  [[nodiscard]] sim::Bandwidth bandwidth() const;
};
// `width` is how this kind of file writes the pins' number: "bus_width". Silent where a value is missing.
void check_pins(const Pins& pins, std::string_view width, const sim::View& memory, std::string_view path,
                sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::hardware
