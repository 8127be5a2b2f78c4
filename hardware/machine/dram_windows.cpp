// A map behind a lock; windows take a thousand times as long as a look into it.
// Leaves out forgetting: a process knows few parts and few mixes.
#include "hardware/machine/dram_windows.hpp"

#include <fmt/format.h>

#include <iterator>

namespace kvtraffic::hardware {

std::optional<DramRate> DramWindows::find(const std::string& part, const Key& key) const {
  const std::scoped_lock lock(mutex_);
  const auto known = known_.find({part, key});
  if (known == known_.end()) return std::nullopt;
  return known->second;
}

void DramWindows::keep(const std::string& part, const Key& key, const DramRate& rate) {
  const std::scoped_lock lock(mutex_);
  known_.emplace(std::pair(part, key), rate);
}

std::string text_of(const hbm::Part& part) {
  const hbm::Geometry& g = part.geometry;
  const hbm::ControllerSettings& c = part.controller;
  const hbm::BusLengths& b = part.bus;
  std::string text = fmt::format("{} {} {} {} {} {} {} {} {} {};", g.stacks, g.channels, g.pseudo_channels, g.stack_ids,
                                 g.bank_groups, g.banks, g.rows, g.columns, g.transaction_bytes, part.map);
  fmt::format_to(std::back_inserter(text), "{};", part.timings.clock.femtoseconds());
  for (const sim::Duration length : part.timings.length) {
    fmt::format_to(std::back_inserter(text), "{} ", length.femtoseconds());
  }
  fmt::format_to(std::back_inserter(text), ";{} {} {} {} {};", b.activate, b.precharge, b.refresh, b.column,
                 b.precharge_on_falling_edge);
  fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {} {} {} {} {} {}", c.read_queue, c.write_queue,
                 c.drain_above, c.drain_below, static_cast<int>(c.refresh), c.postponed, static_cast<int>(c.page),
                 c.page_timeout.femtoseconds(), c.starvation.femtoseconds(), c.write_age.femtoseconds(), c.age_above);
  return text;
}

}  // namespace kvtraffic::hardware
