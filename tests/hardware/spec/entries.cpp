// Hardware entries for the tests of this room.
// Leaves out what the tests expect of them.
#include "tests/hardware/spec/entries.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

namespace kvtraffic::hardware {
namespace {

std::string told(const sim::Diagnostic& fault) {
  std::string text = fmt::format("{}:{} {}: {}", fault.where.line, fault.where.column, fault.path, fault.message);
  if (!fault.expected.empty()) text += " | " + fault.expected;
  if (!fault.nearest.empty()) text += " | " + fault.nearest;
  return text;
}

}  // namespace

std::vector<std::string> told(const sim::Diagnostics& diagnostics) {
  std::vector<sim::Diagnostic> faults = diagnostics.all();
  std::stable_sort(faults.begin(), faults.end(), [](const auto& a, const auto& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  std::vector<std::string> lines;
  for (const sim::Diagnostic& fault : faults) lines.push_back(told(fault));
  return lines;
}

std::string device_text() {
  return R"(kind: device
name: part
summary: A made-up part
sources: {sheet: "https://example.org/sheet", test: "https://example.org/test"}
sm:
  source: sheet
  certainty: spec
  count: 100
  clock: 2 GHz
  load_rate: 50 GB/s
compute:
  source: sheet
  certainty: spec
  fp8: {peak: 2000 TFLOPS, sustained: 0.5}
  bf16: {peak: 1000 TFLOPS, sustained: 0.75}
  fp32: {peak: 100 TFLOPS, sustained: 1}
memory:
  source: sheet
  certainty: spec
  type: HBM3
  stacks: 4
  bus_width: 4096
  pin_rate: 4 Gbit/s
  bandwidth: 2.048 TB/s
  capacity: 64 GB
  stream_efficiency: {value: 90%, source: test, certainty: measured}
  latency: 400 ns
l2:
  source: test
  certainty: measured
  capacity: 32 MB
  usable: 0.8
  bandwidth: 5 TB/s
  latency: 200 ns
launch: {gap: 1 us, start: 2 us, source: test, certainty: measured}
host: {bandwidth: 60 GB/s, efficiency: 0.9, latency: 2 us, source: test, certainty: measured}
link: {bandwidth: 400 GB/s, efficiency: 0.8, all_reduce_floor: 3 us, all_to_all_floor: 10 us, source: test, certainty: spec}
)";
}

std::string node_text(const std::string& device) {
  std::string text = R"(kind: node
name: 4x-part
summary: Four made-up parts
sources: {node_sheet: "https://example.org/node"}
count: {value: 4, source: node_sheet, certainty: spec}
link: {all_reduce_floor: {value: 5 us, source: node_sheet, certainty: measured}}
device:
)";
  std::istringstream lines(device);
  for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
  return text;
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at == std::string::npos) return text;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from << " occurs twice";
  return text.replace(at, from.size(), to);
}

Reading read_text(const std::string& text) {
  sim::Diagnostics diagnostics;
  const sim::Node entry = sim::read_yaml(text, "part.yaml", diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render();
  Reading reading;
  reading.hardware = read_hardware(entry, diagnostics);
  reading.faults = told(diagnostics);
  return reading;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(fmt::format("{}/hardware/{}", KVTRAFFIC_ROOT, folder))) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

sim::Node entry_in(const std::string& folder, const std::string& name) {
  sim::Diagnostics diagnostics;
  const std::string path = fmt::format("{}/hardware/{}/{}.yaml", KVTRAFFIC_ROOT, folder, name);
  sim::Node entry = sim::read_yaml_file(path, diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.render();
  return entry;
}

std::string test_name(std::string entry) {
  std::replace(entry.begin(), entry.end(), '-', '_');
  return entry;
}

std::vector<std::string> figures_of(const sim::Node& node, const sim::Table& table, const std::string& prefix) {
  std::vector<std::string> figures;
  for (const sim::Field& field : table.fields) {
    const std::string path = prefix + std::string(field.name);
    const sim::Node* value = node.find(field.name);
    if (value == nullptr) continue;
    if (field.type == sim::Type::map) {
      for (std::string& figure : figures_of(*value, *field.table, path + ".")) figures.push_back(std::move(figure));
    }
    const bool describes = field.type == sim::Type::name || field.type == sim::Type::choice ||
                           field.type == sim::Type::dictionary || field.type == sim::Type::reference ||
                           field.type == sim::Type::map || field.name == "summary";
    if (!describes) figures.push_back(path);
  }
  return figures;
}

void expect_known(const std::vector<std::string>& figures, const std::map<std::string, sim::Provenance>& provenance,
                  const std::map<std::string, std::string>& sources) {
  for (const std::string& figure : figures) {
    ASSERT_TRUE(provenance.contains(figure)) << figure;
    const sim::Provenance& origin = provenance.at(figure);
    EXPECT_TRUE(sources.contains(origin.source)) << figure << ": " << origin.source;
    EXPECT_FALSE(origin.certainty.empty()) << figure;
  }
}

void expect_used(const std::map<std::string, sim::Provenance>& provenance,
                 const std::map<std::string, std::string>& sources) {
  for (const auto& [key, address] : sources) {
    const bool used = std::any_of(provenance.begin(), provenance.end(),
                                  [&](const auto& figure) { return figure.second.source == key; });
    EXPECT_TRUE(used) << key;
    EXPECT_TRUE(address.starts_with("https://") || address.starts_with("http://") ||
                address.starts_with("no public address kept"))
        << address;
  }
}

std::vector<std::string> catalog_names() { return names_in("catalog"); }

sim::Node catalog_entry(const std::string& name) {
  sim::Node entry = entry_in("catalog", name);
  const sim::Node* device = entry.find("device");
  if (device != nullptr) entry.set("device", catalog_entry(device->text()));
  return entry;
}

Hardware from_catalog(const std::string& name) {
  sim::Diagnostics diagnostics;
  Hardware hardware = read_hardware(catalog_entry(name), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.render();
  return hardware;
}

}  // namespace kvtraffic::hardware
