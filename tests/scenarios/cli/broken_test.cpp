// Broken scenarios, one fault or a few each, and what the program says about them, word for word.
// A message changed on purpose: run with KVTRAFFIC_WRITE_EXPECTED=1 and read the difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

namespace fs = std::filesystem;

const fs::path& folder() {
  static const fs::path path = fs::path(KVTRAFFIC_ROOT) / "tests/scenarios/broken";
  return path;
}

std::vector<std::string> broken_scenarios() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(folder())) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

// A catalog of a few entries: messages list the names there are, and must not change with every entry that is added.
class FewEntries {
 public:
  FewEntries() {
    for (const char* file :
         {"models/catalog/deepseek-v3.2", "models/catalog/deepseek-v4-flash", "models/catalog/deepseek-v4.1-flash",
          "models/formats/bf16", "models/formats/deployed", "models/engines/reference", "hardware/catalog/h100-sxm",
          "hardware/catalog/h200-sxm", "hardware/catalog/8x-h200-sxm", "hardware/memories/hbm3-h100",
          "hardware/memories/hbm3e-h200"}) {
      const std::string name = std::string(file) + ".yaml";
      folder_.write(name, test::contents(fs::path(KVTRAFFIC_ROOT) / name));
    }
  }
  [[nodiscard]] std::string setting() const { return "KVTRAFFIC_DATA=" + folder_.path(); }

 private:
  test::Folder folder_;
};

class BrokenScenario : public testing::TestWithParam<std::string> {};

TEST_P(BrokenScenario, IsToldWordForWord) {
  const FewEntries entries;
  const test::Outcome outcome =
      test::run_program({"run", GetParam() + ".yaml"}, "", folder().string(), {entries.setting()});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  const fs::path expected = folder() / (GetParam() + ".txt");
  const bool is_rewritten = outcome.code == 3 && std::getenv("KVTRAFFIC_WRITE_EXPECTED") != nullptr;
  if (is_rewritten) std::ofstream(expected) << outcome.err;
  EXPECT_EQ(outcome.err, test::contents(expected));
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, BrokenScenario, testing::ValuesIn(broken_scenarios()), test_name);

TEST(BrokenScenarios, AreMany) { EXPECT_GE(broken_scenarios().size(), 40U); }

}  // namespace
}  // namespace kvtraffic::scenarios
