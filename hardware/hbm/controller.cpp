// Scheduling of the column and the row bus. Refresh is in controller_refresh.cpp, jumps in controller_state.cpp.
#include "hardware/hbm/controller.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hardware/hbm/controller_pick.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

// Whole half clocks of a setting in time, rounded up.
Tick ticks_of(sim::Duration duration, sim::Duration clock) {
  return 2 * sim::ceil_divide(duration.femtoseconds(), clock.femtoseconds());
}

std::uint64_t bit_of(BankAddress at) { return std::uint64_t{1} << static_cast<unsigned>(at.bank); }

}  // namespace

ControllerPlan::ControllerPlan(const Part& part)
    : rules(part),
      settings(part.controller),
      refresh_interval(2 * part.timings.cycles(Timing::tREFI)),
      bank_refresh_interval(2 * part.timings.cycles(Timing::tREFIpb)),
      page_timeout(ticks_of(part.controller.page_timeout, part.timings.clock)),
      starvation(ticks_of(part.controller.starvation, part.timings.clock)),
      write_age(ticks_of(part.controller.write_age, part.timings.clock)) {}

Controller::Controller(const ControllerPlan& plan, Listener* listener)
    : plan_(&plan),
      listener_(listener),
      device_(plan.rules),
      queue_(plan.settings.read_queue + plan.settings.write_queue + plan.rules.geometry.banks_of_channel(),
             plan.rules.geometry.pseudo_channels, plan.rules.geometry.banks_of_pseudo_channel()),
      aged_(static_cast<int>(plan.settings.age_above * plan.settings.write_queue)),
      high_(static_cast<int>(plan.settings.drain_above * plan.settings.write_queue)),
      low_(static_cast<int>(std::ceil(plan.settings.drain_below * plan.settings.write_queue))),
      usual_drain_(std::max(low_ - 1, 0)),
      drain_to_(usual_drain_),
      bus_time_(plan.rules.burst) {
  const auto banks = static_cast<std::size_t>(plan.rules.geometry.banks_of_channel());
  active_request_.assign(banks, no_request);
  active_order_.assign(banks, 0);
  opened_at_.assign(banks, 0);
  opened_by_.assign(banks, Cause::row_cycle);
  used_at_.assign(banks, 0);
  start_refresh();
}

std::size_t Controller::flat(BankAddress at) const {
  const auto banks = static_cast<std::size_t>(plan_->rules.geometry.banks_of_pseudo_channel());
  return static_cast<std::size_t>(at.pseudo_channel) * banks + static_cast<std::size_t>(at.bank);
}

bool Controller::offer(const Offer& offer, Tick now) {
  now_ = now;  // every edge up to here has been done: nothing is issued for a request before it has come
  const BankAddress at{offer.place.pseudo_channel, offer.place.bank};
  const bool waits =
      queue_.size(Kind::write) > 0 && queue_.find_write(at, offer.place.row, offer.place.column) != no_request;
  if (waits) {
    ++taken_;
    answer_from_queue(offer, now);
    return true;
  }
  const bool read = offer.kind == Kind::read;
  if (queue_.size(offer.kind) >= (read ? plan_->settings.read_queue : plan_->settings.write_queue)) return false;
  const bool hit = device_.open_row(at) == static_cast<std::int64_t>(offer.place.row);
  queue_.push({.arrival = now,
               .asked = offer.asked,
               .order = taken_++,
               .tag = offer.tag,
               .row = offer.place.row,
               .column = offer.place.column,
               .kind = offer.kind,
               .held_by = offer.held_by},
              at, hit);
  if (offer.kind != mode_) return true;
  if (!hit) {
    wake_row(at, now);
  } else if (column_next_ > now + 1) {
    column_next_ = std::min(column_next_, rising_from(device_.earliest(gate_of(offer.kind), at).tick()));
  }
  return true;
}

