// What a scenario's placement changes in storage, traffic and time; host memory as a limit; memory that is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/run/runner.hpp"
#include "scenarios/run/setup.hpp"
#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::DataKind;
using sim::Level;
using test::messages;
using test::yaml;
using testing::ElementsAre;
using testing::HasSubstr;

const Catalog& catalog() {
  static const Catalog instance{KVTRAFFIC_ROOT};
  return instance;
}

sim::PointResult point(const std::string& model, const std::string& hardware, const std::string& placement,
                       const std::string& more = "") {
  const std::string text = "model: " + model + "\nhardware: " + hardware + "\nplacement: " + placement + "\n" + more +
                           "workload: {phase: decode, batch: 16, context: 8K}\n";
  std::atomic<bool> stop{false};
  sim::PointResult told;
  (void)run_points(
      make_plan(yaml(text), {}, "", catalog()), catalog(), {}, [&](const sim::PointResult& result) { told = result; },
      stop);
  return told;
}

std::vector<std::string> faults(const std::string& model, const std::string& hardware, const std::string& placement) {
  try {
    (void)point(model, hardware, placement);
  } catch (const sim::ConfigError& error) {
    return messages(error.diagnostics());
  }
  return {};
}

TEST(HostExperts, CostTimeAndMakeRoom) {
  const auto with = [](const std::string& share) {
    return point("deepseek-v3", "8x-h200-sxm", "{host_experts: " + share + "}");
  };
  const sim::PointResult none = with("0%"), quarter = with("25%"), all = with("100%");
  EXPECT_LT(none.time->seconds, quarter.time->seconds);
  EXPECT_LT(quarter.time->seconds, all.time->seconds);
  EXPECT_EQ(all.time->bound_by, "host");
  EXPECT_LT(none.storage->max_batch, quarter.storage->max_batch);
  EXPECT_EQ(none.traffic->at(Level::host, DataKind::weight).read, 0);
  for (const sim::PointResult& r : {none, quarter, all}) {
    EXPECT_EQ(r.traffic->at(Level::logical, DataKind::weight), none.traffic->at(Level::logical, DataKind::weight));
    EXPECT_EQ(r.traffic->at(Level::host, DataKind::weight).read + r.traffic->at(Level::dram, DataKind::weight).read,
              none.traffic->at(Level::dram, DataKind::weight).read);
  }
}

TEST(RemoteTables, AreReadOverTheLink) {
  const sim::PointResult here = point("deepseek-v4.1-flash", "8x-h200-sxm", "{engram: host}");
  const sim::PointResult there = point("deepseek-v4.1-flash", "8x-h200-sxm", "{engram: remote}");
  EXPECT_EQ(there.traffic->at(Level::link, DataKind::engram), here.traffic->at(Level::host, DataKind::engram));
  EXPECT_EQ(there.traffic->at(Level::host, DataKind::engram).read, 0);
  EXPECT_EQ(there.storage->host_bytes, 0);
}

TEST(RemoteTables, NeedALink) {
  EXPECT_THAT(faults("deepseek-v4.1-flash", "rtx-4090", "{engram: remote}"),
              ElementsAre("placement.engram: 'rtx-4090' has no link over which another node could be read"));
}

TEST(HostLayers, AreNoMoreThanThereAre) {
  EXPECT_TRUE(faults("deepseek-67b", "8x-h200-sxm", "{host_layers: 95}").empty());
  EXPECT_THAT(faults("deepseek-67b", "8x-h200-sxm", "{host_layers: 96}"),
              ElementsAre("placement.host_layers: 'deepseek-67b' has 95 layers, not 96"));
}

// All experts of V4-Pro in FP4 take 61 layers x 384 x 35,094,528 B = 822 GB.
TEST(HostMemory, IsALimitWhereItsCapacityIsKnown) {
  const std::string small = "{extends: 8x-h200-sxm, host_memory: {capacity: 512 GB}}";
  const sim::PointResult r = point("deepseek-v4-pro", small, "{host_experts: 100%}");
  EXPECT_EQ(r.status, sim::Status::infeasible);
  EXPECT_THAT(r.reason, HasSubstr("of host memory, has 512 GB"));
  EXPECT_EQ(r.storage->max_batch, 0);
  const std::string large = "{extends: 8x-h200-sxm, host_memory: {capacity: 1 TB}}";
  EXPECT_EQ(point("deepseek-v4-pro", large, "{host_experts: 100%}").status, sim::Status::ok);
}

// 299 GB of weights, most of them experts, and 768,022,850 rows of 264 B = 203 GB of tables; 512 GB less the reserve of
// 10 % is 461 GB.
TEST(UnifiedMemory, HoldsTablesAndWeightsInOne) {
  const sim::PointResult r = point("deepseek-v4.1-flash", "m3-ultra", "{engram: host}");
  EXPECT_EQ(r.status, sim::Status::infeasible);
  EXPECT_EQ(r.storage->host_bytes, 0);
  const std::int64_t expert = 3 * 5120 * 2304;  // values; FP4 and a byte per 32
  EXPECT_GT(r.storage->weight_bytes_per_device, 40L * 384 * (expert / 2 + expert / 32) + 768'022'850L * 264);
}

TEST(UnifiedMemory, HasNoHostToReadFrom) {
  const std::string all = "{engram: host, host_experts: 100%, host_layers: 40}";
  const sim::PointResult r = point("deepseek-v4.1-flash", "m3-ultra", all, "capacity: ignore\n");
  EXPECT_EQ(r.traffic->total(Level::host), 0);
  EXPECT_GT(r.traffic->at(Level::dram, DataKind::engram).read, 0);
  for (const auto& [resource, share] : r.time->busy_fraction) {
    EXPECT_TRUE(resource != "host" || share == 0);
  }
}

}  // namespace
}  // namespace kvtraffic::scenarios
