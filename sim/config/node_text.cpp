// Node to YAML text: block style, with short leaf maps and lists on one line.
// Leaves out comments, anchors and the writer's own layout: only the tree survives.
#include <fmt/format.h>

#include <algorithm>

#include "sim/config/node.hpp"
#include "sim/config/utf8.hpp"

namespace kvtraffic::sim {
namespace {

constexpr std::size_t kFlowWidth = 80;         // a longer map or list gets one line per member
constexpr std::size_t kSimpleKeyLimit = 1000;  // YAML allows 1024 characters before the ':' of a plain key

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

bool may_begin(std::string_view text) {
  const char first = text.front();
  const bool is_sign = first == '-' || first == '+' || first == '.' || first == '/';
  return is_word(first) || (is_sign && text.size() > 1 && is_word(text[1]));
}

// True when the text can stand without quotes in every position, flow style included. Errs towards quotes.
bool is_plain(std::string_view text) {
  if (text.empty() || !may_begin(text) || text.back() == ' ') {
    return false;
  }
  if (text == "null" || text == "Null" || text == "NULL") {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_inner_colon = text[i] == ':' && i + 1 < text.size() && (is_word(text[i + 1]) || text[i + 1] == '/');
    const bool is_harmless = std::string_view(" -.+/%@()*=<>~^;$").find(text[i]) != std::string_view::npos;
    if (!is_word(text[i]) && !is_inner_colon && !is_harmless) {
      return false;
    }
  }
  return true;
}

std::string escaped(std::string_view text, const CodePoint& point) {
  switch (point.value) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    default:
      break;
  }
  const auto value = static_cast<std::uint32_t>(point.value);
  if (!is_unprintable(point.value)) {
    return std::string(text);
  }
  return value < 0x100 ? fmt::format("\\x{:02x}", value) : fmt::format("\\u{:04x}", value);
}

std::string double_quoted(std::string_view text) {
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    result += escaped(text.substr(at, point.size), point);
    at += point.size;
  }
  return result + "\"";
}

std::string scalar_text(const Node& node) {
  if (node.is_null()) {
    return "null";
  }
  return node.quoted() || !is_plain(node.text()) ? double_quoted(node.text()) : node.text();
}

std::string key_text(const std::string& key) { return is_plain(key) && key != "<<" ? key : double_quoted(key); }

bool is_leaf(const Node& node) { return node.is_null() || node.is_scalar(); }

std::string flow_list(const Node& node) {
  std::string text;
  for (const Node& item : node.items()) {
    text += (text.empty() ? "" : ", ") + scalar_text(item);
  }
  return "[" + text + "]";
}

std::string flow_map(const Node& node) {
  std::string text;
  for (const Node::Member& member : node.members()) {
    text += (text.empty() ? "" : ", ") + key_text(member.key) + ": " + scalar_text(member.value);
  }
  return "{" + text + "}";
}

// The text on one line, or "" when the node is too deep or too long for one.
std::string one_line(const Node& node) {
  if (is_leaf(node)) {
    return scalar_text(node);
  }
  const bool has_leaves_only =
      std::ranges::all_of(node.items(), is_leaf) &&
      std::ranges::all_of(node.members(), [](const Node::Member& member) { return is_leaf(member.value); });
  if (!has_leaves_only) {
    return "";
  }
  std::string text = node.is_list() ? flow_list(node) : flow_map(node);
  return text.size() <= kFlowWidth ? text : "";
}

class Writer {
 public:
  // A root map or list always gets its lines; anything else is one scalar.
  void write_root(const Node& node) {
    if (is_leaf(node) || (node.items().empty() && node.members().empty())) {
      text_ = one_line(node) + "\n";
      return;
    }
    write_block(node, 0);
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void write_block(const Node& node, std::size_t indent) {
    for (const Node& item : node.items()) {
      begin_line(indent);
      text_ += "-";
      write_after_dash(item, indent);
    }
    for (const Node::Member& member : node.members()) {
      begin_line(indent);
      write_member(member, indent);
    }
  }

  void write_after_dash(const Node& item, std::size_t indent) {
    const std::string line = one_line(item);
    if (!line.empty()) {
      text_ += " " + line + "\n";
      return;
    }
    text_ += " ";
    is_line_begun_ = true;
    write_block(item, indent + 2);
  }

  void write_member(const Node::Member& member, std::size_t indent) {
    const std::string key = key_text(member.key);
    if (key.size() <= kSimpleKeyLimit) {
      text_ += key + ":";
    } else {
      text_ += "? " + key + "\n" + std::string(indent, ' ') + ":";
    }
    const std::string line = one_line(member.value);
    text_ += line.empty() ? "\n" : " " + line + "\n";
    if (line.empty()) {
      write_block(member.value, indent + 2);
    }
  }

  void begin_line(std::size_t indent) {
    if (!is_line_begun_) {
      text_.append(indent, ' ');
    }
    is_line_begun_ = false;
  }

  std::string text_;
  bool is_line_begun_ = false;  // the block's first line continues behind "- "
};

}  // namespace

std::string to_yaml(const Node& node) {
  Writer writer;
  writer.write_root(node);
  return writer.take();
}

}  // namespace kvtraffic::sim
