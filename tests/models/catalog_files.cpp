// Reading catalog entries for tests.
#include "tests/models/catalog_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "sim/config/yaml.hpp"

namespace kvtraffic::models::test {
namespace {

void expect_clean(const sim::Diagnostics& diagnostics) {
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.render();
}

sim::ReadWrite sum(const Case& c, const sim::Tally& tally, sim::DataKind kind, std::int64_t sim::AccessBytes::*level) {
  const sim::StepGraph& graph = c.lowered.graph;
  sim::ReadWrite total;
  for (std::uint32_t o = 0; o < graph.operations().size(); ++o) {
    const auto& accesses = graph.operations()[o].accesses;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      if (accesses[i].kind != kind) continue;
      total.in(accesses[i].direction) += graph.uses(o) * (tally.accesses[graph.first_access_of(o) + i].*level);
    }
  }
  return total;
}

}  // namespace

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(std::string(KVTRAFFIC_ROOT) + "/models/" + folder)) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

sim::Node entry(const std::string& file, const std::string& changes) {
  sim::Diagnostics diagnostics;
  sim::Node node = sim::read_yaml_file(std::string(KVTRAFFIC_ROOT) + "/models/" + file, diagnostics);
  if (const sim::Node* base = node.find("extends"); base != nullptr) {
    const sim::Node below = entry(file.substr(0, file.rfind('/') + 1) + base->text() + ".yaml");
    node.remove("extends");
    node = merged(below, node);
  }
  if (!changes.empty()) node = merged(node, sim::read_yaml(changes, "changes", diagnostics));
  expect_clean(diagnostics);
  return node;
}

Model model(const std::string& name, const std::string& changes, std::int64_t draft) {
  sim::Diagnostics diagnostics;
  Model result = read_model(entry("catalog/" + name + ".yaml", changes), draft, diagnostics);
  expect_clean(diagnostics);
  return result;
}

CacheFormat format(const std::string& name) {
  sim::Diagnostics diagnostics;
  CacheFormat result = read_format(entry("formats/" + name + ".yaml"), diagnostics);
  expect_clean(diagnostics);
  return result;
}

sim::KernelPlan plan() {
  sim::Diagnostics diagnostics;
  sim::KernelPlan result = read_engine(entry("engines/reference.yaml"), diagnostics).plan;
  expect_clean(diagnostics);
  return result;
}

Case::Case(const std::string& name, const std::string& format_name, sim::Deployment where, const std::string& changes,
           std::int64_t draft)
    : model(test::model(name, changes, draft)),
      format(test::format(format_name)),
      deployment(where),
      lowered(lower_decode(model, format, plan(), where)) {}

sim::Tally Case::tally(std::int64_t batch, std::int64_t context, bool mean) const {
  sim::Tally result;
  sim::tally_point(lowered.graph, deployment, sim::Point::decode(batch, context, mean ? model.position_period() : 1),
                   result);
  return result;
}

sim::ReadWrite Case::logical(sim::DataKind kind, std::int64_t batch, std::int64_t context, bool mean) const {
  return sum(*this, tally(batch, context, mean), kind, &sim::AccessBytes::logical);
}

sim::ReadWrite Case::sectors(sim::DataKind kind, std::int64_t batch, std::int64_t context, bool mean) const {
  return sum(*this, tally(batch, context, mean), kind, &sim::AccessBytes::sector);
}

std::int64_t Case::weight_reads(const std::string& part, std::int64_t batch) const {
  const sim::StepGraph& graph = lowered.graph;
  const sim::Tally numbers = tally(batch, 1024);
  std::int64_t total = 0;
  for (std::uint32_t o = 0; o < graph.operations().size(); ++o) {
    const auto& accesses = graph.operations()[o].accesses;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      if (accesses[i].kind != sim::DataKind::weight || graph.roles()[accesses[i].role].find(part) == std::string::npos)
        continue;
      total += graph.uses(o) * numbers.accesses[graph.first_access_of(o) + i].logical;
    }
  }
  return total;
}

}  // namespace kvtraffic::models::test
