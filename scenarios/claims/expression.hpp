// Formulas of the claims ledger: numbers, + - * / ( ), a few functions, and references into an evaluated point.
// Leaves out what a reference means (figures.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace kvtraffic::scenarios {

// One piece of a path behind the point's name: `.key`, `[20]` or `["index.*"]`.
struct PathStep {
  enum class Kind { key, number, pattern };
  Kind kind = Kind::key;
  std::string text;        // of a key or pattern
  std::size_t number = 0;  // of a number
};

// `a.layers[2].traffic.logical.kv_main.read`
struct Reference {
  std::string point;  // "a"
  std::vector<PathStep> steps;
  std::string text;  // as written
};

// sum and count take all that a reference finds; elsewhere all that it finds must be equal. min and max take formulas.
enum class Function { sum, count, min, max, sqrt };

struct Expression {
  enum class Kind { number, reference, negate, add, subtract, multiply, divide, call };
  Kind kind = Kind::number;
  std::size_t begin = 0;  // place in the text, from zero
  std::size_t end = 0;
  double number = 0;
  Function function = Function::sum;
  Reference reference;
  std::vector<Expression> arguments;
};

struct ExpressionFault {
  std::size_t position = 0;  // place in the text, from zero
  std::string message;
  friend bool operator==(const ExpressionFault&, const ExpressionFault&) = default;
};
template <class Value>
using Evaluation = tl::expected<Value, ExpressionFault>;

// Reads the whole of `text`. Nothing that a user can type makes it go deeper than 64 parentheses.
[[nodiscard]] Evaluation<Expression> parse_expression(std::string_view text);

// All numbers that a reference leads to, at least one; or what is wrong with it.
using Lookup = std::function<tl::expected<std::vector<double>, std::string>(const Reference&)>;

// A finite number, or the first fault.
[[nodiscard]] Evaluation<double> evaluate(const Expression& expression, const Lookup& lookup);

[[nodiscard]] std::vector<const Reference*> references_of(const Expression& expression);

// `text`, which `expression` was read from, with each reference (and each sum or count of one) replaced by its value.
[[nodiscard]] std::string substituted(std::string_view text, const Expression& expression, const Lookup& lookup);

// True when `text` fits `pattern`, in which each `*` stands for any run of characters.
[[nodiscard]] bool fits_pattern(std::string_view text, std::string_view pattern);

}  // namespace kvtraffic::scenarios
