// Numbers of the storage block: caches, weights, capacity, and the largest batch and context that fit.
#include <fmt/format.h>

#include "scenarios/explain/derivation.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::StoredCache;
using sim::StoredTensor;
using sim::with_commas;

std::string in_bytes(std::int64_t bytes) { return fmt::format("{} B", with_commas(bytes)); }

bool is_growing(const StoredCache& cache) { return cache.ratio > 0; }

void growing(const Evaluated& point, Derivation& d) {
  d.formula = "sum over growing caches of layers x bytes an entry / tokens an entry";
  for (const StoredCache& c : point.lowered.demand.caches) {
    if (!is_growing(c)) continue;
    const double bytes = static_cast<double>(c.layers * c.layout.entry_bytes()) / static_cast<double>(c.ratio);
    d.terms.push_back({fmt::format("{}: {} layers x {} B / {}", c.name, c.layers, c.layout.entry_bytes(), c.ratio),
                       sim::exact_text(bytes) + " B"});
    d.add_input(layout_input(point.setup, c.layout));
  }
  d.value = sim::exact_text(point.result.storage->growing_bytes_per_token) + " B";
}

void fixed_caches(const Evaluated& point, Derivation& d, bool (*wanted)(const StoredCache&), bool allocated) {
  d.formula = allocated ? "sum over caches of layers x whole pages x bytes a page"
                        : "sum over caches of layers x entries x bytes an entry";
  const std::int64_t n = point.tally.point.context;
  for (const StoredCache& c : point.lowered.demand.caches) {
    if (!wanted(c)) continue;
    const std::int64_t entries = c.entries(n);
    const std::string what = allocated
                                 ? fmt::format("{} pages of {} B", sim::ceil_divide(entries, c.layout.page_entries),
                                               with_commas(c.layout.page_bytes))
                                 : fmt::format("{} entries x {} B", with_commas(entries), c.layout.entry_bytes());
    d.terms.push_back({fmt::format("{}: {} layers x {}", c.name, c.layers, what),
                       in_bytes(allocated ? c.allocated(n) : c.stored(n))});
    d.add_input(layout_input(point.setup, c.layout));
  }
  d.add_input({"N, workload.context", with_commas(n), ""});
}

std::string split_text(const StoredTensor& t, const sim::Deployment& where) {
  switch (t.split) {
    case StoredTensor::Split::replicated:
      return "on every device";
    case StoredTensor::Split::tensor:
      return fmt::format("over {} tensor ranks", where.tensor);
    case StoredTensor::Split::expert:
      return fmt::format("over {} expert groups of {}", where.expert, where.expert_tensor());
  }
  return "";
}

void weights(const Evaluated& point, Derivation& d) {
  d.formula = "sum over weights of copies x bytes, divided as the ranks share them";
  const sim::Deployment& where = point.setup.deployment;
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::pair<std::int64_t, const StoredTensor*>> lines;
  for (const StoredTensor& t : point.lowered.demand.tensors) {
    if (t.place != sim::Place::device) continue;
    auto& line = lines[{t.name, t.bytes, t.copies}];
    ++line.first;
    line.second = &t;
  }
  sim::MemoryDemand one;
  for (const auto& [key, line] : lines) {
    one.tensors.assign(static_cast<std::size_t>(line.first), *line.second);
    const StoredTensor& t = *line.second;
    const std::string layers = line.first > 1 ? fmt::format("{} layers x ", line.first) : "";
    d.terms.push_back({fmt::format("{}: {}{} x {} B {}", t.name, layers, with_commas(t.copies), with_commas(t.bytes),
                                   split_text(t, where)),
                       in_bytes(one.weights_per_device(where))});
  }
  const models::Model& model = point.setup.model;
  for (std::size_t i = 0; i < models::weight_class_count; ++i) {
    const auto type = static_cast<models::WeightClass>(i);
    const std::string path = fmt::format("weights.{}.bits", name_of(type));
    const std::string source = source_text(model.provenance, model.sources, path);
    if (!source.empty())
      d.add_input({fmt::format("{} of {}", path, model.name), fmt::format("{}", model.format(type).bits), source});
  }
}

void host(const Evaluated& point, Derivation& d) {
  d.formula = "sum over tables and weights that lie in host memory";
  for (const StoredTensor& t : point.lowered.demand.tensors) {
    if (t.place != sim::Place::host) continue;
    d.terms.push_back(
        {fmt::format("{}: {} x {} B", t.name, t.copies, with_commas(t.bytes)), in_bytes(t.copies * t.bytes)});
  }
}

void host_capacity(const Evaluated& point, Derivation& d) {
  d.formula = "host_memory.capacity of the hardware; 0 where it is not stated, and then no limit";
  const std::int64_t bytes = point.setup.hardware.host_memory_capacity.count();
  d.add_input(hardware_input(point.setup, "host_memory.capacity", in_bytes(bytes)));
}

void capacity_inputs(const Evaluated& point, Derivation& d) {
  d.add_input(hardware_input(point.setup, "memory.capacity", in_bytes(point.setup.hardware.device.capacity.count())));
  d.add_input({"reserve (scenario)", sim::exact_text(point.setup.scenario.reserve), ""});
}

