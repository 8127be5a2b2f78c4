// Windows of DRAM commands that have been run, kept so that machines of the same part need not run them again.
// Leaves out running them (dram_rates.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hardware/hbm/command.hpp"
#include "hardware/hbm/part.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware {

struct DramRate {
  sim::Bandwidth rate;  // of all bytes of the mix together
  // Relative: the 99 % interval of the windows' mean, and half a percent at least, for what rounding the shares and
  // windows that follow one another leave open.
  double error = 0;
  // How far channels part company: the variance of a channel's time over that time, in seconds. Channels that have
  // been at work for T are apart by about sqrt(scatter x T). Zero for streams, which load channels alike.
  double scatter = 0;
  std::array<double, hbm::cause_count> causes{};  // share of the data buses' time
  std::uint32_t mix = 0;                          // whose rate it is: of several together, one of its own
  std::int64_t windows = 0;                       // that were run
};

// Of any thread. A rate does not depend on who ran its windows, so neither does any result.
class DramWindows {
 public:
  using Key = std::vector<std::int64_t>;
  // `part`: everything of it that the commands depend on, as text (text_of).
  [[nodiscard]] std::optional<DramRate> find(const std::string& part, const Key& key) const;
  void keep(const std::string& part, const Key& key, const DramRate& rate);

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, Key>, DramRate> known_;
};

// Geometry, timings, buses, controller and map: parts of equal text serve every mix alike.
[[nodiscard]] std::string text_of(const hbm::Part& part);

}  // namespace kvtraffic::hardware
