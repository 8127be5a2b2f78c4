// Line starts once, columns on demand.
// Leaves out display width: every code point is one column.
#include "sim/config/places.hpp"

#include <algorithm>

#include "sim/config/utf8.hpp"

namespace kvtraffic::sim {

Places::Places(std::shared_ptr<const SourceFile> file) : file_(std::move(file)) {
  starts_.push_back(0);
  for (std::size_t at = file_->text.find('\n'); at != std::string::npos; at = file_->text.find('\n', at + 1)) {
    starts_.push_back(at + 1);
  }
}

std::size_t Places::offset(int line, int column) const {
  const std::size_t row = static_cast<std::size_t>(std::max(line, 0));
  if (row >= starts_.size()) {
    return file_->text.size();
  }
  const std::size_t end = row + 1 < starts_.size() ? starts_[row + 1] - 1 : file_->text.size();
  return std::min(starts_[row] + static_cast<std::size_t>(std::max(column, 0)), end);
}

Mark Places::at_offset(std::size_t offset) {
  const auto line = static_cast<std::size_t>(std::ranges::upper_bound(starts_, offset) - starts_.begin()) - 1;
  if (line != last_line_ || offset < last_offset_) {
    last_line_ = line;
    last_offset_ = starts_[line];
    last_column_ = 1;
  }
  while (last_offset_ < offset) {
    last_offset_ += code_point_at(file_->text, last_offset_).size;
    ++last_column_;
  }
  return {file_, static_cast<int>(line) + 1, last_column_};
}

}  // namespace kvtraffic::sim
