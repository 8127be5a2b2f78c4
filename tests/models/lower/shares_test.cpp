// What tensor ranks share of a cache and what each of them holds whole, in storage and in requests.
#include <gtest/gtest.h>

#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

using sim::DataKind;

sim::Deployment tensor(std::int64_t ranks) { return {ranks, ranks, 1, 1}; }

struct Shares {
  std::int64_t stored = 0;     // of one request on one device
  std::int64_t requested = 0;  // by all ranks, in multiples of what one would request
};

Shares shares(const std::string& name, std::int64_t ranks) {
  constexpr std::int64_t context = 4096;  // whole pages
  const Case one(name), many(name, "deployed", tensor(ranks));
  return {many.lowered.demand.allocated_per_device(context, tensor(ranks)),
          many.sectors(DataKind::kv_main, 1, context).read / one.sectors(DataKind::kv_main, 1, context).read};
}

TEST(CachedHeads, AreDividedOverTensorRanksUntilEachHasOne) {
  const std::int64_t whole = 4096L * 327'680;  // Llama 3.1 70B, 8 heads
  EXPECT_EQ(shares("llama-3.1-70b", 2).stored, whole / 2);
  EXPECT_EQ(shares("llama-3.1-70b", 8).stored, whole / 8);
  EXPECT_EQ(shares("llama-3.1-70b", 16).stored, whole / 8);
  EXPECT_EQ(shares("llama-3.1-70b", 8).requested, 1);
  EXPECT_EQ(shares("llama-3.1-70b", 16).requested, 2);  // two ranks hold one head
  EXPECT_EQ(shares("qwen3-235b-a22b", 8).stored, 4096L * 192'512 / 4);
  EXPECT_EQ(shares("qwen3-235b-a22b", 8).requested, 2);
  EXPECT_EQ(shares("mha-v2", 16).stored, 4096L * 3'932'160 / 16);
  EXPECT_EQ(shares("mha-v2", 16).requested, 1);
}

TEST(CachedHeads, AreDividedIntoEqualPartsOnly) {
  EXPECT_EQ(shares("llama-3.1-70b", 12).stored, 4096L * 327'680 / 4);  // 8 heads on 12 ranks: pairs, each on 3 ranks
  EXPECT_EQ(shares("llama-3.1-70b", 12).requested, 3);
}

TEST(CachedLatents, AreWholeOnEveryTensorRank) {
  for (const std::string name : {"deepseek-v2", "deepseek-v3"}) {
    const std::int64_t whole = Case(name).lowered.demand.allocated_per_request(4096);
    for (const std::int64_t ranks : {1, 2, 4, 8, 16}) {
      EXPECT_EQ(shares(name, ranks).stored, whole) << name << " on " << ranks;
      EXPECT_EQ(shares(name, ranks).requested, ranks) << name << " on " << ranks;
    }
  }
}

TEST(CachedLatents, AreDividedOnceTheyAreExpandedToHeads) {
  const std::string expanded = "cache: heads\nattention: {form: expanded}";
  const Case c("deepseek-v2", "deployed", tensor(8), expanded);
  EXPECT_EQ(c.lowered.demand.allocated_per_device(4096, tensor(8)), 4096L * 60 * 128 * 320 * 2 / 8);
}

TEST(SharedEntries, AreWholeOnEveryTensorRank) {
  for (const std::string name : {"deepseek-v3.2", "deepseek-v4-pro", "deepseek-v4.1-flash"}) {
    EXPECT_EQ(shares(name, 8).stored, Case(name).lowered.demand.allocated_per_request(4096)) << name;
    EXPECT_EQ(shares(name, 8).requested, 8) << name;
  }
}

}  // namespace
}  // namespace kvtraffic::models::test
