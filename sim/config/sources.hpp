// The keys that `source:` names and the addresses that `sources:` gives them, for every kind of sourced file.
// Leaves out how certain a figure is: check() asks for that (table.hpp).
#pragma once

#include <map>
#include <string>

#include "sim/config/table.hpp"

namespace kvtraffic::sim {

using Provenances = std::map<std::string, Provenance>;  // by path: "memory.capacity", ...
using Sources = std::map<std::string, std::string>;     // key -> address

// Each `source` is a key of `sources`. A map's `source` counts for all below it and is reported once.
void check_sources(const Node& entry, const Provenances& provenance, const Sources& sources, Diagnostics& diagnostics);

// The same for an entry that explains all its sources itself, in its own `sources`.
void check_sources(const Node& entry, const Table& table, Diagnostics& diagnostics);

}  // namespace kvtraffic::sim
