// Reading patterns, sizes and feeds, and running what they say.
// Leaves out the record of the outcome (device_report.cpp).
#include "scenarios/device/device_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <thread>

#include "hardware/hbm/patterns.hpp"
#include "hardware/hbm/trace.hpp"
#include "sim/config/diagnostics.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

using namespace hardware::hbm;

constexpr std::int64_t usual_size = std::int64_t{64} << 20U;
constexpr std::string_view rate_prefix = "rate:";

[[noreturn]] void refuse(const std::string& what) {
  throw UsageError(fmt::format("kvtraffic: {}\n  kvtraffic device --help tells more", what));
}

template <class T>
T read_or_refuse(const char* option, const sim::Parsed<T>& parsed) {
  if (parsed) return *parsed;
  refuse(fmt::format("{}: {}; expected {}", option, parsed.error().message, parsed.error().expected));
}

Pattern pattern_of(const std::string& text) {
  try {
    return parse_pattern(text);
  } catch (const std::invalid_argument& mistake) {
    refuse(fmt::format("--pattern: {}", mistake.what()));
  }
}

// A whole reference trace has its own length; every other pattern needs one.
sim::Bytes size_of(const DeviceArguments& arguments, const Pattern& pattern) {
  if (!arguments.size.empty()) return read_or_refuse("--size", sim::parse_bytes(arguments.size));
  return sim::Bytes::of(pattern.kind == PatternKind::trace ? 0 : usual_size);
}

MemoryResult run_pattern(const DeviceArguments& arguments, const Part& part, const RunSettings& settings) {
  const Pattern pattern = pattern_of(arguments.pattern);
  const sim::Bytes size = size_of(arguments, pattern);
  const auto granule = static_cast<std::uint64_t>(part.geometry.transaction_bytes);
  const auto capacity = static_cast<std::uint64_t>(part.geometry.capacity().count());
  std::unique_ptr<TransactionSource> source;
  try {
    source = make_source(pattern, size, static_cast<std::uint64_t>(arguments.seed), granule, capacity, arguments.wrap);
  } catch (const std::invalid_argument& mistake) {
    const std::string what = mistake.what();
    refuse(what + (what.find("wrapping takes") == std::string::npos ? "" : "; --wrap does so"));
  }
  const std::optional<LinearStream> stream = linear_stream(pattern, size, granule);
  return stream ? run_stream(part, *stream, settings) : run_memory(part, *source, settings);
}

MemoryResult run_trace(const DeviceArguments& arguments, const Part& part, const RunSettings& settings) {
  TraceOptions options;
  options.granule = static_cast<std::uint64_t>(part.geometry.transaction_bytes);
  options.capacity = static_cast<std::uint64_t>(part.geometry.capacity().count());
  options.wrap = arguments.wrap;
  const std::unique_ptr<TransactionSource> source = open_trace(arguments.trace, options);
  return run_memory(part, *source, settings);
}

void read_feed(const std::string& text, RunSettings& settings) {
  if (text.starts_with(rate_prefix)) {
    settings.feed = Feed::rate;
    settings.rate = read_or_refuse("--feed", sim::parse_bandwidth(text.substr(rate_prefix.size())));
    if (settings.rate.is_zero()) refuse("--feed: a rate above zero is needed");
    return;
  }
  const std::vector<std::pair<std::string, Feed>> feeds{
      {"saturated", Feed::saturated}, {"in-order", Feed::in_order}, {"one-at-a-time", Feed::one_at_a_time}};
  const auto found = std::ranges::find(feeds, text, &std::pair<std::string, Feed>::first);
  if (found == feeds.end()) {
    const std::string nearest = sim::nearest_name(text, {"saturated", "in-order", "one-at-a-time", "rate:"});
    refuse(fmt::format("--feed: {} is not one of saturated, in-order, one-at-a-time, rate:400GB/s{}",
                       sim::in_quotes(text), nearest.empty() ? "" : fmt::format("\n  did you mean '{}'?", nearest)));
  }
  settings.feed = found->second;
}

// A chain of dependent accesses is one only if each waits for the last.
std::string usual_feed(const std::string& pattern) { return pattern == "chase" ? "one-at-a-time" : "saturated"; }

}  // namespace

RunSettings run_settings(const DeviceArguments& arguments) {
  RunSettings settings;
  read_feed(arguments.feed.empty() ? usual_feed(arguments.pattern) : arguments.feed, settings);
  settings.exact = arguments.exact;
  settings.jobs =
      arguments.jobs > 0 ? arguments.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return settings;
}

MemoryResult run_device(const DeviceArguments& arguments, const Part& part, const RunSettings& settings) {
  return arguments.trace.empty() ? run_pattern(arguments, part, settings) : run_trace(arguments, part, settings);
}

}  // namespace kvtraffic::scenarios
