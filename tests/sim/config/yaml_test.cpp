// What the reader takes, what it refuses, and in which words; and that no text can hurt it.
// Leaves out meaning (table_check_test.cpp).
#include "sim/config/yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "sim/config/io_error.hpp"
#include "sim/config/places.hpp"
#include "tests/sim/config/trees.hpp"

namespace kvtraffic::sim {
namespace {

using testing::faults_of_text;
using testing::read_or_fail;

std::string place_of(const Mark& mark) { return fmt::format("{}:{}", mark.line, mark.column); }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(ReadYaml, MarksKeysAndValuesFromOne) {
  const Node node = read_or_fail("a: 1\nmap:\n  inner: [x, 'y']\n");
  EXPECT_EQ(place_of(node.mark()), "1:1");
  EXPECT_EQ(place_of(node.members()[0].key_mark), "1:1");
  EXPECT_EQ(place_of(node.find("a")->mark()), "1:4");
  EXPECT_EQ(place_of(node.find("map")->mark()), "3:3");
  EXPECT_EQ(place_of(node.find_path("map.inner")->mark()), "3:10");
  EXPECT_EQ(place_of(node.find_path("map.inner[1]")->mark()), "3:14");
}

TEST(ReadYaml, MarksCountCodePoints) {
  const Node node = read_or_fail("{größe: é, b: 日本, c: 3}\n");
  EXPECT_EQ(place_of(node.find("größe")->mark()), "1:9");
  EXPECT_EQ(place_of(node.find("b")->mark()), "1:15");
  EXPECT_EQ(place_of(node.find("c")->mark()), "1:22");
}

TEST(Places, AnswerInAnyOrder) {
  Places places(std::make_shared<const SourceFile>(SourceFile{"s.yaml", "é: 1\nab\n"}));
  EXPECT_EQ(place_of(places.at_offset(4)), "1:4");
  EXPECT_EQ(place_of(places.at_offset(0)), "1:1");
  EXPECT_EQ(place_of(places.at_offset(7)), "2:2");
  EXPECT_EQ(place_of(places.at_offset(2)), "1:2");
  EXPECT_EQ(places.offset(0, 99), 5U);  // the line's end
  EXPECT_EQ(places.offset(99, 0), 9U);  // the text's end
}

TEST(ReadYaml, TellsQuotedFromPlainAndNullFromText) {
  const Node node = read_or_fail("a: null\nb: 'null'\nc: ~\nd:\ne: \"\"\nf: |\n  text\ng: 64\n");
  EXPECT_TRUE(node.find("a")->is_null());
  EXPECT_TRUE(node.find("b")->is_scalar());
  EXPECT_TRUE(node.find("b")->quoted());
  EXPECT_TRUE(node.find("c")->is_null());
  EXPECT_TRUE(node.find("d")->is_null());
  EXPECT_TRUE(node.find("e")->is_scalar());
  EXPECT_EQ(node.find("f")->text(), "text\n");
  EXPECT_FALSE(node.find("g")->quoted());
}

TEST(ReadYaml, TakesByteOrderMarkAndWindowsLineEnds) {
  const Node node = read_or_fail(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n");
  EXPECT_EQ(node.find("a")->text(), "1");
  EXPECT_EQ(node.find("b")->text(), "2");
  EXPECT_EQ(place_of(node.find("a")->mark()), "1:4");
  EXPECT_EQ(place_of(node.find("b")->mark()), "2:4");
}

TEST(ReadYaml, TakesAliasesAndKeepsTheMarksOfTheAnchor) {
  const Node node = read_or_fail("a: &x {k: 1}\nb: *x\nkey: &n name\n*n : 5\n");
  EXPECT_EQ(node.find_path("b.k")->text(), "1");
  EXPECT_EQ(place_of(node.find_path("b.k")->mark()), "1:11");
  EXPECT_EQ(node.find("name")->text(), "5");
}

TEST(ReadYaml, TakesDocumentMarkersAroundOneDocument) {
  EXPECT_EQ(read_or_fail("---\na: 1\n...\n").find("a")->text(), "1");
}

TEST(ReadYaml, ReportsDuplicateKeysWithBothLines) {
  EXPECT_EQ(faults_of_text("a: 1\nb: 2\na: 3\n"),
            "s.yaml:3:1: error: duplicate key 'a', first given on line 1\na: 3\n^\n");
}

TEST(ReadYaml, ReportsSeveralFaultsAtOnce) {
  const std::string faults = faults_of_text("a: 1\na: 2\nb: !!str 3\nb: 4\n");
  EXPECT_NE(faults.find("s.yaml:2:1: error: duplicate key 'a'"), std::string::npos);
  EXPECT_NE(faults.find("s.yaml:3:4: error: tag 'tag:yaml.org,2002:str' is not supported"), std::string::npos);
  EXPECT_NE(faults.find("s.yaml:4:1: error: duplicate key 'b', first given on line 3"), std::string::npos);
}

TEST(ReadYaml, RefusesMergeKeysWithAHint) {
  EXPECT_EQ(faults_of_text("base: &b {x: 1}\nuse:\n  <<: *b\n"),
            "s.yaml:3:3: error: merge keys '<<' are not supported\n  <<: *b\n  ^\n"
            "  expected: 'extends: NAME' to build on another entry\n");
  EXPECT_EQ(read_or_fail("'<<': 1\n").find("<<")->text(), "1");
}

TEST(ReadYaml, RefusesTags) {
  EXPECT_EQ(first_line(faults_of_text("a: !custom 1\n")), "s.yaml:1:4: error: tag '!custom' is not supported");
  EXPECT_EQ(first_line(faults_of_text("a: ! 1\n")), "s.yaml:1:4: error: tag '!' is not supported");
  EXPECT_EQ(first_line(faults_of_text("a: !!map {}\n")),
            "s.yaml:1:4: error: tag 'tag:yaml.org,2002:map' is not supported");
  EXPECT_EQ(first_line(faults_of_text("a: !!null\n")),
            "s.yaml:1:4: error: tag 'tag:yaml.org,2002:null' is not supported");
}

TEST(ReadYaml, RefusesASecondDocument) {
  EXPECT_EQ(first_line(faults_of_text("a: 1\n---\nb: 2\n")), "s.yaml:2:1: error: a second document begins here");
  EXPECT_EQ(first_line(faults_of_text("[1] x\n")), "s.yaml:1:5: error: text after the end of the value");
}

TEST(ReadYaml, RefusesKeysThatAreNoNames) {
  EXPECT_EQ(first_line(faults_of_text("? [a, b]\n: 1\n")),
            "s.yaml:1:3: error: a key must be a plain name, found a list");
  EXPECT_EQ(first_line(faults_of_text("{{a: 1}: 2}\n")), "s.yaml:1:2: error: a key must be a plain name, found a map");
  EXPECT_EQ(first_line(faults_of_text("~: 1\n")), "s.yaml:1:1: error: a key must not be empty");
}

TEST(ReadYaml, RefusesEmptyFiles) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "null\n", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(faults_of_text(text), "s.yaml: error: the file is empty\n") << text;
  }
}

TEST(ReadYaml, RefusesWhatIsNoText) {
  EXPECT_EQ(first_line(faults_of_text(std::string("a: \0b\n", 6))),
            "s.yaml:1:4: error: not a text file: control character 0x00");
  EXPECT_EQ(first_line(faults_of_text("a: 1\nb: \x07\n")),
            "s.yaml:2:4: error: not a text file: control character 0x07");
  EXPECT_EQ(first_line(faults_of_text("a: \xC0\xAF\n")), "s.yaml:1:4: error: not a text file: byte 0xC0 is not UTF-8");
  EXPECT_EQ(first_line(faults_of_text("a: \xE0\x80\xAF\n")),
            "s.yaml:1:4: error: not a text file: byte 0xE0 is not UTF-8");
  EXPECT_EQ(first_line(faults_of_text("a: \xED\xA0\x80\n")),
            "s.yaml:1:4: error: not a text file: byte 0xED is not UTF-8");
  EXPECT_EQ(first_line(faults_of_text("a: 1\rb: 2\r")), "s.yaml:1:5: error: not a text file: control character 0x0D");
  EXPECT_EQ(first_line(faults_of_text("\xFF\xFE"
                                      "a")),
            "s.yaml:1:1: error: not a text file: byte 0xFF is not UTF-8");
}

TEST(ReadYaml, PlacesSyntaxErrors) {
  EXPECT_EQ(faults_of_text("a: 1\nb: c: d\n"),
            "s.yaml:2:5: error: not valid YAML: illegal map value\nb: c: d\n    ^\n"
            "  expected: one 'key: value' per line; a text that holds ': ' in quotes\n");
  EXPECT_EQ(first_line(faults_of_text("a: [1, 2\n")),
            "s.yaml:2:1: error: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(first_line(faults_of_text("a: *nowhere\n")),
            "s.yaml:1:4: error: not valid YAML: the referenced anchor is not defined");
}

TEST(ReadYaml, RefusesDeepNestingAtTheSixtyFifthLevel) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
  EXPECT_EQ(faults_of_text(nested(64)), "");
  EXPECT_EQ(first_line(faults_of_text(nested(65))), "s.yaml:1:65: error: nested more than 64 levels deep");
}

