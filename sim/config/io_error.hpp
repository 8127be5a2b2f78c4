// What is thrown when a file or stream cannot be read or written.
// Leaves out faults in what was read: those are diagnostics.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace kvtraffic::sim {

// `main` exits with 5.
class IoError : public std::exception {
 public:
  explicit IoError(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace kvtraffic::sim
