// Sums over Traffic.
// Leaves out everything about where the bytes come from; overflow is an error, never a wrap.
#include "sim/run/traffic.hpp"

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

std::int64_t Traffic::total(Level level) const {
  std::int64_t sum = 0;
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    const ReadWrite& cell = at(level, static_cast<DataKind>(kind));
    sum = checked_add(sum, checked_add(cell.read, cell.write));
  }
  return sum;
}

Traffic& Traffic::operator+=(const Traffic& other) {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cells_[i].read = checked_add(cells_[i].read, other.cells_[i].read);
    cells_[i].write = checked_add(cells_[i].write, other.cells_[i].write);
  }
  return *this;
}

}  // namespace kvtraffic::sim
