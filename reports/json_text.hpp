// JSON written straight into a buffer: commas, quotes, escapes and numbers.
// Leaves out indentation, and checking that calls nest as they should.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "sim/config/node.hpp"

namespace kvtraffic::reports {

class JsonText {
 public:
  explicit JsonText(fmt::memory_buffer& out) : out_(&out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void text(std::string_view value);  // bytes that are no UTF-8 become U+FFFD
  void integer(std::int64_t value);
  void number(double value);  // shortest text that reads back as `value`; null when not finite
  void null();
  // Configuration: what is plainly a number or a boolean becomes one, quoted text stays text.
  void node(const sim::Node& value);

  void field(std::string_view name, std::string_view value);
  void field(std::string_view name, std::int64_t value);
  void field(std::string_view name, double value);

 private:
  void separate();
  void open(char bracket);
  void close(char bracket);
  void add(std::string_view text) { out_->append(text.data(), text.data() + text.size()); }
  void quoted(std::string_view text);
  void escaped(char32_t value, std::string_view bytes);
  void scalar(const sim::Node& value);

  fmt::memory_buffer* out_;
  bool first_ = true;       // of the innermost open bracket
  bool after_key_ = false;  // a value follows its key without a comma
};

// Whether `text` is a finite number in JSON's own grammar ("-1.5e3", not "+1", ".5", "007", "0x10").
[[nodiscard]] bool is_json_number(std::string_view text);

}  // namespace kvtraffic::reports
