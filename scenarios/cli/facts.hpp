// What follows from a catalog entry and is asked for most: parameters, layers, cache sizes, bandwidths.
// Leaves out anything that depends on a workload.
#pragma once

#include <string>

#include "scenarios/spec/catalog.hpp"

namespace kvtraffic::scenarios {

// Facts as a map whose names are those of `show --format json`. The entry's faults go to `diagnostics`.
[[nodiscard]] sim::Node facts_about(CatalogKind kind, const sim::Node& entry, const Catalog& catalog,
                                    sim::Diagnostics& diagnostics);

// The same for people: one line a fact.
[[nodiscard]] std::string facts_text(const sim::Node& facts);

}  // namespace kvtraffic::scenarios
