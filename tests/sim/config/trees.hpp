// Reading for the configuration tests, with or without faults; comparing trees, random trees.
// Leaves out the tests.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <string_view>

#include "sim/config/node.hpp"
#include "sim/config/table.hpp"

namespace kvtraffic::sim::testing {

// The tree, or a test failure with the faults.
[[nodiscard]] Node read_or_fail(std::string text);
// What read_yaml says, rendered.
[[nodiscard]] std::string faults_of_text(std::string text);
// What check() says about a well-formed text, rendered.
[[nodiscard]] std::string faults_against(std::string text, const Table& table);
// Equal in kinds, texts, keys and order; marks and quotes aside.
[[nodiscard]] bool same_tree(const Node& a, const Node& b);
// A map of random depth, with texts that a careless writer gets wrong.
[[nodiscard]] rc::Gen<Node> random_map();

}  // namespace kvtraffic::sim::testing
