// Quantities from text: a decimal number read exactly, then a unit looked up in its table.
// Leaves out ranges: a Field says what is allowed (sim/config/table.hpp).
#include "sim/units/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <vector>

#include "sim/units/quote.hpp"
#include "sim/units/unit_table.hpp"

namespace kvtraffic::sim {
namespace {

__extension__ using Wide = __int128;

constexpr std::string_view kDigits = "0123456789";
// What a text should have been: an example in words, then the units of its table.
struct Wanted {
  std::string_view words;
  std::span<const Unit> (*units)() = nullptr;

  [[nodiscard]] std::string text() const {
    if (units == nullptr) {
      return std::string(words);
    }
    std::vector<std::string_view> names;
    for (const Unit& unit : units()) {
      names.push_back(unit.name);
    }
    return fmt::format("{} ({})", words, fmt::join(names, ", "));
  }
};

constexpr Wanted kAnything{""};
constexpr Wanted kBytes{"a size such as 80 GB", byte_units};
constexpr Wanted kDuration{"a time such as 1.5 us", duration_units};
constexpr Wanted kBandwidth{"a bandwidth such as 4.8 TB/s", bandwidth_units};
constexpr Wanted kFrequency{"a frequency such as 1.83 GHz", frequency_units};
constexpr Wanted kFlopRate{"a rate such as 989 TFLOPS", flop_rate_units};
constexpr Wanted kTokens{"a number of tokens such as 4096 or 128K (K = 1024, M = 1,048,576)"};
constexpr Wanted kRatio{"a fraction such as 0.93, or a percentage such as 93%"};
constexpr Wanted kInteger{"a whole number in decimal digits, such as 64"};
constexpr Wanted kNumber{"a decimal number such as 0.5 or 1e3"};

// digits x 10^exponent, with what follows the number.
struct Decimal {
  bool is_negative = false;
  std::string digits;  // without the point and leading zeros; "" is zero
  int exponent = 0;
  std::string_view rest;  // without the blanks around it
};

tl::unexpected<UnitError> fault(std::string_view text, std::string_view what, const Wanted& expected) {
  return tl::unexpected<UnitError>(UnitError{fmt::format("{} {}", in_quotes(text), what), expected.text()});
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view take_digits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

// The exponent "e-3" at the head of `text`, or 0 with `text` untouched when there is none ("5 E..." may be a unit).
int take_exponent(std::string_view& text) {
  std::string_view left = text;
  if (!take(left, 'e') && !take(left, 'E')) {
    return 0;
  }
  const bool is_negative = take(left, '-');
  if (!is_negative) {
    take(left, '+');
  }
  const std::string_view digits = take_digits(left);
  if (digits.empty()) {
    return 0;
  }
  text = left;
  constexpr int huge = 100'000;  // far outside every range, and safe to add to
  int value = huge;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{}) {
    value = huge;
  }
  value = std::min(value, huge);
  return is_negative ? -value : value;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

bool starts_like_special(std::string_view unsigned_text) {
  const std::string text = lower(unsigned_text);
  return text == "nan" || text == ".nan" || text.starts_with("inf") || text == ".inf";
}

Parsed<Decimal> read_decimal(std::string_view text, const Wanted& expected) {
  std::string_view left = trimmed(text);
  if (left.empty()) {
    return fault(text, "is empty", expected);
  }
  Decimal number;
  number.is_negative = take(left, '-');
  if (!number.is_negative) {
    take(left, '+');
  }
  if (starts_like_special(left)) {
    return fault(text, "is not a finite number", expected);
  }
  if (left.starts_with("0x") || left.starts_with("0X")) {
    return fault(text, "is hexadecimal", expected);
  }
  const std::string_view whole = take_digits(left);
  const std::string_view fraction = take(left, '.') ? take_digits(left) : std::string_view{};
  if (whole.empty() && fraction.empty()) {
    return fault(text, "is not a number", expected);
  }
  if (left.size() > 1 && (left[0] == '_' || left[0] == ',') && kDigits.find(left[1]) != std::string_view::npos) {
    return fault(text, fmt::format("has '{}' inside the number; write the digits without separators", left[0]),
                 expected);
  }
  number.digits = std::string(whole) + std::string(fraction);
  number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
  number.exponent = take_exponent(left) - static_cast<int>(std::min<std::size_t>(fraction.size(), 100'000));
  number.rest = trimmed(left);
  return number;
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  const auto found = std::ranges::find(units, name, &Unit::name);
  return found == units.end() ? nullptr : &*found;
}

// What to say about a unit that no table knows.
std::string unknown_unit(std::span<const Unit> units, const Decimal& number) {
  if (number.rest.empty()) {
    return "needs a unit";
  }
  const auto same = [&](const Unit& unit) { return lower(unit.name) == lower(number.rest); };
  const auto found = std::ranges::find_if(units, same);
  if (found == units.end()) {
    return "has no known unit";
  }
  return fmt::format("has no known unit (upper and lower case differ: {})", found->name);
}

struct Measured {
  Decimal number;
  Unit unit;
};

Parsed<Measured> read_measured(std::string_view text, std::span<const Unit> units, const Wanted& expected) {
  Parsed<Decimal> number = read_decimal(text, expected);
  if (!number) {
    return tl::unexpected<UnitError>(number.error());
  }
  const Unit* unit = find_unit(units, number->rest);
  if (unit == nullptr) {
    return fault(text, unknown_unit(units, *number), expected);
  }
  if (number->is_negative) {
    return fault(text, "is negative", expected);
  }
  return Measured{*number, *unit};
}

Wide power_of_ten(int exponent) {
  Wide result = 1;
  for (int i = 0; i < exponent; ++i) {
    result *= 10;
  }
  return result;
}

enum class Fraction { refuse, round_up };

// `number` as a whole mantissa of at most 19 digits and a power of ten, trailing zeros moved into the power.
struct Scaled {
  std::string digits;
  int exponent = 0;
};

Scaled scaled(const Measured& measured) {
  Scaled result{measured.number.digits, measured.number.exponent + measured.unit.exponent10};
  while (!result.digits.empty() && result.digits.back() == '0') {
    result.digits.pop_back();
    ++result.exponent;
  }
  return result;
}

Wide mantissa_of(const Scaled& number, const Unit& unit) {
  Wide value = 0;
  for (const char digit : number.digits) {
    value = value * 10 + (digit - '0');
  }
  return value * unit.times * (Wide{1} << unit.exponent2);
}

// The whole number of base units, exactly: 0.1 GB is 100,000,000 B, not what a double makes of it.
Parsed<std::int64_t> whole_units(std::string_view text, const Measured& measured, Fraction fraction,
                                 const Wanted& expected, std::string_view base) {
  const Scaled number = scaled(measured);
  if (number.digits.size() > 19) {
    return fault(text, "has more than 19 digits", expected);
  }
  // At most 10^19 x 2^50 or 10^19 x 3600: inside 128 bits, and a further 10^18 only on top of a 64-bit value.
  const Wide mantissa = mantissa_of(number, measured.unit);
  const bool is_too_large = mantissa != 0 && number.exponent >= 0 && (number.exponent > 18 || mantissa > INT64_MAX);
  const Wide multiplier = power_of_ten(is_too_large ? 0 : std::clamp(number.exponent, 0, 18));
  const Wide divisor = power_of_ten(std::clamp(-number.exponent, 0, 36));
  const bool is_whole = mantissa % divisor == 0;
  if (!is_whole && fraction == Fraction::refuse) {
    return fault(text, fmt::format("is not a whole number of {}", base), expected);
  }
  const Wide value = mantissa * multiplier / divisor + (is_whole ? 0 : 1);
  if (is_too_large || value > INT64_MAX) {
    return fault(text, "is too large", expected);
  }
  return static_cast<std::int64_t>(value);
}

// Correctly rounded, because the unit's power of ten goes into the text before it is read.
Parsed<double> real_units(std::string_view text, const Decimal& number, const Unit& unit, const Wanted& expected) {
  if (number.digits.empty()) {
    return 0.0;
  }
  const std::string digits = fmt::format("{}e{}", number.digits, number.exponent + unit.exponent10);
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc{}) {
    return fault(text, "is out of range", expected);
  }
  value = std::ldexp(value * static_cast<double>(unit.times), unit.exponent2);
  return number.is_negative ? -value : value;
}

Parsed<double> read_rate(std::string_view text, std::span<const Unit> units, const Wanted& expected) {
  const Parsed<Measured> measured = read_measured(text, units, expected);
  if (!measured) {
    return tl::unexpected<UnitError>(measured.error());
  }
  return real_units(text, measured->number, measured->unit, expected);
}

Parsed<std::int64_t> read_whole(std::string_view text, std::span<const Unit> units, Fraction fraction,
                                const Wanted& expected, std::string_view base) {
  const Parsed<Measured> measured = read_measured(text, units, expected);
  if (!measured) {
    return tl::unexpected<UnitError>(measured.error());
  }
  return whole_units(text, *measured, fraction, expected, base);
}

bool is_bits(std::string_view text) {
  const Parsed<Decimal> number = read_decimal(text, kAnything);
  return number && (number->rest == "b" || number->rest == "kb" || number->rest == "Mb" || number->rest == "Gb" ||
                    number->rest == "Tb" || number->rest.ends_with("bit"));
}

}  // namespace

Parsed<Bytes> parse_bytes(std::string_view text) {
  if (is_bits(text)) {
    return fault(text, "is in bits; a size is in bytes", kBytes);
  }
  return read_whole(text, byte_units(), Fraction::refuse, kBytes, "bytes").map(&Bytes::of);
}

Parsed<Duration> parse_duration(std::string_view text) {
  return read_whole(text, duration_units(), Fraction::round_up, kDuration, "femtoseconds")
      .map(&Duration::of_femtoseconds);
}

Parsed<Bandwidth> parse_bandwidth(std::string_view text) {
  return read_rate(text, bandwidth_units(), kBandwidth).map([](double v) { return Bandwidth::per_second(v); });
}

Parsed<Frequency> parse_frequency(std::string_view text) {
  return read_rate(text, frequency_units(), kFrequency).map([](double v) { return Frequency::per_second(v); });
}

Parsed<FlopRate> parse_flop_rate(std::string_view text) {
  return read_rate(text, flop_rate_units(), kFlopRate).map([](double v) { return FlopRate::per_second(v); });
}

Parsed<std::int64_t> parse_tokens(std::string_view text) {
  return read_whole(text, token_units(), Fraction::refuse, kTokens, "tokens");
}

Parsed<double> parse_ratio(std::string_view text) {
  const Parsed<Decimal> number = read_decimal(text, kRatio);
  if (!number) {
    return tl::unexpected<UnitError>(number.error());
  }
  if (number->rest.empty()) {
    return real_units(text, *number, Unit{}, kRatio);
  }
  if (number->rest != "%") {
    return fault(text, "is not a ratio", kRatio);
  }
  return real_units(text, *number, Unit{"%", 1, -2}, kRatio);
}

Parsed<std::int64_t> parse_integer(std::string_view text) {
  const Parsed<Decimal> number = read_decimal(text, kInteger);
  if (!number) {
    return tl::unexpected<UnitError>(number.error());
  }
  std::string_view digits = trimmed(text);
  digits.remove_prefix(digits.front() == '+' ? 1 : 0);
  std::int64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    return fault(text, "is too large", kInteger);
  }
  if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size()) {
    return fault(text, "is not a whole number", kInteger);
  }
  return value;
}

Parsed<double> parse_number(std::string_view text) {
  const Parsed<Decimal> number = read_decimal(text, kNumber);
  if (!number) {
    return tl::unexpected<UnitError>(number.error());
  }
  if (!number->rest.empty()) {
    return fault(text, "is not a number", kNumber);
  }
  return real_units(text, *number, Unit{}, kNumber);
}

Parsed<bool> parse_flag(std::string_view text) {
  if (text == "true" || text == "false") {
    return text == "true";
  }
  const std::string word = lower(trimmed(text));
  const bool means_true = word == "yes" || word == "on" || word == "y" || word == "true" || word == "1";
  const bool means_false = word == "no" || word == "off" || word == "n" || word == "false" || word == "0";
  if (!means_true && !means_false) {
    return fault(text, "is not true or false", Wanted{"true or false"});
  }
  return fault(text, "is not true or false",
               Wanted{means_true ? "true or false; write true" : "true or false; write false"});
}

}  // namespace kvtraffic::sim