void Controller::answer_from_queue(const Offer& offer, Tick now) {
  const Tick done = now + 1;
  if (offer.kind == Kind::read) {
    ++counters_.reads;
    ++counters_.forwarded;
    counters_.latency_ticks += static_cast<std::uint64_t>(done - offer.asked);
    latencies_.add(done - offer.asked);
  } else {
    ++counters_.writes;
    ++counters_.coalesced;
  }
  last_answer_ = std::max(last_answer_, done);
  if (listener_ != nullptr) listener_->answered(offer.tag, offer.kind, now, done);
}

Tick Controller::next() const {
  if (!refresh_blocks() && should_flip()) return now_ + 1;
  return std::max(std::min({column_next_, row_next_, next_refresh_event()}), now_ + 1);
}

void Controller::advance(Tick now) {
  now_ = now;
  if (now >= refresh_next_ || owed_[0] + owed_[1] > 0) refresh_dues(now);
  if (!refresh_blocks() && should_flip()) column_next_ = row_next_ = now;
  if (is_rising(now) && column_next_ <= now) {
    column_slot(now);
    if (!refresh_blocks() && should_flip()) row_next_ = now;  // the row bus sees the queues as this command left them
  }
  if (row_next_ <= now) row_slot(now);
}

// Reads go first until the write queue is full to `drain_above` or no read waits; then writes, until it is empty to
// `drain_below` and a read waits. Bounds on waiting (update_mode) are checked whenever a bus looks for work.
bool Controller::should_flip() const {
  const int reads = queue_.size(Kind::read);
  const int writes = queue_.size(Kind::write);
  if (mode_ == Kind::write) return reads != 0 && writes <= drain_to_;
  return reads == 0 || (writes > high_ && !forced_read_);
}

// Whether the other kind has waited for so long that it goes now.
bool Controller::other_is_late(Tick now) const {
  const Tick waited = now - mode_since_;
  const int others = queue_.size(mode_ == Kind::read ? Kind::write : Kind::read);
  if (plan_->starvation > 0 && waited > plan_->starvation && others > 0) return true;
  return mode_ == Kind::read && plan_->write_age > 0 && waited > plan_->write_age && others > aged_;
}

void Controller::update_mode(Tick now) {
  const bool late = other_is_late(now);
  if (!late && !should_flip()) return;
  forced_read_ = late && mode_ == Kind::write;
  // Writes that have starved may be fewer than a usual drain leaves: then the older half of them goes.
  drain_to_ = late ? std::min(usual_drain_, queue_.size(Kind::write) / 2) : usual_drain_;
  mode_ = mode_ == Kind::read ? Kind::write : Kind::read;
  mode_since_ = now;
  column_next_ = row_next_ = now;
}

void Controller::column_slot(Tick now) {
  Pick pick;
  pick_active(now, pick);
  if (!pick.found && !refresh_blocks()) {
    update_mode(now);
    pick_hit(now, pick);
  }
  if (!pick.found) {
    column_next_ = rising_from(std::max(pick.next, now + 1));
    return;
  }
  issue_column(now, pick);
  column_next_ = now + 2;
}

// Among equally old requests whose rows were opened for them, the one opened first.
void Controller::pick_active(Tick now, Pick& pick) const {
  if ((active_[0] | active_[1]) == 0) return;
  Tick oldest = never;
  for (int pc = 0; pc < plan_->rules.geometry.pseudo_channels; ++pc) {
    std::uint64_t banks = active_[static_cast<std::size_t>(pc)];
    if (banks == 0) continue;
    const Tick bus = std::min(device_.earliest_of_any(Gate::read, pc), device_.earliest_of_any(Gate::write, pc));
    if (bus > now) {
      pick.next = std::min(pick.next, bus);
      continue;
    }
    for (; banks != 0; banks &= banks - 1) {
      const BankAddress at{pc, std::countr_zero(banks)};
      const Request& request = queue_[active_request_[flat(at)]];
      const Stamp gate = device_.earliest(gate_of(request.kind), at);
      if (gate.tick() > now) {
        pick.next = std::min(pick.next, gate.tick());
      } else if (!pick.found || request.arrival < oldest ||
                 (request.arrival == oldest && active_order_[flat(at)] < pick.order)) {
        pick.take(at, gate, active_order_[flat(at)]);
        pick.active = true;
        oldest = request.arrival;
      }
    }
  }
}

