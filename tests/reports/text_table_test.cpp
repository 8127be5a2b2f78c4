// Layout of tables, word wrap, Markdown escapes and widths of text.
// Leaves out what reports put into them.
#include "reports/text_table.hpp"

#include <gtest/gtest.h>

#include "reports/display.hpp"
#include "reports/wording.hpp"

namespace kvtraffic::reports {
namespace {

TEST(TextTable, AlignsColumnsAndDropsTrailingBlanks) {
  TextTable table({{"name", "", Align::left}, {"time", "ms"}, {"why", "", Align::left}});
  table.add({"a", "1.5", ""});
  table.add({"longer", "120", "x"});
  EXPECT_EQ(table.text(1),
            " name    time  why\n"
            "           ms\n"
            " a        1.5\n"
            " longer   120  x\n");
}

TEST(TextTable, WideAndCombiningCharactersKeepTheColumns) {
  TextTable table({{"n", "", Align::left}, {"x"}});
  table.add({"\xE6\xB7\xB1\xE5\xBA\xA6", "1"});  // two wide characters: four columns
  table.add({"e\xCC\x81t\xC3\xA9", "2"});        // e + combining accent, t, e with accent: three columns
  EXPECT_EQ(table.text(0), "n     x\n\xE6\xB7\xB1\xE5\xBA\xA6  1\ne\xCC\x81t\xC3\xA9   2\n");
}

TEST(TextTable, ColumnsWithoutAnyCellGo) {
  TextTable table({{"a"}, {"b"}, {"c"}});
  table.add({"1", "", "3"});
  table.drop_empty_columns();
  EXPECT_EQ(table.text(0), "a  c\n1  3\n");
}

TEST(TextTable, CellsStayOnOneLine) {
  TextTable table({{"a", "", Align::left}});
  table.add({"x\ny"});
  EXPECT_EQ(table.text(0), "a\nx y\n");
}

TEST(TextTable, MarkdownHasHeadAlignmentAndEscapedCells) {
  TextTable table({{"name", "", Align::left}, {"time", "ms"}});
  table.add({"kv_main | x", "1"});
  EXPECT_EQ(table.markdown(),
            "| name         | time (ms) |\n"
            "| ------------ | --------: |\n"
            "| kv_main \\| x |         1 |\n");
}

TEST(Markdown, EscapesWhatWouldBeMarkup) {
  EXPECT_EQ(markdown_escaped("a_b _c_ `d` [e](f) 1<2 & #3 \\"), "a_b \\_c\\_ \\`d\\` \\[e\\](f) 1\\<2 \\& \\#3 \\\\");
  EXPECT_EQ(markdown_escaped("- no list"), "\\- no list");
  EXPECT_EQ(markdown_escaped("-26 MB"), "-26 MB");
}

TEST(Wrapped, BreaksAtBlanksAndKeepsLongWords) {
  EXPECT_EQ(wrapped("aa bb cc", 5), (std::vector<std::string>{"aa bb", "cc"}));
  EXPECT_EQ(wrapped("abcdefgh ij", 5), (std::vector<std::string>{"abcdefgh", "ij"}));
  EXPECT_TRUE(wrapped("", 5).empty());
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\xC3\xA9"), 1U);
  EXPECT_EQ(display_width("\xF0\x9F\x90\x8B"), 2U);
  EXPECT_EQ(display_width("\xFF"), 1U);
}

TEST(InOneUnit, TakesTheUnitOfTheLargestAndFourDigitsOfTheSmallest) {
  const ScaledColumn column = in_one_unit({1.5e6, 250e6, std::nullopt}, Quantity::bytes);
  EXPECT_EQ(column.unit, "MB");
  EXPECT_EQ(column.cells, (std::vector<std::string>{"1.500", "250.000", ""}));
  EXPECT_EQ(in_one_unit({2e-5, 9e-4}, Quantity::seconds).unit, "us");
  EXPECT_EQ(in_one_unit({1234567.0}, Quantity::rate).cells.at(0), "1,234,567");
}

TEST(InOneUnit, NothingButZerosIsNoColumn) {
  EXPECT_EQ(in_one_unit({0.0, std::nullopt}, Quantity::bytes).cells, (std::vector<std::string>{"", ""}));
}

TEST(RangesText, JoinsNeighboursAndCuts) {
  EXPECT_EQ(ranges_text({0, 1, 4, 5, 6, 9}, 40), "0, 1, 4-6, 9");
  EXPECT_EQ(ranges_text({3, 5, 7, 9, 11, 13}, 12), "3, 5, 7, ...");
  EXPECT_EQ(ranges_text({3, 5, 7, 9, 11, 13}, 11), "3, 5, ...");
}

TEST(Manner, LeavesOutAFormatThatBareKernelsDoNotHave) {
  const auto known = [](std::string_view key) -> std::optional<std::string> {
    return key == "format" ? std::string() : std::string(key);
  };
  EXPECT_EQ(manner(known), "fidelity fidelity, engine engine");
}

}  // namespace
}  // namespace kvtraffic::reports
