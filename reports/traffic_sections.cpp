// The sections about bytes: traffic by kind and level, why levels differ, layers by kind, layers and operations one by
// one. Leaves out time and memory (point_page.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "reports/point_page.hpp"
#include "reports/wording.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::reports {
namespace {

using sim::DataKind;
using sim::Level;

constexpr std::array cache_kinds{DataKind::kv_main, DataKind::kv_local, DataKind::index_key};
constexpr std::array other_kinds{DataKind::weight, DataKind::state, DataKind::engram, DataKind::activation,
                                 DataKind::selection};
constexpr std::array device_levels{Level::logical, Level::sector, Level::dram};
constexpr std::size_t most_reasons = 5;

// One row of the traffic table: what a kind, or several together, moves at each level inside the devices.
struct TrafficRow {
  std::string name;
  std::array<sim::ReadWrite, 3> levels{};  // in the order of device_levels
};

TrafficRow row_of(const sim::Traffic& traffic, DataKind kind) {
  TrafficRow row{std::string(sim::name_of(kind)), {}};
  for (std::size_t i = 0; i < device_levels.size(); ++i) row.levels[i] = traffic.at(device_levels[i], kind);
  return row;
}

TrafficRow sum_of(std::string name, const std::vector<TrafficRow>& rows) {
  TrafficRow sum{std::move(name), {}};
  for (const TrafficRow& row : rows) {
    for (std::size_t i = 0; i < sum.levels.size(); ++i) {
      sum.levels[i].read += row.levels[i].read;
      sum.levels[i].write += row.levels[i].write;
    }
  }
  return sum;
}

bool moves(const TrafficRow& row) {
  return std::any_of(row.levels.begin(), row.levels.end(), [](const auto& cell) { return cell != sim::ReadWrite{}; });
}

template <std::size_t n>
std::vector<TrafficRow> rows_of(const sim::Traffic& traffic, const std::array<DataKind, n>& kinds) {
  std::vector<TrafficRow> rows;
  for (const DataKind kind : kinds) {
    if (TrafficRow row = row_of(traffic, kind); moves(row)) rows.push_back(std::move(row));
  }
  return rows;
}

// kv_main, kv_local, index_key, and all that is no cache.
std::vector<TrafficRow> split_rows(const sim::Traffic& traffic) {
  std::vector<TrafficRow> rows;
  for (const DataKind kind : cache_kinds) rows.push_back(row_of(traffic, kind));
  rows.push_back(sum_of("the rest", rows_of(traffic, other_kinds)));
  return rows;
}

std::string cell_text(std::int64_t bytes) { return bytes == 0 ? "-" : bytes_text(bytes); }

// Exact; "~" where the batch does not divide it (expected experts are no multiple of the batch).
std::string share_text(std::int64_t bytes, std::int64_t batch) {
  if (bytes == 0) return "-";
  const std::string text = sim::with_commas(sim::round_divide(bytes, batch));
  return bytes % batch == 0 ? text : "~" + text;
}

void add_row(TextTable& table, const TrafficRow& row, std::int64_t batch, bool ran) {
  const auto below = [ran](std::int64_t bytes) { return ran ? cell_text(bytes) : ""; };
  const auto& [logical, sector, dram] = row.levels;
  table.add({row.name, cell_text(logical.read), share_text(logical.read, batch), below(sector.read), below(dram.read),
             cell_text(logical.write), below(sector.write), below(dram.write)});
}

std::vector<Column> traffic_columns(bool decode) {
  return {{"", "", Align::left}, {"logical", "read"}, {decode ? "per token" : "per sequence", "B read"},
          {"sector", "read"},    {"dram", "read"},    {"logical", "write"},
          {"sector", "write"},   {"dram", "write"}};
}

// Which part of the cache reads is looking for entries, and which is reading them: the first question about sparse
// attention.
std::optional<std::string> split_text(const sim::Traffic& traffic) {
  const auto part = [&](DataKind kind) { return static_cast<double>(traffic.at(Level::logical, kind).read); };
  const double index = part(DataKind::index_key);
  const double whole = part(DataKind::kv_main) + part(DataKind::kv_local) + index;
  if (index <= 0) return std::nullopt;
  return fmt::format("Of the logical cache reads, {} are KV (main {}, local {}) and {} are index keys.",
                     percent_text(1 - index / whole), percent_text(part(DataKind::kv_main) / whole),
                     percent_text(part(DataKind::kv_local) / whole), percent_text(index / whole));
}

std::optional<std::string> outside_text(const sim::Traffic& traffic) {
  std::string text;
  for (const Level level : {Level::link, Level::host, Level::ssd}) {
    if (traffic.empty(level)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", sim::name_of(level), bytes_text(traffic.total(level)));
  }
  if (text.empty()) return std::nullopt;
  return "Leaves the devices: " + text + ".";
}

bool is_decode(const sim::PointResult& point) {
  const sim::Node* phase = parameter(point, "phase");
  return phase == nullptr || phase->text() == "decode";
}

std::vector<sim::Amplification> summed(const std::vector<sim::Amplification>& all) {
  std::vector<sim::Amplification> sums;
  for (const sim::Amplification& one : all) {
    const auto same = std::find_if(sums.begin(), sums.end(), [&](const sim::Amplification& s) {
      return std::tie(s.from, s.to, s.kind, s.reason) == std::tie(one.from, one.to, one.kind, one.reason);
    });
    if (same == sums.end()) {
      sums.push_back(one);
    } else {
      same->bytes += one.bytes;
    }
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.bytes) > std::abs(b.bytes); });
  return sums;
}

