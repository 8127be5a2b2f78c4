// The ledger that is shipped: every verdict is the reviewed one, and verdicts depend on the engine alone.
#include "scenarios/claims/audit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "scenarios/claims/claim_report.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Folder;
using testing::HasSubstr;

std::vector<Claim> ledger_in(const std::string& data) {
  sim::Diagnostics faults;
  std::vector<Claim> claims = read_ledger(data + "/scenarios/claims", faults);
  EXPECT_FALSE(faults.has_errors()) << faults.render();
  return claims;
}

std::vector<Audited> audited(const std::vector<Claim>& claims, Auditor& auditor) {
  std::vector<const Claim*> all;
  for (const Claim& claim : claims) all.push_back(&claim);
  return audit_all(all, auditor);
}

// A copy of the catalogs and the ledger, for breaking things in.
class DataCopy {
 public:
  DataCopy() {
    for (const char* room : {"models", "hardware", "scenarios"}) {
      for (const auto& file : fs::recursive_directory_iterator(fs::path(KVTRAFFIC_ROOT) / room)) {
        if (file.path().extension() != ".yaml") continue;
        folder_.write(fs::relative(file.path(), KVTRAFFIC_ROOT).string(), test::contents(file.path()));
      }
    }
  }
  void replace(const std::string& file, const std::string& old, const std::string& with) const {
    std::string text = test::contents(folder_.path(file));
    ASSERT_NE(text.find(old), std::string::npos) << file;
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + with.size())) {
      text.replace(at, old.size(), with);
    }
    folder_.write(file, text);
  }
  [[nodiscard]] std::string path() const { return folder_.path(); }

 private:
  Folder folder_;
};

std::map<std::string, Verdict> verdicts_with(const DataCopy& data) {
  const std::vector<Claim> claims = ledger_in(data.path());
  const Catalog catalog(data.path());
  Auditor auditor(catalog);
  std::map<std::string, Verdict> verdicts;
  for (const Audited& one : audited(claims, auditor)) verdicts[one.claim->id] = one.verdict;
  return verdicts;
}

class Ledger : public testing::Test {
 protected:
  std::vector<Claim> claims_ = ledger_in(KVTRAFFIC_ROOT);
  Catalog catalog_{KVTRAFFIC_ROOT};
  Auditor auditor_{catalog_};
};

TEST_F(Ledger, HoldsEveryVerdictAsReviewed) {
  const std::vector<Audited> all = audited(claims_, auditor_);
  EXPECT_EQ(surprises(all), "");
  for (const Audited& one : all) EXPECT_EQ(name_of(one.verdict), name_of(one.claim->expect)) << one.claim->id;
}

TEST_F(Ledger, HoldsManyClaimsOfEveryVerdict) {
  std::map<Verdict, int> counts;
  for (const Claim& claim : claims_) ++counts[claim.expect];
  EXPECT_GE(claims_.size(), 60U);
  EXPECT_GE(counts[Verdict::reproduced], 50);
  EXPECT_GE(counts[Verdict::reproduced_otherwise], 2);
  EXPECT_GE(counts[Verdict::contradicted], 6);
  EXPECT_GE(counts[Verdict::not_checkable], 1);
}

TEST_F(Ledger, TellsEveryClaimWithItsDerivation) {
  for (const Audited& one : audited(claims_, auditor_)) {
    const std::string text = claim_text(one, auditor_, true);
    EXPECT_THAT(text, HasSubstr(one.claim->statement));
    EXPECT_THAT(text, testing::Not(HasSubstr("?"))) << "a value that could not be shown";
  }
}

// Each contradicted figure is an independent recomputation of what its `slip` says went wrong.
TEST_F(Ledger, SlipsGiveThePublishedFigures) {
  const double mib = 1048576, short_million = 1024000, million = 1048576;
  const double csa = 30, hca = 31;
  EXPECT_DOUBLE_EQ(
      (csa * (short_million / 4 * 1024 + million / 4 * 256) + hca * million / 128 * 1024 + 60 * 128 * 1024) / mib,
      9675.5);
  EXPECT_DOUBLE_EQ((csa * short_million / 4 * (576 + 64) + 30 * million / 128 * 576) / mib, 4822.5);
  EXPECT_NEAR(61.0 * 1408 * million / (1024 * mib), 83.9, 0.05);
  EXPECT_NEAR(68.625 / 8.71, 7.879, 0.0005);
  EXPECT_EQ(512 + 128, 640);
}

