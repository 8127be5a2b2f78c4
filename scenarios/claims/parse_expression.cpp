// The grammar, one function a rule: sum = product (+|- product)*, product = factor (*|/ factor)*,
// factor = number | -factor | (sum) | function(...) | point.path. Leaves out evaluating.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "scenarios/claims/expression.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

constexpr int most_depth = 64;
constexpr std::size_t most_characters = 2000;  // bounds the depth of a long chain of operators too
constexpr std::size_t most_index_digits = 6;

constexpr std::array<std::pair<std::string_view, Function>, 5> functions{{{"sum", Function::sum},
                                                                          {"count", Function::count},
                                                                          {"min", Function::min},
                                                                          {"max", Function::max},
                                                                          {"sqrt", Function::sqrt}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Thrown inside this file only: a fault ends the parse, whatever the depth.
struct Stop {
  ExpressionFault fault;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression whole() {
    if (text_.size() > most_characters) {
      stop(most_characters, fmt::format("longer than {} characters", most_characters));
    }
    Expression result = sum();
    if (at_ < text_.size()) stop(at_, fmt::format("expected an operator, found {}", here()));
    return result;
  }

 private:
  [[noreturn]] static void stop(std::size_t position, std::string message) {
    throw Stop{{position, std::move(message)}};
  }

  [[nodiscard]] std::string here() const {
    return at_ < text_.size() ? sim::in_quotes(text_.substr(at_, 1)) : "the end";
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_spaces() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t') ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void want(char c, std::string_view why) {
    if (!take(c)) stop(at_, fmt::format("expected '{}' {}, found {}", c, why, here()));
  }

  static Expression joined(Expression::Kind kind, Expression left, Expression right) {
    Expression both;
    both.kind = kind;
    both.begin = left.begin;
    both.end = right.end;
    both.arguments.push_back(std::move(left));
    both.arguments.push_back(std::move(right));
    return both;
  }

  Expression sum() {
    Expression left = product();
    for (;;) {
      if (take('+')) {
        left = joined(Expression::Kind::add, std::move(left), product());
      } else if (take('-')) {
        left = joined(Expression::Kind::subtract, std::move(left), product());
      } else {
        return left;
      }
    }
  }

  Expression product() {
    Expression left = factor();
    for (;;) {
      if (take('*')) {
        left = joined(Expression::Kind::multiply, std::move(left), factor());
      } else if (take('/')) {
        left = joined(Expression::Kind::divide, std::move(left), factor());
      } else {
        return left;
      }
    }
  }

  Expression factor() {
    skip_spaces();
    if (depth_ == most_depth) stop(at_, fmt::format("nested deeper than {}", most_depth));
    ++depth_;
    Expression result = bare_factor();
    --depth_;
    return result;
  }

  Expression bare_factor() {
    const std::size_t begin = at_;
    if (take('(')) {
      Expression inner = sum();
      want(')', fmt::format("to close the one at character {}", begin + 1));
      return inner;
    }
    if (take('-')) {
      Expression result;
      result.kind = Expression::Kind::negate;
      result.arguments.push_back(factor());
      return spanned(std::move(result), begin);
    }
    if (is_digit(peek()) || peek() == '.') return number();
    if (is_letter(peek())) return word();
    stop(at_, fmt::format("expected a number, a name or '(', found {}", here()));
  }

  Expression spanned(Expression expression, std::size_t begin) const {
    expression.begin = begin;
    expression.end = at_;
    return expression;
  }

  Expression number() {
    const std::size_t begin = at_;
    Expression result;
    const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), result.number);
    if (parsed.ec != std::errc{} || !std::isfinite(result.number))
      stop(begin, "not a number that can be computed with");
    at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
    if (is_letter(peek())) stop(at_, fmt::format("a number is followed by {}; write '*' between them", here()));
    return spanned(std::move(result), begin);
  }

  std::string name() {
    const std::size_t begin = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Expression word() {
    const std::size_t begin = at_;
    const std::string first = name();
    if (take('(')) return call(first, begin);
    Expression result;
    result.kind = Expression::Kind::reference;
    result.reference.point = first;
    while (peek() == '.' || peek() == '[') result.reference.steps.push_back(step());
    if (result.reference.steps.empty()) {
      stop(begin,
           fmt::format("'{}' is a point: a path such as {}.storage.growing_bytes_per_token is wanted", first, first));
    }
    result.reference.text = std::string(text_.substr(begin, at_ - begin));
    return spanned(std::move(result), begin);
  }

  PathStep step() {
    if (take('.')) {
      PathStep result;
      result.text = name();
      if (result.text.empty()) stop(at_, fmt::format("expected a name behind '.', found {}", here()));
      return result;
    }
    want('[', "");
    PathStep result = peek() == '"' ? pattern() : index();
    want(']', "behind an index");
    return result;
  }

  PathStep pattern() {
    const std::size_t close = text_.find('"', at_ + 1);
    if (close == std::string_view::npos) stop(at_, "a quote that is not closed");
    PathStep result{PathStep::Kind::pattern, std::string(text_.substr(at_ + 1, close - at_ - 1)), 0};
    at_ = close + 1;
    return result;
  }

  PathStep index() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    if (at_ == begin) stop(begin, fmt::format("expected an index or a quoted pattern, found {}", here()));
    if (at_ - begin > most_index_digits) stop(begin, "an index beyond any list");
    PathStep result{PathStep::Kind::number, "", 0};
    std::from_chars(text_.data() + begin, text_.data() + at_, result.number);
    return result;
  }

  Expression call(const std::string& called, std::size_t begin) {
    Expression result;
    result.kind = Expression::Kind::call;
    result.function = function_named(called, begin);
    do {
      result.arguments.push_back(sum());
    } while (take(','));
    want(')', fmt::format("to close '{}('", called));
    check_arguments(called, result, begin);
    return spanned(std::move(result), begin);
  }

  static Function function_named(const std::string& called, std::size_t begin) {
    for (const auto& [known, function] : functions) {
      if (known == called) return function;
    }
    stop(begin, fmt::format("no function is named '{}'; known are sum, count, min, max, sqrt", called));
  }

  static void check_arguments(const std::string& called, const Expression& call, std::size_t begin) {
    const bool is_over_reference = call.function == Function::sum || call.function == Function::count;
    if (call.arguments.size() != 1 && (is_over_reference || call.function == Function::sqrt)) {
      stop(begin, fmt::format("'{}' takes one argument, not {}", called, call.arguments.size()));
    }
    if (is_over_reference && call.arguments.front().kind != Expression::Kind::reference) {
      stop(call.arguments.front().begin, fmt::format("'{}' takes a path, not a formula", called));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Evaluation<Expression> parse_expression(std::string_view text) {
  try {
    return Parser(text).whole();
  } catch (Stop& stopped) {
    return tl::unexpected(std::move(stopped.fault));
  }
}

}  // namespace kvtraffic::scenarios
