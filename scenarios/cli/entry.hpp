// Catalog entries as `list`, `show` and `doctor` look at them.
// Leaves out simulating with them.
#pragma once

#include <string>
#include <vector>

#include "scenarios/claims/ledger.hpp"
#include "scenarios/spec/catalog.hpp"

namespace kvtraffic::scenarios {

// The entry's own summary, or its description; "" without either.
[[nodiscard]] std::string summary_of(const sim::Node& entry);

// Reads a whole entry through the room that it belongs to, and reports what is wrong with it. Not for scenarios.
void read_entry(CatalogKind kind, const sim::Node& entry, sim::Diagnostics& diagnostics);

// Finds the entry, reads it as a run would, and reports what is wrong with it.
void check_entry(CatalogKind kind, const std::string& name, const Catalog& catalog, sim::Diagnostics& diagnostics);

// The ledger of claims. IoError when it cannot be read.
[[nodiscard]] std::vector<Claim> read_claims(const Catalog& catalog, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
