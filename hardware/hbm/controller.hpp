// One memory controller: it drives one channel, whose pseudo-channels share its queues and its command buses.
// The policy is FR-FCFS that does not close a row for which an equally old or older hit waits ("row hit"), with write
// drain, page policies, a starvation bound and refresh. Leaves out addresses (address_map.hpp) and where requests come
// from (memory.hpp). Nothing happens between the edges that `next` names.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "hardware/hbm/address_map.hpp"
#include "hardware/hbm/device.hpp"
#include "hardware/hbm/request_queue.hpp"
#include "hardware/hbm/statistics.hpp"

namespace kvtraffic::hardware::hbm {

// Hears of every command and every answer; for command files, checkers and machines that wait for data.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;
  virtual void command(Tick now, Command command, BankAddress at, std::int64_t row, int column) = 0;
  // `done`: the end of a read's data; of a write, the edge on which the controller issued it (writes are posted).
  virtual void answered(std::uint64_t tag, Kind kind, Tick arrival, Tick done) = 0;
};

// A request as it comes to a controller. `held_by`: why it comes only now, where it could have been of use before.
// `asked`: when it was asked for, in half clocks; its latency counts from there.
struct Offer {
  Place place;
  Kind kind = Kind::read;
  Cause held_by = Cause::feed;
  Tick asked = 0;
  std::uint64_t tag = 0;
};

// What all controllers of a part share; must outlive them.
struct ControllerPlan {
  explicit ControllerPlan(const Part& part);

  RuleSet rules;
  ControllerSettings settings;
  Tick refresh_interval = 0;       // of a pseudo-channel (tREFI), all-bank
  Tick bank_refresh_interval = 0;  // between two REFpb of a pseudo-channel
  Tick page_timeout = 0;
  Tick starvation = 0;  // zero: no bound
  Tick write_age = 0;   // zero: no bound
};

class Controller {
 public:
  explicit Controller(const ControllerPlan& plan, Listener* listener = nullptr);

  // Takes a request in at `now`, not before the last `advance`; false when its queue is full. A read of a waiting
  // write is answered from it a tick later, a second write to one is merged into it.
  bool offer(const Offer& offer, Tick now);

  // The first edge after the last on which something may happen. A lower bound: an edge may turn out to be idle.
  [[nodiscard]] Tick next() const;
  // Does what happens on edge `now`; requires every edge that `next` named before to have been done.
  void advance(Tick now);

  [[nodiscard]] bool idle() const { return queue_.size() == 0 && (active_[0] | active_[1]) == 0; }
  [[nodiscard]] Tick now() const { return now_; }
  [[nodiscard]] Tick last_answer() const { return last_answer_; }  // the latest `done` so far
  [[nodiscard]] std::uint64_t taken() const { return taken_; }     // requests so far
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const LatencyHistogram& latencies() const { return latencies_; }
  // Tells the rest of the bus time, up to `end`: the counters of a finished run.
  [[nodiscard]] Counters finished(Tick end) const;

  // The whole state as numbers (controller_state.cpp), and a jump: `cycles` times what changed since `earlier`, whose
  // state was the same.
  void tell(StateText& text, const Epoch& epoch) const;
  struct Mark {
    Counters counters;
    LatencyHistogram latencies;
    Epoch epoch;
  };
  [[nodiscard]] Mark mark(std::int64_t row) const;
  void jump(const Mark& earlier, std::int64_t row, std::uint64_t cycles);

 private:
  struct Pick;
  void tell_banks(StateText& text, const Epoch& epoch) const;
  void shift_times(Tick ticks);

  [[nodiscard]] static Gate gate_of(Kind kind) { return kind == Kind::read ? Gate::read : Gate::write; }
  [[nodiscard]] std::size_t flat(BankAddress at) const;
  [[nodiscard]] bool refresh_blocks() const { return !blocking_.empty(); }

