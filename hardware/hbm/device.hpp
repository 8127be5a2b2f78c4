// One HBM channel as its data sheet states it: which rows are open, which command a request needs next, and when a
// command may come. It owns no clock: every question carries the time, so a test may ask about any instant.
// Leaves out which request is served first (controller.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hardware/hbm/command.hpp"
#include "hardware/hbm/rules.hpp"
#include "hardware/hbm/state_text.hpp"

namespace kvtraffic::hardware::hbm {

class Device {
 public:
  static constexpr std::int64_t closed = -1;

  explicit Device(const RuleSet& rules);  // shared by all channels; must outlive them

  [[nodiscard]] std::int64_t open_row(BankAddress at) const { return rows_[flat(at)]; }
  [[nodiscard]] std::uint64_t open_banks(int pseudo_channel) const {
    return open_[static_cast<std::size_t>(pseudo_channel)];
  }
  // The command that brings `wanted` (RD, RDA, WR, WRA, REFpb) to `row` of a bank forward: PRE, ACT or `wanted`.
  [[nodiscard]] Command next_needed(Command wanted, BankAddress at, std::int64_t row) const;

  // The first edge on which the rules allow a command behind `gate` at `at`, and the rule that sets it. Edges (a
  // column command starts on a rising one) are left to RuleSet::may_start. For gates of all banks, `at.bank` is not
  // used.
  [[nodiscard]] Stamp earliest(Gate gate, BankAddress at) const {
    const auto g = static_cast<std::size_t>(gate);
    const auto pc = static_cast<std::size_t>(at.pseudo_channel);
    Stamp stamp = later(gates_[g], gates_[pseudo_channel_base_ + pc * stride + g]);
    if (gate == Gate::precharge_all || gate == Gate::refresh_all) return stamp;
    const std::size_t bank = flat(at);
    stamp = later(stamp, gates_[stack_id_base_ + (bank >> stack_id_shift_) * stride + g]);
    stamp = later(stamp, gates_[bank_group_base_ + (bank >> bank_group_shift_) * stride + g]);
    return later(stamp, gates_[bank_base_ + bank * stride + g]);
  }
  // The same without the command buses, for gates of one bank: what a command had waited for when it found its bus
  // taken.
  [[nodiscard]] Stamp earliest_off_bus(Gate gate, BankAddress at) const {
    const auto g = static_cast<std::size_t>(gate);
    const std::size_t bank = flat(at);
    Stamp stamp = gates_[pseudo_channel_base_ + static_cast<std::size_t>(at.pseudo_channel) * stride + g];
    stamp = later(stamp, gates_[stack_id_base_ + (bank >> stack_id_shift_) * stride + g]);
    stamp = later(stamp, gates_[bank_group_base_ + (bank >> bank_group_shift_) * stride + g]);
    return later(stamp, gates_[bank_base_ + bank * stride + g]);
  }
  // A lower bound of `earliest` over all banks of a pseudo-channel.
  [[nodiscard]] Tick earliest_of_any(Gate gate, int pseudo_channel) const {
    const auto g = static_cast<std::size_t>(gate);
    return later(gates_[g], gates_[pseudo_channel_base_ + static_cast<std::size_t>(pseudo_channel) * stride + g])
        .tick();
  }

  // Requires earliest(...) <= now, a legal edge, and a bank in the state that the command needs. `row` is ACT's.
  void issue(Command command, BankAddress at, std::int64_t row, Tick now);

  [[nodiscard]] const RuleSet& rules() const { return *rules_; }

  // The state as numbers that repeat when it does, and the same state later on and some rows further. Gates that opened
  // at `since` or before read alike: nobody asks any more when that was.
  void tell(StateText& text, const Epoch& epoch, Tick since) const;
  void shift(const Epoch& by);

 private:
  static constexpr std::size_t stride = 8;  // gates of a node: one cache line

  [[nodiscard]] std::size_t flat(BankAddress at) const {
    return (static_cast<std::size_t>(at.pseudo_channel) << pseudo_channel_shift_) + static_cast<std::size_t>(at.bank);
  }
  [[nodiscard]] std::size_t node(Level level, BankAddress at) const;
  void raise_siblings(const Update& update, BankAddress at, Tick since);
  [[nodiscard]] Tick since(const Update& update, BankAddress at) const;
  void remember(Command command, BankAddress at, Tick now);
  void change_rows(Command command, BankAddress at, std::int64_t row);

  const RuleSet* rules_;
  unsigned pseudo_channel_shift_ = 0;
  unsigned stack_id_shift_ = 0;
  unsigned bank_group_shift_ = 0;
  std::size_t pseudo_channel_base_ = 0;
  std::size_t stack_id_base_ = 0;
  std::size_t bank_group_base_ = 0;
  std::size_t bank_base_ = 0;
  std::vector<Stamp> gates_;                  // by level, node and gate
  std::vector<std::int64_t> rows_;            // open row of each bank of the channel, or `closed`
  std::array<std::uint64_t, 2> open_{};       // banks with an open row, by pseudo-channel
  std::vector<std::vector<Tick>> histories_;  // by window: the latest `length` ticks of each node, oldest first
};

}  // namespace kvtraffic::hardware::hbm
