// The library's promises, and what must hold between levels and layouts at real points. Leaves out what holds between
// fidelities (ladder_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios::test {
namespace {

using nlohmann::json;

std::vector<std::string> library() { return Catalog(KVTRAFFIC_ROOT).names(CatalogKind::scenario); }

json run(std::vector<std::string> arguments, int code = 0) {
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--format", "json"});
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  return json::parse(outcome.out);
}

std::string path_of(const std::string& name) { return Catalog(KVTRAFFIC_ROOT).path_of(CatalogKind::scenario, name); }

TEST(Library, RunsAndKeepsItsPromises) {
  ASSERT_THAT(library(),
              testing::IsSupersetOf({"decode-128k", "generations", "context-ladder", "capacity", "custom-model"}));
  for (const std::string& name : library()) {
    SCOPED_TRACE(name);
    const json document = run({path_of(name)});
    EXPECT_FALSE(document["points"].empty());
  }
}

TEST(Library, SaysWhatItShows) {
  for (const std::string& name : library())
    EXPECT_THAT(contents(path_of(name)), testing::HasSubstr("\n# Shows: ")) << name;
}

std::int64_t sum(const json& level, const std::string& kind) {
  return level.contains(kind) ? level[kind].value("read", std::int64_t{0}) + level[kind].value("write", std::int64_t{0})
                              : 0;
}

TEST(Results, ExplainEveryDifferenceBetweenLevels) {
  const json point = run({path_of("decode-128k"), "--set", "parallel.tensor=4"})["points"][0];
  for (const char* kind :
       {"weight", "kv_main", "kv_local", "index_key", "state", "engram", "activation", "selection"}) {
    for (const auto& [from, to] : {std::pair{"logical", "sector"}, std::pair{"sector", "dram"}}) {
      std::int64_t explained = 0;
      for (const json& row : point["amplification"]) {
        if (row["from"] == from && row["to"] == to && row["kind"] == kind)
          explained += row["bytes"].get<std::int64_t>();
      }
      EXPECT_EQ(sum(point["traffic"][to], kind) - sum(point["traffic"][from], kind), explained)
          << kind << " " << from << " " << to;
    }
  }
}

TEST(Results, LayersAddUpToTheStepButForWhatLiesOutside) {
  const json point = run({path_of("decode-128k"), "--operations"})["points"][0];
  for (const char* level : {"logical", "sector", "dram"}) {
    for (const char* kind : {"weight", "kv_main", "index_key", "activation"}) {
      std::int64_t layers = 0, outside = 0;
      for (const json& layer : point["layers"]) layers += sum(layer["traffic"][level], kind);
      for (const json& operation : point["operations"])
        outside += operation["layer"] == -1 ? sum(operation["traffic"][level], kind) : 0;
      EXPECT_EQ(layers + outside, sum(point["traffic"][level], kind)) << level << " " << kind;
    }
  }
}

// Each of 8 tensor ranks holds the single shared entry; data ranks hold their own sequences only.
TEST(Capacity, SharedEntriesAreCopiedOverTensorRanks) {
  const std::vector<std::string> flash{path_of("capacity"), "--set", "model=deepseek-v4-flash"};
  const json points = run(flash)["points"];
  ASSERT_EQ(points.size(), 2U);
  const double data = points[0]["storage"]["max_batch"], tensor = points[1]["storage"]["max_batch"];
  EXPECT_NEAR(data / tensor, 8, 0.8);  // not 8 whole: data ranks hold their own copy of the attention weights
}

TEST(Capacity, ADeviceThatIsTooSmallIsToldWithBothFigures) {
  const json point = run(
      {path_of("decode-128k"), "--set", "model=deepseek-v3.2", "--set", "hardware=h200-sxm", "--set", "expect=null"},
      1)["points"][0];
  EXPECT_EQ(point["status"], "infeasible");
  EXPECT_TRUE(point["time"].is_null());
  EXPECT_EQ(point["storage"]["max_batch"], 0);
  EXPECT_THAT(point["reason"].get<std::string>(), testing::ContainsRegex("needs .* \\(.* B\\) a device, has 126.9 GB"));
  EXPECT_GT(sum(point["traffic"]["logical"], "index_key"), 0);
  EXPECT_EQ(point["traffic"].size(), 1U);  // the levels below were not simulated
}

TEST(Readme, ShowsWhatTheProgramPrints) {
  std::string shown;
  std::istringstream readme(contents(std::string(KVTRAFFIC_ROOT) + "/README.md"));
  for (std::string line; std::getline(readme, line);) {
    if (line.rfind("    ", 0) == 0 || line.empty()) shown += (line.empty() ? line : line.substr(4)) + "\n";
  }
  EXPECT_THAT(shown, testing::HasSubstr(run_program({"run", path_of("decode-128k")}).out));
}

std::string squeezed(const std::string& line) {
  std::string text;
  for (const char c : line) {
    if (c != ' ' || !text.ends_with(' ')) text += c;
  }
  return text;
}

TEST(Readme, ShowsTheAuditsSumAndEveryClaimThatIsNotPlainlyReproduced) {
  const std::string readme = contents(std::string(KVTRAFFIC_ROOT) + "/README.md");
  std::istringstream audit(run_program({"claims", "--format", "md"}).out);
  int shown = 0;
  for (std::string line; std::getline(audit, line);) {
    const bool is_told = line.find("| contradicted") != std::string::npos ||
                         line.find("| reproduced-otherwise") != std::string::npos ||
                         line.find(" claims: ") != std::string::npos;
    if (!is_told) continue;
    EXPECT_THAT(readme, testing::HasSubstr(squeezed(line)));
    ++shown;
  }
  EXPECT_GT(shown, 10);
}

TEST(Readme, CountsTheCatalogs) {
  const Catalog catalog(KVTRAFFIC_ROOT);
  const auto count = [&](CatalogKind kind) { return std::to_string(catalog.names(kind).size()); };
  const std::string readme = contents(std::string(KVTRAFFIC_ROOT) + "/README.md");
  EXPECT_THAT(readme, testing::HasSubstr(count(CatalogKind::model) + " models, " + count(CatalogKind::format) +
                                         " cache formats, " + count(CatalogKind::weights) + " weight sets, " +
                                         count(CatalogKind::hardware) + " devices and nodes"));
  EXPECT_THAT(readme,
              testing::HasSubstr(count(CatalogKind::host) + " hosts, " + count(CatalogKind::drive) + " drives"));
}

}  // namespace
}  // namespace kvtraffic::scenarios::test
