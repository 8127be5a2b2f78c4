// The seam between a step and what carries it out: every fidelity is a Machine, and they differ only in what a vertex
// costs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/graph/step_graph.hpp"
#include "sim/plan/kernel_plan.hpp"
#include "sim/run/tally.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

enum class Bound : std::uint8_t { hbm, l2, compute, link, host, ssd, latency };
inline constexpr std::array<std::string_view, 7> bound_names{"hbm", "l2", "compute", "link", "host", "ssd", "latency"};
[[nodiscard]] constexpr std::string_view name_of(Bound b) { return bound_names[static_cast<std::size_t>(b)]; }

// Why fewer bytes are written over the pins than an L2 takes in.
inline constexpr std::string_view overwriting_reason = "overwritten in L2";

// How long each resource would work for a vertex alone at its best rate: hbm, l2, compute, link, host.
using Needs = std::array<Duration, 5>;

struct VertexTime {
  Instant start;
  Instant end;
  Bound bound_by = Bound::latency;
};

// Bytes in one way over the pins of DRAM, as a share of what is served side by side.
struct ServedShare {
  bool write = false;
  std::int64_t piece = 0;  // bytes that lie together at a place of their own; 0: a stream
  double share = 0;
  friend bool operator==(const ServedShare&, const ServedShare&) = default;
};

// What DRAM served for a while, and what windows of its commands had told about it.
struct ServedMix {
  std::vector<ServedShare> shares;
  double seconds = 0;           // for which it was served
  double bytes_per_second = 0;  // that it reaches
  double error = 0;             // relative
  std::int64_t windows = 0;
  std::vector<double> causes;  // shares, in the order of DramTold::causes
};

struct DramSeconds {
  double all = 0;
  double rows = 0;  // of them: opening and closing rows, rates of activates, turnarounds and refreshes
  DramSeconds& operator+=(const DramSeconds& other) {
    all += other.all;
    rows += other.rows;
    return *this;
  }
};

// What DRAM commands tell of a run. Empty from machines that carry out none.
struct DramTold {
  std::vector<std::pair<std::string_view, double>>
      causes;                         // seconds that data buses moved data, or what they waited for
  std::vector<DramSeconds> vertices;  // one per vertex; they add up to all causes
  std::vector<ServedMix> mixes;       // empty where every command was carried out
  Duration slow, fast;                // what the step takes at either end of what windows leave open
  Duration left_open;                 // by how much the step's times differ there, and in the middle
};

// What a machine answers, about its fullest device. Buffers are reused from point to point.
struct Outcome {
  Duration total;
  Bound bound_by = Bound::latency;
  std::vector<std::int64_t> dram;    // bytes over the pins, one per vertex access (StepGraph::Vertex::first_access)
  std::vector<VertexTime> vertices;  // one per vertex; empty from machines that do not place operations in time
  std::vector<std::pair<Bound, double>> busy;  // share of `total` for which a resource was at work
  double sampling_error = 0;                   // share of `total` by which time derived from sampled windows may be off
  // Of a machine with an L2, as `dram`; else empty. Of a read, bytes that moved again: an earlier use had brought them
  // in. Of a write, bytes that L2 still holds at the end.
  std::vector<std::int64_t> evicted, left;
  std::vector<Needs> needs;  // one per vertex; empty from machines that do not place operations in time
  DramTold dram_told = {};
};

class Machine {
 public:
  virtual ~Machine() = default;
  // Runs one step. Requires a finished graph and its tally.
  virtual void execute(const StepGraph& graph, const Tally& tally, Outcome& outcome) = 0;
  [[nodiscard]] virtual Frequency clock() const = 0;  // of the SMs
  // Why dram differs from sector, in a result's words: "held in L2" (of what is read), "counted once".
  [[nodiscard]] virtual std::string_view saving_reason() const = 0;
};

}  // namespace kvtraffic::sim
