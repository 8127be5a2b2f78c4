// Writers into strings, and golden files.
// Leaves out the expectations themselves.
#include "tests/reports/written.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace kvtraffic::reports::testing {

std::string written(Format format, const sim::RunResult& head, const std::vector<sim::PointResult>& points,
                    Style style) {
  std::ostringstream out;
  const std::unique_ptr<Writer> writer = make_writer(format, style, out);
  writer->begin(head);
  for (const sim::PointResult& point : points) writer->point(point);
  writer->end();
  return out.str();
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(KVTRAFFIC_ROOT) + "/tests/reports/golden/" + name;
  if (std::getenv("KVTRAFFIC_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; KVTRAFFIC_WRITE_GOLDEN=1 writes it";
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(golden.str(), text) << "differs from " << path;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace kvtraffic::reports::testing