  void answer_from_queue(const Offer& offer, Tick now);

  // Modes.
  [[nodiscard]] bool should_flip() const;
  [[nodiscard]] bool other_is_late(Tick now) const;
  void update_mode(Tick now);

  // Column bus.
  void column_slot(Tick now);
  void pick_active(Tick now, Pick& pick) const;
  void pick_hit(Tick now, Pick& pick) const;
  [[nodiscard]] std::uint64_t starved_banks(Tick now, int pseudo_channel, std::uint64_t hits) const;
  void issue_column(Tick now, const Pick& pick);
  [[nodiscard]] bool has_hits(BankAddress at) const;
  void account_column(Tick now, const Pick& pick, const Request& request);

  // Row bus.
  void row_slot(Tick now);
  void pick_row(Tick now, Pick& pick) const;
  [[nodiscard]] bool may_look(Command command, int pseudo_channel, Tick now, Pick& pick) const;
  void pick_idle_row(Tick now, Pick& pick) const;
  [[nodiscard]] bool may_precharge(BankAddress at) const;
  void issue_activate(Tick now, const Pick& pick);
  void issue_precharge(Tick now, const Pick& pick);
  void close_row(Tick now, BankAddress at);
  void wake_row(BankAddress at, Tick now);  // a row command of this bank may have become possible

  // Refresh (controller_refresh.cpp).
  void start_refresh();
  [[nodiscard]] Tick next_refresh_event() const;
  void refresh_dues(Tick now);
  void block_for_refresh(int pseudo_channel);
  void blocking_refresh(Tick now);
  void choose_bank(int pseudo_channel);
  [[nodiscard]] int bank_to_refresh(int pseudo_channel) const;
  bool bank_refresh(Tick now, Tick& next);
  [[nodiscard]] bool refresh_is_late(int pseudo_channel) const;
  void issue(Tick now, Command command, BankAddress at, std::int64_t row, int column = 0);

  const ControllerPlan* plan_;
  Listener* listener_;
  Device device_;
  RequestQueue queue_;
  Tick now_ = 0;
  Tick column_next_ = never;
  Tick row_next_ = never;

  // A request whose row was opened for it leaves the queue and is served first; one per bank at most.
  std::array<std::uint64_t, 2> active_{};
  std::vector<Index> active_request_;
  std::vector<std::uint64_t> active_order_;  // order of opening
  std::uint64_t opened_ = 0;

  Kind mode_ = Kind::read;
  Tick mode_since_ = 0;
  bool forced_read_ = false;  // reads have starved: they are drained before writes go on
  int aged_ = 0;              // aged writes are drained when there are more than this
  int high_ = 0;              // drain above, below
  int low_ = 0;
  int usual_drain_ = 0;  // writes that a drain leaves,
  int drain_to_ = 0;     // writes that the present drain leaves

  // Refresh: `due_` is the next time one more is owed, `owed_` how many are.
  std::array<Tick, 2> due_{};
  Tick refresh_next_ = never;  // the earliest of them
  std::array<int, 2> owed_{};
  std::deque<int> blocking_;             // pseudo-channels whose all-bank refresh now goes before everything
  std::array<std::uint64_t, 2> left_{};  // banks that this round of per-bank refreshes has still to visit
  std::array<int, 2> target_{-1, -1};    // the bank to refresh next
  std::array<std::uint64_t, 2> held_{};  // `target_` as a mask: no ACT, RD or WR there
  Tick refresh_seen_ = -never;           // the latest edge on which a refresh blocked requests

  std::vector<Tick> opened_at_;  // by bank: its latest ACT, and what had held that up
  std::vector<Cause> opened_by_;
  std::vector<Tick> used_at_;  // by bank: its latest ACT, RD or WR

  BusTime bus_time_;
  Counters counters_;
  LatencyHistogram latencies_;
  Tick last_answer_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace kvtraffic::hardware::hbm
