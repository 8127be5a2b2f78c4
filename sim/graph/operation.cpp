// Counts of entries: their value at a position, and their formula as a person reads it.
#include "sim/graph/operation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kvtraffic::sim {
namespace {

std::string blocks_text(std::int64_t ratio) { return ratio == 1 ? "N" : fmt::format("floor(N / {})", ratio); }

}  // namespace

std::int64_t Count::at(std::int64_t p) const {
  switch (kind) {
    case Kind::one:
      return 1;
    case Kind::fixed:
      return limit;
    case Kind::window:
      return std::min(limit, p);
    case Kind::entries:
      return p / ratio;
    case Kind::capped:
      return std::min(limit, p / ratio);
    case Kind::closes:
      return p % ratio == 0 ? 1 : 0;
    case Kind::kept:
      return p % ratio + (p >= ratio ? limit : 0);
  }
  return 0;
}

std::string Count::formula() const {
  switch (kind) {
    case Kind::one:
      return "1";
    case Kind::fixed:
      return fmt::format("{}", limit);
    case Kind::window:
      return fmt::format("min({}, N)", limit);
    case Kind::entries:
      return blocks_text(ratio);
    case Kind::capped:
      return fmt::format("min({}, {})", limit, blocks_text(ratio));
    case Kind::closes:
      return fmt::format("[N mod {} = 0]", ratio);
    case Kind::kept:
      return limit == 0 ? fmt::format("N mod {}", ratio)
                        : fmt::format("N mod {} + [N >= {}] x {}", ratio, ratio, limit);
  }
  return "";
}

}  // namespace kvtraffic::sim
