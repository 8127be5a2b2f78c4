// What the scenario tests share: text to nodes, a catalog of a few entries in a folder of its own, and the program run
// as a user does. Leaves out expectations.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/spec/catalog.hpp"
#include "sim/config/node.hpp"

namespace kvtraffic::scenarios::test {

// YAML as a node whose places are in "test.yaml". Fails the test when the text is faulty.
[[nodiscard]] sim::Node yaml(const std::string& text);

// The messages without places: "path: message".
[[nodiscard]] std::vector<std::string> messages(const sim::Diagnostics& diagnostics);

// A folder that is there for one test.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& file, const std::string& text) const;
  [[nodiscard]] std::string path(const std::string& file = "") const;

 private:
  std::filesystem::path root_;
};

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

// Runs the program with `arguments`, as seen from `folder` (the current one when empty), with `input` on standard
// input.
[[nodiscard]] Outcome run_program(const std::vector<std::string>& arguments, const std::string& input = "",
                                  const std::string& folder = "", const std::vector<std::string>& environment = {});

[[nodiscard]] std::string contents(const std::filesystem::path& file);

}  // namespace kvtraffic::scenarios::test