TEST(ReadYaml, SurvivesHostileNesting) {
  for (const std::string unit : {"[", "{", "- ", "{a: ", "[a, "}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) {
      text += unit;
    }
    EXPECT_NE(faults_of_text(text).find("nested more than 64 levels deep"), std::string::npos) << unit;
  }
}

TEST(ReadYaml, CountsNestingThroughAliases) {
  const auto nested = [](const std::string& core) { return std::string(40, '[') + core + std::string(40, ']'); };
  EXPECT_NE(faults_of_text("a: &a " + nested("1") + "\nb: " + nested("*a") + "\n").find("nested more than 64 levels"),
            std::string::npos);
}

TEST(ReadYaml, StopsAliasBombsBeforeTheyGoOff) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    text +=
        fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  }
  EXPECT_NE(faults_of_text(text).find("more than 200000 values once the aliases are expanded"), std::string::npos);
}

TEST(ReadYaml, CountsEveryCopyOfAnAlias) {
  std::string text = "a: &a [";
  for (int i = 0; i < 1000; ++i) {
    text += "x, ";
  }
  text += "]\nb: [";
  for (int i = 0; i < 300; ++i) {  // 300 x 1001 values
    text += "*a, ";
  }
  EXPECT_NE(faults_of_text(text + "]\n").find("more than 200000 values"), std::string::npos);
}

