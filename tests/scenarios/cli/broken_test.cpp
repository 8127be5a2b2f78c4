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

class BrokenScenario : public testing::TestWithParam<std::string> {};

TEST_P(BrokenScenario, IsToldWordForWord) {
  const test::Outcome outcome = test::run_program({"run", GetParam() + ".yaml"}, "", folder().string());
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  const fs::path expected = folder() / (GetParam() + ".txt");
  if (std::getenv("KVTRAFFIC_WRITE_EXPECTED") != nullptr) std::ofstream(expected) << outcome.err;
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
