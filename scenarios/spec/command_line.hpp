// What the command lines of all verbs share.
// Leaves out the verbs' own options.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace kvtraffic::scenarios {

enum class When { automatic, always, never };

// A command line that cannot be carried out. what() is one or more lines without a final newline.
class UsageError : public std::exception {
 public:
  explicit UsageError(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace kvtraffic::scenarios
