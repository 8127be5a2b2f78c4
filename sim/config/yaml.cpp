// YAML text to Node, by yaml-cpp's events. The only file that includes yaml-cpp.
// Leaves out meaning: "64" stays a text until a Table asks for a number.
#include "sim/config/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <system_error>
#include <unordered_map>

#include "sim/config/io_error.hpp"
#include "sim/config/places.hpp"
#include "sim/config/utf8.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::sim {
namespace {

constexpr std::size_t kLargestText = 16U << 20U;
constexpr std::size_t kMostNodes = 200'000;
constexpr std::size_t kDeepest = 64;
// yaml-cpp keeps every open bracket of a line in memory before it reports the first; this keeps the run short.
constexpr int kMostOpenBrackets = 10'000;

// Stops the parser from inside an event.
struct Refused {
  Mark where;
  std::string message;
  std::string expected;
};

[[noreturn]] void refuse_depth(Mark where) {
  throw Refused{std::move(where), fmt::format("nested more than {} levels deep", kDeepest), ""};
}

// A finished value, with what a copy of it would cost.
struct Branch {
  Node node;
  std::size_t nodes = 1;
  std::size_t text = 0;    // bytes of its scalars
  std::size_t height = 0;  // levels of lists and maps
};

// A list or map whose end has not come.
struct Open {
  bool is_map = false;
  Mark mark;
  YAML::anchor_t anchor = 0;
  std::vector<Node> items;
  std::vector<Node::Member> members;
  std::unordered_map<std::string, int> lines;  // of the keys so far
  std::optional<Node> key;                     // read, its value not yet
  bool is_dropped = false;                     // the key is faulty: its value counts for nothing
  Branch so_far;                               // counts only
};

// Builds the tree from events and refuses what this project does not read.
class Builder : public YAML::EventHandler {
 public:
  Builder(Places& places, Diagnostics& diagnostics) : places_(places), diagnostics_(diagnostics) {}

  [[nodiscard]] Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      refuse_second(mark);
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, false);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, true);
  }
  void OnMapEnd() override { end(); }

 private:
  [[nodiscard]] Mark mark_at(const YAML::Mark& mark) {
    return places_.at_offset(places_.offset(mark.line, mark.column));
  }
  [[nodiscard]] bool expects_key() const { return !open_.empty() && open_.back().is_map && !open_.back().key; }
  void begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool is_map);
  void end();
  void refuse_second(const YAML::Mark& mark);
  void refuse_tag(const YAML::Mark& mark, const std::string& tag);
  void count(const Branch& branch, const Mark& where);
  void remember(YAML::anchor_t anchor, const Branch& branch, const Mark& where);
  void take_key(Node key, bool may_merge);
  void attach(Branch branch);
  static void attach_member(Open& parent, Node value);

  Places& places_;
  Diagnostics& diagnostics_;
  Node root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Branch> anchors_;
  std::size_t nodes_ = 0;
  std::size_t text_ = 0;
  std::size_t remembered_ = 0;
  int documents_ = 0;
};

// yaml-cpp takes text behind a finished value for a new document as well.
void Builder::refuse_second(const YAML::Mark& mark) {
  const std::string_view rest = places_.text().substr(places_.offset(mark.line, mark.column));
  const std::string_view what =
      rest.starts_with("---") ? "a second document begins here" : "text after the end of the value";
  throw Refused{mark_at(mark), std::string(what), "one document per file"};
}

void Builder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (expects_key()) {
    throw Refused{mark_at(mark), "a key must not be empty", "a name: 'key: value'"};
  }
  const Branch branch;
  count(branch, mark_at(mark));
  remember(anchor, branch, mark_at(mark));
  attach(branch);
}

void Builder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Mark where = mark_at(mark);
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    throw Refused{where, "an alias stands inside the value that it repeats", ""};
  }
  if (open_.size() + found->second.height > kDeepest) {
    refuse_depth(where);
  }
  count(found->second, where);
  if (!expects_key()) {
    attach(found->second);
    return;
  }
  if (!found->second.node.is_scalar()) {
    throw Refused{where, "a key must be a plain name", "a name: 'key: value'"};
  }
  take_key(Node::scalar(found->second.node.text(), where), false);
}