std::string signed_bytes(std::int64_t bytes) { return (bytes > 0 ? "+" : "") + bytes_text(bytes); }

struct LayerGroup {
  std::string name;
  std::vector<std::int64_t> layers;
  std::optional<double> seconds = 0;  // nothing as soon as one layer has no time
  sim::Traffic traffic;
};

std::string name_of_layer(const sim::LayerResult& layer) {
  return layer.mode.empty() ? layer.attention : layer.attention + " " + layer.mode;
}

std::vector<LayerGroup> grouped(const std::vector<sim::LayerResult>& layers) {
  std::vector<LayerGroup> groups;
  for (const sim::LayerResult& layer : layers) {
    const std::string name = name_of_layer(layer);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const LayerGroup& g) { return g.name == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), LayerGroup{name, {}, 0, {}});
    group->layers.push_back(layer.layer);
    const bool timed = group->seconds && layer.seconds;
    group->seconds = timed ? std::optional(*group->seconds + *layer.seconds) : std::nullopt;
    group->traffic += layer.traffic;
  }
  return groups;
}

std::string time_cell(const std::optional<double>& seconds) { return seconds ? sim::time_text(*seconds) : ""; }

std::string total_cell(const sim::Traffic& traffic, Level level, bool ran) {
  return ran ? cell_text(traffic.total(level)) : "";
}

}  // namespace

Section traffic_section(const sim::PointResult& point) {
  const sim::Traffic& traffic = *point.traffic;
  const bool decode = is_decode(point);
  const bool ran = point.status == sim::Status::ok;
  const std::int64_t batch = batch_of(point);
  TextTable table(traffic_columns(decode));
  std::vector<TrafficRow> rows = rows_of(traffic, cache_kinds);
  for (const TrafficRow& row : rows) add_row(table, row, batch, ran);
  if (rows.size() > 1) add_row(table, sum_of("= caches", rows), batch, ran);
  for (TrafficRow& row : rows_of(traffic, other_kinds)) {
    add_row(table, row, batch, ran);
    rows.push_back(std::move(row));
  }
  add_row(table, sum_of("= all", rows), batch, ran);
  table.drop_empty_columns();
  Section section{
      decode ? "Traffic of one step, whole batch, all devices" : "Traffic of the prefill, whole batch, all devices",
      {},
      std::move(table),
      {}};
  if (auto split = split_text(traffic)) section.notes.push_back({*split});
  if (auto outside = outside_text(traffic)) section.notes.push_back({*outside});
  return section;
}

Section amplification_section(const sim::PointResult& point) {
  const std::vector<sim::Amplification> sums = summed(point.amplification);
  if (sums.empty()) return {};
  TextTable table({{"bytes"}, {"from", "", Align::left}, {"kind", "", Align::left}, {"reason", "", Align::left}});
  const std::size_t shown = std::min(sums.size(), most_reasons);
  for (std::size_t i = 0; i < shown; ++i) {
    table.add({signed_bytes(sums[i].bytes),
               fmt::format("{} to {}", sim::name_of(sums[i].from), sim::name_of(sums[i].to)),
               std::string(sim::name_of(sums[i].kind)), sums[i].reason});
  }
  Section section{"Why the levels differ", {}, std::move(table), {}};
  if (sums.size() > shown) {
    section.notes.push_back(
        {fmt::format("and {} smaller, each at most {}", sums.size() - shown, bytes_text(std::abs(sums[shown].bytes)))});
  }
  return section;
}

