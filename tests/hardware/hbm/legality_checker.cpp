// One check after the other, each in the words of the standard.
#include "tests/hardware/hbm/legality_checker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::int64_t closed = -1;

bool is_read(Command c) { return c == Command::read || c == Command::read_auto; }
bool is_write(Command c) { return c == Command::write || c == Command::write_auto; }

// A refresh that is due goes before all new work of its banks, so it waits for what had begun. The longest: every bank
// of the channel has a row just opened (tRCD) for a request, their columns go one after the other (tCCDL or tCCDR at
// most apart) with a turn of the bus each way, the last is a write (tCWL + tBL + tWR), then its row closes (tRP).
// Before that a refresh of the bank before may be in its way (tRFCpb, tRREFD) and four activates elsewhere (tFAW),
// between which a refresh of one bank may find no place; after an interval (tREFIpb) activates make way.
Tick slack_of(const Part& part) {
  using enum Timing;
  const auto t = [&](Timing timing) { return clocks_of(timing, part.timings); };
  const std::int64_t column = std::max({t(tBL), t(tCCDS), t(tCCDL), t(tCCDR)});
  const std::int64_t turns = t(tRTW) + t(tCWL) + t(tBL) + t(tWTRL);
  const std::int64_t columns = part.geometry.banks_of_channel() * column;
  const std::int64_t last = std::max(t(tRAS), t(tCWL) + t(tBL) + t(tWR)) + t(tRP);
  const bool all_bank = part.controller.refresh == Refresh::all_bank;
  const std::int64_t other = (all_bank ? 0 : t(tRFCpb) + t(tREFIpb)) + t(tFAW) + t(tRREFD) + t(tPPD);
  return 2 * (std::max(t(tRCDRD), t(tRCDWR)) + columns + turns + last + other);
}

}  // namespace

LegalityChecker::LegalityChecker(const Part& part) : part_(part), rules_(part_), slack_(slack_of(part)) {
  rows_.assign(static_cast<std::size_t>(part.geometry.banks_of_channel()), closed);
}

void LegalityChecker::violate(Tick now, Command command, BankAddress at, const std::string& what) {
  if (violations_.size() >= 20) return;
  violations_.push_back(
      fmt::format("{} {} pc {} bank {}: {}", now, name_of(command), at.pseudo_channel, at.bank, what));
}

std::int64_t& LegalityChecker::row_of(BankAddress at) {
  return rows_.at(static_cast<std::size_t>(at.pseudo_channel * part_.geometry.banks_of_pseudo_channel() + at.bank));
}

bool LegalityChecker::all_closed(int pseudo_channel) const {
  const auto banks = part_.geometry.banks_of_pseudo_channel();
  const auto first = rows_.begin() + pseudo_channel * banks;
  return std::all_of(first, first + banks, [](std::int64_t row) { return row == closed; });
}

void LegalityChecker::command(Tick now, Command command, BankAddress at, std::int64_t row, int column) {
  ++commands_;
  if (now < last_) violate(now, command, at, "time runs backwards");
  last_ = now;
  if (is_column(command) && column >= part_.geometry.columns) violate(now, command, at, "no such column");
  if (row < 0 || row >= part_.geometry.rows) violate(now, command, at, "no such row");
  const NaiveRules::Bound bound = rules_.earliest(command, at);
  if (now < bound.tick) violate(now, command, at, fmt::format("not before {}: {}", bound.tick, bound.why()));
  check_edge(now, command, at);
  check_refresh(now, command, at);
  check_bank(now, command, at, row);
  check_data(now, command, at);
  last_command_ = {now, command, at};
  rules_.record(last_command_);
  rules_.forget(now);
}

void LegalityChecker::check_edge(Tick now, Command command, BankAddress at) {
  const bool closes = command == Command::precharge || command == Command::precharge_all;
  if (now < 1) violate(now, command, at, "before the first edge");
  if (now % 2 == 0 && !(closes && part_.bus.precharge_on_falling_edge)) violate(now, command, at, "on a falling edge");
}

