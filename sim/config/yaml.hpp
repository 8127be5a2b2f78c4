// Text to Node. The only file that knows a YAML library stands behind this header.
#pragma once

#include <string>

#include "sim/config/node.hpp"

namespace kvtraffic::sim {

// Reads one YAML document. Faults go to `diagnostics` (then the returned node is null or partial): syntax errors with
// place, duplicate keys (both lines), merge keys, several documents, tags, binary or non-UTF-8 input, nesting beyond
// 64, more than 200,000 nodes after aliases are expanded (an alias bomb), text above 16 MiB. An empty document is an
// error.
[[nodiscard]] Node read_yaml(std::string text, std::string name, Diagnostics& diagnostics);

// Reads a file, or standard input for "-" (named "<stdin>"). IoError when it cannot be opened or read.
[[nodiscard]] Node read_yaml_file(const std::string& path, Diagnostics& diagnostics);

// A file or stream could not be read or written. `main` exits with 5.
class IoError : public std::exception {
 public:
  explicit IoError(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace kvtraffic::sim
