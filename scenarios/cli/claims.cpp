// `claims`: published figures held against the engine.
// Leaves out the audit itself (scenarios/claims).
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "scenarios/claims/claim_report.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/entry.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/cli/tell.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

std::vector<Claim> whole_ledger(const Catalog& catalog) {
  sim::Diagnostics faults;
  std::vector<Claim> claims = read_claims(catalog, faults);
  if (faults.has_errors()) throw sim::ConfigError(faults);
  return claims;
}

const Claim& claim_named(const std::vector<Claim>& claims, const std::string& id) {
  const auto found = std::ranges::find(claims, id, &Claim::id);
  if (found != claims.end()) return *found;
  std::vector<std::string> known;
  for (const Claim& claim : claims) known.push_back(claim.id);
  const std::string nearest = sim::nearest_name(id, known);
  throw UsageError(fmt::format("kvtraffic: no claim is named {}{}\n  kvtraffic claims lists them", sim::in_quotes(id),
                               nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

std::vector<const Claim*> chosen(const std::vector<Claim>& claims, const std::vector<std::string>& ids) {
  std::vector<const Claim*> result;
  for (const std::string& id : ids) result.push_back(&claim_named(claims, id));
  if (!ids.empty()) return result;
  for (const Claim& claim : claims) result.push_back(&claim);
  return result;
}

std::string told(const std::vector<Audited>& audited, Auditor& auditor, const ClaimsArguments& arguments) {
  if (arguments.format == reports::Format::json) return claims_json(audited);
  if (arguments.format == reports::Format::md) return claims_markdown(audited);
  if (!arguments.explain && arguments.ids.size() != 1) return claims_table(audited);
  std::string text;
  for (const Audited& one : audited) text += (text.empty() ? "" : "\n") + claim_text(one, auditor, false);
  return text;
}

}  // namespace

int execute(const ClaimsArguments& arguments) {
  const Catalog catalog = Catalog::find();
  const std::vector<Claim> claims = whole_ledger(catalog);
  Auditor auditor(catalog);
  const std::vector<Audited> audited = audit_all(chosen(claims, arguments.ids), auditor);
  std::cout << told(audited, auditor, arguments) << std::flush;
  const std::string wrong = surprises(audited);
  tell(wrong);
  return wrong.empty() ? exit_done : exit_expectation;
}

int explain_claim(const std::string& id) {
  const Catalog catalog = Catalog::find();
  const std::vector<Claim> claims = whole_ledger(catalog);
  Auditor auditor(catalog);
  const std::vector<Audited> audited = audit_all({&claim_named(claims, id)}, auditor);
  std::cout << claim_text(audited.front(), auditor, true);
  return exit_done;
}

}  // namespace kvtraffic::scenarios
