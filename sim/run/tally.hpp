// A graph with the numbers of one point filled in: bytes at the logical and sector level, arithmetic and messages, in
// the whole deployment and on its fullest device. Equal in all fidelities; what crosses the DRAM pins is the machine's
// answer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/graph/step_graph.hpp"
#include "sim/plan/deployment.hpp"
#include "sim/plan/routing.hpp"

namespace kvtraffic::sim {

// Which positions of each request the step computes. Sums over first..last are divided by `divisor`. A prefill in
// chunks is a point for each chunk.
struct Point {
  std::int64_t batch = 1;    // sequences in the whole deployment
  std::int64_t context = 1;  // positions the (last) new token attends to, itself included
  std::int64_t first = 1;
  std::int64_t last = 1;
  std::int64_t divisor = 1;
  std::int64_t replay = 0;  // positions before `first` that are computed again to refill windows
  Routing routing = {};     // of tokens to experts
  std::int64_t chunk = 0;   // number of the chunk: the tokens of another choose other experts
  bool cold = false;        // L2 holds nothing when it begins; else what the same point left there

  // One decode step: at this very position, or the average over the aligned run of `period` positions that contains it.
  [[nodiscard]] static Point decode(std::int64_t batch, std::int64_t context, std::int64_t period = 1);
  // One chunk, first..last, of prompts of `context` tokens.
  [[nodiscard]] static Point prefill(std::int64_t batch, std::int64_t context, std::int64_t first, std::int64_t last,
                                     std::int64_t replay = 0);
};

struct AccessBytes {
  std::int64_t logical = 0;   // whole deployment, asked for once
  std::int64_t sector = 0;    // whole deployment, as requested
  std::int64_t rounding = 0;  // why sector exceeds logical; the five add up to the difference
  std::int64_t apart = 0;
  std::int64_t rereads = 0;
  std::int64_t tensor_copies = 0;
  std::int64_t data_copies = 0;
  std::int64_t device = 0;     // sector bytes on the fullest device
  std::int64_t footprint = 0;  // of these, distinct ones
};

struct OperationWork {
  std::array<double, precision_count> flops_total{};  // whole deployment, copies counted once
  std::array<double, precision_count> flops{};        // on the fullest device
  std::int64_t sent = 0;        // bytes that the fullest device sends over its links (and receives)
  std::int64_t sent_total = 0;  // by all devices
};

// A span with its positions filled in.
struct SpanTokens {
  Positions at;                    // of each sequence
  std::int64_t tokens = 0;         // in the whole deployment; 0: the span's operations do nothing
  std::int64_t tokens_device = 0;  // on the fullest data rank
};

struct Tally {
  Point point;
  Deployment deployment;
  std::vector<AccessBytes> accesses;                  // one per operation access, at StepGraph::first_access_of
  std::vector<OperationWork> operations;              // one per operation
  std::vector<SpanTokens> spans;                      // one per StepGraph::spans
  std::vector<std::int64_t> distinct_experts;         // whole deployment; per span, in it per expert set
  std::vector<std::int64_t> distinct_experts_device;  // on the fullest device
  std::vector<ExpertLoad> drawn;   // like these where routing is drawn, else empty; zero where no operation asks
  std::vector<Cost> costs;         // one per StepGraph::charges: of the point's positions, one request
  std::int64_t tokens = 0;         // new ones, in the whole deployment
  std::int64_t tokens_device = 0;  // on the fullest data rank

  // Of the distinct experts of an operation's span, those that lie in `place`.
  [[nodiscard]] std::int64_t distinct_in(Place place, const StepGraph& graph, std::uint32_t span,
                                         std::uint32_t experts) const;
  // True when no position runs the operation: it moves nothing and is not launched.
  [[nodiscard]] bool is_idle(const Operation& operation) const { return spans[operation.span].tokens == 0; }
};

// Fills `tally`, reusing its arrays. OverflowError when bytes leave 64 bits. Where routing is drawn, there is one draw
// for each set of experts and span: layers that share their operations share its counts.
void tally_point(const StepGraph& graph, const Deployment& deployment, const Point& point, Tally& tally);

// E (1 - (1 - k/E)^T) experts that T tokens hit when routing is even, rounded to whole experts.
[[nodiscard]] std::int64_t expected_distinct_experts(const ExpertSet& set, std::int64_t tokens);

}  // namespace kvtraffic::sim
