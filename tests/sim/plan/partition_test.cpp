// The partition rules of attention and GEMM libraries, held against counts that can be worked out by hand.
#include "sim/plan/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kvtraffic::sim {
namespace {

constexpr std::int64_t h200_sms = 132, h20_sms = 78, b200_sms = 148;

AttentionLoad load_of(std::int64_t requests, std::int64_t keys, std::int64_t heads, std::int64_t sms = h200_sms) {
  return {requests, keys, heads, 64, 64, sms};
}

TEST(FlashMlaParts, OneRequestOfSixteenHeadsIsSpreadBlockByBlock) {
  // 16 blocks + 5 over 132 parts: each may spend 1 + 5, which is one block.
  const Parts parts = partition(SplitRule::flashmla, load_of(1, 1024, 16));
  EXPECT_EQ(parts.count, 16);
  EXPECT_EQ(parts.blocks, 1);
  EXPECT_EQ(parts.splits, 16);
}

TEST(FlashMlaParts, ALongRequestFillsNearlyAllParts) {
  // 2,048 blocks + 5 over 132 parts: 16 each, which 128 parts take.
  const Parts parts = partition(SplitRule::flashmla, load_of(1, 131072, 16));
  EXPECT_EQ(parts.blocks, 16);
  EXPECT_EQ(parts.count, 2048 / 16);
}

TEST(FlashMlaParts, ShortRequestsLeavePartsIdle) {
  // 128 heads are two tiles, so 66 parts. 16 x (16 + 5) / 66 = 6, and 5 more: 6 blocks a part, 3 parts a request.
  const Parts parts = partition(SplitRule::flashmla, load_of(16, 1024, 128));
  EXPECT_EQ(parts.count, 48 * 2);
  EXPECT_EQ(parts.blocks, 6);
  EXPECT_EQ(parts.splits, 3);
}

TEST(FlashMlaParts, APartTakesWholeRequestsAndTheBeginningOfTheNext) {
  // 128 requests of 16 blocks: 128 x 21 / 66 = 41, and 5 more: two requests (42) leave 4, too few for a piece.
  const Parts parts = partition(SplitRule::flashmla, load_of(128, 1024, 128));
  EXPECT_EQ(parts.blocks, 2 * 16);
  EXPECT_EQ(parts.pieces, 2);
  EXPECT_EQ(parts.splits, 1);
  EXPECT_EQ(parts.count, 64 * 2);
}

TEST(FlashMlaParts, NothingIsLostOrDoneTwice) {
  for (const std::int64_t requests : {1, 3, 17, 64, 200}) {
    for (const std::int64_t keys : {1, 700, 4096, 100000}) {
      const AttentionLoad load = load_of(requests, keys, 128);
      const Parts parts = partition(SplitRule::flashmla, load);
      const std::int64_t all = requests * load.blocks() * load.head_tiles();
      EXPECT_GE(parts.count * parts.blocks, all) << requests << " x " << keys;
      EXPECT_LE(parts.count, h200_sms);
    }
  }
}

TEST(FlashInferParts, WholeRequestsTakeRounds) {
  // 39 clusters of two SMs: 128 requests of 4,096 keys stay whole and take 4 rounds.
  const Parts parts = partition(SplitRule::flashinfer, load_of(128, 4096, 128, h20_sms));
  EXPECT_EQ(parts.splits, 1);
  EXPECT_EQ(parts.pieces, 4);
  EXPECT_EQ(parts.blocks, 4 * 64);
  EXPECT_EQ(parts.count, h20_sms);
}

TEST(FlashInferParts, TheChunkGrowsInSteps) {
  // 1,024 keys over 66 clusters are 16 each: chunks of 64, 16 of them. 131,072 are 1,986 each: chunks of 2,048, 64.
  EXPECT_EQ(partition(SplitRule::flashinfer, load_of(1, 1024, 128)).splits, 16);
  EXPECT_EQ(partition(SplitRule::flashinfer, load_of(1, 131072, 128)).splits, 64);
}

TEST(FlashAttention3Parts, FewTilesAreSplitUntilWavesAreFull) {
  EXPECT_EQ(partition(SplitRule::fa3, load_of(64, 4096, 128)).splits, 1);  // 128 tiles are 97 % of a wave
  // Two tiles: 66 splits fill the wave, and 57 are the fewest that fill 85 % of it: 114 of 132 SMs.
  EXPECT_EQ(partition(SplitRule::fa3, load_of(1, 131072, 128)).splits, 57);
  EXPECT_EQ(partition(SplitRule::fa3, load_of(1, 64, 128)).splits, 1);  // one block cannot be split
}

TEST(TrtllmGenParts, IdleSmsTakeSplits) {
  AttentionLoad load{128, 4096, 128, 128, 128, b200_sms};
  EXPECT_EQ(partition(SplitRule::trtllm_gen, load).count, 128);  // 20 SMs idle
  load.requests = 1;
  EXPECT_EQ(partition(SplitRule::trtllm_gen, load).splits, 4096 / 128);
  load.keys = 131072;
  EXPECT_EQ(partition(SplitRule::trtllm_gen, load).splits, b200_sms);
}

TEST(XqaParts, RequestsBeyondTheSmPairsTakeASecondWave) {
  EXPECT_EQ(partition(SplitRule::xqa, load_of(66, 4096, 128)).pieces, 1);
  EXPECT_EQ(partition(SplitRule::xqa, load_of(67, 4096, 128)).pieces, 2);
}

}  // namespace
}  // namespace kvtraffic::sim