void Controller::pick_hit(Tick now, Pick& pick) const {
  const Gate gate_wanted = gate_of(mode_);
  for (int pc = 0; pc < plan_->rules.geometry.pseudo_channels; ++pc) {
    const BankOrder& hits = queue_.hits(mode_, pc);
    std::uint64_t banks = hits.banks() & ~held_[static_cast<std::size_t>(pc)];
    if (banks == 0) continue;
    const Tick bus = device_.earliest_of_any(gate_wanted, pc);
    if (bus > now) {
      pick.next = std::min(pick.next, bus);
      continue;
    }
    if (plan_->starvation > 0) banks &= ~starved_banks(now, pc, banks);
    for (std::uint8_t bank = hits.first(); bank != BankOrder::end; bank = hits.after(bank)) {
      if (pick.found && hits.order_of(bank) > pick.order) break;
      if (((banks >> bank) & 1U) == 0) continue;
      const Stamp gate = device_.earliest(gate_wanted, {pc, bank});
      if (gate.tick() <= now) {
        pick.take({pc, bank}, gate, hits.order_of(bank));
        break;
      }
      pick.next = std::min(pick.next, gate.tick());
    }
  }
}

// Banks in which a request has waited too long for another row: younger hits no longer keep the row open.
std::uint64_t Controller::starved_banks(Tick now, int pseudo_channel, std::uint64_t hits) const {
  std::uint64_t starved = 0;
  for (std::uint64_t banks = hits & queue_.misses(mode_, pseudo_channel).banks(); banks != 0; banks &= banks - 1) {
    const BankAddress at{pseudo_channel, std::countr_zero(banks)};
    const Tick arrival = queue_[queue_.oldest_miss(mode_, at)].arrival;
    const Tick hit = queue_[queue_.oldest_hit(mode_, at)].arrival;
    if (arrival < hit && now - arrival > plan_->starvation) starved |= bit_of(at);
  }
  return starved;
}

void Controller::issue_column(Tick now, const Pick& pick) {
  const BankAddress at = pick.at;
  const auto pc = static_cast<std::size_t>(at.pseudo_channel);
  const Index index = pick.active ? active_request_[flat(at)] : queue_.pop_hit(mode_, at);
  if (pick.active) active_[pc] &= ~bit_of(at);
  const Request& request = queue_[index];
  if (!request.counted) ++counters_.row_hits;
  account_column(now, pick, request);
  const bool close = plan_->settings.page == Page::closed && !has_hits(at) && (active_[pc] & bit_of(at)) == 0;
  const bool read = request.kind == Kind::read;
  issue(now, read ? (close ? Command::read_auto : Command::read) : (close ? Command::write_auto : Command::write), at,
        request.row, request.column);
  used_at_[flat(at)] = now;
  const Tick done = read ? now + plan_->rules.read_latency : now;
  if (read) {
    ++counters_.reads;
    counters_.latency_ticks += static_cast<std::uint64_t>(done - request.asked);
    latencies_.add(done - request.asked);
  } else {
    ++counters_.writes;
  }
  last_answer_ = std::max(last_answer_, done);
  if (listener_ != nullptr) listener_->answered(request.tag, request.kind, request.arrival, done);
  queue_.release(index);
  wake_row(at, now);
}

bool Controller::has_hits(BankAddress at) const {
  return queue_.oldest_hit(Kind::read, at) != no_request || queue_.oldest_hit(Kind::write, at) != no_request;
}

