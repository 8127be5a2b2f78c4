// What is left of a run, as plain data: everything a report can tell, and nothing that knows how it came about.
// Field names are those of the machine-readable contract (schema kvtraffic.run/1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/node.hpp"
#include "sim/plan/precision.hpp"
#include "sim/run/traffic.hpp"

namespace kvtraffic::sim {

// Bytes that lie in memory. "Request" is one sequence at the point's context.
struct Storage {
  double growing_bytes_per_token = 0;            // without page padding
  std::int64_t local_bytes_per_request = 0;      // windows, counted full
  std::int64_t state_bytes_per_request = 0;      // compressor state, fixed
  std::int64_t cache_bytes_per_request = 0;      // growing at this context + local + state
  std::int64_t allocated_bytes_per_request = 0;  // the same in whole pages
  std::int64_t weight_bytes_per_device = 0;      // on the fullest device
  std::int64_t capacity_bytes_per_device = 0;
  std::int64_t used_bytes_per_device = 0;     // weights + allocated caches of the fullest device
  std::int64_t reserve_bytes_per_device = 0;  // kept free for activations and the runtime
  std::int64_t host_bytes = 0;                // Engram tables and whatever else lies in host memory
  std::int64_t host_capacity_bytes = 0;       // of all hosts together; 0: not stated, and so no limit
  std::int64_t max_batch =
      0;  // sequences in the whole deployment that fit at this context; 0: the weights alone do not fit
  std::int64_t max_context = 0;  // longest context that fits at this batch; 0: none
};

struct Timing {
  double seconds = 0;
  std::int64_t cycles = 0;  // of the SM clock, rounded up
  double clock_hz = 0;
  double roofline_seconds = 0;
  std::string bound_by;                                       // hbm | l2 | compute | link | host | ssd | latency
  std::vector<std::pair<std::string, double>> busy_fraction;  // by resource, 0 to 1, of the slowest device
  double sampling_error = 0;
  // What the data buses of DRAM did, or waited for, while it was at work: shares, one in all. Empty where no DRAM
  // commands are carried out.
  std::vector<std::pair<std::string, double>> dram_time;
};

// Tokens of a decode step are those it makes, of a prefill the prompt tokens that it computes (not those whose cache
// exists, nor those replayed).
struct Throughput {
  double tokens_per_second = 0;
  double tokens_per_second_per_user = 0;  // of one sequence
  double tokens_per_second_per_device = 0;
};

struct LayerResult {
  std::int64_t layer = 0;
  std::string attention;  // window | mha | gqa | mla | dsa | csa | hca | csa2
  std::string mode;       // full | reindex | reuse; empty where the kind has none
  std::optional<double> seconds;
  Traffic traffic;
  std::vector<Amplification> amplification;
  std::string bound_by = {};  // what bounds its operations for the longest sum of their times
  // Time that DRAM spent on its bytes, and what of it went into opening and closing rows, rates of activates,
  // turnarounds and refreshes; absent where no DRAM commands are carried out.
  std::optional<double> dram_seconds = {};
  std::optional<double> row_seconds = {};
};

struct OperationResult {
  std::string name;
  std::int64_t layer = -1;  // -1: outside the layers
  std::optional<double> start_seconds;
  std::optional<double> seconds;
  std::string bound_by;
  Traffic traffic;
  // Share of its seconds that a resource would need for it at its best rate; empty where it has no seconds.
  std::vector<std::pair<std::string, double>> utilization;
};

enum class Status { ok, infeasible, failed };

struct PointResult {
  // "model", "hardware", "format", "engine", "fidelity", "phase", "batch", "context_tokens", then every swept path.
  // Values are scalars; a whole number or decimal is written as a number.
  std::vector<std::pair<std::string, Node>> parameters;
  Status status = Status::ok;
  std::string reason;  // empty when ok
  std::vector<std::string> warnings;
  std::optional<Storage> storage;  // absent when failed
  std::optional<Traffic> traffic;  // infeasible: logical level only
  std::vector<Amplification> amplification;
  // Positions that main layers compute for one sequence, summed over the layers; absent when failed.
  std::optional<std::int64_t> layer_positions;
  std::array<double, precision_count> flops{};  // by precision, of the whole batch, copies counted once
  std::optional<Timing> time;                   // absent when not ok
  std::optional<Throughput> throughput;
  std::vector<LayerResult> layers;          // empty unless asked for
  std::vector<OperationResult> operations;  // empty unless asked for
};

struct RunResult {
  std::string version;
  Node scenario;  // resolved, with every default filled in
  std::vector<PointResult> points;
};

[[nodiscard]] constexpr std::string_view name_of(Status s) {
  return s == Status::ok ? "ok" : s == Status::infeasible ? "infeasible" : "failed";
}

}  // namespace kvtraffic::sim
