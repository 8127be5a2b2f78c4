// Where weights and tables lie: what is stored where, what a step reads from where, and that nothing is lost between.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/lower/weights.hpp"
#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

using sim::DataKind;
using sim::Place;

sim::Placement host(double experts, std::int64_t layers = 0, Place tables = Place::host) {
  return {tables, experts, layers};
}

// Mixture-of-experts deployment over `devices`.
sim::Deployment spread(std::int64_t devices) { return {devices, 1, devices, devices}; }

struct Placed {
  Model model;
  sim::Deployment where;
  Lowered lowered;

  Placed(const std::string& name, const sim::Placement& placement, sim::Deployment deployment = {})
      : model(test::model(name)),
        where(deployment),
        lowered(lower_decode(model, test::format("deployed"), plan(), where, placement)) {}

  // Bytes of weights stored, experts or the others.
  [[nodiscard]] std::int64_t stored(Place place, bool experts) const {
    std::int64_t sum = 0;
    for (const sim::StoredTensor& t : lowered.demand.tensors) {
      const bool expert = t.split == sim::StoredTensor::Split::expert;
      if (t.place == place && expert == experts && t.name != "engram table") sum += t.copies * t.bytes;
    }
    return sum;
  }
  // Bytes of a kind that a step reads, as the algorithm asks for them.
  [[nodiscard]] std::int64_t read(Place place, DataKind kind, std::int64_t batch, bool experts = false) const {
    sim::Tally tally;
    sim::tally_point(lowered.graph, where, sim::Point::decode(batch, 1024), tally);
    std::int64_t sum = 0;
    for (std::uint32_t o = 0; o < lowered.graph.operations().size(); ++o) {
      const auto& accesses = lowered.graph.operations()[o].accesses;
      for (std::size_t i = 0; i < accesses.size(); ++i) {
        const bool wanted = accesses[i].place == place && accesses[i].kind == kind;
        if (!wanted || (accesses[i].per == sim::Per::expert) != experts) continue;
        sum += lowered.graph.uses(o) * tally.accesses[lowered.graph.first_access_of(o) + i].logical;
      }
    }
    return sum;
  }
};

// V3: 58 layers of 256 experts of 3 x 7168 x 2048 values in FP8, with an fp32 scale per 128 x 128.
constexpr std::int64_t expert_values = 3 * 7168 * 2048;
constexpr std::int64_t expert_bytes = expert_values + expert_values / (128 * 128) * 4;

TEST(HostExperts, LeaveTheDeviceAndLieOnTheHost) {
  const Placed none("deepseek-v3", host(0)), quarter("deepseek-v3", host(0.25)), all("deepseek-v3", host(1));
  EXPECT_EQ(none.lowered.demand.host_bytes(), 0);
  EXPECT_EQ(quarter.lowered.demand.host_bytes(), 58 * 64 * expert_bytes);
  EXPECT_EQ(all.lowered.demand.host_bytes(), 58 * 256 * expert_bytes);
  EXPECT_EQ(all.stored(Place::device, true), 0);
  EXPECT_EQ(all.stored(Place::device, false), none.stored(Place::device, false));
}

TEST(HostExperts, AreReadInProportionToTheDistinctOnes) {
  const Placed quarter("deepseek-v3", host(0.25));
  // 256 (1 - (1 - 8/256)^32) = 163.3 distinct experts; 163 / 4 = 40.75
  EXPECT_EQ(quarter.read(Place::host, DataKind::weight, 32, true), 58 * 41 * expert_bytes);
  EXPECT_EQ(quarter.read(Place::device, DataKind::weight, 32, true), 58 * (163 - 41) * expert_bytes);
}

TEST(HostExperts, AreReadOnceTheRouterHasChosenThem) {
  const Placed half("deepseek-v3", host(0.5));
  std::int64_t on_host = 0;
  for (const sim::Operation& operation : half.lowered.graph.operations()) {
    for (const sim::Access& access : operation.accesses) {
      if (access.place != Place::host) continue;
      ++on_host;
      EXPECT_TRUE(access.dependent) << operation.name;
    }
  }
  EXPECT_EQ(on_host, 2);  // gate and up, down
}

