// Everything that is wrong with an input, collected so that the user sees all of it at once.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/source.hpp"

namespace kvtraffic::sim {

struct Diagnostic {
  Mark where;
  std::string path;      // "workload.context"; empty where no key is concerned
  std::string message;   // what is wrong
  std::string expected;  // what would be right; may be empty
  std::string nearest;   // the nearest known name; may be empty
  bool is_error = true;  // else a warning
};

class Diagnostics {
 public:
  void error(Mark where, std::string path, std::string message, std::string expected = "", std::string nearest = "");
  void warning(Mark where, std::string path, std::string message);
  void append(const Diagnostics& other);

  [[nodiscard]] bool has_errors() const;
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
  // Each as "file:line:column: error: key.path: what is wrong", the line with a caret, "expected: ...", "did you mean
  // ...?". Ordered by file, then line and column; at most `limit`, then a line that counts the rest.
  [[nodiscard]] std::string render(std::size_t limit = 50) const;

 private:
  std::vector<Diagnostic> all_;
};

// An input that cannot be used. `main` prints the diagnostics and exits with 3.
class ConfigError : public std::exception {
 public:
  explicit ConfigError(Diagnostics diagnostics);
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
  std::string text_;
};

// The name in `known` with the smallest edit distance to `name`, or "" when none is close enough to be meant.
[[nodiscard]] std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace kvtraffic::sim
