// DRAM itself: every transaction of every request is decoded to its channel and carried out command by command. What a
// machine runs on when nothing may be derived from windows. Leaves out latency on the way, which the lanes add, and
// where bytes lie (dram_places.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hardware/hbm/channels.hpp"
#include "hardware/machine/dram_places.hpp"
#include "hardware/machine/dram_told.hpp"
#include "hardware/machine/server.hpp"

namespace kvtraffic::hardware {

// A lane keeps a window of bytes on their way; they wait at their channels in the order in which they were asked for,
// loads and stores in lines of their own that take turns by the windows of those who ask.
// A load is admitted when its last transaction has been asked for. Writes are posted: a store is through when the
// channels' queues have taken it.
//
// SMs of a lane do not wait for one another between its requests: one is through when the lane has got as many
// transactions as it had asked for with it, whosever they are. The last one waits for all.
class DramChannels : public MemoryServer {
 public:
  DramChannels(const hbm::Part& part, DramPlaces& places, std::int64_t lanes);
  ~DramChannels() override;
  // The number of vertices; before every run.
  void set_work(std::size_t vertices) { asked_for_.resize(vertices); }
  void reset(sim::Instant base) override;
  [[nodiscard]] sim::Duration busy() const override { return busy_; }
  [[nodiscard]] sim::Instant wake() const override;
  void advance(sim::Instant now) override;
  [[nodiscard]] std::string waiting_for() const override;
  // Seconds of data bus time, by cause, until the last answer; what nobody asked for is left out.
  [[nodiscard]] CauseTimes causes() const;
  [[nodiscard]] std::uint64_t transactions() const { return transactions_; }
  [[nodiscard]] std::span<const std::uint64_t> transactions_of_vertices() const { return asked_for_; }

 private:
  struct Ear;     // hears answers
  struct Asked {  // a request on its way
    Request request;
    RequestWalk walk;
    sim::Instant since;
    std::uint64_t until = 0;  // transactions of its line, its own included; known when it is admitted
    bool is_admitted = false;
  };
  struct Line {  // a lane's loads, or its stores: in order
    std::vector<std::uint32_t> asked;
    std::uint64_t sent = 0;      // transactions so far
    std::uint64_t answered = 0;  // of them
    hbm::Tick last = 0;          // answer
    sim::Instant served;         // when the last request was through
    void answer(hbm::Tick done);
  };
  struct Waiting {
    hbm::Place place;
    std::uint32_t line = 0;
  };
  struct Queue {  // in front of a channel: a ring that grows
    std::vector<Waiting> ring = std::vector<Waiting>(64);
    std::size_t first = 0;
    std::size_t count = 0;
    bool is_held = false;  // by a full queue of its channel; until it is empty
  };

  void take(const Request& request, sim::Instant now);
  void run_channels(hbm::Tick until);
  void run(std::size_t channel, hbm::Tick until);
  [[nodiscard]] bool offer(hbm::Controller& channel, Queue& queue, hbm::Kind kind);
  void weigh();
  void ask(std::uint32_t line, sim::Instant now);
  void ask_for(Asked& asked, std::uint32_t line);
  void answer(sim::Instant now);
  void reply(const Asked& asked, Line& line, sim::Instant now);
  static void push(Queue& queue, const Waiting& waiting);
  [[nodiscard]] hbm::Tick tick_at(sim::Instant t) const;
  [[nodiscard]] sim::Instant instant_of(hbm::Tick tick) const;
  [[nodiscard]] static std::uint32_t line_of(const Request& request) {
    return 2 * request.lane + (request.write ? 1 : 0);
  }

  hbm::Part part_;
  DramPlaces& places_;
  std::unique_ptr<Ear> ear_;
  std::unique_ptr<hbm::Channels> channels_;
  std::vector<Queue> queues_;              // two of each channel: of loads, of stores
  std::vector<std::int64_t> owed_;         // to the stores of a channel, in weights
  std::array<std::int64_t, 2> weights_{};  // of loads, of stores
  std::vector<Asked> asked_;
  std::vector<std::uint32_t> free_;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> active_;  // lines with requests, in the order in which they began
  sim::Instant base_;
  hbm::Tick until_ = 0;  // up to where the channels have run
  hbm::Tick idle_ = 0;   // what a read of an idle channel takes: the lanes' latency holds it already
  sim::Instant now_;
  sim::Duration busy_;
  std::uint64_t transactions_ = 0;
  std::vector<std::uint64_t> asked_for_;  // transactions, by vertex
};

}  // namespace kvtraffic::hardware