Section layers_section(const sim::PointResult& point) {
  if (point.layers.empty()) return {};
  TextTable table({{"", "", Align::left},
                   {"time"},
                   {"KV", "read"},
                   {"index", "read"},
                   {"weight", "read"},
                   {"sector", "all"},
                   {"dram", "all"},
                   {"which", "", Align::left}});
  const bool ran = point.status == sim::Status::ok;
  for (const LayerGroup& group : grouped(point.layers)) {
    const sim::Traffic& traffic = group.traffic;
    table.add({fmt::format("{:>2} x {}", group.layers.size(), group.name), time_cell(group.seconds),
               cell_text(kv_read(traffic, Level::logical)), cell_text(index_read(traffic, Level::logical)),
               cell_text(traffic.at(Level::logical, DataKind::weight).read), total_cell(traffic, Level::sector, ran),
               total_cell(traffic, Level::dram, ran), ranges_text(group.layers, 20)});
  }
  table.drop_empty_columns();
  return {"Layers by kind (logical reads)", {}, std::move(table), {}};
}

Section every_layer_section(const sim::PointResult& point) {
  if (point.layers.empty()) return {};
  TextTable table({{"layer", "", Align::left},
                   {"time"},
                   {"bound", "by", Align::left},
                   {"dram", "time"},
                   {"rows", "of it"},
                   {"weight", "logical"},
                   {"sector", "all"},
                   {"dram", "all"},
                   {"kind", "", Align::left}});
  const bool ran = point.status == sim::Status::ok;
  for (const sim::LayerResult& layer : point.layers) {
    table.add({fmt::format("{}", layer.layer), time_cell(layer.seconds), layer.bound_by, time_cell(layer.dram_seconds),
               time_cell(layer.row_seconds), cell_text(layer.traffic.at(Level::logical, DataKind::weight).read),
               total_cell(layer.traffic, Level::sector, ran), total_cell(layer.traffic, Level::dram, ran),
               name_of_layer(layer)});
  }
  table.drop_empty_columns();
  return {"Every layer", {}, std::move(table), {}};
}

Section layer_kinds_section(const sim::PointResult& point) {
  if (point.layers.empty()) return {};
  const bool ran = point.status == sim::Status::ok;
  std::vector<Column> columns{{"layer", "", Align::left}};
  for (const std::string_view kind : {"kv_main", "kv_local", "index_key", "the rest"}) {
    for (const Level level : device_levels) columns.push_back({std::string(kind), std::string(sim::name_of(level))});
  }
  TextTable table(std::move(columns));
  for (const sim::LayerResult& layer : point.layers) {
    std::vector<std::string> cells{fmt::format("{}", layer.layer)};
    for (const TrafficRow& row : split_rows(layer.traffic)) {
      cells.push_back(cell_text(row.levels[0].total()));
      for (std::size_t i = 1; i < row.levels.size(); ++i) {
        cells.push_back(ran ? cell_text(row.levels[i].total()) : "");
      }
    }
    table.add(std::move(cells));
  }
  table.drop_empty_columns();
  return {"Bytes of every layer, read and written", {}, std::move(table), {}};
}

Section operations_section(const sim::PointResult& point) {
  if (point.operations.empty()) return {};
  TextTable table({{"operation", "", Align::left},
                   {"layer"},
                   {"start"},
                   {"time"},
                   {"bound by", "", Align::left},
                   {"logical", "all"},
                   {"sector", "all"},
                   {"dram", "all"}});
  for (const sim::OperationResult& op : point.operations) {
    table.add({op.name, op.layer < 0 ? "-" : fmt::format("{}", op.layer), time_cell(op.start_seconds),
               time_cell(op.seconds), op.bound_by, cell_text(op.traffic.total(Level::logical)),
               cell_text(op.traffic.total(Level::sector)), cell_text(op.traffic.total(Level::dram))});
  }
  table.drop_empty_columns();
  return {"Operations", {}, std::move(table), {}};
}

}  // namespace kvtraffic::reports
