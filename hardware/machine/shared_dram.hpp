// DRAM as a bandwidth that all lanes share while they ask: each is served by the bytes that its SMs keep on their way,
// at the rate that DRAM commands reach on the mix of all of them. Leaves out addresses and commands (dram_rates.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hardware/machine/dram_mixes.hpp"
#include "hardware/machine/dram_rates.hpp"
#include "hardware/machine/dram_told.hpp"
#include "hardware/machine/server.hpp"

namespace kvtraffic::hardware {

// The loads of a lane are served in order, and so are its stores, beside one another. A load is admitted when no more
// of its lane's bytes are left than the lane keeps on its way. When a lane has nothing more to load, its last request
// waits for the slowest channel. Writes are posted: a store is through when the write queues could hold what is left of
// it.
class SharedDram : public MemoryServer {
 public:
  SharedDram(DramRates& rates, std::int64_t lanes, sim::Bandwidth most, const hbm::Part& part);
  // One element per vertex; before every run, and it must outlive it.
  void set_work(std::span<const VertexMixes> mixes);
  void reset(sim::Instant base) override;
  [[nodiscard]] sim::Duration busy() const override { return busy_; }
  [[nodiscard]] sim::Instant wake() const override;
  void advance(sim::Instant now) override;
  [[nodiscard]] std::string waiting_for() const override;
  // From here on it serves at the slow end of what is left open (1), at the fast end (-1), or in the middle (0):
  // windows leave rates open, the slowest channel may wait for a refresh before a request is through, and who comes
  // while others are served may wait behind what they have on their way.
  void set_lean(int lean) { lean_ = lean; }
  // Seconds of data bus time, by cause, of all that was served.
  [[nodiscard]] CauseTimes causes() const;
  // Seconds for which each mix was served, by its number in the rates; what has no element was not.
  [[nodiscard]] std::span<const double> served() const { return served_; }
  // The same time by vertex: lines that are served at a time have its seconds, and what rows took of them, by their
  // shares of the rate.
  void tell_vertices(std::vector<sim::DramSeconds>& all) const;

 private:
  static constexpr std::uint32_t most_requests = 4;  // of a line: one for each buffer of a lane, and one to spare
  struct Waiting {
    Request request;
    std::uint32_t mix = 0;
    sim::Instant asked;
    sim::Instant began;
    bool is_admitted = false;
    bool is_answered = false;
    double left = 0;  // bytes
  };
  struct Line {  // a lane's loads, or its stores: a ring
    std::array<Waiting, most_requests> waiting;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    sim::Instant since;            // it has had something to ask
    double behind = 0;             // seconds that what others had on their way then may have kept it waiting
    sim::DramSeconds since_spent;  // `spent_` when its first request began to be served
    double rate = 0;               // bytes per second now
    [[nodiscard]] Waiting& at(std::uint32_t i) { return waiting[(first + i) % most_requests]; }
    [[nodiscard]] const Waiting& at(std::uint32_t i) const { return waiting[(first + i) % most_requests]; }
  };

  void take(const Request& request, sim::Instant now);
  void serve_until(sim::Instant now);
  void finish(Line& line, sim::Instant now);
  void tell(Line& line, sim::Instant now);
  void admit(Line& line, sim::Instant now);
  void post(Line& line, sim::Instant now);
  void answer(const Waiting& served, sim::Duration late, sim::Instant now);
  [[nodiscard]] double postable() const;
  [[nodiscard]] double on_their_way() const;
  void share();
  [[nodiscard]] sim::Duration next_of(const Line& line) const;
  [[nodiscard]] static std::int64_t weight_of(const Request& request) {
    return std::max<std::int64_t>(1, request.window);
  }
  [[nodiscard]] sim::DramSeconds spent_on(const Line& line) const;

  DramRates& rates_;
  sim::Bandwidth most_;
  double posted_;   // bytes that write queues hold
  double hold_up_;  // seconds for which a refresh may hold up one channel's last row
  std::span<const VertexMixes> mixes_;
  std::vector<Line> lines_;            // two of each lane
  std::vector<std::uint32_t> active_;  // lines that ask, in the order in which they began
  std::uint32_t storing_ = 0;          // of these, lines of stores
  std::vector<MixWeight> asked_;       // by mix, in order
  sim::Instant now_;
  sim::Instant next_ = sim::Instant::never();
  sim::Duration busy_;
  double rate_ = 0;  // bytes per second of all together
  int lean_ = 0;
  std::uint32_t mix_ = 0;  // of all lines together
  double row_part_ = 0;    // of its time
  double whole_ = 1;       // weight of all lines
  // What has been spent on a line of weight one so far: a line's time is the difference from its beginning to its end,
  // so that nothing has to be added up line by line.
  sim::DramSeconds spent_;
  std::vector<double> served_;
  std::vector<sim::DramSeconds> vertices_;
};

}  // namespace kvtraffic::hardware
