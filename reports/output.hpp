// Where a writer's text goes: built in memory, handed to the stream piece by piece, and never lost in silence.
// Leaves out formats.
#pragma once

#include <fmt/format.h>

#include <ostream>
#include <string_view>

namespace kvtraffic::reports {

class Output {
 public:
  explicit Output(std::ostream& out) : out_(&out) {}

  [[nodiscard]] fmt::memory_buffer& buffer() { return buffer_; }
  void add(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }
  // Hands on what was built. sim::IoError when the stream does not take it.
  void hand_on();
  // The same, and flushes the stream.
  void finish();

 private:
  std::ostream* out_;
  fmt::memory_buffer buffer_;
};

}  // namespace kvtraffic::reports
