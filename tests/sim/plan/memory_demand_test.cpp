// Storage and capacity of hand-made demands, and what must hold for any.
#include "sim/plan/memory_demand.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kvtraffic::sim {
namespace {

using Split = StoredTensor::Split;

Layout paged(std::string name, std::int64_t row, std::int64_t apart, std::int64_t entries, std::int64_t page) {
  Layout layout;
  layout.name = std::move(name);
  layout.row = row;
  layout.apart = apart;
  layout.page_entries = entries;
  layout.page_bytes = page;
  return layout;
}

// V4.1: main cache and index keys grow in 3 layers every 2 tokens and in one every token; 40 windows; state in 3
// layers.
MemoryDemand v41_caches() {
  const Layout main = paged("main", 256, 32, 64, 64 * 288);
  const Layout index = paged("index", 64, 4, 64, 64 * 68);
  const Layout window = paged("window", 512, 16, 32, 32 * 528);
  MemoryDemand demand;
  demand.caches = {{"main", DataKind::kv_main, 2, 0, 3, 1, main},
                   {"main", DataKind::kv_main, 1, 0, 1, 1, main},
                   {"index", DataKind::index_key, 2, 0, 3, 1, index},
                   {"index", DataKind::index_key, 1, 0, 1, 1, index},
                   {"window", DataKind::kv_local, 0, 128, 40, 1, window},
                   {"state", DataKind::state, 0, 1, 3, 1, Layout::blob("state", 8192)}};
  return demand;
}

Deployment devices(std::int64_t tensor, std::int64_t data, std::int64_t expert) {
  Deployment d;
  d.devices = tensor * data;
  d.tensor = tensor;
  d.data = data;
  d.expert = expert;
  return d;
}

// One cache of 100 B a token in pages of one, and 1000 B of weights on each device.
MemoryDemand plain_demand() {
  MemoryDemand demand;
  demand.tensors = {{"weights", 1000, 1000, 1, Split::replicated, Place::device}};
  demand.caches = {{"main", DataKind::kv_main, 1, 0, 1, 1, paged("main", 100, 0, 1, 100)}};
  return demand;
}

TEST(MemoryDemand, GrowsByThePublishedBytesPerToken) {
  EXPECT_EQ(v41_caches().growing_bytes_per_token(), 2.5 * (288 + 68));  // 890: 3 layers at 1/2 and one at 1
}

TEST(MemoryDemand, CountsWindowsFullAndStateFixed) {
  const MemoryDemand demand = v41_caches();
  EXPECT_EQ(demand.stored_per_request(1, DataKind::kv_local), 40 * 128 * 528);
  EXPECT_EQ(demand.stored_per_request(1, DataKind::state), 3 * 8192);
}

TEST(MemoryDemand, StoresOnlyCompletedBlocks) {
  const MemoryDemand demand = v41_caches();
  EXPECT_EQ(demand.stored_per_request(7, DataKind::kv_main), (3 * (7 / 2) + 7) * 288);
  EXPECT_EQ(demand.cache_per_request(7), (3 * (7 / 2) + 7) * (288 + 68) + 40 * 128 * 528 + 3 * 8192);
}

TEST(MemoryDemand, AllocatesWholePagesOfEveryLayer) {
  const MemoryDemand demand = v41_caches();
  // 65 tokens: 32 entries fill half a page at ratio 2, 65 entries open a second page at ratio 1.
  const std::int64_t growing = (3 * 1 + 2) * 64 * (288 + 68);
  EXPECT_EQ(demand.allocated_per_request(65), growing + 40 * 4 * 32 * 528 + 3 * 8192);
}

TEST(MemoryDemand, ASharedCacheLiesInPartsAndAReplicatedOneWhole) {
  MemoryDemand demand;
  demand.caches = {{"gqa", DataKind::kv_main, 1, 0, 1, 8, paged("gqa", 100, 0, 1, 100)},
                   {"mla", DataKind::kv_main, 1, 0, 1, 1, paged("mla", 10, 0, 1, 10)}};
  EXPECT_EQ(demand.allocated_per_device(7, devices(16, 1, 1)), (700 + 7) / 8 + 70) << "8 parts, rounded up";
}

TEST(MemoryDemand, DividesWeightsByTheirSplit) {
  MemoryDemand demand;
  demand.tensors = {{"norm", 0, 10, 3, Split::replicated, Place::device},
                    {"attention", 0, 101, 3, Split::tensor, Place::device},
                    {"experts", 0, 55, 9, Split::expert, Place::device},
                    {"table", 0, 7000, 2, Split::replicated, Place::host}};
  // 2 tensor ranks: 51 B each. 4 expert groups: 3 of 9 experts each, every one over 8 / 4 devices: 28 B each.
  EXPECT_EQ(demand.weights_per_device(devices(2, 4, 4)), 3 * 10 + 3 * 51 + 3 * 28);
  EXPECT_EQ(demand.host_bytes(), 2 * 7000);
}

TEST(Storage, UsesWeightsAndTheFullestRank) {
  const Storage s =
      storage_at(plain_demand(), devices(1, 4, 4), {.capacity_per_device = 10'000, .reserve = 0.1}, 9, 20);
  EXPECT_EQ(s.weight_bytes_per_device, 1000);
  EXPECT_EQ(s.used_bytes_per_device, 1000 + 3 * 20 * 100) << "9 requests over 4 ranks: 3 on the fullest";
  EXPECT_EQ(s.reserve_bytes_per_device, 1000);
  EXPECT_EQ(s.max_batch, 4 * (8000 / 2000));
  EXPECT_EQ(s.max_context, 8000 / 300);
}

TEST(Storage, FitsToTheLastByte) {
  const MemoryLimits limits{.capacity_per_device = 3000, .reserve = 0};
  EXPECT_TRUE(fits(storage_at(plain_demand(), devices(1, 1, 1), limits, 1, 20)));
  EXPECT_FALSE(fits(storage_at(plain_demand(), devices(1, 1, 1), limits, 1, 21)));
}

TEST(Storage, HoldsNothingWhenTheWeightsDoNotFit) {
  const Storage s = storage_at(plain_demand(), devices(1, 2, 2), {.capacity_per_device = 500, .reserve = 0}, 2, 1);
  EXPECT_EQ(s.max_batch, 0);
  EXPECT_EQ(s.max_context, 0);
}

TEST(Storage, StopsAtTheModelsPositions) {
  const MemoryLimits limits{.capacity_per_device = 1'000'000, .reserve = 0, .max_positions = 50};
  EXPECT_EQ(storage_at(plain_demand(), devices(1, 1, 1), limits, 1, 1).max_context, 50);
}

TEST(Storage, NothingKeptNeverRunsOut) {
  MemoryDemand demand = plain_demand();
  demand.caches.clear();
  const Storage s = storage_at(demand, devices(1, 2, 2), {.capacity_per_device = 1000}, 2, 1);
  EXPECT_EQ(s.max_batch, INT64_MAX);
  EXPECT_EQ(s.max_context, INT64_MAX);
}

TEST(Storage, TellsAShortfallInOneSentence) {
  Storage s;
  s.used_bytes_per_device = 702'123'456'789;
  s.capacity_bytes_per_device = 141'000'000'000;
  s.reserve_bytes_per_device = 14'100'000'000;
  EXPECT_EQ(shortfall_text(s),
            "needs 702.1 GB (702,123,456,789 B) a device, has 126.9 GB (141 GB less 14.1 GB reserve)");
}

// 1000 B on the device and 14,000 in host memory.
Storage with_host(std::int64_t host_capacity, std::int64_t capacity = 3000) {
  MemoryDemand demand = plain_demand();
  demand.tensors.push_back({"table", 0, 7000, 2, Split::tensor, Place::host});
  demand.tensors.push_back({"elsewhere", 0, 9000, 1, Split::tensor, Place::remote});
  MemoryLimits limits{.capacity_per_device = capacity, .reserve = 0, .max_positions = 1000};
  limits.host_capacity = host_capacity;
  return storage_at(demand, devices(1, 1, 1), limits, 1, 20);
}

TEST(HostMemory, IsALimitOnceItsCapacityIsStated) {
  EXPECT_TRUE(fits(with_host(2 * 7000)));
  EXPECT_FALSE(fits(with_host(2 * 7000 - 1)));
  EXPECT_TRUE(fits(with_host(0))) << "not stated";
  EXPECT_EQ(with_host(9).host_capacity_bytes, 9);
}

TEST(HostMemory, OfAnotherNodeCountsNowhereHere) {
  EXPECT_EQ(with_host(0).weight_bytes_per_device, 1000);
  EXPECT_EQ(with_host(0).host_bytes, 2 * 7000);
}

TEST(HostMemory, ThatIsTooSmallLeavesRoomForNoRequest) {
  EXPECT_EQ(with_host(2 * 7000).max_batch, (3000 - 1000) / (20 * 100));
  EXPECT_EQ(with_host(2 * 7000 - 1).max_batch, 0);
  EXPECT_EQ(with_host(2 * 7000 - 1).max_context, 0);
}

TEST(HostMemory, HasAShortfallOfItsOwn) {
  EXPECT_EQ(shortfall_text(with_host(10'000)), "needs 14 kB (14,000 B) of host memory, has 10 kB");
  EXPECT_EQ(shortfall_text(with_host(10'000, 2000)),
            "needs 3 kB (3,000 B) a device, has 2 kB (2 kB less 0 B reserve); "
            "needs 14 kB (14,000 B) of host memory, has 10 kB");
}

StoredCache any_cache() {
  const auto entries = *rc::gen::inRange<std::int64_t>(1, 70);
  const auto row = *rc::gen::inRange<std::int64_t>(1, 700);
  const auto padding = *rc::gen::inRange<std::int64_t>(0, 500);
  StoredCache cache;
  cache.kind = *rc::gen::element(DataKind::kv_main, DataKind::kv_local, DataKind::index_key, DataKind::state);
  cache.ratio = *rc::gen::inRange<std::int64_t>(0, 5);
  cache.fixed = *rc::gen::inRange<std::int64_t>(1, 130);
  cache.layers = *rc::gen::inRange<std::int64_t>(1, 40);
  cache.ways = *rc::gen::element<std::int64_t>(1, 2, 8, divides_freely);
  cache.layout = paged("any", row, 4, entries, entries * (row + 4) + padding);
  return cache;
}

MemoryDemand any_demand() {
  MemoryDemand demand;
  demand.tensors = {{"weights", 0, *rc::gen::inRange<std::int64_t>(0, 10'000'000), 1, Split::tensor, Place::device}};
  const auto caches = *rc::gen::inRange(1, 5);
  for (int i = 0; i < caches; ++i) demand.caches.push_back(any_cache());
  return demand;
}

RC_GTEST_PROP(MemoryDemandProperty, StoredNeverExceedsAllocated, ()) {
  const MemoryDemand demand = any_demand();
  const auto context = *rc::gen::inRange<std::int64_t>(1, 100'000);
  RC_ASSERT(demand.cache_per_request(context) <= demand.allocated_per_request(context));
  RC_ASSERT(demand.allocated_per_request(context) <= demand.allocated_per_request(context + 1));
  const Deployment d = devices(4, 2, 8);
  RC_ASSERT(demand.allocated_per_device(context, d) <= demand.allocated_per_request(context));
}

RC_GTEST_PROP(MemoryDemandProperty, TheLimitsAreTheLastThatFit, ()) {
  const MemoryDemand demand = any_demand();
  const Deployment d = devices(*rc::gen::element<std::int64_t>(1, 2, 4), *rc::gen::element<std::int64_t>(1, 3), 1);
  const MemoryLimits limits{.capacity_per_device = *rc::gen::inRange<std::int64_t>(0, 2'000'000'000),
                            .reserve = 0.1,
                            .max_positions = 100'000};
  const auto batch = *rc::gen::inRange<std::int64_t>(1, 20);
  const auto context = *rc::gen::inRange<std::int64_t>(1, 100'000);
  const auto fit = [&](std::int64_t b, std::int64_t c) { return fits(storage_at(demand, d, limits, b, c)); };
  const Storage s = storage_at(demand, d, limits, batch, context);
  RC_ASSERT(s.max_batch == 0 || fit(s.max_batch, context));
  RC_ASSERT(!fit(s.max_batch + 1, context));
  RC_ASSERT(s.max_context == 0 || fit(batch, s.max_context));
  RC_ASSERT(s.max_context == limits.max_positions || !fit(batch, s.max_context + 1));
}

}  // namespace
}  // namespace kvtraffic::sim
