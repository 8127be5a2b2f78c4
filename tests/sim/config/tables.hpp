// The tables that the configuration tests hold texts against.
// Leaves out the project's own tables: their owners test them.
#pragma once

#include "sim/config/table.hpp"

namespace kvtraffic::sim::testing {

// A small scenario: name, fidelity, workload {batch, context, position}, tags, limits by name, budget or count.
[[nodiscard]] const Table& scenario_table();
// One field of every type.
[[nodiscard]] const Table& every_type_table();
// A sourced part: capacity, memory {bandwidth}, modes by name, and its `sources`.
[[nodiscard]] const Table& part_table();
// A table that holds itself: size and child.
[[nodiscard]] const Table& tree_table();
// `routing`: options {window, exact}, or the word `even`.
[[nodiscard]] const Table& worded_table();

}  // namespace kvtraffic::sim::testing
