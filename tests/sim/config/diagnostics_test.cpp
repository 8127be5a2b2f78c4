// How faults are told: place, caret, advice, order, and the nearest name.
// Leaves out who finds them.
#include "sim/config/diagnostics.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace kvtraffic::sim {
namespace {

Mark mark_in(std::string text, int line, int column, std::string name = "s.yaml") {
  return {std::make_shared<const SourceFile>(SourceFile{std::move(name), std::move(text)}), line, column};
}

std::string rendered(Mark mark, std::string path = "", std::string message = "wrong", std::string expected = "",
                     std::string nearest = "") {
  Diagnostics diagnostics;
  diagnostics.error(std::move(mark), std::move(path), std::move(message), std::move(expected), std::move(nearest));
  return diagnostics.render();
}

TEST(Diagnostics, PointAtThePlaceAndSayWhatHelps) {
  EXPECT_EQ(rendered(mark_in("a: 1\nworkload: {batc: 4}\n", 2, 12), "workload.batc", "unknown key",
                     "one of batch, context", "batch"),
            "s.yaml:2:12: error: workload.batc: unknown key\n"
            "workload: {batc: 4}\n"
            "           ^\n"
            "  expected: one of batch, context\n"
            "  did you mean 'batch'?\n");
}

TEST(Diagnostics, LeaveOutWhatIsNotKnown) {
  EXPECT_EQ(rendered(mark_in("a: 1", 1, 4)), "s.yaml:1:4: error: wrong\na: 1\n   ^\n");
  EXPECT_EQ(rendered(mark_in("a: 1", 0, 0)), "s.yaml: error: wrong\n");
  EXPECT_EQ(rendered(mark_in("a: 1", 0, 0), "a.b"), "s.yaml: error: a.b: wrong\n");
  EXPECT_EQ(rendered({}), "error: wrong\n");
  EXPECT_EQ(rendered({}, "a"), "error: a: wrong\n");
}

TEST(Diagnostics, WarningsAreNoErrors) {
  Diagnostics diagnostics;
  diagnostics.warning({}, "workload.context", "beyond the model's maximum");
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.render(), "warning: workload.context: beyond the model's maximum\n");
  diagnostics.error({}, "", "wrong");
  EXPECT_TRUE(diagnostics.has_errors());
}

TEST(Diagnostics, CaretCountsCodePoints) {
  EXPECT_EQ(rendered(mark_in("naïve: é!", 1, 8)), "s.yaml:1:8: error: wrong\nnaïve: é!\n       ^\n");
}

TEST(Diagnostics, TabsAndControlCharactersKeepTheCaretInItsColumn) {
  EXPECT_EQ(rendered(mark_in("\ta\x1b[31m: x", 1, 9)), "s.yaml:1:9: error: wrong\n a\xEF\xBF\xBD[31m: x\n        ^\n");
  EXPECT_EQ(rendered(mark_in("\xff\xfe: x", 1, 2)), "s.yaml:1:2: error: wrong\n\xEF\xBF\xBD\xEF\xBF\xBD: x\n ^\n");
  EXPECT_EQ(rendered({}, "a\x1b[2J", "'\x07'\nhas lines"), "error: a\xEF\xBF\xBD[2J: '\xEF\xBF\xBD' has lines\n");
}

TEST(Diagnostics, LongLinesAreCutAroundTheCaret) {
  const std::string text = std::string(500, 'a') + "X" + std::string(500, 'b');
  const std::string told = rendered(mark_in(text, 1, 501));
  const std::string line = told.substr(told.find('\n') + 1);
  const std::string echoed = line.substr(0, line.find('\n'));
  const std::string caret = line.substr(line.find('\n') + 1);
  EXPECT_LE(echoed.size(), 160U);
  EXPECT_TRUE(echoed.starts_with("...a"));
  EXPECT_TRUE(echoed.ends_with("b..."));
  EXPECT_EQ(echoed[caret.find('^')], 'X');
}

TEST(Diagnostics, CaretAtTheEndOfALongLineStandsBehindIt) {
  const std::string told = rendered(mark_in(std::string(400, 'a'), 1, 401));
  const std::string line = told.substr(told.find('\n') + 1);
  EXPECT_EQ(line.substr(line.find('\n') + 1).find('^'), line.find('\n'));
}

TEST(Diagnostics, ComeInTheOrderOfTheFiles) {
  const auto first = std::make_shared<const SourceFile>(SourceFile{"a.yaml", ""});
  const auto second = std::make_shared<const SourceFile>(SourceFile{"b.yaml", ""});
  Diagnostics diagnostics;
  diagnostics.error({second, 1, 1}, "", "4");
  diagnostics.error({first, 10, 1}, "", "3");
  diagnostics.error({first, 2, 7}, "", "2");
  diagnostics.error({first, 2, 3}, "", "1");
  EXPECT_EQ(diagnostics.render(),
            "a.yaml:2:3: error: 1\na.yaml:2:7: error: 2\na.yaml:10:1: error: 3\nb.yaml:1:1: error: 4\n");
}

TEST(Diagnostics, BeyondTheLimitAreOnlyCounted) {
  Diagnostics diagnostics;
  for (int i = 0; i < 5; ++i) {
    diagnostics.error({}, "", "wrong");
  }
  EXPECT_EQ(diagnostics.render(2), "error: wrong\nerror: wrong\nand 3 more\n");
}

TEST(Diagnostics, AppendKeepsBoth) {
  Diagnostics diagnostics;
  diagnostics.error({}, "", "first");
  diagnostics.append(diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 2U);
}

TEST(Diagnostics, ConfigErrorSaysItAll) {
  Diagnostics diagnostics;
  diagnostics.error({}, "", "first");
  const ConfigError error(diagnostics);
  EXPECT_STREQ(error.what(), "error: first\n");
}

TEST(NearestName, ForgivesSlipsButNotOtherWords) {
  const std::vector<std::string> known = {"cycle", "flow", "roofline", "workload.context"};
  EXPECT_EQ(nearest_name("flw", known), "flow");
  EXPECT_EQ(nearest_name("folw", known), "flow");  // a swap counts one
  EXPECT_EQ(nearest_name("flxow", known), "flow");
  EXPECT_EQ(nearest_name("flox", known), "flow");
  EXPECT_EQ(nearest_name("Cycle", known), "cycle");
  EXPECT_EQ(nearest_name("rooflines", known), "roofline");
  EXPECT_EQ(nearest_name("roof", known), "roofline");
  EXPECT_EQ(nearest_name("exact", known), "");
  EXPECT_EQ(nearest_name("8x-h200", {"8x-b200", "8x-h200-sxm"}), "8x-h200-sxm");  // its beginning, not a letter off
  EXPECT_EQ(nearest_name("x", {"y"}), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), known), "");
}

}  // namespace
}  // namespace kvtraffic::sim
