// Telling audited claims: as a table, as JSON of the machine-readable contract, and one claim with its arithmetic.
// Leaves out auditing them.
#pragma once

#include <string>
#include <vector>

#include "scenarios/claims/audit.hpp"

namespace kvtraffic::scenarios {

// One line a claim, for a terminal or in Markdown; then how many there are of each verdict.
[[nodiscard]] std::string claims_table(const std::vector<Audited>& audited);
[[nodiscard]] std::string claims_markdown(const std::vector<Audited>& audited);

// {"claims": [...]}, ending in a newline.
[[nodiscard]] std::string claims_json(const std::vector<Audited>& audited);

// Statement, source, verdict and each formula with its values; with `derived`, where each value comes from too.
[[nodiscard]] std::string claim_text(const Audited& audited, Auditor& auditor, bool derived);

// One line for each claim whose verdict is not the reviewed one; empty when all are.
[[nodiscard]] std::string surprises(const std::vector<Audited>& audited);

}  // namespace kvtraffic::scenarios