void used(const Evaluated& point, Derivation& d) {
  const sim::Deployment& where = point.setup.deployment;
  const std::int64_t requests = where.fullest_requests(point.tally.point.batch);
  const std::int64_t each = point.lowered.demand.allocated_per_device(point.tally.point.context, where);
  d.formula = "weights + requests on the fullest data rank x allocated bytes a request";
  d.terms.push_back({"weights", in_bytes(point.result.storage->weight_bytes_per_device)});
  d.terms.push_back({fmt::format("{} requests x {} B", with_commas(requests), with_commas(each)),
                     in_bytes(sim::checked_multiply(requests, each))});
  add_scenario_inputs(point, d);
}

void largest(const Evaluated& point, Derivation& d, bool batch) {
  const sim::Storage& s = *point.result.storage;
  const std::int64_t room = s.capacity_bytes_per_device - s.reserve_bytes_per_device - s.weight_bytes_per_device;
  d.terms.push_back({fmt::format("{} capacity - {} reserve - {} weights", with_commas(s.capacity_bytes_per_device),
                                 with_commas(s.reserve_bytes_per_device), with_commas(s.weight_bytes_per_device)),
                     in_bytes(room)});
  const sim::Deployment& where = point.setup.deployment;
  if (batch) {
    d.formula = "data ranks x floor(room a device / allocated bytes a request)";
    const std::int64_t each = point.lowered.demand.allocated_per_device(point.tally.point.context, where);
    if (each > 0)
      d.terms.push_back({fmt::format("{} x floor({} / {})", where.data, with_commas(room), with_commas(each)),
                         with_commas(s.max_batch)});
  } else {
    d.formula =
        "largest context whose allocated bytes x requests on the fullest data rank fit the room a device, up to the "
        "model's positions";
    const std::int64_t each = point.lowered.demand.allocated_per_device(s.max_context, where);
    d.terms.push_back({fmt::format("{} requests x {} B at N = {}", where.fullest_requests(point.tally.point.batch),
                                   with_commas(each), with_commas(s.max_context)),
                       in_bytes(sim::checked_multiply(where.fullest_requests(point.tally.point.batch), each))});
    d.add_input({fmt::format("max_positions of {}", point.setup.model.name),
                 with_commas(point.setup.model.max_positions),
                 source_text(point.setup.model.provenance, point.setup.model.sources, "max_positions")});
  }
  capacity_inputs(point, d);
  add_scenario_inputs(point, d);
}

void capacity(const Evaluated& point, Derivation& d, bool reserve) {
  d.formula = reserve ? "capacity x reserve, rounded up" : "memory.capacity of the device";
  capacity_inputs(point, d);
}

bool is_window(const StoredCache& c) { return c.kind == sim::DataKind::kv_local; }
bool is_state(const StoredCache& c) { return c.kind == sim::DataKind::state; }
bool is_any(const StoredCache&) { return true; }

// A field of Storage in whole bytes or counts, and who explains it.
struct Field {
  std::string_view name;
  std::int64_t sim::Storage::*value;
  std::string_view unit;
  void (*explain)(const Evaluated&, Derivation&);
};

constexpr Field fields[] = {
    {"local_bytes_per_request", &sim::Storage::local_bytes_per_request, " B",
     [](const Evaluated& p, Derivation& d) { fixed_caches(p, d, is_window, false); }},
    {"state_bytes_per_request", &sim::Storage::state_bytes_per_request, " B",
     [](const Evaluated& p, Derivation& d) { fixed_caches(p, d, is_state, false); }},
    {"cache_bytes_per_request", &sim::Storage::cache_bytes_per_request, " B",
     [](const Evaluated& p, Derivation& d) { fixed_caches(p, d, is_any, false); }},
    {"allocated_bytes_per_request", &sim::Storage::allocated_bytes_per_request, " B",
     [](const Evaluated& p, Derivation& d) { fixed_caches(p, d, is_any, true); }},
    {"weight_bytes_per_device", &sim::Storage::weight_bytes_per_device, " B", weights},
    {"host_bytes", &sim::Storage::host_bytes, " B", host},
    {"host_capacity_bytes", &sim::Storage::host_capacity_bytes, " B",
     [](const Evaluated& p, Derivation& d) { host_capacity(p, d); }},
    {"capacity_bytes_per_device", &sim::Storage::capacity_bytes_per_device, " B",
     [](const Evaluated& p, Derivation& d) { capacity(p, d, false); }},
    {"reserve_bytes_per_device", &sim::Storage::reserve_bytes_per_device, " B",
     [](const Evaluated& p, Derivation& d) { capacity(p, d, true); }},
    {"used_bytes_per_device", &sim::Storage::used_bytes_per_device, " B", used},
    {"max_batch", &sim::Storage::max_batch, "", [](const Evaluated& p, Derivation& d) { largest(p, d, true); }},
    {"max_context", &sim::Storage::max_context, "", [](const Evaluated& p, Derivation& d) { largest(p, d, false); }},
};

}  // namespace

std::optional<Derivation> explain_storage(const Evaluated& point, const std::string& path) {
  if (path.rfind("storage.", 0) != 0 || !point.result.storage) return std::nullopt;
  const std::string name = path.substr(8);
  Derivation d;
  d.path = path;
  if (name == "growing_bytes_per_token") {
    growing(point, d);
    return d;
  }
  for (const Field& field : fields) {
    if (field.name != name) continue;
    field.explain(point, d);
    d.value = with_commas((*point.result.storage).*field.value) + std::string(field.unit);
    return d;
  }
  return std::nullopt;
}

}  // namespace kvtraffic::scenarios