void Controller::account_column(Tick now, const Pick& pick, const Request& request) {
  Cause lost_to = Cause::command_bus;
  if (now - mode_since_ <= recent / 2) lost_to = Cause::turnaround;
  if (now - refresh_seen_ <= recent / 2) lost_to = Cause::refresh;
  const BusTime::Reason reason{device_.earliest_off_bus(gate_of(request.kind), pick.at),
                               request.arrival,
                               request.held_by,
                               opened_at_[flat(pick.at)],
                               opened_by_[flat(pick.at)],
                               lost_to};
  bus_time_.column(pick.at.pseudo_channel, now, reason, counters_);
}

void Controller::row_slot(Tick now) {
  if (refresh_blocks()) {
    blocking_refresh(now);
    return;
  }
  update_mode(now);
  Pick pick;
  if (bank_refresh(now, pick.next)) {
    row_next_ = now + 1;
    return;
  }
  pick_row(now, pick);
  if (!pick.found && plan_->settings.page == Page::timeout) pick_idle_row(now, pick);
  if (!pick.found) {
    row_next_ = pick.next;
    return;
  }
  if (pick.command == Command::activate) {
    issue_activate(now, pick);
  } else {
    issue_precharge(now, pick);
  }
  row_next_ = now + 1;
}

// A row is kept open for its own opener, and for a hit that is not younger than the request that wants it closed.
bool Controller::may_precharge(BankAddress at) const {
  if ((active_[static_cast<std::size_t>(at.pseudo_channel)] & bit_of(at)) != 0) return false;
  const Index hit = queue_.oldest_hit(mode_, at);
  const Index miss = queue_.oldest_miss(mode_, at);
  return miss != no_request && (hit == no_request || queue_[miss].arrival < queue_[hit].arrival);
}

// The oldest request whose bank may be opened or closed for it.
void Controller::pick_row(Tick now, Pick& pick) const {
  const RuleSet& rules = plan_->rules;
  for (int pc = 0; pc < rules.geometry.pseudo_channels; ++pc) {
    const auto p = static_cast<std::size_t>(pc);
    const BankOrder& misses = queue_.misses(mode_, pc);
    const std::uint64_t open = device_.open_banks(pc);
    const std::uint64_t to_open = refresh_is_late(pc) ? 0 : misses.banks() & ~open & ~held_[p];
    const std::uint64_t to_close = misses.banks() & open & ~active_[p] & ~held_[p];
    std::uint64_t ready = 0;
    if (to_open != 0 && may_look(Command::activate, pc, now, pick)) ready |= to_open;
    if (to_close != 0 && may_look(Command::precharge, pc, now, pick)) ready |= to_close;
    if (ready == 0) continue;
    for (std::uint8_t bank = misses.first(); bank != BankOrder::end; bank = misses.after(bank)) {
      if (pick.found && misses.order_of(bank) > pick.order) break;
      const std::uint64_t bit = std::uint64_t{1} << bank;
      if ((ready & bit) == 0) continue;
      const BankAddress at{pc, bank};
      const Command command = (open & bit) != 0 ? Command::precharge : Command::activate;
      if (command == Command::precharge && !may_precharge(at)) continue;
      const Stamp gate = device_.earliest(hbm::gate_of(command), at);
      if (gate.tick() <= now) {
        pick.take(at, gate, misses.order_of(bank));
        pick.command = command;
        break;
      }
      pick.next = std::min(pick.next, gate.tick());
    }
  }
}

// Whether some bank of a pseudo-channel may take `command` now; if not, when to look again goes to `pick`.
bool Controller::may_look(Command command, int pseudo_channel, Tick now, Pick& pick) const {
  const Tick bus = device_.earliest_of_any(hbm::gate_of(command), pseudo_channel);
  if (bus <= now && plan_->rules.may_start(command, now)) return true;
  pick.next = std::min(pick.next, std::max(bus, now + 1));
  return false;
}

