// The state machine of one channel: what a command changes. Leaves out when to issue one (controller.cpp).
#include "hardware/hbm/device.hpp"

#include <bit>
#include <cassert>

namespace kvtraffic::hardware::hbm {
namespace {

unsigned log2_of(int count) { return static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(count))); }

}  // namespace

Device::Device(const RuleSet& rules) : rules_(&rules) {
  const Geometry& g = rules.geometry;
  const auto pseudo_channels = static_cast<std::size_t>(g.pseudo_channels);
  pseudo_channel_shift_ = log2_of(g.banks_of_pseudo_channel());
  stack_id_shift_ = log2_of(g.bank_groups * g.banks);
  bank_group_shift_ = log2_of(g.banks);
  pseudo_channel_base_ = stride;
  stack_id_base_ = pseudo_channel_base_ + stride * pseudo_channels;
  bank_group_base_ = stack_id_base_ + stride * pseudo_channels * static_cast<std::size_t>(g.stack_ids);
  bank_base_ = bank_group_base_ + stride * pseudo_channels * static_cast<std::size_t>(g.stack_ids * g.bank_groups);
  const auto banks = static_cast<std::size_t>(g.banks_of_channel());
  gates_.assign(bank_base_ + stride * banks, Stamp(0, Cause::command_bus));  // at first only an edge is awaited
  rows_.assign(banks, closed);
  for (const Window& window : rules.windows) {
    std::size_t nodes = pseudo_channels;
    if (window.level == Level::channel) nodes = 1;
    if (window.level > Level::pseudo_channel) nodes = banks;  // as many as any level may have
    histories_.emplace_back(nodes * static_cast<std::size_t>(window.length), -never);
  }
}

Command Device::next_needed(Command wanted, BankAddress at, std::int64_t row) const {
  const std::int64_t open = open_row(at);
  if (wanted == Command::refresh_bank) return open == closed ? wanted : Command::precharge;
  if (open == row) return wanted;
  return open == closed ? Command::activate : Command::precharge;
}

std::size_t Device::node(Level level, BankAddress at) const {
  switch (level) {
    case Level::channel:
      return 0;
    case Level::pseudo_channel:
      return static_cast<std::size_t>(at.pseudo_channel);
    case Level::stack_id:
      return flat(at) >> stack_id_shift_;
    case Level::bank_group:
      return flat(at) >> bank_group_shift_;
    case Level::bank:
      return flat(at);
  }
  return 0;
}

void Device::issue(Command command, BankAddress at, std::int64_t row, Tick now) {
  assert(earliest(gate_of(command), at).tick() <= now && "a command came before its time");
  assert(rules_->may_start(command, now) && "a command came on the wrong edge");
  if (command == Command::activate) remember(command, at, now);
  const std::size_t bank = flat(at);
  const std::array<Stamp*, level_count> nodes{
      gates_.data(), &gates_[pseudo_channel_base_ + static_cast<std::size_t>(at.pseudo_channel) * stride],
      &gates_[stack_id_base_ + (bank >> stack_id_shift_) * stride],
      &gates_[bank_group_base_ + (bank >> bank_group_shift_) * stride], &gates_[bank_base_ + bank * stride]};
  for (const Update& update : rules_->updates[static_cast<std::size_t>(command)]) {
    const Tick from = update.history < 0 ? now : since(update, at);
    if (update.sibling) {
      raise_siblings(update, at, from);
      continue;
    }
    Stamp& gate = nodes[static_cast<std::size_t>(update.level)][static_cast<std::size_t>(update.gate)];
    gate = later(gate, Stamp(from + update.ticks, update.cause));
  }
  if (!is_column(command) || command == Command::read_auto || command == Command::write_auto) {
    change_rows(command, at, row);
  }
}

// The other stack IDs of the same pseudo-channel.
void Device::raise_siblings(const Update& update, BankAddress at, Tick since) {
  const auto ids = static_cast<std::size_t>(rules_->geometry.stack_ids);
  const std::size_t first = static_cast<std::size_t>(at.pseudo_channel) * ids;
  const std::size_t own = node(Level::stack_id, at);
  for (std::size_t id = first; id < first + ids; ++id) {
    if (id == own) continue;
    Stamp& gate = gates_[stack_id_base_ + id * stride + static_cast<std::size_t>(update.gate)];
    gate = later(gate, Stamp(since + update.ticks, update.cause));
  }
}

Tick Device::since(const Update& update, BankAddress at) const {
  const auto index = static_cast<std::size_t>(update.history);
  const auto length = static_cast<std::size_t>(rules_->windows[index].length);
  return histories_[index][node(update.level, at) * length];
}

void Device::remember(Command command, BankAddress at, Tick now) {
  for (std::size_t i = 0; i < histories_.size(); ++i) {
    const Window& window = rules_->windows[i];
    if (window.command != command) continue;
    const auto length = static_cast<std::size_t>(window.length);
    Tick* history = &histories_[i][node(window.level, at) * length];
    for (std::size_t k = 0; k + 1 < length; ++k) history[k] = history[k + 1];
    history[length - 1] = now;
  }
}

void Device::change_rows(Command command, BankAddress at, std::int64_t row) {
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(at.bank);
  std::uint64_t& open = open_[static_cast<std::size_t>(at.pseudo_channel)];
  switch (command) {
    case Command::activate:
      assert(open_row(at) == closed && "ACT to an open bank");
      rows_[flat(at)] = row;
      open |= bit;
      return;
    case Command::precharge:
    case Command::read_auto:
    case Command::write_auto:
      rows_[flat(at)] = closed;
      open &= ~bit;
      return;
    case Command::precharge_all:
      for (int bank = 0; bank < rules_->geometry.banks_of_pseudo_channel(); ++bank) {
        rows_[flat({at.pseudo_channel, bank})] = closed;
      }
      open = 0;
      return;
    case Command::refresh_all:
    case Command::refresh_bank:
      assert((command == Command::refresh_all ? open == 0 : open_row(at) == closed) && "refresh of an open bank");
      return;
    case Command::read:
    case Command::write:
      return;
  }
}

void Device::tell(StateText& text, const Epoch& epoch, Tick since) const {
  for (const Stamp gate : gates_) {
    const Tick ahead = gate.tick() - epoch.tick;
    text.number(gate.tick() > since ? ahead * 16 + static_cast<std::int64_t>(gate.cause()) : -never);
  }
  for (const std::int64_t open : rows_) text.number(open == closed ? closed : epoch.row_from(open));
  for (const auto& history : histories_) {
    for (const Tick tick : history) text.number(tick < 0 ? -never : tick - epoch.tick);
  }
}

void Device::shift(const Epoch& by) {
  for (Stamp& gate : gates_) gate = Stamp(gate.tick() + by.tick, gate.cause());
  for (std::int64_t& open : rows_) {
    if (open != closed) open = by.row_after(open);
  }
  for (auto& history : histories_) {
    for (Tick& tick : history) {
      if (tick >= 0) tick += by.tick;
    }
  }
}

}  // namespace kvtraffic::hardware::hbm
