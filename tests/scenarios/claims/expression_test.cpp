// Formulas of the ledger: what they come to, what is said about wrong ones, and that no text breaks the parser.
#include "scenarios/claims/expression.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace kvtraffic::scenarios {
namespace {

// a.one is 1, a.many[...] are 1, 2 and 3, a.same[...] are 4 and 4; all else is unknown.
tl::expected<std::vector<double>, std::string> looked_up(const Reference& reference) {
  const std::string& key = reference.steps.front().text;
  if (key == "one") return std::vector<double>{1};
  if (key == "many") return std::vector<double>{1, 2, 3};
  if (key == "same") return std::vector<double>{4, 4};
  return tl::unexpected(std::string("unknown here"));
}

double value(const std::string& text) {
  const auto expression = parse_expression(text);
  if (!expression) {
    ADD_FAILURE() << text << ": " << expression.error().message;
    return 0;
  }
  const auto result = evaluate(*expression, looked_up);
  EXPECT_TRUE(result) << text << ": " << (result ? "" : result.error().message);
  return result.value_or(0);
}

// "position: message" of the first fault, whether of the text or of its value; "" without one.
std::string fault(const std::string& text) {
  const auto expression = parse_expression(text);
  const auto told = [](const ExpressionFault& f) { return std::to_string(f.position) + ": " + f.message; };
  if (!expression) return told(expression.error());
  const auto result = evaluate(*expression, looked_up);
  return result ? "" : told(result.error());
}

TEST(Expression, MultipliesBeforeItAdds) {
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("(2 + 3) * 4"), 20);
  EXPECT_EQ(value("2 * 3 + 4"), 10);
}

TEST(Expression, GoesFromLeftToRight) {
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("100 / 10 / 5"), 2);
  EXPECT_EQ(value("100 / 10 * 5"), 50);
}

TEST(Expression, KnowsSigns) {
  EXPECT_EQ(value("-3 + 5"), 2);
  EXPECT_EQ(value("2 - -3"), 5);
  EXPECT_EQ(value("-(2 + 3) * 2"), -10);
  EXPECT_EQ(value("- - 2"), 2);
}

TEST(Expression, KnowsDecimalsAndExponents) {
  EXPECT_EQ(value("0.5"), 0.5);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("3 / 1e3"), 0.003);
}

TEST(Expression, MayStandOnSeveralLines) { EXPECT_EQ(value("1\n + 2\n\t* 3 "), 7); }

TEST(Expression, LooksUpPaths) {
  EXPECT_EQ(value("a.one + a.same[\"x*\"].b"), 5);
  EXPECT_EQ(value("sum(a.many[\"x\"].b)"), 6);
  EXPECT_EQ(value("count(a.many[\"x\"])"), 3);
  EXPECT_EQ(value("min(3, a.one, 2) + max(3, a.one)"), 4);
  EXPECT_EQ(value("sqrt(4) * sqrt(2 + 2)"), 4);
}

TEST(Expression, KeepsPathsAsWritten) {
  const auto expression = parse_expression("sum(a.layers[2].x[\"b.*\"].read) / b.y");
  ASSERT_TRUE(expression);
  const auto references = references_of(*expression);
  ASSERT_EQ(references.size(), 2U);
  EXPECT_EQ(references[0]->text, "a.layers[2].x[\"b.*\"].read");
  EXPECT_EQ(references[0]->point, "a");
  ASSERT_EQ(references[0]->steps.size(), 5U);
  EXPECT_EQ(references[0]->steps[1].number, 2U);
  EXPECT_EQ(references[0]->steps[3].text, "b.*");
  EXPECT_EQ(references[1]->text, "b.y");
}

TEST(Expression, IsWrittenOutWithItsValues) {
  const std::string text = "100 * (a.one + sum(a.many[\"x\"].b)) / a.same[\"x\"].b";
  EXPECT_EQ(substituted(text, *parse_expression(text), looked_up), "100 * (1 + 6) / 4");
}

