// Where the bytes of every kernel lie in DRAM, transaction by transaction: regions one after another, cached entries in
// the pages of their pool, picked ones where they were picked. Picks come in no order: a top-k leaves none, and
// requests run side by side. Leaves out what L2 holds: only what crosses the pins is walked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hardware/hbm/part.hpp"
#include "hardware/machine/access_table.hpp"
#include "hardware/machine/dram_flows.hpp"
#include "hardware/machine/kernel_work.hpp"
#include "hardware/machine/page_table.hpp"
#include "hardware/machine/pick_shape.hpp"
#include "hardware/machine/picks.hpp"
#include "hardware/machine/pieces.hpp"
#include "hardware/machine/server.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/plan/locality.hpp"
#include "sim/run/tally.hpp"

namespace kvtraffic::hardware {

// Bytes that lie together, cut into transactions; `first` counts those of the pieces before.
struct Span {
  std::uint64_t address = 0;
  std::uint64_t first = 0;
};
struct Spans {
  std::vector<Span> list;
  std::uint64_t transactions = 0;
};

// A request's share of each of its kernel's flows, in turn, each as often as it weighs.
class RequestWalk {
 public:
  RequestWalk() = default;
  explicit RequestWalk(std::uint64_t granule) : granule_(granule) {}
  // Transactions begin..end - 1 of a flow.
  void add(std::shared_ptr<const Spans> spans, std::uint64_t begin, std::uint64_t end);
  [[nodiscard]] std::uint64_t left() const { return left_; }
  [[nodiscard]] std::uint64_t next();  // an address; requires that one is left

 private:
  struct Part {
    std::shared_ptr<const Spans> spans;
    std::size_t span = 0;
    std::uint64_t at = 0;  // transactions of the flow
    std::uint64_t weight = 0;
    std::int64_t owed = 0;
  };
  std::uint64_t granule_ = 32;
  std::vector<Part> parts_;
  std::uint64_t whole_ = 0;
  std::uint64_t left_ = 0;
};

class DramPlaces {
 public:
  // `gathers`: whether picked entries lie where they were picked, or one after another.
  DramPlaces(const hbm::Part& part, const sim::Locality& locality, bool gathers = true);
  // Everything must outlive the walks.
  void fill(const sim::StepGraph& graph, const sim::Tally& tally, const AccessTable& table, const DramFlows& flows,
            std::span<const KernelWork> works);
  [[nodiscard]] RequestWalk walk(const Request& request);

 private:
  struct Region {
    std::uint64_t base = 0;
    std::uint64_t size = 0;
  };
  // A vertex's flows as they lie; those of the last few kernels are kept.
  struct Laid {
    std::uint32_t vertex = UINT32_MAX;
    std::vector<std::shared_ptr<const Spans>> flows;
  };
  [[nodiscard]] const Laid& laid(std::uint32_t vertex);
  [[nodiscard]] std::shared_ptr<const Spans> lay(std::uint32_t vertex, const DramFlow& flow);
  void lay_stream(const Region& region, const sim::Access& access, std::uint64_t transactions, Spans& spans) const;
  void lay_picks(const Region& region, const PickShape& shape, std::uint64_t identity, std::uint64_t transactions,
                 Spans& spans);
  void draw_pieces(const Region& region, const PickShape& shape, std::uint64_t identity);
  [[nodiscard]] std::uint64_t size_of(const sim::Access& access, const AccessCost& cost, std::int64_t position) const;

  std::uint64_t granule_;
  std::uint64_t capacity_;
  sim::Locality locality_;
  bool gathers_;
  Picks picks_;
  const sim::StepGraph* graph_ = nullptr;
  const sim::Tally* tally_ = nullptr;
  const AccessTable* table_ = nullptr;
  const DramFlows* flows_ = nullptr;
  std::span<const KernelWork> works_;
  std::vector<Region> regions_;
  std::vector<Laid> kept_;
  std::size_t oldest_ = 0;
  std::vector<std::int64_t> picked_;  // scratch
  std::vector<Piece> pieces_;         // scratch
};

}  // namespace kvtraffic::hardware
