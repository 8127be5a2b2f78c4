// When a controller refreshes. All-bank: a due refresh goes before everything on its channel. Per-bank: only the bank
// it visits waits. Leaves out the rules between commands (rules.cpp).
#include <algorithm>
#include <bit>

#include "hardware/hbm/controller.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

std::uint64_t all_banks(const Geometry& geometry) {
  const int banks = geometry.banks_of_pseudo_channel();
  return banks == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << static_cast<unsigned>(banks)) - 1;
}

}  // namespace

// Pseudo-channels refresh together all-bank, as their requests are queued together; one bank at a time they take turns,
// so that the row bus is not asked twice at once.
void Controller::start_refresh() {
  const Tick interval =
      plan_->settings.refresh == Refresh::all_bank ? plan_->refresh_interval : plan_->bank_refresh_interval;
  for (int pc = 0; pc < plan_->rules.geometry.pseudo_channels; ++pc) {
    const auto p = static_cast<std::size_t>(pc);
    left_[p] = all_banks(plan_->rules.geometry);
    due_[p] = interval;
    if (plan_->settings.refresh == Refresh::per_bank) due_[p] = interval / 2 * (pc + 1);
    if (plan_->settings.refresh == Refresh::none) due_[p] = never;
    refresh_next_ = std::min(refresh_next_, due_[p]);
  }
}

// An owed all-bank refresh that could be postponed takes the chance of an idle channel.
Tick Controller::next_refresh_event() const {
  const bool chance = owed_[0] + owed_[1] > 0 && plan_->settings.refresh == Refresh::all_bank && idle();
  return chance && !refresh_blocks() ? now_ + 1 : refresh_next_;
}

void Controller::refresh_dues(Tick now) {
  const bool all_bank = plan_->settings.refresh == Refresh::all_bank;
  refresh_next_ = never;
  for (int pc = 0; pc < plan_->rules.geometry.pseudo_channels; ++pc) {
    const auto p = static_cast<std::size_t>(pc);
    for (; due_[p] <= now; ++owed_[p]) due_[p] += all_bank ? plan_->refresh_interval : plan_->bank_refresh_interval;
    refresh_next_ = std::min(refresh_next_, due_[p]);
    if (owed_[p] == 0) continue;
    if (!all_bank) {
      choose_bank(pc);
    } else if (owed_[p] > plan_->settings.postponed || idle()) {
      block_for_refresh(pc);
    }
  }
}

void Controller::block_for_refresh(int pseudo_channel) {
  if (std::ranges::find(blocking_, pseudo_channel) != blocking_.end()) return;
  blocking_.push_back(pseudo_channel);
  row_next_ = std::min(row_next_, now_);
}

void Controller::blocking_refresh(Tick now) {
  refresh_seen_ = now;
  const BankAddress at{blocking_.front(), 0};
  const auto pc = static_cast<std::size_t>(at.pseudo_channel);
  if (active_[pc] != 0) {  // rows stay open for their openers; the last one wakes the row bus
    row_next_ = never;
    return;
  }
  const bool open = device_.open_banks(at.pseudo_channel) != 0;
  const Command command = open ? Command::precharge_all : Command::refresh_all;
  Tick when = device_.earliest(hbm::gate_of(command), at).tick();
  while (when < now || !plan_->rules.may_start(command, when)) when = std::max(when + 1, now);
  if (when > now) {
    row_next_ = when;
    return;
  }
  issue(now, command, at, 0);
  if (open) {
    for (int bank = 0; bank < plan_->rules.geometry.banks_of_pseudo_channel(); ++bank) {
      queue_.close({at.pseudo_channel, bank});
    }
  } else {
    --owed_[pc];
    blocking_.pop_front();
    if (!refresh_blocks()) column_next_ = now + 1;
  }
  row_next_ = now + 1;
}

// Without anything to postpone, banks take turns. Otherwise a bank for which nothing waits goes first, and the next in
// turn when too many are owed.
int Controller::bank_to_refresh(int pseudo_channel) const {
  const auto p = static_cast<std::size_t>(pseudo_channel);
  const int in_turn = std::countr_zero(left_[p]);
  if (plan_->settings.postponed == 0) return in_turn;
  const std::uint64_t idle = left_[p] & ~queue_.waiting(pseudo_channel) & ~active_[p];
  const std::uint64_t closed = idle & ~device_.open_banks(pseudo_channel);
  if (closed != 0) return std::countr_zero(closed);
  if (idle != 0) return std::countr_zero(idle);
  return owed_[p] > plan_->settings.postponed ? in_turn : -1;
}

void Controller::choose_bank(int pseudo_channel) {
  const auto p = static_cast<std::size_t>(pseudo_channel);
  if (target_[p] >= 0) return;
  target_[p] = bank_to_refresh(pseudo_channel);
  if (target_[p] < 0) return;
  held_[p] = std::uint64_t{1} << static_cast<unsigned>(target_[p]);
  row_next_ = std::min(row_next_, now_);
}

// True when it has taken the row bus; otherwise lowers `next` to when it may.
bool Controller::bank_refresh(Tick now, Tick& next) {
  for (int pc = 0; pc < plan_->rules.geometry.pseudo_channels; ++pc) {
    const auto p = static_cast<std::size_t>(pc);
    if (target_[p] < 0 || (active_[p] & held_[p]) != 0) continue;
    const BankAddress at{pc, target_[p]};
    const bool open = device_.open_row(at) != Device::closed;
    const Command command = open ? Command::precharge : Command::refresh_bank;
    const Tick when = device_.earliest(hbm::gate_of(command), at).tick();
    if (when > now || !plan_->rules.may_start(command, now)) {
      next = std::min(next, std::max(when, now + 1));
      continue;
    }
    if (open) {
      close_row(now, at);
      return true;
    }
    issue(now, command, at, 0);
    --owed_[p];
    left_[p] &= ~held_[p];
    if (left_[p] == 0) left_[p] = all_banks(plan_->rules.geometry);
    held_[p] = 0;
    target_[p] = -1;
    return true;
  }
  return false;
}

// Where four tRRDS fill tFAW, activates of other banks follow one another so closely that a refresh finds no place
// between them. When the next one is due already, they make way.
bool Controller::refresh_is_late(int pseudo_channel) const {
  const auto p = static_cast<std::size_t>(pseudo_channel);
  if (target_[p] < 0 || owed_[p] <= plan_->settings.postponed + 1) return false;
  return device_.open_row({pseudo_channel, target_[p]}) == Device::closed;
}

}  // namespace kvtraffic::hardware::hbm
