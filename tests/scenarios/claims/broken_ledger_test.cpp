// Broken ledgers, one folder each, and what is said about them, word for word.
// A message changed on purpose: run with KVTRAFFIC_WRITE_EXPECTED=1 and read the difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "scenarios/claims/audit.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

namespace fs = std::filesystem;

const fs::path& folder() {
  static const fs::path path = fs::path(KVTRAFFIC_ROOT) / "tests/scenarios/claims/broken";
  return path;
}

std::vector<std::string> broken_ledgers() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string complaints(const std::string& path) {
  sim::Diagnostics faults;
  const std::vector<Claim> claims = read_ledger(path, faults);
  if (faults.has_errors()) return faults.render();
  const Catalog catalog(KVTRAFFIC_ROOT);
  Auditor auditor(catalog);
  for (const Claim& claim : claims) static_cast<void>(auditor.audit(claim, faults));
  return faults.render();
}

std::string without(std::string text, const std::string& prefix) {
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
    text.erase(at, prefix.size());
  return text;
}

class BrokenLedger : public testing::TestWithParam<std::string> {};

TEST_P(BrokenLedger, IsToldWordForWord) {
  const fs::path here = folder() / GetParam();
  const std::string told = without(complaints(here.string()), here.string() + "/");
  const fs::path expected = here / "expected.txt";
  if (std::getenv("KVTRAFFIC_WRITE_EXPECTED") != nullptr) std::ofstream(expected) << told;
  EXPECT_NE(told, "");
  EXPECT_EQ(told, test::contents(expected));
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Folders, BrokenLedger, testing::ValuesIn(broken_ledgers()), test_name);

TEST(BrokenLedgers, AreMany) { EXPECT_GE(broken_ledgers().size(), 8U); }

}  // namespace
}  // namespace kvtraffic::scenarios
