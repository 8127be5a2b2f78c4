// What L2 lets through to DRAM: each access of a step, in execution order, goes through a cache of exact
// least-recently-used order. Leaves out time, sets and ways (hardware/README.md says what they change), and which of a
// cache's entries a selection picks: sets of entries meet in expected values.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/l2/extent_cache.hpp"
#include "hardware/machine/access_table.hpp"
#include "sim/graph/step_graph.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware {

// Bytes of a region lie one after another; an access of `n` distinct bytes touches the first n. A selection of entries
// is a set of its own, as large as the lines that it takes up. Layers that share a selection (LayerInfo) touch the same
// set and find it whole; of another set of the same cache a selection finds what two sets have in common: what chance
// gives, or the stated share of layers that select on their own, if that is more. Common entries take up room in both
// sets, which is a little more than they do.
//
// The accesses of an operation run side by side: each is cut into `turns` slices, and they take turns, reads before
// writes and small ones first. What all tiles of a GEMM read again (its smaller operands) is touched in every turn.
//
// What the roofline calls compulsory always moves: the first read of a byte that is not `transient` in a step, and the
// last write. A step so small that it would find all of its weights in L2 from the step before is charged for them all
// the same. What the query tiles of a prefill read again is AccessCost::again.
class L2Model {
 public:
  enum class Start {
    steady,  // L2 holds what the same step left there
    cold,    // nothing
  };
  // `alike`: share of the entries that two layers have in common if they select on their own.
  explicit L2Model(sim::Bytes usable, double alike = 0);
  // Fills `dram`, one element per vertex access: bytes over the pins.
  void run(const sim::StepGraph& graph, const AccessTable& table, std::vector<std::int64_t>& dram,
           Start start = Start::steady);
  // Of what each access of the last run read over the pins, bytes that an earlier use had brought in.
  [[nodiscard]] const std::vector<std::int64_t>& evicted() const { return evicted_; }
  // Of what each access of the last run wrote, bytes that L2 holds at the end; after a steady step all zero, because
  // the step that follows has settled them.
  [[nodiscard]] const std::vector<std::int64_t>& left() const { return left_; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  // What has lines of its own in the cache: a region's bytes, or a selection from it.
  struct Part {
    std::uint32_t region = 0;
    std::int32_t source = 0;       // layer that made the selection
    std::uint32_t next = none;     // the region's next selection
    std::int64_t read_until = 0;   // of this walk: what comes before has been read
    std::int64_t span = 0;         // of a selection: its lines in bytes
    std::int64_t footprint = 0;    // the bytes in them
    std::int64_t region_read = 0;  // of the first part of a region: distinct bytes read in this walk, all parts
    std::int64_t written = 0;      // largest write
    bool kept = false;             // must reach DRAM once a step
  };
  // An access of the operation at hand.
  struct Stream {
    const AccessCost* cost = nullptr;
    std::uint32_t access = 0;  // of the vertex
    std::uint32_t part = 0;
    std::int64_t span = 0;      // bytes of its part that it touches
    std::int64_t done = 0;      // of the span, in earlier turns
    std::int64_t known = 0;     // of its region: distinct bytes that earlier operations of this walk read
    bool in_all_turns = false;  // read again by every tile
  };
  struct Slice {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  // Of newly read bytes of a selection, those that other parts of the region brought in.
  struct Common {
    std::int64_t read = 0;
    std::int64_t held = 0;
  };

  void number_parts(const sim::StepGraph& graph, const AccessTable& table);
  static void note_write(Part& part, const AccessCost& cost);
  [[nodiscard]] std::uint32_t add_selection(const sim::StepGraph& graph, const sim::Vertex& vertex,
                                            std::uint32_t access, const AccessCost& cost);
  [[nodiscard]] std::uint32_t part_of(std::uint32_t region, std::int32_t source);
  void walk(const sim::StepGraph& graph, const AccessTable& table, std::vector<std::int64_t>& dram);
  [[nodiscard]] std::int64_t gather_streams(const sim::Vertex& vertex, const AccessTable& table);
  void mark_panels();
  void run_streams(std::int64_t bytes, std::vector<std::int64_t>& dram);
  [[nodiscard]] static Slice next_slice(Stream& stream, std::int64_t turn, std::int64_t turns);
  void read(const Stream& stream, Slice slice, std::int64_t& dram);
  void read_selection(const Stream& stream, Slice slice, std::int64_t& dram);
  [[nodiscard]] Common common_with_others(const Stream& stream, std::int64_t fresh) const;
  [[nodiscard]] std::int64_t held_of(std::uint32_t part) const;
  l2::Found touch(const Stream& stream, Slice slice);
  void settle(std::vector<std::int64_t>& bytes);

  l2::ExtentCache cache_;
  std::int64_t alike_;  // millionths
  std::vector<Part> parts_;
  std::vector<std::uint32_t> part_of_;  // per vertex access
  std::vector<std::int64_t> evicted_;
  std::vector<std::int64_t> left_;
  std::vector<Stream> streams_;
};

}  // namespace kvtraffic::hardware
