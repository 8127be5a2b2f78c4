// Reading parts of the catalog, and driving one controller by hand.
#include "tests/hardware/hbm/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>

#include "hardware/hbm/patterns.hpp"
#include "hardware/spec/memory.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

sim::Node whole(const std::string& name) {
  sim::Node own = entry_in("memories", name);
  const sim::Node* base = own.find("extends");
  if (base == nullptr) return own;
  const sim::Node below = whole(base->text());
  own.remove("extends");
  return merged(below, own);
}

}  // namespace

std::vector<std::string> part_names() { return names_in("memories"); }

Part part_named(const std::string& name) {
  sim::Diagnostics diagnostics;
  Part part = read_memory(whole(name), diagnostics).part;
  if (!diagnostics.all().empty()) throw std::runtime_error(diagnostics.render());
  return part;
}

Part channel_of(const std::string& name) {
  Part part = part_named(name);
  part.geometry.stacks = part.geometry.channels = 1;
  return part;
}

void set_clocks(Part& part, Timing timing, std::int64_t clocks) {
  part.timings.length.at(static_cast<std::size_t>(timing)) = clocks_long(part, clocks);
}

Tick half_clocks(const Part& part, std::initializer_list<Timing> timings) {
  Tick sum = 0;
  for (const Timing timing : timings) sum += 2 * part.timings.cycles(timing);
  return sum;
}

sim::Duration clocks_long(const Part& part, std::int64_t clocks) {
  return sim::Duration::of_femtoseconds(clocks * part.timings.clock.femtoseconds());
}

std::size_t ListSource::read(std::span<Transaction> into) {
  const std::size_t count = std::min(into.size(), list_.size() - done_);
  std::copy_n(list_.begin() + static_cast<std::ptrdiff_t>(done_), count, into.begin());
  done_ += count;
  return count;
}

MemoryResult run_pattern(const Part& part, const std::string& pattern, std::int64_t size, const RunSettings& settings) {
  const auto granule = static_cast<std::uint64_t>(part.geometry.transaction_bytes);
  const auto capacity = static_cast<std::uint64_t>(part.geometry.capacity().count());
  const auto source = make_source(parse_pattern(pattern), sim::Bytes::of(size), 1, granule, capacity, true);
  return run_memory(part, *source, settings);
}

std::vector<Transaction> rows_of_one_bank(const Part& part, int count) {
  const AddressMap map(find_map(part.map).value(), part.geometry);
  std::vector<Transaction> list;
  for (int row = 0; row < count; ++row)
    list.push_back({map.encode({.row = static_cast<std::uint32_t>(row), .bank = 3})});
  return list;
}

void PrintTo(const Recorded& recorded, std::ostream* out) {
  *out << recorded.tick << ' ' << name_of(recorded.command) << " pc " << recorded.pseudo_channel << " bank "
       << recorded.bank << " row " << recorded.row;
}

std::string Recorder::names() const {
  std::string text;
  for (const Recorded& one : commands) {
    if (!text.empty()) text += ' ';
    text += name_of(one.command);
  }
  return text;
}

std::vector<Recorded> Recorder::all(Command command) const {
  std::vector<Recorded> found;
  std::ranges::copy_if(commands, std::back_inserter(found), [&](const Recorded& r) { return r.command == command; });
  return found;
}

Answer Recorder::answer(std::uint64_t tag) const {
  if (std::ranges::count(answers, tag, &Answer::tag) != 1) {
    throw std::logic_error(fmt::format("request {} was not answered once", tag));
  }
  return *std::ranges::find(answers, tag, &Answer::tag);
}

void Bench::run_to(Tick until) {
  for (Tick edge = controller.next(); edge <= until; edge = controller.next()) controller.advance(edge);
  now_ = std::max(now_, until);
}

void Bench::drain() {
  while (!controller.idle()) controller.advance(controller.next());
  now_ = std::max(now_, controller.now());
}

bool Bench::offer(const Place& place, Kind kind) {
  const bool taken = controller.offer({.place = place, .kind = kind, .asked = now_, .tag = tags_}, now_);
  if (taken) ++tags_;
  return taken;
}

std::uint64_t Bench::ask(const Place& place, Kind kind) {
  if (!offer(place, kind)) throw std::logic_error("the queue is full");
  return tags_ - 1;
}

Tick Bench::delay(Command before, Command after, std::initializer_list<Timing> timings) const {
  return half_clocks(part, timings) + bus_ticks(before, part.bus) - bus_ticks(after, part.bus);
}

}  // namespace kvtraffic::hardware::hbm
