// Nobody's time (Cause::feed) is left out: shares are of the time in which DRAM was at work.
#include "hardware/machine/dram_told.hpp"

#include <numeric>
#include <string_view>

#include "hardware/machine/dram_channels.hpp"
#include "hardware/machine/dram_rates.hpp"
#include "hardware/machine/shared_dram.hpp"

namespace kvtraffic::hardware {
namespace {

using hbm::Cause;

constexpr std::size_t told_causes = hbm::cause_count - 1;
static_assert(static_cast<std::size_t>(Cause::feed) == told_causes, "nobody's time comes last");

void tell_causes(const CauseTimes& causes, sim::DramTold& told) {
  told.causes.clear();
  for (std::size_t i = 0; i < told_causes; ++i) {
    told.causes.emplace_back(hbm::name_of(static_cast<Cause>(i)), causes[i]);
  }
}

void tell_mix(const DramMix& shares, const DramRate& rate, double seconds, sim::ServedMix& mix) {
  mix.seconds = seconds;
  mix.bytes_per_second = rate.rate.per_second();
  mix.error = rate.error;
  mix.windows = rate.windows;
  mix.causes.assign(rate.causes.begin(), rate.causes.begin() + told_causes);
  mix.shares.clear();
  std::int64_t whole = 0;
  for (const DramShare& share : shares) whole += share.bytes;
  for (const DramShare& share : shares) {
    mix.shares.push_back({share.write, share.piece, static_cast<double>(share.bytes) / static_cast<double>(whole)});
  }
}

}  // namespace

double row_part(const CauseTimes& causes) {
  double sum = 0;
  for (const Cause cause : {Cause::tFAW, Cause::row_cycle, Cause::turnaround, Cause::refresh}) {
    sum += causes[static_cast<std::size_t>(cause)];
  }
  return sum;
}

void tell(const SharedDram& dram, DramRates& rates, sim::DramTold& told) {
  tell_causes(dram.causes(), told);
  dram.tell_vertices(told.vertices);
  std::size_t count = 0;
  for (const auto& [shares, mix] : rates.by_shares()) {
    const double seconds = mix < dram.served().size() ? dram.served()[mix] : 0;
    if (seconds <= 0) continue;
    if (count == told.mixes.size()) told.mixes.emplace_back();
    tell_mix(rates.shares(mix), rates.rate_of(mix), seconds, told.mixes[count++]);
  }
  told.mixes.resize(count);
}

void tell(const DramChannels& dram, sim::DramTold& told) {
  const CauseTimes causes = dram.causes();
  tell_causes(causes, told);
  const double all = std::accumulate(causes.begin(), causes.end(), 0.0);
  const double rows = row_part(causes);
  const auto whole = static_cast<double>(dram.transactions());
  told.mixes.clear();
  told.vertices.clear();
  for (const std::uint64_t transactions : dram.transactions_of_vertices()) {
    const double share = transactions == 0 ? 0 : static_cast<double>(transactions) / whole;
    told.vertices.push_back({all * share, rows * share});
  }
}

}  // namespace kvtraffic::hardware
