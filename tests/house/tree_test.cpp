// Every source file is short, says at its top what it is, and leaves no notes about work undone.
// How code reads beyond that is judged by people and clang-tidy, not here.
#include <gtest/gtest.h>

#include <cstddef>
#include <regex>
#include <string>
#include <vector>

#include "tests/house/source_tree.hpp"

namespace kvtraffic::house {
namespace {

constexpr std::size_t kLineLimit = 500;  // a file has fewer lines than this

// Spelt in halves, so that this file passes its own test.
const std::regex& forbidden_word() {
  static const std::regex pattern(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b");
  return pattern;
}

std::vector<Finding> untidiness(const std::string& path, const std::string& text) {
  std::vector<Finding> findings;
  const std::vector<std::string> lines = lines_of(text);
  if (lines.size() >= kLineLimit) {
    findings.push_back({path, 0, std::to_string(lines.size()) + " lines are too many"});
  }
  if (lines.empty() || !std::regex_search(lines.front(), std::regex("^// \\S"))) {
    findings.push_back({path, 1, "does not begin with a comment saying what it is"});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_search(lines[i], match, forbidden_word())) {
      findings.push_back({path, static_cast<int>(i) + 1, "says " + match.str()});
    }
  }
  return findings;
}

std::string verdict(const std::string& text) { return list(untidiness("sim/a.cpp", text)); }

std::string file_of(std::size_t lines) {
  std::string text = "// A file.\n";
  for (std::size_t i = 1; i < lines; ++i) {
    text += '\n';
  }
  return text;
}

TEST(SourceTree, IsTidy) {
  const auto sources = sources_in({"sim", "hardware", "models", "reports", "scenarios", "tests"});
  ASSERT_FALSE(sources.empty());
  for (const SourceFile& source : sources) {
    EXPECT_EQ(list(untidiness(source.path, source.text)), "");
  }
}

TEST(SourceTreeChecker, CountsLines) {
  EXPECT_EQ(verdict(file_of(kLineLimit - 1)), "");
  EXPECT_EQ(verdict(file_of(kLineLimit)), "sim/a.cpp:0: 500 lines are too many\n");
}

TEST(SourceTreeChecker, WantsAHead) {
  EXPECT_EQ(verdict("// What it is.\n#pragma once\n"), "");
  EXPECT_NE(verdict("#pragma once\n// What it is.\n"), "");
  EXPECT_NE(verdict("//\n"), "");
  EXPECT_NE(verdict(""), "");
}

TEST(SourceTreeChecker, FindsNotesAboutWorkUndone) {
  for (const std::string word : {"TO"
                                 "DO",
                                 "FIX"
                                 "ME",
                                 "XX"
                                 "X",
                                 "HA"
                                 "CK"}) {
    EXPECT_EQ(verdict("// Head.\nint a;  // " + word + ": later\n"), "sim/a.cpp:2: says " + word + "\n");
  }
}

TEST(SourceTreeChecker, LeavesOtherWordsAlone) { EXPECT_EQ(verdict("// Head.\n// hacking through a XXXL list\n"), ""); }

}  // namespace
}  // namespace kvtraffic::house
