// Claims as tables, JSON and text.
// Leaves out colour: a verdict is a word.
#include "scenarios/claims/claim_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

#include "reports/json_text.hpp"
#include "reports/text_table.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using reports::JsonText;

constexpr std::size_t text_width = 100;
constexpr double most_exact = 9e15;  // whole numbers up to here are exact in a double

// Whole numbers and short decimals as they are, others to seven digits.
std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < most_exact) {
    return sim::with_commas(static_cast<std::int64_t>(value));
  }
  const std::string exact = sim::exact_text(value);
  return exact.size() <= 10 ? exact : fmt::format("{:.7g}", value);
}

std::string numbers_text(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(number_text(value));
  return fmt::format("{}", fmt::join(texts, "; "));
}

// A plain number gets its commas, as computed ones have them; what has a decimal point stays as it was written.
std::string published_text(const Published& one) {
  const bool is_plain = one.low == one.high && one.text.find_first_not_of("0123456789") == std::string::npos;
  return is_plain ? number_text(one.low) : one.text;
}

std::string published_text(const Claim& claim) {
  std::vector<std::string> texts;
  for (const Published& one : claim.published) texts.push_back(published_text(one));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string difference_text(const Audited& audited) {
  const auto difference = audited.difference();
  if (!difference) return "";
  if (*difference == 0) return "0";
  const double percent = 100 * *difference;
  return std::abs(percent) < 0.1 ? fmt::format("{:+.2g}%", percent) : fmt::format("{:+.1f}%", percent);
}

std::string with_unit(std::string text, const std::string& unit) {
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}

reports::TextTable table_of(const std::vector<Audited>& audited) {
  using reports::Align;
  reports::TextTable table({{"claim", "", Align::left},
                            {"published", "", Align::right},
                            {"computed", "", Align::right},
                            {"unit", "", Align::left},
                            {"difference", "", Align::right},
                            {"verdict", "", Align::left}});
  for (const Audited& one : audited) {
    const Claim& claim = *one.claim;
    const std::string verdict = one.is_as_reviewed()
                                    ? std::string(name_of(one.verdict))
                                    : fmt::format("{} (reviewed: {})", name_of(one.verdict), name_of(claim.expect));
    table.add({claim.id, published_text(claim), numbers_text(one.computed), claim.unit, difference_text(one), verdict});
  }
  return table;
}

std::string totals(const std::vector<Audited>& audited) {
  constexpr std::array all{Verdict::reproduced, Verdict::reproduced_otherwise, Verdict::contradicted,
                           Verdict::not_checkable};
  std::vector<std::string> parts;
  for (const Verdict verdict : all) {
    std::size_t count = 0;
    for (const Audited& one : audited) count += one.verdict == verdict ? 1 : 0;
    parts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  }
  return fmt::format("{} claims: {}\n", audited.size(), fmt::join(parts, ", "));
}

// ---- JSON ----

void write_numbers(JsonText& json, std::string_view name, const std::vector<double>& values) {
  json.key(name);
  if (values.empty()) return json.null();
  if (values.size() == 1) return json.number(values.front());
  json.begin_array();
  for (const double value : values) json.number(value);
  json.end_array();
}

void write_published(JsonText& json, const std::vector<Published>& published) {
  const Published& first = published.front();
  if (first.low == first.high) {
    std::vector<double> values;
    for (const Published& one : published) values.push_back(one.low);
    return write_numbers(json, "published", values);
  }
  json.key("published");
  json.begin_object();
  json.field("min", first.low);
  json.field("max", first.high);
  json.end_object();
}

void write_definition(JsonText& json, std::string_view name, const std::optional<Definition>& definition) {
  json.key(name);
  if (!definition) return json.null();
  json.begin_object();
  json.key("points");
  json.begin_object();
  for (const auto& [point, scenario] : definition->points) {
    json.key(point);
    json.node(scenario);
  }
  json.end_object();
  json.key("value");
  if (definition->formulas.size() == 1) {
    json.text(definition->formulas.front().text);
  } else {
    json.begin_array();
    for (const Formula& formula : definition->formulas) json.text(formula.text);
    json.end_array();
  }
  json.end_object();
}

void text_or_null(JsonText& json, std::string_view name, std::string_view value) {
  json.key(name);
  value.empty() ? json.null() : json.text(value);
}

void write_claim(JsonText& json, const Audited& audited) {
  const Claim& claim = *audited.claim;
  json.begin_object();
  json.field("id", claim.id);
  json.field("statement", claim.statement);
  write_published(json, claim.published);
  text_or_null(json, "unit", claim.unit);
  write_numbers(json, "computed", audited.computed);
  json.key("difference");
  const auto difference = audited.difference();
  difference ? json.number(*difference) : json.null();
  json.field("tolerance", claim.relative_room);
  json.field("verdict", name_of(audited.verdict));
  json.field("expect", name_of(claim.expect));
  write_definition(json, "definition", claim.definition);
  write_definition(json, "otherwise", claim.otherwise);
  write_numbers(json, "computed_otherwise", audited.otherwise);
  json.field("source", claim.source);
  json.field("source_text", claim.source_text);
  text_or_null(json, "slip", claim.slip);
  text_or_null(json, "reason", claim.reason);
  json.end_object();
}

// ---- one claim ----

std::string paragraph(std::string_view label, const std::string& text) {
  if (text.empty()) return "";
  std::string result;
  for (const std::string& line : reports::wrapped(text, text_width - label.size() - 4)) {
    result +=
        fmt::format("  {}{}\n", result.empty() ? fmt::format("{}: ", label) : std::string(label.size() + 2, ' '), line);
  }
  return result;
}

std::string on_one_line(const sim::Node& node) {
  std::vector<std::string> parts;
  for (const sim::Node& item : node.items()) parts.push_back(on_one_line(item));
  for (const sim::Node::Member& member : node.members()) {
    parts.push_back(fmt::format("{}: {}", member.key, on_one_line(member.value)));
  }
  if (node.is_list()) return fmt::format("[{}]", fmt::join(parts, ", "));
  if (node.is_map()) return fmt::format("{{{}}}", fmt::join(parts, ", "));
  return node.is_null() ? "null" : node.text();
}

std::string definition_text(std::string_view label, const Claim& claim, const Definition& definition, Auditor& auditor,
                            const std::vector<double>& computed) {
  const Lookup lookup = auditor.lookup(claim, definition);
  std::string text = fmt::format("  {}:\n", label);
  for (std::size_t i = 0; i < definition.formulas.size(); ++i) {
    const Formula& formula = definition.formulas[i];
    const std::string values = substituted(formula.text, formula.expression, lookup);
    text += fmt::format("    {}\n", formula.text);
    const bool says_more = values != formula.text && values != sim::exact_text(computed[i]);
    if (says_more) text += fmt::format("    = {}\n", values);
    text += fmt::format("    = {}\n", with_unit(number_text(computed[i]), claim.unit));
  }
  for (const auto& [name, scenario] : definition.points) {
    for (const std::string& line :
         reports::wrapped(fmt::format("{} is {}", name, on_one_line(scenario)), text_width - 4)) {
      text += fmt::format("    {}\n", line);
    }
  }
  return text;
}

std::string derivations(const Claim& claim, const Definition& definition, Auditor& auditor) {
  std::string text;
  std::set<std::string> told;
  for (const Formula& formula : definition.formulas) {
    for (const Reference* reference : references_of(formula.expression)) {
      if (!told.insert(reference->text).second) continue;
      text += "\n" + auditor.figures(claim, definition, reference->point).derivation(*reference);
    }
  }
  return text;
}

std::string room_text(const Claim& claim) {
  if (claim.tolerance == "exact") return ", to be met exactly";
  if (claim.tolerance == "rounded") return ", to be met to the digits as written";
  return fmt::format(", to be met within {}", claim.tolerance);
}

}  // namespace