void Builder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       const std::string& value) {
  refuse_tag(mark, tag);
  const bool is_quoted = tag != "?" && !tag.empty();
  const Branch branch{Node::scalar(value, mark_at(mark), is_quoted), 1, value.size(), 0};
  count(branch, branch.node.mark());
  remember(anchor, branch, branch.node.mark());
  if (expects_key()) {
    take_key(branch.node, !is_quoted);
  } else {
    attach(branch);
  }
}

void Builder::begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool is_map) {
  refuse_tag(mark, tag);
  const Mark where = mark_at(mark);
  if (expects_key()) {
    throw Refused{where, fmt::format("a key must be a plain name, found a {}", is_map ? "map" : "list"),
                  "a name: 'key: value'"};
  }
  if (open_.size() >= kDeepest) {
    refuse_depth(where);
  }
  count(Branch{}, where);
  Open& open = open_.emplace_back();
  open.is_map = is_map;
  open.mark = where;
  open.anchor = anchor;
}

void Builder::end() {
  Open open = std::move(open_.back());
  open_.pop_back();
  Branch branch = std::move(open.so_far);
  ++branch.height;
  branch.node =
      open.is_map ? Node::map(std::move(open.members), open.mark) : Node::list(std::move(open.items), open.mark);
  remember(open.anchor, branch, open.mark);
  attach(std::move(branch));
}

// yaml-cpp gives "?" to plain values and "!" to quoted ones; "!" may also be written out.
void Builder::refuse_tag(const YAML::Mark& mark, const std::string& tag) {
  const std::size_t at = places_.offset(mark.line, mark.column);
  const bool is_written = at < places_.text().size() && places_.text()[at] == '!';
  if (tag.empty() || tag == "?" || (tag == "!" && !is_written)) {
    return;
  }
  diagnostics_.error(mark_at(mark), "", fmt::format("tag {} is not supported", in_quotes(tag)),
                     "the value without a tag; quotes make a text of a number");
}

void Builder::count(const Branch& branch, const Mark& where) {
  nodes_ += branch.nodes;
  text_ += branch.text;
  if (nodes_ > kMostNodes || text_ > 2 * kLargestText) {
    throw Refused{where, fmt::format("more than {} values once the aliases are expanded", kMostNodes), ""};
  }
}

void Builder::remember(YAML::anchor_t anchor, const Branch& branch, const Mark& where) {
  if (anchor == YAML::NullAnchor) {
    return;
  }
  remembered_ += branch.nodes;  // anchors within anchors are kept twice
  if (remembered_ > kMostNodes) {
    throw Refused{where, fmt::format("more than {} values once the aliases are expanded", kMostNodes), ""};
  }
  anchors_[anchor] = branch;
}

void Builder::take_key(Node key, bool may_merge) {
  Open& parent = open_.back();
  parent.is_dropped = may_merge && key.text() == "<<";
  if (parent.is_dropped) {
    diagnostics_.error(key.mark(), "", "merge keys '<<' are not supported",
                       "'extends: NAME' to build on another entry");
  } else {
    const auto [first, is_new] = parent.lines.try_emplace(key.text(), key.mark().line);
    parent.is_dropped = !is_new;
    if (!is_new) {
      diagnostics_.error(key.mark(), "",
                         fmt::format("duplicate key {}, first given on line {}", in_quotes(key.text()), first->second));
    }
  }
  parent.key = std::move(key);
}

void Builder::attach(Branch branch) {
  if (open_.empty()) {
    root_ = std::move(branch.node);
    return;
  }
  Open& parent = open_.back();
  parent.so_far.nodes += branch.nodes;
  parent.so_far.text += branch.text;
  parent.so_far.height = std::max(parent.so_far.height, branch.height);
  if (parent.is_map) {
    attach_member(parent, std::move(branch.node));
  } else {
    parent.items.push_back(std::move(branch.node));
  }
}

// A merge key and a key that was given before are dropped; the fault is already reported.
void Builder::attach_member(Open& parent, Node value) {
  const Node key = std::move(*parent.key);
  parent.key.reset();
  if (parent.is_dropped) {
    return;
  }
  parent.members.push_back({key.text(), key.mark(), std::move(value)});
}

// Line ends as "\n" and no byte order mark, so that lines and columns are those that an editor shows.
std::string normalized(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  text.remove_prefix(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) != "\r\n") {
      result += text[at];
    }
  }
  return result;
}

