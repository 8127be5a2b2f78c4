// Holding claims against the engine: each point of a definition is run, each formula evaluated, each verdict computed.
// Leaves out telling them (claim_report.hpp).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/claims/figures.hpp"
#include "scenarios/claims/ledger.hpp"
#include "scenarios/spec/catalog.hpp"

namespace kvtraffic::scenarios {

struct Audited {
  const Claim* claim = nullptr;
  Verdict verdict = Verdict::not_checkable;
  std::vector<double> computed;   // one for each published number; empty when not checkable
  std::vector<double> otherwise;  // the same under the other definition; empty without one

  [[nodiscard]] bool is_as_reviewed() const { return verdict == claim->expect; }
  // Of the first computed number from what was published, relative to that; 0 inside a range.
  [[nodiscard]] std::optional<double> difference() const;
};

class Auditor {
 public:
  explicit Auditor(const Catalog& catalog) : catalog_(&catalog) {}

  // Faults of points and formulas go to `diagnostics`. Points and setups are kept: many claims share them. The claim
  // must outlive what is returned.
  [[nodiscard]] Audited audit(const Claim& claim, sim::Diagnostics& diagnostics);

  // What references of `definition` mean. Requires an audit without faults before.
  [[nodiscard]] const Figures& figures(const Claim& claim, const Definition& definition, const std::string& point);
  [[nodiscard]] Lookup lookup(const Claim& claim, const Definition& definition);

 private:
  [[nodiscard]] std::vector<double> computed(const Claim& claim, const Definition& definition,
                                             sim::Diagnostics& diagnostics);
  [[nodiscard]] bool evaluate_points(const Claim& claim, const Definition& definition, sim::Diagnostics& diagnostics);
  [[nodiscard]] std::shared_ptr<const Setup> setup_for(const Claim& claim, const sim::Node& point,
                                                       const Scenario& scenario, sim::Diagnostics& diagnostics);

  const Catalog* catalog_;
  std::map<std::string, std::shared_ptr<const Setup>> setups_;
  std::map<std::string, std::unique_ptr<Figures>> figures_;  // by folder and scenario, as text
};

// Audits all; ConfigError with every fault at once.
[[nodiscard]] std::vector<Audited> audit_all(const std::vector<const Claim*>& claims, Auditor& auditor);

}  // namespace kvtraffic::scenarios
