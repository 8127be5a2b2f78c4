// Where a piece of configuration text stands: file, line and column, with the text kept for the caret line.
#pragma once

#include <memory>
#include <string>

namespace kvtraffic::sim {

struct SourceFile {
  std::string name;  // as the user wrote it; "<stdin>" for standard input, "<--set>" for an override
  std::string text;
};

// Line and column count from one; zero means "nowhere in particular" (a whole file, or a default).
struct Mark {
  std::shared_ptr<const SourceFile> file;
  int line = 0;
  int column = 0;
};

}  // namespace kvtraffic::sim
