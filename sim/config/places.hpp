// From a parser's lines and bytes to Marks: lines and code points, counted from one.
// Leaves out the text's meaning.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sim/config/source.hpp"

namespace kvtraffic::sim {

// Asked mostly in rising order: the last answer is the next one's start, so that a long line does not cost its square.
class Places {
 public:
  explicit Places(std::shared_ptr<const SourceFile> file);

  [[nodiscard]] Mark whole_file() const { return {file_, 0, 0}; }
  [[nodiscard]] Mark at_offset(std::size_t offset);
  // Line and byte column from zero; a place beyond the text is its end.
  [[nodiscard]] std::size_t offset(int line, int column) const;
  [[nodiscard]] std::string_view text() const { return file_->text; }

 private:
  std::shared_ptr<const SourceFile> file_;
  std::vector<std::size_t> starts_;  // of each line
  std::size_t last_line_ = 0;
  std::size_t last_offset_ = 0;
  int last_column_ = 1;
};

}  // namespace kvtraffic::sim
