// Catalog entries as `list`, `show` and `doctor` look at them.
// Leaves out simulating with them.
#pragma once

#include <array>
#include <string>

#include "scenarios/spec/catalog.hpp"

namespace kvtraffic::scenarios {

inline constexpr std::array<CatalogKind, 6> all_kinds{CatalogKind::model,    CatalogKind::format,
                                                      CatalogKind::engine,   CatalogKind::weights,
                                                      CatalogKind::hardware, CatalogKind::scenario};

// The entry's own summary, or its description; "" without either.
[[nodiscard]] std::string summary_of(const sim::Node& entry);

// Reads the entry as a run would, and reports what is wrong with it.
void check_entry(CatalogKind kind, const std::string& name, const Catalog& catalog, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