TEST(ReadYaml, StopsAliasesOfHugeTexts) {
  std::string text = "a: &a " + std::string(1 << 20, 'x') + "\nb: [";
  for (int i = 0; i < 1000; ++i) {
    text += "*a, ";
  }
  EXPECT_NE(faults_of_text(text + "]\n").find("once the aliases are expanded"), std::string::npos);
}

TEST(ReadYaml, RefusesAnAliasInsideItsOwnAnchor) {
  EXPECT_EQ(first_line(faults_of_text("a: &a [*a]\n")),
            "s.yaml:1:8: error: an alias stands inside the value that it repeats");
}

TEST(ReadYaml, RefusesTooMuch) {
  EXPECT_EQ(faults_of_text(std::string((16U << 20U) + 1, ' ')), "s.yaml: error: the file is larger than 16 MiB\n");
  std::string many = "[";
  for (int i = 0; i < 200'000; ++i) {
    many += "1,";
  }
  EXPECT_NE(faults_of_text(many + "]").find("more than 200000 values"), std::string::npos);
}

TEST(ReadYaml, ReadsManyKeysOfOneLongLineInLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 90'000; ++i) {
    text += fmt::format("é{}: 1, ", i);
  }
  EXPECT_EQ(read_or_fail(text + "}").members().size(), 90'000U);
}

TEST(ReadYamlFile, NamesTheFileAndTheReason) {
  const std::string path = ::testing::TempDir() + "kvtraffic_read_yaml.yaml";
  std::ofstream(path) << "a: [\n";
  Diagnostics diagnostics;
  (void)read_yaml_file(path, diagnostics);
  EXPECT_TRUE(diagnostics.render().starts_with(path + ":2:1: error: "));
  std::filesystem::remove(path);
  try {
    (void)read_yaml_file(path, diagnostics);
    FAIL() << "a missing file was read";
  } catch (const IoError& error) {
    EXPECT_EQ(std::string(error.what()), "cannot open '" + path + "': No such file or directory");
  }
  EXPECT_THROW((void)read_yaml_file(::testing::TempDir(), diagnostics), IoError);
}

RC_GTEST_PROP(ReadYaml, NeverFallsOverAnyText, ()) {
  const auto piece = rc::gen::element<std::string>(
      "a", ": ", ":", "\n", "  ", "- ", "-", "[", "]", "{", "}", ",", "'", "\"", "&x ", "*x", "!", "!!str ", "|", ">",
      "#", "%", "---\n", "...", "? ", "<<", "\t", "\\", "\\x", "é", "0", "~", "@", "`", "\r\n", "|2-\n", "%YAML 1.2\n");
  const auto pieces = *rc::gen::scale(2.0, rc::gen::container<std::vector<std::string>>(piece));
  std::string text;
  for (const std::string& part : pieces) {
    text += part;
  }
  (void)faults_of_text(text);
}

}  // namespace
}  // namespace kvtraffic::sim