TEST(BrokenFormat, TurnsClaimsContradicted) {
  const DataCopy data;
  data.replace("models/formats/deployed.yaml", "pad_apart: 1 B", "pad_apart: 2 B");
  const auto verdicts = verdicts_with(data);
  for (const char* id : {"v4-flash-stored", "v4-pro-stored", "v4-flash-read", "windows"}) {
    EXPECT_EQ(verdicts.at(id), Verdict::contradicted) << id;
  }
  for (const char* id : {"v4.1-stored", "v3.2-stored", "v2-stored", "v4-flash-stored-bf16"}) {
    EXPECT_EQ(verdicts.at(id), Verdict::reproduced) << id;
  }
}

TEST(BrokenModel, TurnsClaimsContradicted) {
  const DataCopy data;
  data.replace("models/catalog/deepseek-v4.1-flash.yaml", "candidates: 16384", "candidates: 32768");
  const auto verdicts = verdicts_with(data);
  EXPECT_EQ(verdicts.at("v4.1-read"), Verdict::contradicted);
  EXPECT_EQ(verdicts.at("v4.1-index-reads"), Verdict::contradicted);
  EXPECT_EQ(verdicts.at("v4.1-stored"), Verdict::reproduced);
}

TEST(Claims, ExitWithFourWhenAVerdictIsNotTheReviewedOne) {
  const DataCopy data;
  data.replace("scenarios/claims/bytes-stored.yaml", "published: 48068", "published: 48069");
  const auto outcome = test::run_program({"claims", "v3.2-stored"}, "", "", {"KVTRAFFIC_DATA=" + data.path()});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(outcome.err,
            "claims: v3.2-stored: contradicted, where review said reproduced: published 48,069, computed 48,068\n");
}

TEST(Claims, AreToldAsJson) {
  const auto outcome = test::run_program({"claims", "--format", "json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  const json claims = json::parse(outcome.out)["claims"];
  ASSERT_GE(claims.size(), 60U);
  for (const json& claim : claims) {
    for (const char* key :
         {"id", "statement", "published", "unit", "computed", "tolerance", "verdict", "definition", "source", "slip"}) {
      EXPECT_TRUE(claim.contains(key)) << claim["id"] << " " << key;
    }
    EXPECT_EQ(claim["computed"].is_null(), claim["verdict"] == "not-checkable") << claim["id"];
    EXPECT_TRUE(claim["verdict"] != "contradicted" || claim["slip"].is_string()) << claim["id"];
  }
}

TEST(Claims, AreChosenById) {
  const auto outcome = test::run_program({"claims", "v4.1-stored", "v3.2-stored", "--format", "json"});
  const json claims = json::parse(outcome.out)["claims"];
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0]["id"], "v4.1-stored");
  EXPECT_EQ(claims[0]["computed"], 890);
  EXPECT_EQ(claims[0]["definition"]["points"]["v41"]["model"], "deepseek-v4.1-flash");
  EXPECT_EQ(claims[1]["computed"], 48068);
}

TEST(Claims, OfAnUnknownNameAreAMistakeOnTheCommandLine) {
  const auto outcome = test::run_program({"claims", "v4.1-stord"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("no claim is named 'v4.1-stord'; did you mean 'v4.1-stored'?"));
}

TEST(Claims, AloneAreToldWithTheirArithmetic) {
  const auto outcome = test::run_program({"claims", "v1-over-v4.1"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("= 389120 / 890\n"));
  EXPECT_THAT(outcome.out, HasSubstr("verdict: reproduced"));
}

TEST(Claims, AreExplainedDownToTheEntries) {
  const auto outcome = test::run_program({"explain", "claim:v4.1-stored"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("main: 3 layers x 288 B / 2 = 432 B"));
  EXPECT_THAT(outcome.out, HasSubstr("index: 1 layers x 68 B / 1 = 68 B"));
}

TEST(Claims, AreListedAndShownLikeOtherEntries) {
  const json listed = json::parse(test::run_program({"list", "claims", "--format", "json"}).out);
  EXPECT_EQ(listed.size(), ledger_in(KVTRAFFIC_ROOT).size());
  EXPECT_TRUE(listed[0]["name"].is_string() && listed[0]["summary"].is_string());
  EXPECT_EQ(test::run_program({"show", "claim", "v4.1-stored"}).out, test::run_program({"claims", "v4.1-stored"}).out);
}

TEST(Claims, AreToldAsTables) {
  const std::string table = test::run_program({"claims"}).out;
  EXPECT_THAT(table, testing::ContainsRegex("v4.1-stored +890 +890 +B +0 +reproduced\n"));
  EXPECT_THAT(test::run_program({"claims", "--format", "md"}).out, HasSubstr("| v4.1-stored "));
}

}  // namespace
}  // namespace kvtraffic::scenarios
