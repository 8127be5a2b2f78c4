// The page of one point: headline, time, memory and the order of the sections.
// Leaves out the sections about bytes (traffic_sections.cpp).
#include "reports/point_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/wording.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::reports {
namespace {

Lookup lookup_in(const sim::PointResult& point) {
  return [&point](std::string_view name) -> std::optional<std::string> {
    const sim::Node* value = parameter(point, name);
    return value == nullptr ? std::nullopt : std::optional(value_text(*value));
  };
}

bool is_swept(std::string_view name) { return name.find('.') != std::string_view::npos; }

// The layout of the resolved scenario; a sweep over it would make that a lie, so then it is left to the swept paths.
std::string layout_text(const sim::PointResult& point, const sim::Node& scenario) {
  for (const auto& [name, value] : point.parameters) {
    if (name.rfind("parallel", 0) == 0) return "";
  }
  std::string text;
  const sim::Node* parallel = scenario.find("parallel");
  if (parallel == nullptr) return text;
  for (const sim::Node::Member& member : parallel->members()) {
    if (!member.value.is_scalar()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "; " : ", ", member.key, value_text(member.value));
  }
  return text;
}

// How the prompts are taken, where that is not as by default; swept fields tell themselves.
std::string prompt_text(const sim::PointResult& point, const sim::Node& scenario) {
  const sim::Node* phase = parameter(point, "phase");
  const sim::Node* workload = scenario.find("workload");
  if (phase == nullptr || phase->text() != "prefill" || workload == nullptr || !workload->is_map()) return "";
  std::string text;
  const auto add = [&](std::string_view field, std::string_view usual, std::string_view before,
                       std::string_view after) {
    const sim::Node* value = workload->find(field);
    if (value == nullptr || !value->is_scalar() || value->text() == usual) return;
    if (parameter(point, fmt::format("workload.{}", field)) != nullptr) return;
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", before, value_text(*value), after);
  };
  add("cached", "0", "", " tokens cached");
  add("chunk", "0", "in chunks of ", " tokens");
  add("replay", "bounded", "replay ", "");
  add("source_layer", "projection", "source layer in ", "");
  return text;
}

std::string swept_text(const sim::PointResult& point) {
  std::string text;
  for (const auto& [name, value] : point.parameters) {
    if (!is_swept(name) || name == "workload.batch" || name == "workload.context" || name == "workload.phase") continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value_text(value));
  }
  return text;
}

std::string busy_text(const sim::Timing& time) {
  std::string text;
  auto busy = time.busy_fraction;
  std::stable_sort(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [resource, fraction] : busy) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", resource, percent_text(fraction));
  }
  return text;
}

// Less is "0.0 %".
bool is_shown(double share) { return share >= 0.0005; }

// "93.5 % moving data, 3.6 % tCCDL, 1.7 % row_cycle, 0.5 % queue, 0.7 % other waits": what the data buses did while
// DRAM was at work.
std::string dram_text(const sim::Timing& time) {
  constexpr std::size_t most_waits = 3;
  std::vector<std::pair<std::string, double>> waits;
  double moving = 0;
  for (const auto& [cause, share] : time.dram_time) {
    if (cause == "data_bus") {
      moving = share;
    } else {
      waits.emplace_back(cause, share);
    }
  }
  std::stable_sort(waits.begin(), waits.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = percent_text(moving) + " moving data";
  double others = 0;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const auto& [cause, share] = waits[i];
    if (i >= most_waits) {
      others += share;
    } else if (is_shown(share)) {
      text += fmt::format(", {} {}", percent_text(share), cause);
    }
  }
  return is_shown(others) ? fmt::format("{}, {} other waits", text, percent_text(others)) : text;
}

void add_time(Section& section, const sim::Timing& time, bool decode) {
  std::string text = fmt::format("{}, bound by {}; roofline {}", sim::time_text(time.seconds), time.bound_by,
                                 sim::time_text(time.roofline_seconds));
  if (time.roofline_seconds > 0) text += fmt::format(" ({:.2f} x that)", time.seconds / time.roofline_seconds);
  section.facts.emplace_back(decode ? "step time" : "time", text);
  std::string cycles =
      fmt::format("{} at {}", sim::with_commas(time.cycles), sim::to_text(sim::Frequency::per_second(time.clock_hz)));
  if (time.sampling_error > 0) cycles += fmt::format("; sampling error up to {}", percent_text(time.sampling_error));
  section.facts.emplace_back("SM cycles", cycles);
  if (!time.busy_fraction.empty()) section.facts.emplace_back("busy", busy_text(time));
  if (!time.dram_time.empty()) section.facts.emplace_back("dram", dram_text(time));
}

