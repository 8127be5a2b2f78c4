// Reading a kernel plan from models/engines.
#pragma once

#include <map>
#include <string>

#include "sim/config/table.hpp"
#include "sim/plan/kernel_plan.hpp"

namespace kvtraffic::models {

struct Engine {
  sim::KernelPlan plan;
  sim::Node resolved;
  std::map<std::string, sim::Provenance> provenance;
  std::map<std::string, std::string> sources;
};

[[nodiscard]] const sim::Table& engine_table();
[[nodiscard]] Engine read_engine(const sim::Node& entry, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::models