TEST(HostExperts, MakeRoomForRequests) {
  const sim::MemoryLimits limits{.capacity_per_device = 141'000'000'000, .reserve = 0.1};
  std::int64_t before = 0;
  for (const double share : {0.0, 0.25, 0.5, 1.0}) {
    const Placed v3("deepseek-v3", host(share), spread(8));
    const sim::Storage s = storage_at(v3.lowered.demand, v3.where, limits, 1, 131072);
    EXPECT_GT(s.max_batch, before) << share;
    before = s.max_batch;
  }
}

RC_GTEST_PROP(Placement, MovesBytesAndLosesNone, ()) {
  static const std::map<std::string, Placed> untouched = [] {
    std::map<std::string, Placed> cases;
    for (const std::string name : {"deepseek-v3", "deepseek-v4-flash", "deepseek-v4.1-flash", "deepseek-67b"}) {
      cases.try_emplace(name, name, sim::Placement{});
    }
    return cases;
  }();
  const auto& [name, none] = *rc::gen::elementOf(std::vector<std::pair<std::string, const Placed*>>{
      {"deepseek-v3", &untouched.at("deepseek-v3")},
      {"deepseek-v4-flash", &untouched.at("deepseek-v4-flash")},
      {"deepseek-v4.1-flash", &untouched.at("deepseek-v4.1-flash")},
      {"deepseek-67b", &untouched.at("deepseek-67b")}});
  const double share = *rc::gen::inRange(0, 101) / 100.0;
  const std::int64_t layers = *rc::gen::inRange<std::int64_t>(0, none->model.main_layers + 1);
  const Place tables = *rc::gen::element(Place::device, Place::host, Place::remote);
  const Placed placed(name, host(share, layers, tables));
  const std::int64_t batch = *rc::gen::inRange<std::int64_t>(1, 300);
  for (const bool experts : {false, true}) {
    RC_ASSERT(placed.stored(Place::device, experts) + placed.stored(Place::host, experts) ==
              none->stored(Place::device, experts));
    RC_ASSERT(placed.read(Place::device, DataKind::weight, batch, experts) +
                  placed.read(Place::host, DataKind::weight, batch, experts) ==
              none->read(Place::device, DataKind::weight, batch, experts));
  }
  RC_ASSERT(placed.read(tables, DataKind::engram, batch) == none->read(Place::host, DataKind::engram, batch));
  RC_ASSERT(placed.lowered.graph.vertices().size() == none->lowered.graph.vertices().size());
}

TEST(HostLayers, AreTheLastMainLayersWithAllTheirWeights) {
  const Placed none("deepseek-v3", host(0)), two("deepseek-v3", host(0, 2));
  std::int64_t layer = 256 * expert_bytes;
  const Model& m = none.model;
  for (const Weights& weights : {attention_weights(m, m.layers[60].attention), feed_forward_weights(m, m.layers[60])}) {
    for (const Weight& w : weights) {
      if (w.type != WeightClass::expert) layer += m.format(w.type).bytes(w.values());
    }
  }
  EXPECT_EQ(two.lowered.demand.host_bytes(), 2 * layer);
  EXPECT_EQ(two.lowered.demand.weights_per_device({}), none.lowered.demand.weights_per_device({}) - 2 * layer);
  for (const sim::Vertex& v : two.lowered.graph.vertices()) {
    for (const sim::Access& access : two.lowered.graph.operation_of(v).accesses) {
      const bool expected = access.kind == DataKind::weight && v.layer >= 61 - 2;
      EXPECT_EQ(access.place == Place::host, expected) << two.lowered.graph.operation_of(v).name << " " << v.layer;
    }
  }
}

TEST(HostLayers, LeaveDraftLayersOnTheDevice) {
  const Model with = model("deepseek-v3", "", 1);
  const Lowered all = lower_decode(with, format("deployed"), plan(), {}, host(0, 61));
  const Lowered none = lower_decode(model("deepseek-v3"), format("deployed"), plan(), {}, host(0, 61));
  EXPECT_EQ(all.demand.host_bytes(), none.demand.host_bytes());
  EXPECT_GT(all.demand.weights_per_device({}), none.demand.weights_per_device({}));
}

TEST(Tables, LieWhereTheyAreToldTo) {
  constexpr std::int64_t tables = (384'006'168L + 384'016'682L) * 264;
  const auto weights = [](Place place) {
    return Placed("deepseek-v4.1-flash", host(0, 0, place)).lowered.demand.weights_per_device({});
  };
  EXPECT_EQ(weights(Place::device), weights(Place::host) + tables);
  EXPECT_EQ(weights(Place::remote), weights(Place::host));
  EXPECT_EQ(Placed("deepseek-v4.1-flash", host(0, 0, Place::remote)).lowered.demand.host_bytes(), 0);
}

// Stored in parts, read in parts: each rank looks up the rows that it holds.
TEST(Tables, AreReadOnceHoweverManyTensorRanksHoldThem) {
  for (const std::string name : {"deepseek-v4.1-flash", "llama-3.1-70b"}) {
    const Case one(name), eight(name, "deployed", {8, 8, 1, 1});
    const auto requested = [](const Case& c, const std::string& role) {
      const sim::Tally tally = c.tally(16, 1024);
      sim::AccessBytes sum;
      for (std::uint32_t o = 0; o < c.lowered.graph.operations().size(); ++o) {
        const auto& accesses = c.lowered.graph.operations()[o].accesses;
        for (std::size_t i = 0; i < accesses.size(); ++i) {
          if (c.lowered.graph.roles()[accesses[i].role] != role) continue;
          const sim::AccessBytes& bytes = tally.accesses[c.lowered.graph.first_access_of(o) + i];
          sum.sector += bytes.sector;
          sum.device += bytes.device;
        }
      }
      return sum;
    };
    for (const std::string role : {"embedding", "engram table"}) {
      EXPECT_EQ(requested(eight, role).sector, requested(one, role).sector) << name << " " << role;
      EXPECT_EQ(requested(eight, role).device * 8, requested(one, role).device) << name << " " << role;
    }
  }
}

}  // namespace
}  // namespace kvtraffic::models::test
