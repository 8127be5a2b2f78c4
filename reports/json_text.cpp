// The JSON grammar of RFC 8259, writing side.
// Leaves out escapes that nobody needs: everything outside control characters, quote and backslash goes out as UTF-8.
#include "reports/json_text.hpp"

#include <charconv>
#include <cmath>
#include <iterator>

#include "reports/display.hpp"
#include "sim/config/utf8.hpp"

namespace kvtraffic::reports {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes leading digits; false when there is none.
bool take_digits(std::string_view& text) {
  if (text.empty() || !is_digit(text.front())) return false;
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  return true;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool matches_number_grammar(std::string_view text) {
  take(text, "-");
  if (!take(text, "0") && !take_digits(text)) return false;
  if (take(text, ".") && !take_digits(text)) return false;
  if (take(text, "eE")) {
    take(text, "+-");
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

}  // namespace

bool is_json_number(std::string_view text) {
  if (!matches_number_grammar(text)) return false;
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && std::isfinite(value);
}

void JsonText::separate() {
  if (!first_ && !after_key_) out_->push_back(',');
  first_ = false;
  after_key_ = false;
}

void JsonText::open(char bracket) {
  separate();
  out_->push_back(bracket);
  first_ = true;
}

void JsonText::close(char bracket) {
  out_->push_back(bracket);
  first_ = false;
}

void JsonText::key(std::string_view name) {
  separate();
  quoted(name);
  out_->push_back(':');
  after_key_ = true;
}

void JsonText::text(std::string_view value) {
  separate();
  quoted(value);
}

void JsonText::integer(std::int64_t value) {
  separate();
  fmt::format_to(std::back_inserter(*out_), "{}", value);
}

void JsonText::number(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  fmt::format_to(std::back_inserter(*out_), "{}", value == 0 ? 0.0 : value);
}

void JsonText::null() {
  separate();
  add("null");
}

void JsonText::node(const sim::Node& value) {
  switch (value.kind()) {
    case sim::Node::Kind::null:
      return null();
    case sim::Node::Kind::scalar:
      return scalar(value);
    case sim::Node::Kind::list:
      begin_array();
      for (const sim::Node& item : value.items()) node(item);
      return end_array();
    case sim::Node::Kind::map:
      begin_object();
      for (const sim::Node::Member& member : value.members()) {
        key(member.key);
        node(member.value);
      }
      return end_object();
  }
}

void JsonText::field(std::string_view name, std::string_view value) {
  key(name);
  text(value);
}

void JsonText::field(std::string_view name, std::int64_t value) {
  key(name);
  integer(value);
}

void JsonText::field(std::string_view name, double value) {
  key(name);
  number(value);
}

void JsonText::scalar(const sim::Node& value) {
  const std::string& plain = value.text();
  const bool literal = plain == "true" || plain == "false" || is_json_number(plain);
  if (value.quoted() || !literal) return text(plain);
  separate();
  add(plain);
}

void JsonText::quoted(std::string_view text) {
  out_->push_back('"');
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = plain_prefix(text.substr(at));
    add(text.substr(at, plain));
    at += plain;
    if (at == text.size()) break;
    const sim::CodePoint c = sim::code_point_at(text, at);
    escaped(c.is_valid ? c.value : 0xFFFD, c.is_valid ? text.substr(at, c.size) : "\xEF\xBF\xBD");
    at += c.size;
  }
  out_->push_back('"');
}

// `bytes` is the code point as UTF-8.
void JsonText::escaped(char32_t value, std::string_view bytes) {
  if (value == '"' || value == '\\') {
    out_->push_back('\\');
    return add(bytes);
  }
  if (value == '\n') return add("\\n");
  if (value == '\t') return add("\\t");
  if (value >= 0x20 && value != 0x7F) return add(bytes);
  fmt::format_to(std::back_inserter(*out_), "\\u{:04x}", static_cast<unsigned>(value));
}

}  // namespace kvtraffic::reports