Section verdict_section(const sim::PointResult& point) {
  Section section;
  if (point.status != sim::Status::ok) {
    const std::string_view what = point.status == sim::Status::infeasible ? "does not fit" : "failed";
    section.notes.push_back({fmt::format("{}: {}", what, point.reason), Tone::bad});
  }
  const sim::Node* phase = parameter(point, "phase");
  if (point.time) add_time(section, *point.time, phase == nullptr || phase->text() == "decode");
  if (point.throughput) {
    section.facts.emplace_back("throughput", fmt::format("{} tokens/s; {} per user, {} per device",
                                                         rate_text(point.throughput->tokens_per_second),
                                                         rate_text(point.throughput->tokens_per_second_per_user),
                                                         rate_text(point.throughput->tokens_per_second_per_device)));
  }
  return section;
}

std::string used_text(const sim::Storage& s) {
  const double share = s.capacity_bytes_per_device > 0 ? static_cast<double>(s.used_bytes_per_device) /
                                                             static_cast<double>(s.capacity_bytes_per_device)
                                                       : 0;
  std::string text = fmt::format(
      "{} of {} ({}): weights {}, caches {}; reserve {}", bytes_text(s.used_bytes_per_device),
      bytes_text(s.capacity_bytes_per_device), percent_text(share), bytes_text(s.weight_bytes_per_device),
      bytes_text(s.used_bytes_per_device - s.weight_bytes_per_device), bytes_text(s.reserve_bytes_per_device));
  const std::int64_t missing = s.used_bytes_per_device + s.reserve_bytes_per_device - s.capacity_bytes_per_device;
  if (missing > 0) text += fmt::format("; short of {}", bytes_text(missing));
  return text;
}

std::string request_text(const sim::Storage& s) {
  return fmt::format("{} ({} in pages): {} B per token, {} B local, {} B state", bytes_text(s.cache_bytes_per_request),
                     bytes_text(s.allocated_bytes_per_request), sim::exact_text(s.growing_bytes_per_token),
                     sim::with_commas(s.local_bytes_per_request), sim::with_commas(s.state_bytes_per_request));
}

std::string limits_text(const sim::Storage& s) {
  const bool host_is_full = s.host_capacity_bytes > 0 && s.host_bytes > s.host_capacity_bytes;
  if (host_is_full) return "nothing: host memory is too small for what lies there";
  if (s.max_batch == 0) return "no batch at this context: weights and reserve leave no room for one sequence";
  const std::string batch = fmt::format("batch up to {} at this context", sim::with_commas(s.max_batch));
  if (s.max_context == 0) return batch + "; no context at this batch";
  return fmt::format("{}; context up to {} tokens at this batch", batch, sim::with_commas(s.max_context));
}

Section memory_section(const sim::Storage& storage) {
  Section section{"Memory of the fullest device", {}, {}, {}};
  if (storage.host_bytes > 0) section.title += fmt::format("; {} lie on hosts", bytes_text(storage.host_bytes));
  section.facts.emplace_back("used", used_text(storage));
  section.facts.emplace_back("a sequence", request_text(storage));
  section.facts.emplace_back("fits", limits_text(storage));
  return section;
}

Section warnings_section(const sim::PointResult& point) {
  Section section{"Warnings", {}, {}, {}};
  for (const std::string& warning : point.warnings) section.notes.push_back({warning, Tone::good_to_know});
  return section;
}

}  // namespace

Page point_page(const sim::PointResult& point, const sim::Node& scenario, Style style) {
  Page page;
  const Lookup known = lookup_in(point);
  page.headline = headline(known);
  page.subtitle.push_back(manner(known) + layout_text(point, scenario));
  if (std::string prompts = prompt_text(point, scenario); !prompts.empty()) page.subtitle.push_back(prompts);
  if (std::string swept = swept_text(point); !swept.empty()) page.subtitle.push_back(swept);
  page.add(verdict_section(point));
  if (point.storage) page.add(memory_section(*point.storage));
  if (point.traffic) page.add(traffic_section(point));
  page.add(amplification_section(point));
  page.add(layers_section(point));
  if (style.layers) {
    page.add(every_layer_section(point));
    page.add(layer_kinds_section(point));
  }
  if (style.operations) page.add(operations_section(point));
  page.add(warnings_section(point));
  return page;
}

}  // namespace kvtraffic::reports
