// Reading claims: what a file may hold as tables, then the rules that span fields.
// Leaves out what formulas refer to: that shows when they are evaluated.
#include "scenarios/claims/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "scenarios/claims/points.hpp"
#include "sim/config/io_error.hpp"
#include "sim/config/table.hpp"
#include "sim/config/yaml.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

namespace fs = std::filesystem;
using sim::Diagnostics;
using sim::Field;
using sim::Node;
using sim::Table;
using sim::Type;
using sim::View;

constexpr std::array<std::string_view, 4> verdicts{"reproduced", "reproduced-otherwise", "contradicted",
                                                   "not-checkable"};

constexpr std::array definition_fields{
    Field{.name = "points",
          .type = Type::any,
          .help = "Named points: scenarios whose workload keys (context, batch, ...) may stand directly in them."},
    Field{.name = "value",
          .type = Type::any,
          .help = "A formula over the points, or a list of as many as there are published numbers.",
          .required = true},
};
constexpr Table definition_table{
    .name = "definition", .help = "What the published figure means, computably.", .fields = definition_fields};

constexpr std::array claim_fields{
    Field{.name = "id", .type = Type::name, .help = "What the claim is called.", .required = true},
    Field{.name = "statement", .type = Type::text, .help = "The claim in a sentence.", .required = true},
    Field{.name = "published",
          .type = Type::any,
          .help = "The published number, a list of numbers, or {min, max}.",
          .required = true},
    Field{.name = "unit", .type = Type::text, .help = "Of the published number."},
    Field{.name = "tolerance",
          .type = Type::text,
          .help = "exact, rounded (to the digits as written), or a share such as 0.5%.",
          .fallback = "exact"},
    Field{.name = "source", .type = Type::name, .help = "A key of the file's sources.", .required = true},
    Field{.name = "definition", .type = Type::map, .help = definition_table.help, .table = &definition_table},
    Field{.name = "otherwise",
          .type = Type::map,
          .help = "Another definition, under which a figure that fails its own does come out.",
          .table = &definition_table},
    Field{.name = "slip", .type = Type::text, .help = "What went wrong in a published figure that does not hold."},
    Field{.name = "reason", .type = Type::text, .help = "Why a claim cannot be computed."},
    Field{.name = "expect",
          .type = Type::choice,
          .help = "The verdict as reviewed.",
          .required = true,
          .choices = verdicts},
};
constexpr Table claim_table{.name = "claim", .help = "A published figure and what it means.", .fields = claim_fields};

constexpr std::array ledger_fields{
    Field{.name = "summary", .type = Type::text, .help = "What the file's claims have in common."},
    Field{
        .name = "sources", .type = Type::dictionary, .help = "Documents by key.", .required = true, .item = Type::text},
    Field{.name = "points", .type = Type::any, .help = "Points that several claims name."},
    Field{.name = "claims",
          .type = Type::list,
          .help = "The claims.",
          .required = true,
          .table = &claim_table,
          .item = Type::map},
};
constexpr Table ledger_table{.name = "ledger", .help = "A file of the claims ledger.", .fields = ledger_fields};

constexpr std::array range_fields{
    Field{.name = "min", .type = Type::number, .help = "The least published.", .required = true},
    Field{.name = "max", .type = Type::number, .help = "The most published.", .required = true},
};
constexpr Table range_table{.name = "published", .help = "A published range.", .fields = range_fields};

// Half a unit of the last digit: 0.05 of "93.3". A number with an exponent has no plain last digit.
double half_last_digit(const std::string& text) {
  const std::size_t dot = text.find('.');
  const std::size_t decimals = dot == std::string::npos ? 0 : text.size() - dot - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(decimals));
}

// What is right at one end may come out a breath beyond it.
constexpr double breath = 1 + 1e-12;

class ClaimReader {
 public:
  ClaimReader(const View& view, const View& file, std::string path, Diagnostics& diagnostics)
      : view_(view), file_(file), path_(std::move(path)), diagnostics_(diagnostics) {}