// Bytes that no text has, and brackets without end: found before yaml-cpp sees them.
void refuse_non_text(Places& places) {
  const std::string_view text = places.text();
  int brackets = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const bool is_control = (point.value < 0x20 && point.value != '\t' && point.value != '\n') ||
                            (point.value >= 0x7F && point.value < 0xA0 && point.value != 0x85);
    if (!point.is_valid) {
      throw Refused{places.at_offset(at),
                    fmt::format("not a text file: byte 0x{:02X} is not UTF-8", static_cast<unsigned>(point.value)),
                    "text in UTF-8"};
    }
    if (is_control) {
      throw Refused{places.at_offset(at),
                    fmt::format("not a text file: control character 0x{:02X}", static_cast<unsigned>(point.value)),
                    "text in UTF-8"};
    }
    brackets += point.value == '[' || point.value == '{' ? 1 : 0;
    brackets -= brackets > 0 && (point.value == ']' || point.value == '}') ? 1 : 0;
    if (brackets > kMostOpenBrackets) {
      refuse_depth(places.at_offset(at));
    }
    at += point.size;
  }
}

// What helps, for the faults that people make most.
std::string advice(const std::string& message) {
  if (message == YAML::ErrorMsg::TAB_IN_INDENTATION) {
    return "blanks, not tabs, before a key";
  }
  if (message == YAML::ErrorMsg::MAP_VALUE) {
    return "one 'key: value' per line; a text that holds ': ' in quotes";
  }
  if (message == YAML::ErrorMsg::UNKNOWN_TOKEN) {
    return "a text that begins with '@', '`' or '%' in quotes";
  }
  if (message == YAML::ErrorMsg::END_OF_MAP_FLOW) {
    return "'}' or ',' between members";
  }
  if (message == YAML::ErrorMsg::END_OF_SEQ_FLOW) {
    return "']' or ',' between items";
  }
  if (message == YAML::ErrorMsg::END_OF_MAP || message == YAML::ErrorMsg::END_OF_SEQ) {
    return "the same indentation as the lines above";
  }
  return "";
}

Node parse(Places& places, Diagnostics& diagnostics) {
  refuse_non_text(places);
  std::istringstream stream{std::string(places.text())};
  YAML::Parser parser(stream);
  Builder builder(places, diagnostics);
  try {
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::ParserException& fault) {
    const Mark where = places.at_offset(places.offset(fault.mark.line, fault.mark.column));
    throw Refused{where, "not valid YAML: " + fault.msg, advice(fault.msg)};
  }
  return builder.take();
}

}  // namespace

Node read_yaml(std::string text, std::string name, Diagnostics& diagnostics) {
  if (text.size() > kLargestText) {
    auto file = std::make_shared<const SourceFile>(SourceFile{std::move(name), ""});
    diagnostics.error({std::move(file), 0, 0}, "", "the file is larger than 16 MiB");
    return {};
  }
  Places places(std::make_shared<const SourceFile>(SourceFile{std::move(name), normalized(text)}));
  const std::size_t faults_before = diagnostics.all().size();
  try {
    Node root = parse(places, diagnostics);
    if (root.is_null() && diagnostics.all().size() == faults_before) {
      diagnostics.error(places.whole_file(), "", "the file is empty");
    }
    return root;
  } catch (Refused& refused) {
    diagnostics.error(std::move(refused.where), "", std::move(refused.message), std::move(refused.expected));
  }
  return {};
}

namespace {

std::string read_all(std::istream& stream, const std::string& name) {
  std::string text(kLargestText + 1, '\0');  // one byte more than read_yaml takes, so that it can say so
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) {
    throw IoError(fmt::format("cannot read {}: {}", in_quotes(name), std::generic_category().message(errno)));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace

Node read_yaml_file(const std::string& path, Diagnostics& diagnostics) {
  if (path == "-") {
    return read_yaml(read_all(std::cin, "<stdin>"), "<stdin>", diagnostics);
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw IoError(fmt::format("cannot read {}: it is a folder", in_quotes(path)));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw IoError(fmt::format("cannot open {}: {}", in_quotes(path), std::generic_category().message(errno)));
  }
  return read_yaml(read_all(stream, path), path, diagnostics);
}

}  // namespace kvtraffic::sim
