// Evaluating formulas and writing them out with their values.
// Leaves out reading them (parse_expression.cpp).
#include "scenarios/claims/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using Kind = Expression::Kind;

tl::unexpected<ExpressionFault> fault(std::size_t position, std::string message) {
  return tl::unexpected(ExpressionFault{position, std::move(message)});
}

bool takes_all(const Expression& e) {
  return e.kind == Kind::call && (e.function == Function::sum || e.function == Function::count);
}

// An item of a list is no number: only count() may end there.
Evaluation<std::vector<double>> found(const Expression& reference, const Lookup& lookup, bool may_be_items) {
  if (!may_be_items && reference.reference.steps.back().kind != PathStep::Kind::key) {
    return fault(reference.begin, fmt::format("{}: ends before a number", reference.reference.text));
  }
  auto values = lookup(reference.reference);
  if (!values) return fault(reference.begin, fmt::format("{}: {}", reference.reference.text, values.error()));
  return *values;
}

Evaluation<double> single(const Expression& reference, const Lookup& lookup) {
  const auto values = found(reference, lookup, false);
  if (!values) return tl::unexpected(values.error());
  const auto [least, most] = std::minmax_element(values->begin(), values->end());
  if (*least == *most) return *least;
  return fault(reference.begin, fmt::format("{}: {} numbers that differ; say sum(...), or which",
                                            reference.reference.text, values->size()));
}

Evaluation<double> over_all(const Expression& call, const Lookup& lookup) {
  const auto values = found(call.arguments.front(), lookup, call.function == Function::count);
  if (!values) return tl::unexpected(values.error());
  if (call.function == Function::count) return static_cast<double>(values->size());
  return std::accumulate(values->begin(), values->end(), 0.0);
}

Evaluation<double> operated(const Expression& e, const std::vector<double>& values) {
  switch (e.kind) {
    case Kind::negate:
      return -values[0];
    case Kind::add:
      return values[0] + values[1];
    case Kind::subtract:
      return values[0] - values[1];
    case Kind::multiply:
      return values[0] * values[1];
    case Kind::divide:
      if (values[1] == 0) return fault(e.arguments[1].begin, "division by zero");
      return values[0] / values[1];
    default:
      break;
  }
  if (e.function == Function::min) return *std::ranges::min_element(values);
  if (e.function == Function::max) return *std::ranges::max_element(values);
  if (values[0] < 0) return fault(e.begin, "the root of a negative number");
  return std::sqrt(values[0]);
}

Evaluation<double> finite(Evaluation<double> value, const Expression& e) {
  if (value && !std::isfinite(*value)) return fault(e.begin, "not a finite number");
  return value;
}

void collect(const Expression& e, std::vector<const Reference*>& references) {
  if (e.kind == Kind::reference) references.push_back(&e.reference);
  for (const Expression& argument : e.arguments) collect(argument, references);
}

// The pieces of the text that are replaced, in order.
void collect_replaced(const Expression& e, std::vector<const Expression*>& pieces) {
  if (e.kind == Kind::reference || takes_all(e)) {
    pieces.push_back(&e);
    return;
  }
  for (const Expression& argument : e.arguments) collect_replaced(argument, pieces);
}

}  // namespace

Evaluation<double> evaluate(const Expression& e, const Lookup& lookup) {
  if (e.kind == Kind::number) return e.number;
  if (e.kind == Kind::reference) return finite(single(e, lookup), e);
  if (takes_all(e)) return finite(over_all(e, lookup), e);
  std::vector<double> values;
  for (const Expression& argument : e.arguments) {
    auto value = evaluate(argument, lookup);
    if (!value) return value;
    values.push_back(*value);
  }
  return finite(operated(e, values), e);
}

std::vector<const Reference*> references_of(const Expression& expression) {
  std::vector<const Reference*> references;
  collect(expression, references);
  return references;
}

std::string substituted(std::string_view text, const Expression& expression, const Lookup& lookup) {
  std::vector<const Expression*> pieces;
  collect_replaced(expression, pieces);
  std::string result;
  std::size_t done = 0;
  for (const Expression* piece : pieces) {
    const auto value = evaluate(*piece, lookup);
    result += text.substr(done, piece->begin - done);
    result += value ? sim::exact_text(*value) : "?";
    done = piece->end;
  }
  return result + std::string(text.substr(done));
}

// Each `*` takes as little as it can; when that fails, the latest one takes one character more.
bool fits_pattern(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace kvtraffic::scenarios