  Claim read() {
    Claim claim;
    claim.id = view_.text("id");
    claim.mark = view_.mark("id");
    claim.path = path_;
    claim.statement = view_.text("statement");
    claim.unit = view_.text("unit");
    claim.slip = view_.text("slip");
    claim.reason = view_.text("reason");
    claim.expect = static_cast<Verdict>(std::ranges::find(verdicts, view_.text("expect")) - verdicts.begin());
    read_source(claim);
    read_published(claim);
    read_tolerance(claim);
    read_definitions(claim);
    check_review(claim);
    return claim;
  }

 private:
  void fault(std::string_view key, std::string message, std::string expected = "", std::string nearest = "") {
    diagnostics_.error(view_.mark(key), fmt::format("{}.{}", path_, key), std::move(message), std::move(expected),
                       std::move(nearest));
  }

  void read_source(Claim& claim) {
    claim.source = view_.text("source");
    std::vector<std::string> known;
    for (const Node::Member& member : file_.node("sources").members()) {
      known.push_back(member.key);
      if (member.key == claim.source) claim.source_text = member.value.text();
    }
    if (std::ranges::find(known, claim.source) != known.end()) return;
    fault("source", fmt::format("no source is named {}", sim::in_quotes(claim.source)),
          fmt::format("one of {}", fmt::join(known, ", ")), sim::nearest_name(claim.source, known));
  }

  double number(const Node& node, std::string_view key) {
    const auto parsed = node.is_scalar() ? sim::parse_number(node.text()) : sim::parse_number("");
    if (parsed) return *parsed;
    diagnostics_.error(node.mark(), fmt::format("{}.{}", path_, key),
                       node.is_scalar() ? parsed.error().message : "is no number", "a number without its unit");
    return 0;
  }

  void read_published(Claim& claim) {
    const Node& node = view_.node("published");
    if (node.is_map()) {
      Diagnostics faults;
      check(node, range_table, faults, path_ + ".published");
      diagnostics_.append(faults);
      if (faults.has_errors()) return;
      const double low = number(*node.find("min"), "published"), high = number(*node.find("max"), "published");
      if (low > high) fault("published", "ends before it starts");
      claim.published.push_back(
          {fmt::format("{} to {}", node.find("min")->text(), node.find("max")->text()), low, high, 0});
      return;
    }
    const std::vector<Node> single{node};
    for (const Node& item : node.is_list() ? node.items() : single) {
      const double value = number(item, "published");
      claim.published.push_back({item.text(), value, value, 0});
    }
    if (claim.published.empty()) fault("published", "has no number");
  }

  void read_tolerance(Claim& claim) {
    claim.tolerance = view_.text("tolerance");
    const auto ratio = sim::parse_ratio(claim.tolerance);
    const bool is_rounded = claim.tolerance == "rounded";
    if (claim.tolerance != "exact" && !is_rounded && (!ratio || *ratio <= 0 || *ratio > 1)) {
      fault("tolerance", fmt::format("{} is no tolerance", sim::in_quotes(claim.tolerance)),
            "exact, rounded, or a share such as 0.5%");
      return;
    }
    for (Published& one : claim.published) {
      if (is_rounded) one.room = half_last_digit(one.text) * breath;
      if (ratio && !is_rounded) one.room = *ratio * std::max(std::abs(one.low), std::abs(one.high)) * breath;
      if (one.low != 0 && claim.relative_room == 0) claim.relative_room = one.room / std::abs(one.low);
    }
    if (ratio && !is_rounded) claim.relative_room = *ratio;
  }

  void read_definitions(Claim& claim) {
    const Node& shared = file_.node("points");
    if (view_.has("definition")) claim.definition = definition("definition", {shared}, claim.published.size());
    if (!view_.has("otherwise")) return;
    const Node own = view_.map("definition").node("points");
    claim.otherwise = definition("otherwise", {shared, own}, claim.published.size());
  }