// Page timeout: a row that nothing waits for closes when it has been unused for long enough.
void Controller::pick_idle_row(Tick now, Pick& pick) const {
  const bool edge = plan_->rules.may_start(Command::precharge, now);
  for (int pc = 0; pc < plan_->rules.geometry.pseudo_channels; ++pc) {
    const auto p = static_cast<std::size_t>(pc);
    std::uint64_t banks = device_.open_banks(pc) & ~queue_.waiting(pc) & ~active_[p] & ~held_[p];
    for (; banks != 0 && !pick.found; banks &= banks - 1) {
      const BankAddress at{pc, std::countr_zero(banks)};
      const Stamp gate = device_.earliest(Gate::precharge, at);
      const Tick when = std::max(gate.tick(), used_at_[flat(at)] + plan_->page_timeout);
      if (when > now || !edge) {
        pick.next = std::min(pick.next, std::max(when, now + 1));
      } else {
        pick.take(at, gate, 0);
        pick.command = Command::precharge;
        pick.idle = true;
      }
    }
  }
}

void Controller::issue_activate(Tick now, const Pick& pick) {
  const Index index = queue_.pop_miss(mode_, pick.at);
  Request& request = queue_[index];
  if (!request.counted) ++counters_.row_misses;
  request.counted = true;
  const std::size_t bank = flat(pick.at);
  const bool switched = now - mode_since_ <= recent / 2;
  opened_at_[bank] = used_at_[bank] = now;
  // To have lost a turn of the row bus when its time had come is not what it waited for.
  const Stamp gate = device_.earliest_off_bus(Gate::activate, pick.at);
  const bool just_ready = gate.tick() > now - recent && gate.tick() >= request.arrival;
  opened_by_[bank] = just_ready ? gate.cause()
                                : cause_of(now, pick.gate, request.arrival, request.held_by,
                                           switched ? Cause::turnaround : Cause::command_bus);
  issue(now, Command::activate, pick.at, request.row);
  active_[static_cast<std::size_t>(pick.at.pseudo_channel)] |= bit_of(pick.at);
  active_request_[bank] = index;
  active_order_[bank] = opened_++;
  queue_.open(pick.at, request.row);
  const Tick column = device_.earliest(gate_of(request.kind), pick.at).tick();
  column_next_ = std::min(column_next_, rising_from(column));
}

void Controller::issue_precharge(Tick now, const Pick& pick) {
  if (!pick.idle) {
    Request& request = queue_[queue_.oldest_miss(mode_, pick.at)];
    if (!request.counted) ++counters_.row_conflicts;
    request.counted = true;
  }
  close_row(now, pick.at);
}

void Controller::close_row(Tick now, BankAddress at) {
  issue(now, Command::precharge, at, device_.open_row(at));
  queue_.close(at);
  wake_row(at, now);
}

void Controller::issue(Tick now, Command command, BankAddress at, std::int64_t row, int column) {
  device_.issue(command, at, row, now);
  ++counters_.commands[static_cast<std::size_t>(command)];
  if (listener_ != nullptr) listener_->command(now, command, at, row, column);
}

void Controller::wake_row(BankAddress at, Tick now) {
  const auto pc = static_cast<std::size_t>(at.pseudo_channel);
  if (refresh_blocks() || (held_[pc] & bit_of(at)) != 0) {
    row_next_ = std::min(row_next_, now);
    return;
  }
  Tick when = never;
  if (queue_.oldest_miss(mode_, at) != no_request) {
    if (device_.open_row(at) == Device::closed) {
      when = rising_from(device_.earliest(Gate::activate, at).tick());
    } else if (may_precharge(at)) {
      when = device_.earliest(Gate::precharge, at).tick();
    }
  } else if (plan_->settings.page == Page::timeout) {
    when = used_at_[flat(at)] + plan_->page_timeout;
  }
  row_next_ = std::min(row_next_, std::max(when, now));
}

}  // namespace kvtraffic::hardware::hbm
