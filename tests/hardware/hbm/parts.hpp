// Parts of the catalog for tests of the DRAM model, and one channel with everything that it did written down.
// Leaves out reading memory files (tests/hardware/spec/memory_test.cpp).
#pragma once

#include <string>
#include <vector>

#include "hardware/hbm/controller.hpp"
#include "hardware/hbm/memory.hpp"
#include "hardware/hbm/part.hpp"
#include "hardware/hbm/transactions.hpp"

namespace kvtraffic::hardware::hbm {

[[nodiscard]] std::vector<std::string> part_names();
// A memory of the catalog with what it extends below it.
[[nodiscard]] Part part_named(const std::string& name);
// The same with a single channel.
[[nodiscard]] Part channel_of(const std::string& name);

void set_clocks(Part& part, Timing timing, std::int64_t clocks);
// Half clocks of a sum of timings.
[[nodiscard]] Tick half_clocks(const Part& part, std::initializer_list<Timing> timings);
[[nodiscard]] sim::Duration clocks_long(const Part& part, std::int64_t clocks);

// Transactions one by one.
class ListSource final : public TransactionSource {
 public:
  explicit ListSource(std::vector<Transaction> list) : list_(std::move(list)) {}
  [[nodiscard]] std::size_t read(std::span<Transaction> into) override;

 private:
  std::vector<Transaction> list_;
  std::size_t done_ = 0;
};

// Makes the pattern anew and runs it; addresses beyond the capacity wrap.
[[nodiscard]] MemoryResult run_pattern(const Part& part, const std::string& pattern, std::int64_t size,
                                       const RunSettings& settings = {});
// Reads of one bank, each of another row.
[[nodiscard]] std::vector<Transaction> rows_of_one_bank(const Part& part, int count);

struct Recorded {
  Tick tick = 0;
  Command command = Command::activate;
  int pseudo_channel = 0;
  int bank = 0;
  std::int64_t row = 0;
  int column = 0;
};
void PrintTo(const Recorded& recorded, std::ostream* out);

struct Answer {
  std::uint64_t tag = 0;
  Kind kind = Kind::read;
  Tick arrival = 0;
  Tick done = 0;
};

class Recorder final : public Listener {
 public:
  void command(Tick now, Command command, BankAddress at, std::int64_t row, int column) override {
    commands.push_back({now, command, at.pseudo_channel, at.bank, row, column});
  }
  void answered(std::uint64_t tag, Kind kind, Tick arrival, Tick done) override {
    answers.push_back({tag, kind, arrival, done});
  }
  void clear() {
    commands.clear();
    answers.clear();
  }
  // "ACT RD RD PRE": the commands, in order.
  [[nodiscard]] std::string names() const;
  [[nodiscard]] std::vector<Recorded> all(Command command) const;
  [[nodiscard]] Answer answer(std::uint64_t tag) const;  // throws when there is not exactly one

  std::vector<Recorded> commands;
  std::vector<Answer> answers;
};

// A controller with nothing around it.
class Bench {
 public:
  explicit Bench(const Part& which) : part(which), plan(part), controller(plan, &log) {}

  void run_to(Tick until);  // every edge up to and including it; it is `now` then
  void drain();             // until nothing waits
  // Asks now; returns the tag, which counts from zero. Throws when the queue is full.
  std::uint64_t read(const Place& place) { return ask(place, Kind::read); }
  std::uint64_t write(const Place& place) { return ask(place, Kind::write); }
  [[nodiscard]] bool offer(const Place& place, Kind kind);
  [[nodiscard]] Tick now() const { return now_; }
  // Half clocks from the first edge of one command to that of the next: from last edge to last edge it is `timings`.
  [[nodiscard]] Tick delay(Command before, Command after, std::initializer_list<Timing> timings) const;

  Part part;
  ControllerPlan plan;
  Recorder log;
  Controller controller;

 private:
  std::uint64_t ask(const Place& place, Kind kind);
  std::uint64_t tags_ = 0;
  Tick now_ = 0;
};

}  // namespace kvtraffic::hardware::hbm
