// What the documents point to is there: paths between backticks, in the repository's own tree.
// Leaves out commands and their output: tests/scenarios runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

namespace kvtraffic::house {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Rooms and files that `text` names and `root` does not have. "build/" comes and goes.
std::string missing_paths(const std::string& text, const fs::path& root) {
  static const std::regex path("(?:`|\\s)((?:sim|hardware|models|reports|scenarios|tests)(?:/[A-Za-z0-9_.-]+)+)");
  std::string missing;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), path); match != std::sregex_iterator(); ++match) {
    std::string name = (*match)[1];
    while (name.ends_with('.')) name.pop_back();
    if (!fs::exists(root / name)) missing += name + "\n";
  }
  return missing;
}

TEST(Documents, NameOnlyWhatThereIs) {
  const fs::path root = KVTRAFFIC_ROOT;
  for (const char* file : {"CONTRIBUTING.md", "README.md", "hardware/README.md"}) {
    EXPECT_EQ(missing_paths(text_of(root / file), root), "") << file;
  }
}

TEST(DocumentChecker, FindsARoomThatIsNotThere) {
  const fs::path root = KVTRAFFIC_ROOT;
  EXPECT_EQ(missing_paths("see `hardware/machine`, `sim/units`. And tests/house.", root), "");
  EXPECT_EQ(missing_paths("down to a DRAM command in `hardware/nowhere`.", root), "hardware/nowhere\n");
}

}  // namespace
}  // namespace kvtraffic::house
