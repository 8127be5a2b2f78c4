// Includes run one way: sim <- hardware, models, reports <- scenarios <- tests; and some libraries have one home.
// It reads #include lines as text: what the preprocessor would skip counts as well.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/house/source_tree.hpp"

namespace kvtraffic::house {
namespace {

struct Room {
  std::string_view name;
  std::set<std::string_view> may_include;
};

const std::vector<Room>& rooms() {
  static const std::vector<Room> table = {
      {"sim", {"sim"}},
      {"hardware", {"sim", "hardware"}},
      {"models", {"sim", "models"}},
      {"reports", {"sim", "reports"}},
      {"scenarios", {"sim", "hardware", "models", "reports", "scenarios"}},
      {"tests", {"sim", "hardware", "models", "reports", "scenarios", "tests"}},
  };
  return table;
}

// A library that only files under `home` may include.
struct Library {
  std::string_view header_prefix;
  std::string_view home;
};

constexpr std::array kLibraries = {
    Library{"yaml-cpp/", "sim/config/yaml.cpp"},
    Library{"Eigen/", "reports/"},
    Library{"boost/graph/", "sim/graph/"},
    Library{"CLI/", "scenarios/"},
};

bool is_command_line_library(std::string_view header) { return header.starts_with("CLI/"); }

const Room* room_of(std::string_view path) {
  const std::string_view first = path.substr(0, path.find('/'));
  for (const Room& room : rooms()) {
    if (room.name == first) {
      return &room;
    }
  }
  return nullptr;
}

// What follows #include, or nothing if the line is no include. `quoted` as in "sim/units/quantity.hpp".
struct Include {
  std::string header;
  bool quoted = false;
};

std::optional<Include> include_in(const std::string& line) {
  static const std::regex pattern(R"(^\s*#\s*include\s*(.*)$)");
  std::smatch match;
  if (!std::regex_search(line, match, pattern)) {
    return std::nullopt;
  }
  const std::string rest = match[1];
  const bool quoted = rest.starts_with('"');
  const bool readable = quoted || rest.starts_with('<');
  return Include{readable ? rest.substr(1, rest.find(quoted ? '"' : '>', 1) - 1) : "", quoted};
}

// Why `path` may not include this, or nothing if it may.
std::string objection(std::string_view path, const Include& include) {
  if (include.header.empty()) {
    return "an include must name its header";
  }
  const Room* target = room_of(include.header);
  if (include.quoted && target == nullptr) {
    return "\"" + include.header + "\" is not written from the root";
  }
  if (target != nullptr && !room_of(path)->may_include.contains(target->name)) {
    return std::string(room_of(path)->name) + " must not include " + include.header;
  }
  for (const Library& library : kLibraries) {
    if (include.header.starts_with(library.header_prefix) && !path.starts_with(library.home)) {
      return include.header + " is for " + std::string(library.home) + " only";
    }
  }
  return "";
}

std::vector<Finding> forbidden_includes(const std::string& path, const std::string& text) {
  std::vector<Finding> findings;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const auto include = include_in(line);
    const std::string why = include ? objection(path, *include) : "";
    if (!why.empty()) {
      findings.push_back({path, number, why});
    }
  }
  return findings;
}

bool includes_command_line_library(const SourceFile& source) {
  for (const std::string& line : lines_of(source.text)) {
    const auto include = include_in(line);
    if (include && is_command_line_library(include->header)) {
      return true;
    }
  }
  return false;
}

std::vector<SourceFile> production_sources() {
  return sources_in({"sim", "hardware", "models", "reports", "scenarios"});
}

std::string verdict(const std::string& path, const std::string& text) { return list(forbidden_includes(path, text)); }

TEST(IncludeDirection, HoldsInTheWholeTree) {
  const auto sources = production_sources();
  ASSERT_FALSE(sources.empty());
  for (const SourceFile& source : sources) {
    EXPECT_EQ(verdict(source.path, source.text), "");
  }
}

// Folders of `sources` that reach themselves again by what their files include.
std::set<std::string> folders_in_a_circle(const std::vector<SourceFile>& sources) {
  const auto folder_of = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  std::map<std::string, std::set<std::string>> reached;
  for (const SourceFile& source : sources) {
    for (const std::string& line : lines_of(source.text)) {
      const auto include = include_in(line);
      if (!include || !include->quoted || folder_of(include->header) == folder_of(source.path)) continue;
      reached[folder_of(source.path)].insert(folder_of(include->header));
    }
  }
  for (std::size_t round = 0; round < reached.size(); ++round) {
    for (auto& [folder, others] : reached) {
      for (const std::string& other : std::set(others)) {
        if (const auto more = reached.find(other); more != reached.end()) others.merge(std::set(more->second));
      }
    }
  }
  std::erase_if(reached, [](const auto& entry) { return !entry.second.contains(entry.first); });
  std::set<std::string> circle;
  for (const auto& [folder, others] : reached) circle.insert(folder);
  return circle;
}

TEST(IncludeDirection, FoldersOfScenariosIncludeOneAnotherOneWay) {
  EXPECT_EQ(folders_in_a_circle(sources_in({"scenarios"})), std::set<std::string>());
}

TEST(IncludeDirectionChecker, FindsFoldersInACircle) {
  EXPECT_EQ(folders_in_a_circle({{"a/a/x.cpp", "#include \"a/b/x.hpp\"\n#include \"a/a/x.hpp\"\n"},
                                 {"a/b/x.hpp", "#include \"a/c/x.hpp\"\n"},
                                 {"a/c/x.hpp", "#include \"a/a/x.hpp\"\n"},
                                 {"a/d/x.hpp", "#include \"a/a/x.hpp\"\n"}}),
            (std::set<std::string>{"a/a", "a/b", "a/c"}));
}

TEST(IncludeDirection, OneSourceFileKnowsTheCommandLineLibrary) {
  std::vector<std::string> users;
  for (const SourceFile& source : production_sources()) {
    if (includes_command_line_library(source)) {
      users.push_back(source.path);
    }
  }
  EXPECT_LE(users.size(), 1U) << testing::PrintToString(users);
  for (const std::string& user : users) {
    EXPECT_TRUE(user.ends_with(".cpp")) << user;
  }
}

TEST(IncludeDirectionChecker, FindsEveryForbiddenPairOfRooms) {
  int forbidden = 0;
  for (const Room& from : rooms()) {
    for (const Room& to : rooms()) {
      const std::string path = std::string(from.name) + "/a.cpp";
      const bool found = !verdict(path, "#include \"" + std::string(to.name) + "/b.hpp\"\n").empty();
      EXPECT_EQ(found, !from.may_include.contains(to.name)) << path << " -> " << to.name;
      forbidden += found ? 1 : 0;
    }
  }
  // sim may not reach 5 others; hardware, models and reports not 4 each; scenarios not tests.
  EXPECT_EQ(forbidden, 5 + 3 * 4 + 1);
}

TEST(IncludeDirectionChecker, NamesFileLineAndHeader) {
  EXPECT_EQ(verdict("sim/kernel/loop.cpp", "// Head.\n#include <vector>\n  #  include <hardware/hbm/device.hpp>\n"),
            "sim/kernel/loop.cpp:3: sim must not include hardware/hbm/device.hpp\n");
}

TEST(IncludeDirectionChecker, LetsNeighboursAndSystemHeadersPass) {
  EXPECT_EQ(verdict("models/lower/a.cpp", "#include <vector>\n#include <fmt/core.h>\n#include \"models/b.hpp\"\n"), "");
}

TEST(IncludeDirectionChecker, RefusesIncludesThatHideTheirRoom) {
  EXPECT_NE(verdict("sim/a.cpp", "#include \"../hardware/b.hpp\"\n"), "");
  EXPECT_NE(verdict("sim/a.cpp", "#include \"b.hpp\"\n"), "");
  EXPECT_NE(verdict("sim/a.cpp", "#include SOME_HEADER\n"), "");
}

struct HomeCase {
  std::string header;
  std::string at_home;
  std::string elsewhere;
};

TEST(IncludeDirectionChecker, KeepsLibrariesAtHome) {
  const std::vector<HomeCase> cases = {
      {"yaml-cpp/yaml.h", "sim/config/yaml.cpp", "sim/config/source.cpp"},
      {"Eigen/Dense", "reports/fit.cpp", "models/lower/a.cpp"},
      {"boost/graph/adjacency_list.hpp", "sim/graph/step_graph.cpp", "sim/run/executor.cpp"},
      {"CLI/CLI.hpp", "scenarios/cli/options.cpp", "reports/console.cpp"},
  };
  for (const HomeCase& example : cases) {
    const std::string text = "#include <" + example.header + ">\n";
    EXPECT_EQ(verdict(example.at_home, text), "");
    EXPECT_NE(verdict(example.elsewhere, text), "") << example.elsewhere << " includes " << example.header;
  }
}

}  // namespace
}  // namespace kvtraffic::house
