// Reading a pattern from text.
// Leaves out whether it fits a memory: make_source knows the capacity.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "hardware/hbm/patterns.hpp"
#include "hardware/hbm/reference_traces.hpp"
#include "sim/config/diagnostics.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::uint64_t kMostStreams = 65536;
constexpr std::uint64_t kMostChosen = 1U << 22U;  // entries of a round are remembered, so that none comes twice
constexpr std::uint64_t kLargest = std::uint64_t{1} << 62U;

struct Form {
  std::string_view name;
  PatternKind kind;
  std::string_view example;
  bool may_write;
};
constexpr std::array kForms = {
    Form{"stream", PatternKind::stream, "stream", true},
    Form{"streams", PatternKind::streams, "streams:16", true},
    Form{"random", PatternKind::random, "random:64", true},
    Form{"gather", PatternKind::gather, "gather:2048x656/131072", true},
    Form{"scan", PatternKind::scan, "scan:132", true},
    Form{"mix", PatternKind::mix, "mix:0.9", false},
    Form{"chase", PatternKind::chase, "chase", false},
    Form{"trace", PatternKind::trace, "trace:NAME", false},
};

// Throws for the whole text; `why` tells what is wrong with it.
class Refusal {
 public:
  explicit Refusal(std::string_view text) : text_(text) {}
  [[noreturn]] void operator()(std::string_view why) const {
    throw std::invalid_argument(fmt::format("pattern {}: {}", sim::in_quotes(text_), why));
  }

 private:
  std::string_view text_;
};

std::uint64_t number(std::string_view digits, std::string_view what, std::uint64_t most, const Refusal& refuse) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size() && !digits.empty();
  if (fault == std::errc::invalid_argument || (fault == std::errc() && !whole)) {
    refuse(fmt::format("{} is no whole number for {}", sim::in_quotes(digits), what));
  }
  if (fault != std::errc() || value > most) refuse(fmt::format("{} is at most {}", what, most));
  if (value == 0) refuse(fmt::format("{} is at least 1", what));
  return value;
}

// KxE/T
void read_gather(std::string_view rest, Pattern& pattern, const Refusal& refuse) {
  const std::size_t cross = rest.find('x'), slash = rest.find('/');
  if (cross == std::string_view::npos || slash == std::string_view::npos || slash < cross) {
    refuse("a gather is gather:CHOSENxBYTES/ENTRIES, such as gather:2048x656/131072");
  }
  pattern.count = number(rest.substr(0, cross), "the entries chosen in a round", kMostChosen, refuse);
  pattern.entry = number(rest.substr(cross + 1, slash - cross - 1), "the bytes of an entry", kLargest, refuse);
  pattern.total = number(rest.substr(slash + 1), "the entries to choose from", kLargest, refuse);
  if (pattern.count > pattern.total) {
    refuse(fmt::format("{} distinct entries cannot be chosen from {}", pattern.count, pattern.total));
  }
  if (pattern.total > kLargest / pattern.entry) refuse("so many entries are beyond any capacity");
}

// A decimal fraction as a ratio of whole numbers: its draws are the same on every machine.
void read_mix(std::string_view rest, Pattern& pattern, const Refusal& refuse) {
  constexpr std::size_t most_decimals = 9;
  const std::size_t point = rest.find('.');
  const std::string_view whole = rest.substr(0, point);
  const std::string_view decimals = point == std::string_view::npos ? "" : rest.substr(point + 1);
  const bool digits = rest.find_first_not_of("0123456789.") == std::string_view::npos &&
                      decimals.find('.') == std::string_view::npos && whole.size() + decimals.size() > 0;
  if (!digits) refuse("a mix is mix:SHARE with the share of reads from 0 to 1, such as mix:0.9");
  if (decimals.size() > most_decimals) refuse(fmt::format("a share has at most {} decimals", most_decimals));
  std::uint64_t reads = 0, turns = 1;
  for (const char digit : whole) reads = std::min<std::uint64_t>(2, reads * 10 + static_cast<unsigned>(digit - '0'));
  for (const char digit : decimals) {
    reads = reads * 10 + static_cast<unsigned>(digit - '0');
    turns *= 10;
  }
  if (reads > turns) refuse("a share of reads is at most 1");
  const std::uint64_t common = std::gcd(reads, turns);
  pattern.reads = reads / common;
  pattern.turns = turns / common;
}

const Form& form_of(std::string_view name, std::string_view text) {
  std::vector<std::string> known;
  for (const Form& form : kForms) {
    if (form.name == name) return form;
    known.emplace_back(form.name);
  }
  const std::string nearest = sim::nearest_name(name, known);
  throw std::invalid_argument(fmt::format("{} is no pattern; there are {}{}", sim::in_quotes(text), pattern_forms(),
                                          nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

void read_parameters(std::string_view rest, Pattern& pattern, const Refusal& refuse) {
  switch (pattern.kind) {
    case PatternKind::streams:
      pattern.count = number(rest, "the number of streams", kMostStreams, refuse);
      break;
    case PatternKind::random:
      pattern.entry = number(rest, "the bytes of a block", kLargest, refuse);
      break;
    case PatternKind::scan:
      pattern.entry = number(rest, "the bytes of an entry", kLargest, refuse);
      break;
    case PatternKind::gather:
      return read_gather(rest, pattern, refuse);
    case PatternKind::mix:
      return read_mix(rest, pattern, refuse);
    case PatternKind::trace:
      pattern.trace = rest;
      static_cast<void>(reference_trace_bytes(rest));  // refuses a name that is none
      break;
    case PatternKind::stream:
    case PatternKind::chase:
      break;
  }
}

}  // namespace

std::string pattern_forms() {
  std::string forms;
  for (const Form& form : kForms) {
    forms += fmt::format("{}{}{}", forms.empty() ? "" : ", ", form.example, form.may_write ? "[:write]" : "");
  }
  return forms;
}

Pattern parse_pattern(std::string_view text) {
  constexpr std::string_view write = ":write";
  const Form& form = form_of(text.substr(0, text.find(':')), text);
  const Refusal refuse(text);
  Pattern pattern;
  pattern.kind = form.kind;
  pattern.text = text;
  std::string_view rest = text.substr(form.name.size());  // empty, or begins with ':'
  if (rest.ends_with(write)) {
    if (!form.may_write) refuse(fmt::format("{} has no :write", form.name));
    pattern.write = true;
    rest.remove_suffix(write.size());
  }
  const bool wanted = form.example.find(':') != std::string_view::npos;
  if (wanted && rest.size() < 2) refuse(fmt::format("it needs a parameter, such as {}", form.example));
  if (!wanted && !rest.empty()) {
    refuse(fmt::format("{} has no parameter{}", form.name, form.may_write ? " but :write" : ""));
  }
  if (wanted) read_parameters(rest.substr(1), pattern, refuse);
  return pattern;
}

}  // namespace kvtraffic::hardware::hbm
