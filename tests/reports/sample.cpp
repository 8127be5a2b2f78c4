// The sample's arithmetic: entry sizes 288, 528 and 68 B, window 128, top-k 512, candidate pool 16,384, 40 layers.
// Leaves out vision, draft layers and norms.
#include "tests/reports/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/units/format.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::reports::testing {
namespace {

using sim::DataKind;
using sim::Level;

constexpr std::int64_t layers = 40;
constexpr std::int64_t main_entry = 288;
constexpr std::int64_t local_entry = 528;
constexpr std::int64_t index_entry = 68;
constexpr std::int64_t window = 128;
constexpr std::int64_t top_k = 512;
constexpr std::int64_t pool = 16384;
constexpr std::int64_t expert_bytes = 18'800'640;
constexpr std::int64_t experts = 384;
constexpr std::int64_t attention_bytes = 126'739'200;  // per layer, FP8 with scales
constexpr std::int64_t shared_expert_bytes = 35'424'000;
constexpr std::int64_t head_bytes = 1'323'827'200;  // 129,280 x 5,120 in BF16
constexpr std::int64_t state_bytes = 24'576;        // invented
constexpr double clock_hz = 1.83e9;
constexpr double peak = 8 * 4.8e12;
constexpr double reached = 0.82;  // invented
constexpr double row_share = 0.045;

std::string mode_of(std::int64_t layer) {
  if (layer < 2) return "";
  if (layer == 2 || layer == 8 || layer == 14 || layer == 20) return "full";
  return layer > 20 && layer % 4 == 0 ? "reindex" : "reuse";
}

std::int64_t ratio_of(std::int64_t layer) { return layer < 20 ? 2 : 1; }

std::int64_t index_read_of(std::int64_t layer, std::int64_t context) {
  const std::string mode = mode_of(layer);
  if (mode == "full") return context / ratio_of(layer) * index_entry;
  return mode == "reindex" ? std::min(context, pool) * index_entry : 0;
}

std::int64_t main_read_of(std::int64_t layer, std::int64_t context) {
  return layer < 2 ? 0 : std::min(top_k, context / ratio_of(layer)) * main_entry;
}

// Experts that a batch meets, in expectation: 384 x (1 - (1 - 6/384)^batch), rounded to whole experts.
std::int64_t experts_met(std::int64_t batch) {
  return std::llround(experts * (1 - std::pow(1 - 6.0 / experts, static_cast<double>(batch))));
}

void add_logical(sim::LayerResult& layer, std::int64_t context, std::int64_t batch) {
  const auto at = [&](DataKind kind) -> sim::ReadWrite& { return layer.traffic.at(Level::logical, kind); };
  const bool owns_entries = layer.mode == "full";
  at(DataKind::kv_main) = {main_read_of(layer.layer, context) * batch, owns_entries ? main_entry * batch : 0};
  at(DataKind::kv_local) = {std::min(window, context) * local_entry * batch, local_entry * batch};
  at(DataKind::index_key) = {index_read_of(layer.layer, context) * batch, owns_entries ? index_entry * batch : 0};
  at(DataKind::weight).read = experts_met(batch) * expert_bytes + attention_bytes + shared_expert_bytes;
  at(DataKind::activation) = {batch * 5120 * 2, batch * 5120 * 2};
  if (layer.mode == "full" || layer.mode == "reindex") at(DataKind::selection).write = batch * top_k * 4;
  if (layer.mode == "reuse") at(DataKind::selection).read = batch * top_k * 4;
  if (layer.layer == 1 || layer.layer == 14) at(DataKind::engram).read = batch * 24 * 264;
}

void amplify(sim::LayerResult& layer, Level to, DataKind kind, std::string reason, std::int64_t bytes) {
  const Level from = to == Level::sector ? Level::logical : Level::sector;
  layer.traffic.at(to, kind).read += bytes;
  layer.amplification.push_back({from, to, std::move(reason), kind, bytes});
}

void copy_level(sim::Traffic& traffic, Level from, Level to) {
  for (std::size_t k = 0; k < sim::kind_count; ++k) {
    traffic.at(to, static_cast<DataKind>(k)) = traffic.at(from, static_cast<DataKind>(k));
  }
}

// A window entry is 16 value sectors and one scale sector, 544 B; weights outside the experts are read by each data
// rank.
void add_device_levels(sim::LayerResult& layer, std::int64_t context, std::int64_t batch) {
  copy_level(layer.traffic, Level::logical, Level::sector);
  amplify(layer, Level::sector, DataKind::kv_local, "whole 32-byte sectors", std::min(window, context) * 16 * batch);
  amplify(layer, Level::sector, DataKind::weight, "replicas on data ranks",
          (sample_devices - 1) * (attention_bytes + shared_expert_bytes));
  copy_level(layer.traffic, Level::sector, Level::dram);
  amplify(layer, Level::dram, DataKind::kv_local, "whole 64-byte bursts", std::min(window, context) * 32 * batch);
  amplify(layer, Level::dram, DataKind::activation, "found in L2", -batch * 5120 * 2);
  layer.traffic.at(Level::link, DataKind::activation) = {batch * 5120 * 6, batch * 5120 * 6};
  layer.traffic.at(Level::host, DataKind::engram) = layer.traffic.at(Level::logical, DataKind::engram);
  layer.seconds = static_cast<double>(layer.traffic.total(Level::dram)) / (peak * reached);
  layer.bound_by = layer.mode.empty() ? "latency" : "hbm";
  layer.dram_seconds = *layer.seconds * reached;
  layer.row_seconds = *layer.dram_seconds * row_share;
}

void add_head(sim::PointResult& point) {
  point.traffic->at(Level::logical, DataKind::weight).read += head_bytes;
  point.traffic->at(Level::sector, DataKind::weight).read += sample_devices * head_bytes;
  point.traffic->at(Level::dram, DataKind::weight).read += sample_devices * head_bytes;
  point.amplification.push_back(
      {Level::logical, Level::sector, "replicas on data ranks", DataKind::weight, (sample_devices - 1) * head_bytes});
}

void add_layers(sim::PointResult& point, std::int64_t context, std::int64_t batch) {
  point.traffic.emplace();
  for (std::int64_t l = 0; l < layers; ++l) {
    sim::LayerResult layer{l, l < 2 ? "window" : "csa2", mode_of(l), {}, {}, {}};
    add_logical(layer, context, batch);
    add_device_levels(layer, context, batch);
    *point.traffic += layer.traffic;
    point.amplification.insert(point.amplification.end(), layer.amplification.begin(), layer.amplification.end());
    point.layers.push_back(std::move(layer));
  }
  add_head(point);
}

sim::Storage storage_of(std::int64_t context, std::int64_t batch) {
  constexpr std::int64_t page = 256 * 890;
  sim::Storage s;
  s.growing_bytes_per_token = 890;
  s.local_bytes_per_request = layers * window * local_entry;
  s.state_bytes_per_request = state_bytes;
  s.cache_bytes_per_request = 890 * context + s.local_bytes_per_request + s.state_bytes_per_request;
  s.allocated_bytes_per_request = sim::round_up_to(s.cache_bytes_per_request, page);
  s.weight_bytes_per_device = layers * experts * expert_bytes / sample_devices +
                              layers * (attention_bytes + shared_expert_bytes) + 2 * head_bytes;
  s.capacity_bytes_per_device = 141'000'000'000;
  s.reserve_bytes_per_device = s.capacity_bytes_per_device / 10;
  s.host_bytes = 768'022'850 * std::int64_t{264};
  const std::int64_t sequences = sim::ceil_divide(batch, sample_devices);
  s.used_bytes_per_device = s.weight_bytes_per_device + sequences * s.allocated_bytes_per_request;
  const std::int64_t room = s.capacity_bytes_per_device - s.reserve_bytes_per_device - s.weight_bytes_per_device;
  s.max_batch = room / s.allocated_bytes_per_request * sample_devices;
  s.max_context = std::max<std::int64_t>(0, (room / sequences - s.local_bytes_per_request - state_bytes) / page * 256);
  return s;
}

void add_time(sim::PointResult& point, std::int64_t batch) {
  const auto dram = static_cast<double>(point.traffic->total(Level::dram));
  sim::Timing time;
  time.seconds = dram / (peak * reached);
  time.cycles = static_cast<std::int64_t>(std::ceil(time.seconds * clock_hz));
  time.clock_hz = clock_hz;
  time.roofline_seconds = dram / peak;
  time.bound_by = "hbm";
  time.busy_fraction = {{"compute", 0.11}, {"hbm", reached}, {"link", 0.07}};
  time.sampling_error = 0.004;
  time.dram_time = {{"data_bus", 0.925}, {"tCCDL", 0.03}, {"tFAW", 0}, {"row_cycle", 0.03}, {"refresh", 0.015}};
  point.time = time;
  const double rate = static_cast<double>(batch) / time.seconds;
  point.throughput = {rate, 1 / time.seconds, rate / sample_devices};
}

void add_operations(sim::PointResult& point) {
  sim::Traffic keys;
  keys.at(Level::logical, DataKind::index_key).read =
      point.layers[2].traffic.at(Level::logical, DataKind::index_key).read;
  point.operations.push_back({"index_scores", 2, 1.5e-4, 2.25e-5, "hbm", keys});
  point.operations.push_back({"output_head", -1, 7.5e-3, std::nullopt, "", {}});
}

void add_parameters(sim::PointResult& point, std::int64_t context, std::int64_t batch) {
  const auto text = [](std::string value) { return sim::Node::scalar(std::move(value)); };
  point.parameters = {{"model", text("deepseek-v4.1-flash")},
                      {"hardware", text("8x-h200-sxm")},
                      {"format", text("deployed")},
                      {"engine", text("reference")},
                      {"fidelity", text("cycle")},
                      {"phase", text("decode")},
                      {"batch", text(std::to_string(batch))},
                      {"context_tokens", text(std::to_string(context))}};
}

}  // namespace

