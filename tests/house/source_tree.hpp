// The repository's own sources as text, for tests about how the house is kept.
// It only reads; what is right or wrong is for each test to say.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace kvtraffic::house {

struct SourceFile {
  std::string path;  // from the repository's root, with forward slashes: "sim/units/quantity.hpp"
  std::string text;
};

// One thing that is not as it should be.
struct Finding {
  std::string path;
  int line = 0;  // from 1; 0 when the whole file is meant
  std::string what;
};

// Every .cpp and .hpp below these folders of the root, sorted by path. Throws when a folder does not exist.
[[nodiscard]] std::vector<SourceFile> sources_in(std::initializer_list<std::string> folders);

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

// "path:line: what", one a line; empty when there is nothing to say.
[[nodiscard]] std::string list(const std::vector<Finding>& findings);

}  // namespace kvtraffic::house