std::string claims_table(const std::vector<Audited>& audited) {
  return table_of(audited).text(0) + "\n" + totals(audited);
}

std::string claims_markdown(const std::vector<Audited>& audited) {
  return table_of(audited).markdown() + "\n" + totals(audited);
}

std::string claims_json(const std::vector<Audited>& audited) {
  fmt::memory_buffer buffer;
  JsonText json(buffer);
  json.begin_object();
  json.key("claims");
  json.begin_array();
  for (const Audited& one : audited) write_claim(json, one);
  json.end_array();
  json.end_object();
  return fmt::to_string(buffer) + "\n";
}

std::string claim_text(const Audited& audited, Auditor& auditor, bool derived) {
  const Claim& claim = *audited.claim;
  std::string text = fmt::format("{}: {}\n", claim.id, claim.statement);
  text += paragraph("published", fmt::format("{} ({}){}", with_unit(published_text(claim), claim.unit),
                                             claim.source_text, claim.definition ? room_text(claim) : ""));
  const std::string difference = difference_text(audited);
  text += paragraph("verdict", fmt::format("{}{}", name_of(audited.verdict),
                                           difference.empty() ? "" : fmt::format(" (difference {})", difference)));
  text += paragraph("slip", claim.slip) + paragraph("reason", claim.reason);
  for (const auto& [label, definition, values] : {std::tuple{"definition", &claim.definition, &audited.computed},
                                                  std::tuple{"otherwise", &claim.otherwise, &audited.otherwise}}) {
    if (!*definition) continue;
    text += definition_text(label, claim, **definition, auditor, *values);
    if (derived) text += derivations(claim, **definition, auditor);
  }
  return text;
}

std::string surprises(const std::vector<Audited>& audited) {
  std::string text;
  for (const Audited& one : audited) {
    if (one.is_as_reviewed()) continue;
    text += fmt::format("claims: {}: {}, where review said {}: published {}, computed {}\n", one.claim->id,
                        name_of(one.verdict), name_of(one.claim->expect), published_text(*one.claim),
                        one.computed.empty() ? "nothing" : numbers_text(one.computed));
  }
  return text;
}

}  // namespace kvtraffic::scenarios