void LegalityChecker::check_bank(Tick now, Command command, BankAddress at, std::int64_t row) {
  std::int64_t& open = row_of(at);
  switch (command) {
    case Command::activate:
      if (open != closed) violate(now, command, at, "the bank is open");
      open = row;
      return;
    case Command::precharge:
      if (open == closed) violate(now, command, at, "the bank is closed already");
      open = closed;
      return;
    case Command::precharge_all:
      for (int bank = 0; bank < part_.geometry.banks_of_pseudo_channel(); ++bank) {
        row_of({at.pseudo_channel, bank}) = closed;
      }
      return;
    case Command::refresh_all:
      if (!all_closed(at.pseudo_channel)) violate(now, command, at, "a bank is open");
      return;
    case Command::refresh_bank:
      if (open != closed) violate(now, command, at, "the bank is open");
      return;
    default:
      if (open != row) violate(now, command, at, fmt::format("row {} is open, not {}", open, row));
      if (command == Command::read_auto || command == Command::write_auto) open = closed;
  }
}

// Data of a read comes CL behind it, that of a write CWL, and takes BL.
void LegalityChecker::check_data(Tick now, Command command, BankAddress at) {
  if (!is_column(command)) return;
  const Timing delay = is_read(command) ? Timing::tCL : Timing::tCWL;
  const Tick begins = now + 2 * clocks_of(delay, part_.timings);
  Tick& free = data_free_.at(static_cast<std::size_t>(at.pseudo_channel));
  if (begins < free) violate(now, command, at, fmt::format("its data collides until {}", free));
  free = begins + 2 * clocks_of(Timing::tBL, part_.timings);
}

// When the refresh with this number, counted from one, is due. All-bank: every tREFI. Per-bank: every tREFIpb, the
// second pseudo-channel half of that behind the first.
Tick LegalityChecker::due(int pseudo_channel, std::int64_t number) const {
  if (part_.controller.refresh == Refresh::all_bank) return number * 2 * clocks_of(Timing::tREFI, part_.timings);
  const std::int64_t interval = clocks_of(Timing::tREFIpb, part_.timings);
  return (number - 1) * 2 * interval + interval * (pseudo_channel + 1);
}

// Never early, at most `postponed` intervals and one blocking late, and one bank after the other: no bank for the
// second time before all have had their turn. So a bank's refreshes are at most tREFI and the blocking apart; with P
// intervals postponed the order inside a round is free, and it is (2 * banks - 1 + P) * tREFIpb.
void LegalityChecker::check_refresh(Tick now, Command command, BankAddress at) {
  if (command != Command::refresh_all && command != Command::refresh_bank) return;
  const bool all_bank = part_.controller.refresh == Refresh::all_bank;
  if (all_bank != (command == Command::refresh_all) || part_.controller.refresh == Refresh::none) {
    violate(now, command, at, "not the refresh that is set");
  }
  Refreshes& refreshes = refreshes_.at(static_cast<std::size_t>(at.pseudo_channel));
  const std::int64_t number = ++refreshes.done;
  if (now < due(at.pseudo_channel, number)) violate(now, command, at, "too early a refresh");
  const Tick last = due(at.pseudo_channel, number + part_.controller.postponed) + slack_;
  if (now > last) violate(now, command, at, fmt::format("refresh {} was due by {}", number, last));
  if (all_bank) return;
  if (!refreshes.round.insert(at.bank).second) violate(now, command, at, "refreshed twice in a round");
  if (static_cast<int>(refreshes.round.size()) == part_.geometry.banks_of_pseudo_channel()) refreshes.round.clear();
}

void LegalityChecker::answered(std::uint64_t /*tag*/, Kind kind, Tick arrival, Tick done) {
  ++answers_;
  const bool from_queue = done == arrival + 1;
  const bool reads = kind == Kind::read;
  const bool own = reads ? is_read(last_command_.command) : is_write(last_command_.command);
  const Tick latency = reads ? 2 * (clocks_of(Timing::tCL, part_.timings) + clocks_of(Timing::tBL, part_.timings)) : 0;
  const bool from_device = own && done == last_command_.tick + latency && last_command_.tick > arrival;
  if (from_device || from_queue) return;
  violate(done, reads ? Command::read : Command::write, last_command_.at, "an answer without its data");
}

void LegalityChecker::finish(Tick end) {
  if (part_.controller.refresh == Refresh::none) return;
  for (int pc = 0; pc < part_.geometry.pseudo_channels; ++pc) {
    const std::int64_t next = refreshes_.at(static_cast<std::size_t>(pc)).done + 1;
    const Tick last = due(pc, next + part_.controller.postponed) + slack_;
    if (end > last) violate(end, Command::refresh_all, {pc, 0}, fmt::format("refresh {} was due by {}", next, last));
  }
}

}  // namespace kvtraffic::hardware::hbm
