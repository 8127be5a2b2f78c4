// The machine-readable contract: every name, null and zero, checked with a parser that is not ours.
// Leaves out the numbers' meaning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "reports/json_text.hpp"
#include "tests/reports/sample.hpp"
#include "tests/reports/written.hpp"

namespace kvtraffic::reports::testing {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using Names = std::vector<std::string>;

Names names_of(const ordered_json& object) {
  Names names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

ordered_json parsed(const sim::PointResult& point) { return ordered_json::parse(point_json(point)); }

ordered_json node_json(const sim::Node& node) {
  fmt::memory_buffer buffer;
  JsonText(buffer).node(node);
  return ordered_json::parse(fmt::to_string(buffer));
}

TEST(Json, DocumentHasTheNamesOfTheContract) {
  const auto document = ordered_json::parse(written(Format::json, sample_head(), {sample_point(), infeasible_point()}));
  EXPECT_THAT(names_of(document), ElementsAre("schema", "version", "scenario", "points"));
  EXPECT_EQ(document["schema"], "kvtraffic.run/1");
  EXPECT_EQ(document["version"], "0.1.0");
  EXPECT_EQ(document["points"].size(), 2U);
}

TEST(Json, WithoutDramCommandsNothingIsSaidOfDramTime) {
  sim::PointResult flow = sample_point();
  flow.time->dram_time.clear();
  flow.layers[0].dram_seconds = flow.layers[0].row_seconds = std::nullopt;
  flow.layers[0].bound_by.clear();
  const ordered_json point = parsed(flow);
  EXPECT_FALSE(point["time"].contains("dram_time"));
  EXPECT_FALSE(point["layers"][0].contains("dram_seconds"));
  EXPECT_FALSE(point["layers"][0].contains("row_seconds"));
  EXPECT_TRUE(point["layers"][0]["bound_by"].is_null());
}

TEST(Json, PointHasTheNamesOfTheContract) {
  const ordered_json point = parsed(sample_point());
  EXPECT_THAT(names_of(point), ElementsAre("parameters", "status", "reason", "warnings", "storage", "traffic",
                                           "amplification", "flops", "time", "throughput", "layers", "operations"));
  EXPECT_THAT(names_of(point["parameters"]),
              ElementsAre("model", "hardware", "format", "engine", "fidelity", "phase", "batch", "context_tokens"));
  EXPECT_THAT(names_of(point["storage"]),
              ElementsAre("growing_bytes_per_token", "local_bytes_per_request", "state_bytes_per_request",
                          "cache_bytes_per_request", "allocated_bytes_per_request", "weight_bytes_per_device",
                          "capacity_bytes_per_device", "used_bytes_per_device", "reserve_bytes_per_device",
                          "host_bytes", "host_capacity_bytes", "max_batch", "max_context"));
  EXPECT_THAT(names_of(point["time"]), ElementsAre("seconds", "cycles", "clock_hz", "roofline_seconds", "bound_by",
                                                   "busy_fraction", "sampling_error", "dram_time"));
  EXPECT_THAT(names_of(point["throughput"]),
              ElementsAre("tokens_per_second", "tokens_per_second_per_user", "tokens_per_second_per_device"));
  EXPECT_THAT(names_of(point["amplification"][0]), ElementsAre("from", "to", "reason", "kind", "bytes"));
  EXPECT_THAT(names_of(point["operations"][0]),
              ElementsAre("name", "layer", "start_seconds", "seconds", "bound_by", "traffic"));
}

TEST(Json, LayersNameTheirKindAndMode) {
  const ordered_json layers = parsed(sample_point())["layers"];
  ASSERT_EQ(layers.size(), 40U);
  EXPECT_THAT(names_of(layers[20]), ElementsAre("layer", "attention", "mode", "seconds", "bound_by", "dram_seconds",
                                                "row_seconds", "traffic", "amplification"));
  EXPECT_TRUE(layers[0]["mode"].is_null());
  EXPECT_EQ(layers[24]["mode"], "reindex");
  EXPECT_EQ(layers[24]["layer"], 24);
}

TEST(Json, EmptyAmplificationOfALayerIsLeftOut) {
  sim::PointResult point = sample_point();
  point.layers[0].amplification.clear();
  EXPECT_FALSE(parsed(point)["layers"][0].contains("amplification"));
}

TEST(Json, LayersAndOperationsNotAskedForAreLeftOut) {
  sim::PointResult point = sample_point();
  point.layers.clear();
  point.operations.clear();
  EXPECT_FALSE(parsed(point).contains("layers"));
  EXPECT_FALSE(parsed(point).contains("operations"));
}

TEST(Json, EveryLevelIsThereAndZerosAreNot) {
  sim::PointResult point;
  point.traffic.emplace();
  point.traffic->at(sim::Level::logical, sim::DataKind::kv_main).read = 7;
  point.traffic->at(sim::Level::dram, sim::DataKind::state).write = 9;
  const ordered_json traffic = parsed(point)["traffic"];
  EXPECT_THAT(names_of(traffic), ElementsAre("logical", "sector", "dram", "link", "host", "ssd"));
  EXPECT_EQ(traffic["logical"].dump(), R"({"kv_main":{"read":7}})");
  EXPECT_EQ(traffic["dram"].dump(), R"({"state":{"write":9}})");
  EXPECT_EQ(traffic["sector"].dump(), "{}");
}

TEST(Json, TrafficReadsBackByteForByte) {
  const sim::PointResult point = sample_point();
  const ordered_json traffic = parsed(point)["traffic"];
  for (std::size_t l = 0; l < sim::level_count; ++l) {
    for (std::size_t k = 0; k < sim::kind_count; ++k) {
      const sim::ReadWrite& cell = point.traffic->at(static_cast<sim::Level>(l), static_cast<sim::DataKind>(k));
      const ordered_json found =
          traffic[std::string(sim::level_names[l])].value(std::string(sim::kind_names[k]), ordered_json::object());
      EXPECT_EQ(found.value("read", std::int64_t{0}), cell.read);
      EXPECT_EQ(found.value("write", std::int64_t{0}), cell.write);
    }
  }
}

TEST(Json, InfeasiblePointHasStorageAndNoTime) {
  const ordered_json point = parsed(infeasible_point());
  EXPECT_EQ(point["status"], "infeasible");
  EXPECT_EQ(point["reason"], infeasible_point().reason);
  EXPECT_TRUE(point["storage"].is_object());
  EXPECT_TRUE(point["time"].is_null());
  EXPECT_TRUE(point["throughput"].is_null());
  EXPECT_EQ(point["traffic"].size(), 1U);  // what nobody simulated is no zero
  EXPECT_GT(point["traffic"]["logical"].size(), 0U);
}

TEST(Json, APointThatRanHasEveryLevel) {
  const ordered_json point = parsed(sample_point());
  for (const std::string_view level : sim::level_names) EXPECT_TRUE(point["traffic"].contains(level)) << level;
}

TEST(Json, FailedPointHasNullsAndItsReason) {
  const ordered_json point = parsed(failed_point());
  EXPECT_EQ(point["status"], "failed");
  EXPECT_EQ(point["reason"], failed_point().reason);
  for (const char* name : {"storage", "traffic", "time", "throughput"}) EXPECT_TRUE(point[name].is_null()) << name;
}

TEST(Json, ReasonIsNullWhenAllIsWell) { EXPECT_TRUE(parsed(sample_point())["reason"].is_null()); }

TEST(Json, OperationWithoutATimeSaysNull) {
  const ordered_json head = parsed(sample_point())["operations"][1];
  EXPECT_EQ(head["layer"], -1);
  EXPECT_TRUE(head["seconds"].is_null());
  EXPECT_TRUE(head["bound_by"].is_null());
}

TEST(Json, NumbersReadBackExactly) {
  sim::PointResult point = sample_point();
  point.storage->growing_bytes_per_token = 3514.25;
  point.storage->host_bytes = std::numeric_limits<std::int64_t>::max();
  point.time->seconds = 0.1 + 0.2;
  const ordered_json json = parsed(point);
  EXPECT_EQ(json["storage"]["growing_bytes_per_token"].get<double>(), 3514.25);
  EXPECT_EQ(json["storage"]["host_bytes"].get<std::int64_t>(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(json["time"]["seconds"].get<double>(), 0.1 + 0.2);
  EXPECT_TRUE(json["time"]["cycles"].is_number_integer());
}

TEST(Json, WhatIsNoNumberBecomesNull) {
  sim::PointResult point = sample_point();
  point.time->seconds = std::numeric_limits<double>::quiet_NaN();
  point.time->sampling_error = std::numeric_limits<double>::infinity();
  const ordered_json json = parsed(point);  // "nan" and "inf" would not parse
  EXPECT_TRUE(json["time"]["seconds"].is_null());
  EXPECT_TRUE(json["time"]["sampling_error"].is_null());
}

TEST(Json, AwkwardNamesSurvive) {
  const std::string name = "a \"b\",\\ c\n\td\x01\x7F \xC3\xA9 \xE6\xB7\xB1 \xF0\x9F\x90\x8B";
  const sim::PointResult point = with_parameter(sample_point(), "model.name", name);
  EXPECT_EQ(parsed(point)["parameters"]["model.name"], name);
}

TEST(Json, BytesThatAreNoUtf8AreReplaced) { EXPECT_EQ(node_json(sim::Node::scalar("a\xFF\x62")), "a\xEF\xBF\xBD\x62"); }

TEST(Json, ConfigurationKeepsItsTypes) {
  const auto plain = [](const char* text) { return node_json(sim::Node::scalar(text)); };
  EXPECT_EQ(plain("64"), 64);
  EXPECT_EQ(plain("-2.5e3"), -2500.0);
  EXPECT_EQ(plain("true"), true);
  EXPECT_EQ(plain("128K"), "128K");
  for (const char* text : {"", "-", "+1", ".5", "5.", "007", "0x10", "1e", "1e999", "nan", "1 "}) {
    EXPECT_EQ(plain(text), text);
  }
  EXPECT_EQ(node_json(sim::Node::scalar("64", {}, true)), "64");
  EXPECT_EQ(node_json(sim::Node::scalar("true", {}, true)), "true");
  EXPECT_TRUE(node_json(sim::Node()).is_null());
}

TEST(Json, ScenarioKeepsItsShapeAndOrder) {
  sim::Node node;
  node.set("b", sim::Node::list({sim::Node::scalar("1"), sim::Node::scalar("x"), sim::Node()}));
  node.set("a", sim::Node::map({}));
  EXPECT_EQ(node_json(node).dump(), R"({"b":[1,"x",null],"a":{}})");
}

TEST(Json, LinesAreThePointsOfTheDocument) {
  const std::vector<sim::PointResult> points = mixed_sweep();
  const auto document = ordered_json::parse(written(Format::json, sample_head(), points));
  const Names lines = lines_of(written(Format::jsonl, sample_head(), points));
  ASSERT_EQ(lines.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(ordered_json::parse(lines[i]), document["points"][i]);
    EXPECT_EQ(lines[i], point_json(points[i]));
  }
}

TEST(Json, NoPointsAreAnEmptyList) {
  EXPECT_EQ(ordered_json::parse(written(Format::json, sample_head(), {}))["points"].dump(), "[]");
  EXPECT_EQ(written(Format::jsonl, sample_head(), {}), "");
}

// 40 layers, 6 levels, 8 kinds, all of them filled with twelve digits.
TEST(Json, FullPointStaysBelow150KB) {
  sim::PointResult point = sample_point();
  for (sim::LayerResult& layer : point.layers) {
    for (std::size_t l = 0; l < sim::level_count; ++l) {
      for (std::size_t k = 0; k < sim::kind_count; ++k) {
        layer.traffic.at(static_cast<sim::Level>(l), static_cast<sim::DataKind>(k)) = {123456789012, 123456789012};
      }
    }
  }
  EXPECT_LT(written(Format::json, sample_head(), {point}).size(), 150'000U);
}

TEST(Json, DocumentReadsAsInTheGoldenFile) {
  sim::PointResult point = sample_point();
  point.layers.erase(point.layers.begin() + 3, point.layers.end());
  point.amplification.resize(3);
  expect_golden("point.json", written(Format::json, sample_head(), {point, infeasible_point(), failed_point()}));
}

}  // namespace
}  // namespace kvtraffic::reports::testing
