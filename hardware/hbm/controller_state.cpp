// The state of a controller as numbers, and jumps over spans in which it repeats. Leaves out finding such spans
// (stream_run.cpp).
#include <algorithm>

#include "hardware/hbm/controller.hpp"

namespace kvtraffic::hardware::hbm {

Counters Controller::finished(Tick end) const {
  Counters counters = counters_;
  bus_time_.finish(plan_->rules.geometry.pseudo_channels, end, counters);
  return counters;
}

// Everything that decides what happens next, and nothing else: counters are left out, and times so long past that no
// comparison tells them apart are told alike.
void Controller::tell(StateText& text, const Epoch& epoch) const {
  Tick since = now_ - recent;  // bus time and causes look back so far
  for (int pc = 0; pc < plan_->rules.geometry.pseudo_channels; ++pc) since = std::min(since, bus_time_.told(pc));
  device_.tell(text, epoch, since);
  text.number(now_ & 1);
  queue_.tell(text, epoch);
  bus_time_.tell(text, epoch);
  text.number(static_cast<std::int64_t>(mode_) * 2 + (forced_read_ ? 1 : 0));
  text.number(drain_to_);
  text.number(std::min(now_ - mode_since_, std::max(plan_->starvation, plan_->write_age) + recent));
  text.number(std::min<Tick>(now_ - refresh_seen_, recent));
  text.number(std::min(column_next_, never) - epoch.tick);
  text.number(row_next_ == never ? -1 : row_next_ - epoch.tick);
  for (std::size_t pc = 0; pc < 2; ++pc) {
    text.number(static_cast<std::int64_t>(active_[pc]));
    text.number(due_[pc] == never ? -1 : due_[pc] - epoch.tick);
    text.number(owed_[pc]);
    text.number(static_cast<std::int64_t>(left_[pc]));
    text.number(target_[pc]);
  }
  for (const int pc : blocking_) text.number(pc);
  tell_banks(text, epoch);
}

void Controller::tell_banks(StateText& text, const Epoch& epoch) const {
  const int banks = plan_->rules.geometry.banks_of_pseudo_channel();
  for (std::size_t i = 0; i < opened_at_.size(); ++i) {
    const int pc = static_cast<int>(i) / banks;
    const bool untold = opened_at_[i] > bus_time_.told(pc);
    text.number((untold ? (opened_at_[i] - epoch.tick) * 16 : 0) + static_cast<std::int64_t>(opened_by_[i]));
    if (plan_->settings.page == Page::timeout) text.number(std::min(now_ - used_at_[i], plan_->page_timeout + 1));
    const auto bit = static_cast<unsigned>(static_cast<int>(i) % banks);
    if (((active_[static_cast<std::size_t>(pc)] >> bit) & 1U) == 0) continue;
    const Request& request = queue_[active_request_[i]];
    text.number(request.arrival - epoch.tick);
    text.number(request.asked - epoch.tick);
    text.number(epoch.row_from(request.row));
    text.number(request.column * 4 + static_cast<int>(request.kind) * 2 + (request.held_by == Cause::queue ? 1 : 0));
    text.number(static_cast<std::int64_t>(active_order_[i] - opened_));
  }
}

Controller::Mark Controller::mark(std::int64_t row) const {
  return {
      counters_,
      latencies_,
      {.tick = now_, .row = row, .rows = plan_->rules.geometry.rows, .requests = static_cast<std::int64_t>(taken_)}};
}

void Controller::jump(const Mark& earlier, std::int64_t row, std::uint64_t cycles) {
  const auto n = static_cast<std::int64_t>(cycles);
  const std::int64_t rows = earlier.epoch.rows;
  const Epoch by{.tick = (now_ - earlier.epoch.tick) * n,
                 .row = (row - earlier.epoch.row + rows) % rows * (n % rows) % rows,
                 .rows = rows,
                 .requests = (static_cast<std::int64_t>(taken_) - earlier.epoch.requests) * n};
  const Counters once = counters_.since(earlier.counters);
  const LatencyHistogram now_latencies = latencies_;
  counters_.add(once, cycles);
  latencies_.add_difference(now_latencies, earlier.latencies, cycles);
  device_.shift(by);
  queue_.shift(by);
  bus_time_.shift(by);
  shift_times(by.tick);
  taken_ += static_cast<std::uint64_t>(by.requests);
}

void Controller::shift_times(Tick ticks) {
  now_ += ticks;
  last_answer_ += ticks;
  mode_since_ += ticks;
  refresh_seen_ += ticks;
  for (Tick* tick : {&column_next_, &row_next_, &refresh_next_, due_.data(), &due_[1]}) {
    if (*tick != never) *tick += ticks;
  }
  for (Tick& tick : opened_at_) tick += ticks;
  for (Tick& tick : used_at_) tick += ticks;
}

}  // namespace kvtraffic::hardware::hbm
