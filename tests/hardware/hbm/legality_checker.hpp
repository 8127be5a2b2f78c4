// Replays the commands of one channel and finds everything that a device would not allow: rules, buses, edges, bank
// states, data that collides, refreshes that are late. Reads the rules by itself (naive_rules.hpp).
// Leaves out what a good scheduler would have done.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "hardware/hbm/controller.hpp"
#include "tests/hardware/hbm/naive_rules.hpp"

namespace kvtraffic::hardware::hbm {

class LegalityChecker final : public Listener {
 public:
  explicit LegalityChecker(const Part& part);

  void command(Tick now, Command command, BankAddress at, std::int64_t row, int column) override;
  // A read: CL + BL after its RD, or a tick after its arrival when a waiting write had its data. A write: on its WR.
  void answered(std::uint64_t tag, Kind kind, Tick arrival, Tick done) override;
  // At the end of a run: is a refresh overdue?
  void finish(Tick end);

  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }  // the first twenty
  [[nodiscard]] std::uint64_t commands() const { return commands_; }
  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  // How late behind its due time a refresh may come on top of what is postponed: see the source.
  [[nodiscard]] Tick refresh_slack() const { return slack_; }

 private:
  struct Refreshes {
    std::int64_t done = 0;
    std::set<int> round;  // banks that this round of per-bank refreshes has visited
  };

  void violate(Tick now, Command command, BankAddress at, const std::string& what);
  void check_edge(Tick now, Command command, BankAddress at);
  void check_bank(Tick now, Command command, BankAddress at, std::int64_t row);
  void check_data(Tick now, Command command, BankAddress at);
  void check_refresh(Tick now, Command command, BankAddress at);
  [[nodiscard]] Tick due(int pseudo_channel, std::int64_t number) const;
  [[nodiscard]] std::int64_t& row_of(BankAddress at);
  [[nodiscard]] bool all_closed(int pseudo_channel) const;

  Part part_;
  NaiveRules rules_;
  Tick slack_ = 0;
  Tick last_ = 0;
  Issued last_command_;
  std::vector<std::int64_t> rows_;   // -1: closed
  std::array<Tick, 2> data_free_{};  // by pseudo-channel: when its data bus is free
  std::array<Refreshes, 2> refreshes_;
  std::uint64_t commands_ = 0;
  std::uint64_t answers_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace kvtraffic::hardware::hbm
