// Catalog entries for tests: read from the tree, changed by a piece of YAML, lowered.
#pragma once

#include <string>
#include <vector>

#include "models/lower/lower.hpp"
#include "models/spec/engine.hpp"
#include "sim/run/tally.hpp"
#include "sim/run/traffic.hpp"

namespace kvtraffic::models::test {

// Names of the entries in models/<folder>, sorted.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder);
// The entry's tree on the one that it extends, with `changes` (YAML, may be empty) laid on it.
[[nodiscard]] sim::Node entry(const std::string& file, const std::string& changes = "");
// Fails the test when there is any diagnostic.
[[nodiscard]] Model model(const std::string& name, const std::string& changes = "", std::int64_t draft = 0);
[[nodiscard]] CacheFormat format(const std::string& name);
[[nodiscard]] sim::KernelPlan plan();

// A model on `devices` devices, with everything that its numbers come from.
struct Case {
  Model model;
  CacheFormat format;
  sim::Deployment deployment;
  Lowered lowered;

  explicit Case(const std::string& name, const std::string& format_name = "deployed", sim::Deployment deployment = {},
                const std::string& changes = "", std::int64_t draft = 0);
  [[nodiscard]] sim::Tally tally(std::int64_t batch, std::int64_t context, bool mean = false) const;
  // Bytes of one kind and direction, at the logical or sector level, in the whole deployment.
  [[nodiscard]] sim::ReadWrite logical(sim::DataKind kind, std::int64_t batch, std::int64_t context,
                                       bool mean = false) const;
  [[nodiscard]] sim::ReadWrite sectors(sim::DataKind kind, std::int64_t batch, std::int64_t context,
                                       bool mean = false) const;
  // Bytes of the weights whose role contains `part`, read in a step.
  [[nodiscard]] std::int64_t weight_reads(const std::string& part, std::int64_t batch) const;
};

}  // namespace kvtraffic::models::test
