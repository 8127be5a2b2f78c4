// Reads source files from the checkout that the tests were built from.
// No caching: each test reads the tree once.
#include "tests/house/source_tree.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace kvtraffic::house {
namespace {

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw std::runtime_error("cannot read " + file.string());
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_source(const std::filesystem::directory_entry& entry) {
  const auto extension = entry.path().extension();
  return entry.is_regular_file() && (extension == ".cpp" || extension == ".hpp");
}

}  // namespace

std::vector<SourceFile> sources_in(std::initializer_list<std::string> folders) {
  const std::filesystem::path root = KVTRAFFIC_ROOT;
  std::vector<SourceFile> sources;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (is_source(entry)) {
        sources.push_back({entry.path().lexically_relative(root).generic_string(), read(entry.path())});
      }
    }
  }
  std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return sources;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string list(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{}:{}: {}\n", finding.path, finding.line, finding.what);
  }
  return text;
}

}  // namespace kvtraffic::house
