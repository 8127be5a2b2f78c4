// What a writer writes, as text, and its comparison with the golden files beside the tests.
// To regenerate: run the tests with KVTRAFFIC_WRITE_GOLDEN=1, then read the difference before it is kept.
#pragma once

#include <string>
#include <vector>

#include "reports/writer.hpp"

namespace kvtraffic::reports::testing {

[[nodiscard]] std::string written(Format format, const sim::RunResult& head,
                                  const std::vector<sim::PointResult>& points, Style style = {});

// Fails with a readable difference when tests/reports/golden/`name` is not `text`, byte for byte.
void expect_golden(const std::string& name, const std::string& text);

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

}  // namespace kvtraffic::reports::testing
