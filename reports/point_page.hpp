// One point as a page: what it is, how long it takes, whether it fits, what moves and why the levels differ.
// Leaves out sweeps (sweep_page.hpp).
#pragma once

#include "reports/page.hpp"
#include "reports/writer.hpp"
#include "sim/run/result.hpp"

namespace kvtraffic::reports {

[[nodiscard]] Page point_page(const sim::PointResult& point, const sim::Node& scenario, Style style);

// The table of the traffic section, by kind and level; `point` must have traffic.
[[nodiscard]] Section traffic_section(const sim::PointResult& point);
// The largest reasons, summed over whatever shares level, kind and reason.
[[nodiscard]] Section amplification_section(const sim::PointResult& point);
// Layers by attention and mode, and one by one when `style` asks.
[[nodiscard]] Section layers_section(const sim::PointResult& point);
[[nodiscard]] Section every_layer_section(const sim::PointResult& point);
[[nodiscard]] Section layer_kinds_section(const sim::PointResult& point);  // main KV, local KV, index keys, the rest
[[nodiscard]] Section operations_section(const sim::PointResult& point);

}  // namespace kvtraffic::reports