std::int64_t sample_main_read(std::int64_t context) {
  return (18 * std::min(top_k, context / 2) + 20 * std::min(top_k, context)) * main_entry;
}

std::int64_t sample_local_read(std::int64_t context) { return layers * std::min(window, context) * local_entry; }

std::int64_t sample_index_read(std::int64_t context) {
  return (3 * (context / 2) + context + 4 * std::min(context, pool)) * index_entry;
}

sim::PointResult sample_point(std::int64_t context, std::int64_t batch) {
  sim::PointResult point;
  add_parameters(point, context, batch);
  point.storage = storage_of(context, batch);
  add_layers(point, context, batch);
  add_time(point, batch);
  add_operations(point);
  if (context > 131072) point.warnings.push_back("the deployed engine was measured up to 131,072 tokens only");
  return point;
}

sim::PointResult infeasible_point() {
  sim::PointResult point = sample_point(131072, 16384);
  point.status = sim::Status::infeasible;
  point.reason = fmt::format(
      "weights and caches need {} per device, {} are there",
      sim::to_text(sim::Bytes::of(point.storage->used_bytes_per_device)),
      sim::to_text(sim::Bytes::of(point.storage->capacity_bytes_per_device - point.storage->reserve_bytes_per_device)));
  sim::Traffic logical;
  for (std::size_t k = 0; k < sim::kind_count; ++k) {
    const auto kind = static_cast<DataKind>(k);
    logical.at(Level::logical, kind) = point.traffic->at(Level::logical, kind);
  }
  point.traffic = logical;
  point.amplification.clear();
  point.layers.clear();
  point.operations.clear();
  point.time.reset();
  point.throughput.reset();
  return point;
}

