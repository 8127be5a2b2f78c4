// Parsing by hand: a trace has hundreds of millions of lines.
// Leaves out everything between lines.
#include "hardware/hbm/trace_line.hpp"

#include <fmt/format.h>

#include <array>

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) digits['0' + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i) {
    digits['a' + i] = static_cast<std::uint8_t>(10 + i);
    digits['A' + i] = digits['a' + i];
  }
  return digits;
}();

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Digits {
  const char* end = nullptr;
  std::uint64_t value = 0;
  bool overflows = false;
};

Digits hexadecimal(const char* at, const char* end) {
  Digits digits;
  for (; at != end; ++at) {
    const std::uint8_t digit = kDigits[static_cast<unsigned char>(*at)];
    if (digit == kNoDigit) break;
    digits.overflows |= digits.value >> 60U != 0;
    digits.value = digits.value << 4U | digit;
  }
  digits.end = at;
  return digits;
}

Digits decimal(const char* at, const char* end) {
  Digits digits;
  for (; at != end && is_digit(*at); ++at) {
    digits.overflows |= __builtin_mul_overflow(digits.value, std::uint64_t{10}, &digits.value);
    digits.overflows |= __builtin_add_overflow(digits.value, static_cast<std::uint64_t>(*at - '0'), &digits.value);
  }
  digits.end = at;
  return digits;
}

bool is_prefixed(const char* at, const char* end) { return end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x'; }

}  // namespace

std::string quoted_piece(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string piece = "'";
  for (const char c : text.substr(0, longest)) {
    if (c >= ' ' && c <= '~') {
      piece += c;
    } else {
      piece += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return piece + (text.size() > longest ? "...'" : "'");
}

bool LineParser::parse(std::string_view line, ByteRange& into) {
  at_ = line.data();
  end_ = at_ + line.size();
  if (at_ != end_ && end_[-1] == '\r') --end_;
  skip_blanks();
  if (at_ == end_ || *at_ == '#') return false;
  const std::string_view first = word();
  if (format_ == Format::unknown) choose(first);
  switch (format_) {
    case Format::load_store:
      parse_load_store(first, into);
      break;
    case Format::ranges:
      parse_range(first, into);
      break;
    default:
      parse_dramsim3(first, into);
      break;
  }
  require_end();
  return true;
}

void LineParser::parse_load_store(std::string_view operation, ByteRange& into) {
  into.write = operation == "ST";
  if (!into.write && operation != "LD") refuse_word(operation);
  into.address = number("address");
  into.size = 1;
}

void LineParser::parse_range(std::string_view operation, ByteRange& into) {
  into.write = operation == "W";
  if (!into.write && operation != "R") refuse_word(operation);
  into.address = number("address");
  into.size = number("size");
  if (into.size == 0) throw LineFault("a range of 0 bytes");
  if (into.address + into.size < into.address) {
    throw LineFault(fmt::format("{} bytes from {:#x} end beyond 64 bits", into.size, into.address));
  }
}

// DRAMsim3 reads addresses as hexadecimal with or without 0x; without, we would rather ask than guess.
void LineParser::parse_dramsim3(std::string_view address, ByteRange& into) {
  if (!is_digit(address.front())) refuse_word(address);
  if (!is_prefixed(address.begin(), address.end())) {
    throw LineFault(
        fmt::format("the address {} lacks its 0x: in this format addresses are hexadecimal", quoted_piece(address)));
  }
  at_ = address.data();
  into.address = number("address");
  into.size = 1;
  skip_blanks();
  const std::string_view operation = word();
  into.write = operation == "WRITE";
  if (!into.write && operation != "READ") {
    throw LineFault(fmt::format("{} is neither READ nor WRITE", quoted_piece(operation)));
  }
  const std::uint64_t cycle = number("cycle");
  if (cycle != 0) {
    throw LineFault(
        fmt::format("cycle {}: a trace's arrival times are not replayed; make them 0 and let --feed say at "
                    "what rate transactions are offered",
                    cycle));
  }
}

LineParser::Format LineParser::format_of(std::string_view word) {
  if (word == "LD" || word == "ST") return Format::load_store;
  if (word == "R" || word == "W") return Format::ranges;
  return is_digit(word.front()) ? Format::dramsim3 : Format::unknown;
}

const char* LineParser::example_of(Format format) {
  switch (format) {
    case Format::load_store:
      return "'LD 0x40' or 'ST 0x40'";
    case Format::dramsim3:
      return "'0x40 READ 0' or '0x40 WRITE 0'";
    case Format::ranges:
      return "'R 64 656' or 'W 64 32'";
    case Format::unknown:
      break;
  }
  return "'LD 0x40', '0x40 READ 0' or 'R 64 656' (or ST, WRITE, W)";
}

void LineParser::choose(std::string_view word) {
  format_ = format_of(word);
  if (format_ == Format::unknown) refuse_word(word);
}

void LineParser::refuse_word(std::string_view word) const {
  const Format other = format_of(word);
  if (other != Format::unknown && format_ != Format::unknown) {
    throw LineFault(fmt::format("{} begins a line of another format; this trace's lines are {}", quoted_piece(word),
                                example_of(format_)));
  }
  throw LineFault(fmt::format("{} begins no line of a trace; lines are {}", quoted_piece(word), example_of(format_)));
}

std::string_view LineParser::word() {
  const char* start = at_;
  while (at_ != end_ && !is_blank(*at_)) ++at_;
  return {start, static_cast<std::size_t>(at_ - start)};
}

std::uint64_t LineParser::number(const char* what) {
  skip_blanks();
  const char* start = at_;
  const bool prefixed = is_prefixed(at_, end_);
  const Digits digits = prefixed ? hexadecimal(at_ + 2, end_) : decimal(at_, end_);
  const bool empty = digits.end == start + (prefixed ? 2 : 0);
  if (empty || digits.overflows || (digits.end != end_ && !is_blank(*digits.end))) refuse_number(start, what);
  at_ = digits.end;
  return digits.value;
}

void LineParser::refuse_number(const char* start, const char* what) {
  at_ = start;
  const std::string_view text = word();
  if (text.empty()) throw LineFault(fmt::format("the {} is missing", what));
  const bool prefixed = is_prefixed(text.begin(), text.end());
  const Digits digits = prefixed ? hexadecimal(text.begin() + 2, text.end()) : decimal(text.begin(), text.end());
  const char* why = "is no number (decimal, or hexadecimal after 0x)";
  if (text.front() == '-') why = "is negative";
  if (digits.end == text.end() && digits.overflows) why = "does not fit 64 bits";
  throw LineFault(fmt::format("the {} {} {}", what, quoted_piece(text), why));
}

void LineParser::skip_blanks() {
  while (at_ != end_ && is_blank(*at_)) ++at_;
}

void LineParser::require_end() {
  skip_blanks();
  if (at_ == end_) return;
  throw LineFault(
      fmt::format("{} follows where the line should end", quoted_piece({at_, static_cast<std::size_t>(end_ - at_)})));
}

}  // namespace kvtraffic::hardware::hbm