TEST(ExpressionFaults, AreToldWordForWord) {
  const std::map<std::string, std::string> faults{
      {"", "0: expected a number, a name or '(', found the end"},
      {"1 +", "3: expected a number, a name or '(', found the end"},
      {"1 + * 2", "4: expected a number, a name or '(', found '*'"},
      {"1 2", "2: expected an operator, found '2'"},
      {"1 % 2", "2: expected an operator, found '%'"},
      {"(1 + 2", "6: expected ')' to close the one at character 1, found the end"},
      {"1 + 2)", "5: expected an operator, found ')'"},
      {"4K", "1: a number is followed by 'K'; write '*' between them"},
      {"1e999", "0: not a number that can be computed with"},
      {"a", "0: 'a' is a point: a path such as a.storage.growing_bytes_per_token is wanted"},
      {"a.", "2: expected a name behind '.', found the end"},
      {"a.b[", "4: expected an index or a quoted pattern, found the end"},
      {"a.b[x]", "4: expected an index or a quoted pattern, found 'x'"},
      {"a.b[1", "5: expected ']' behind an index, found the end"},
      {"a.b[\"x]", "4: a quote that is not closed"},
      {"a.b[12345678]", "4: an index beyond any list"},
      {"mean(a.b)", "0: no function is named 'mean'; known are sum, count, min, max, sqrt"},
      {"sum(1 + 2)", "4: 'sum' takes a path, not a formula"},
      {"sum(a.b, a.c)", "0: 'sum' takes one argument, not 2"},
      {"sqrt(1, 2)", "0: 'sqrt' takes one argument, not 2"},
      {"sum(a.b", "7: expected ')' to close 'sum(', found the end"},
      {"1 / 0", "4: division by zero"},
      {"1 / (2 - 2)", "5: division by zero"},
      {"sqrt(1 - 2)", "0: the root of a negative number"},
      {"1e300 * 1e300", "0: not a finite number"},
      {"2 * a.other", "4: a.other: unknown here"},
      {"2 * a.many[\"x\"].b", "4: a.many[\"x\"].b: 3 numbers that differ; say sum(...), or which"},
      {"2 * a.many[\"x\"]", "4: a.many[\"x\"]: ends before a number"}};
  for (const auto& [text, expected] : faults) EXPECT_EQ(fault(text), expected) << text;
}

TEST(ExpressionFaults, StopDeepNesting) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "1" + std::string(depth, ')'); };
  EXPECT_EQ(fault(nested(63)), "");
  EXPECT_EQ(fault(nested(64)), "64: nested deeper than 64");
  EXPECT_EQ(fault(std::string(64, '-') + "1"), "64: nested deeper than 64");
}

TEST(ExpressionFaults, StopLongTexts) {
  std::string chain = "1";
  while (chain.size() < 1999) chain += "+1";
  EXPECT_EQ(fault(chain), "");
  EXPECT_EQ(fault(chain + "+1"), "2000: longer than 2000 characters");
}

// Any text is read or refused; what is refused is refused at a place inside it or at its end.
TEST(ExpressionFaults, NeverCrashOnRandomText) {
  std::mt19937 random(20261);
  const std::vector<std::string> pieces{"a",     ".b", "[",   "]",    "\"", "*", "(", ")",      "sum(",
                                        "1",     "0",  "1e9", "+",    "-",  "/", ",", " ",      ".",
                                        "sqrt(", "\n", "[0]", "\xff", "e",  "_", "9", "[\"*\"]"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const std::size_t length = random() % 24;
    for (std::size_t k = 0; k < length; ++k) text += pieces[random() % pieces.size()];
    const auto expression = parse_expression(text);
    if (!expression) {
      ASSERT_LE(expression.error().position, text.size()) << text;
      continue;
    }
    static_cast<void>(substituted(text, *expression, looked_up));
    const auto result = evaluate(*expression, looked_up);
    if (!result) {
      ASSERT_LT(result.error().position, text.size()) << text;
    }
  }
}

TEST(Pattern, StarsStandForAnything) {
  EXPECT_TRUE(fits_pattern("index.scan", "index.scan"));
  EXPECT_TRUE(fits_pattern("index.scan", "*"));
  EXPECT_TRUE(fits_pattern("index.scan", "index.*"));
  EXPECT_TRUE(fits_pattern("index.scan", "*.s*n"));
  EXPECT_TRUE(fits_pattern("aab", "*ab"));
  EXPECT_TRUE(fits_pattern("", "**"));
  EXPECT_FALSE(fits_pattern("index.scan", "index"));
  EXPECT_FALSE(fits_pattern("index.scan", "*.topk"));
  EXPECT_FALSE(fits_pattern("", "a*"));
}

}  // namespace
}  // namespace kvtraffic::scenarios