sim::PointResult failed_point() {
  sim::PointResult point;
  add_parameters(point, 131072, 0);
  point.status = sim::Status::failed;
  point.reason = "bytes of \"kv_main\" left the 64-bit range,\nsee the layout";
  return point;
}

sim::RunResult sample_head() {
  sim::RunResult head;
  head.version = "0.1.0";
  head.scenario.set("name", sim::Node::scalar("decode-128k"));
  head.scenario.set_path("parallel.tensor", sim::Node::scalar("1"));
  head.scenario.set_path("parallel.data", sim::Node::scalar("8"));
  head.scenario.set_path("parallel.expert", sim::Node::scalar("8"));
  head.scenario.set_path("workload.batch", sim::Node::scalar("64"));
  return head;
}

sim::PointResult with_parameter(sim::PointResult point, std::string name, std::string value) {
  point.parameters.emplace_back(std::move(name), sim::Node::scalar(std::move(value)));
  return point;
}

std::vector<sim::PointResult> context_sweep() {
  std::vector<sim::PointResult> points;
  for (const std::int64_t k : {4, 16, 64, 256, 1024}) {
    sim::PointResult point = with_parameter(sample_point(k * 1024), "workload.context", fmt::format("{}K", k));
    point.layers.clear();
    points.push_back(std::move(point));
  }
  return points;
}

std::vector<sim::PointResult> mixed_sweep() {
  std::vector<sim::PointResult> points;
  for (const std::int64_t batch : {8, 64}) {
    points.push_back(with_parameter(sample_point(131072, batch), "workload.batch", std::to_string(batch)));
  }
  points.push_back(with_parameter(infeasible_point(), "workload.batch", "16384"));
  points.push_back(with_parameter(failed_point(), "workload.batch", "0"));
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = with_parameter(points[i], "engine.tile", i % 2 == 0 ? "64" : "128");
  }
  return points;
}

}  // namespace kvtraffic::reports::testing