  Definition definition(std::string_view key, const std::vector<Node>& outer, std::size_t count) {
    const View written = view_.map(key);
    Definition result;
    const Node& value = written.node("value");
    const std::vector<Node> single{value};
    const std::vector<Node>& values = value.is_list() ? value.items() : single;
    const std::string path = fmt::format("{}.{}", path_, key);
    for (const Node& one : values) {
      read_formula(one, path + ".value", result.formulas);
    }
    if (count > 0 && values.size() != count) {
      diagnostics_.error(value.mark(), path + ".value",
                         fmt::format("{} formulas for {} published numbers", values.size(), count));
    }
    result.points = named_points(result.formulas, outer, written.node("points"), path, diagnostics_);
    return result;
  }

  void read_formula(const Node& node, const std::string& path, std::vector<Formula>& formulas) {
    if (!node.is_scalar()) {
      diagnostics_.error(node.mark(), path, "expected a formula");
      return;
    }
    Formula& formula = formulas.emplace_back(Formula{node.text(), {}, node.mark(), path});
    auto expression = parse_expression(node.text());
    if (expression) {
      formula.expression = std::move(*expression);
      return;
    }
    tell_fault(formula, expression.error(), diagnostics_);
    formulas.pop_back();
  }

  void check_review(const Claim& claim) {
    const bool is_checkable = claim.expect != Verdict::not_checkable;
    if (is_checkable && !claim.definition) {
      fault("expect", "nothing can be checked without a definition", "a definition, or expect: not-checkable");
    }
    if (!is_checkable && claim.definition) fault("expect", "has a definition, so that it can be checked");
    if (claim.otherwise && !claim.definition) fault("otherwise", "has no definition that it differs from");
    if (!is_checkable && claim.reason.empty()) fault("expect", "does not say why", "a reason");
    if (claim.expect == Verdict::reproduced_otherwise && !claim.otherwise) {
      fault("expect", "does not say how else", "a definition under `otherwise`");
    }
    if (claim.expect == Verdict::contradicted && claim.slip.empty()) {
      fault("expect", "does not say what went wrong", "a slip");
    }
  }

  const View& view_;
  const View& file_;
  std::string path_;
  Diagnostics& diagnostics_;
};

void read_file(const std::string& file, std::vector<Claim>& claims, Diagnostics& diagnostics) {
  Diagnostics faults;
  const Node node = sim::read_yaml_file(file, faults);
  if (!faults.has_errors()) check(node, ledger_table, faults);
  diagnostics.append(faults);
  if (faults.has_errors()) return;
  const View view(node, ledger_table);
  const std::vector<View> views = view.maps("claims");
  for (std::size_t i = 0; i < views.size(); ++i) {
    claims.push_back(ClaimReader(views[i], view, fmt::format("claims[{}]", i), diagnostics).read());
    claims.back().folder = fs::path(file).parent_path().string();
  }
}

void check_names(const std::vector<Claim>& claims, Diagnostics& diagnostics) {
  std::set<std::string> told;
  for (const Claim& claim : claims) {
    if (told.insert(claim.id).second) continue;
    diagnostics.error(claim.mark, claim.path + ".id", fmt::format("another claim is named '{}' too", claim.id));
  }
}

}  // namespace

std::string_view name_of(Verdict verdict) { return verdicts[static_cast<std::size_t>(verdict)]; }

std::string ledger_folder(const Catalog& catalog) {
  return (fs::path(catalog.folder()) / "scenarios" / "claims").string();
}

std::vector<Claim> read_ledger(const std::string& folder, Diagnostics& diagnostics) {
  std::vector<std::string> files;
  std::error_code fault;
  for (const auto& file : fs::directory_iterator(folder, fault)) {
    if (file.path().extension() == ".yaml") files.push_back(file.path().string());
  }
  if (fault) throw sim::IoError(fmt::format("cannot read the folder '{}': {}", folder, fault.message()));
  std::ranges::sort(files);
  std::vector<Claim> claims;
  for (const std::string& file : files) read_file(file, claims, diagnostics);
  check_names(claims, diagnostics);
  return claims;
}

}  // namespace kvtraffic::scenarios
