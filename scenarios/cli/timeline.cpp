// A file beside the target is renamed over it when it is complete; devices and pipes are written as they are. Leaves
// out when to call this (run.cpp).
#include "scenarios/cli/timeline.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "scenarios/cli/options.hpp"
#include "sim/config/io_error.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

namespace fs = std::filesystem;

double seconds_of(const std::string& text) {
  const auto duration = sim::parse_duration(text);
  if (!duration) throw std::invalid_argument(fmt::format("{} is no time such as 500us", sim::in_quotes(text)));
  return duration->seconds();
}

// Writes a text to `place`; faults are told as those of `file`.
void put(const std::string& place, const std::string& text, const std::string& file) {
  errno = 0;
  std::ofstream out(place, std::ios::binary | std::ios::trunc);
  if (out) out.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (out) out.close();
  if (out) return;
  const std::error_code reason(errno == 0 ? EIO : errno, std::generic_category());
  throw sim::IoError(fmt::format("cannot write {}: {}", file, reason.message()));
}

}  // namespace

reports::TimelineLimits parse_window(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw std::invalid_argument(fmt::format("{} is no window FROM:TO such as 0us:500us", sim::in_quotes(text)));
  }
  reports::TimelineLimits limits;
  if (colon > 0) limits.first_seconds = seconds_of(text.substr(0, colon));
  if (colon + 1 < text.size()) limits.last_seconds = seconds_of(text.substr(colon + 1));
  if (limits.last_seconds && *limits.last_seconds < limits.first_seconds) {
    throw std::invalid_argument(fmt::format("the window {} ends before it begins", sim::in_quotes(text)));
  }
  return limits;
}

void require_timeline(const Plan& plan) {
  if (plan.sweep.size() != 1) throw UsageError("--timeline shows one point; the scenario sweeps over several");
  const sim::Node* fidelity = plan.resolved.find("fidelity");
  if (fidelity != nullptr && fidelity->text() == "roofline") {
    throw UsageError("--timeline needs fidelity flow or cycle: the roofline places nothing in time");
  }
}

void write_timeline(const std::string& file, const sim::PointResult& point, const reports::TimelineLimits& limits) {
  const std::string text = reports::timeline_of(point, limits);
  std::error_code unknown;
  const fs::path target = fs::weakly_canonical(file, unknown);  // a link stays one, what it points to is replaced
  const fs::file_status status = fs::status(file, unknown);
  if (unknown || (fs::exists(status) && !fs::is_regular_file(status))) return put(file, text, file);
  const std::string unfinished = fmt::format("{}.{}.part", target.string(), ::getpid());
  std::error_code failed;
  try {
    put(unfinished, text, file);
    fs::rename(unfinished, target, failed);
  } catch (const sim::IoError&) {
    fs::remove(unfinished, unknown);
    throw;
  }
  if (!failed) return;
  fs::remove(unfinished, unknown);
  throw sim::IoError(fmt::format("cannot write {}: {}", file, failed.message()));
}

}  // namespace kvtraffic::scenarios
