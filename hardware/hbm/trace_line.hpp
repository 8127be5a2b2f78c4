// One line of a text trace, in whichever of the three formats the first line chose.
// Leaves out reading lines, capacity and transactions (trace.hpp).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "hardware/hbm/range_source.hpp"

namespace kvtraffic::hardware::hbm {

// What is wrong with a line; who reads the lines knows where.
class LineFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A piece of a trace inside a message: in quotes, bytes that are no plain text as \xNN, cut when it is long.
[[nodiscard]] std::string quoted_piece(std::string_view text);

class LineParser {
 public:
  // `line` without its line feed; a carriage return may end it. False for a blank line and a comment.
  // A transaction is a range of one byte. Throws LineFault.
  [[nodiscard]] bool parse(std::string_view line, ByteRange& into);

 private:
  enum class Format : std::uint8_t { unknown, load_store, dramsim3, ranges };

  void parse_load_store(std::string_view operation, ByteRange& into);
  void parse_dramsim3(std::string_view address, ByteRange& into);
  void parse_range(std::string_view operation, ByteRange& into);
  void choose(std::string_view word);
  [[noreturn]] void refuse_word(std::string_view word) const;

  [[nodiscard]] std::string_view word();
  [[nodiscard]] std::uint64_t number(const char* what);
  [[noreturn]] void refuse_number(const char* start, const char* what);
  void skip_blanks();
  void require_end();

  static Format format_of(std::string_view word);
  static const char* example_of(Format format);

  Format format_ = Format::unknown;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace kvtraffic::hardware::hbm
