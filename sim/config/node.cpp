// The tree itself: building, finding by dotted path, laying one tree on another.
// Leaves out text: yaml.cpp reads it, node_text.cpp writes it.
#include "sim/config/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace kvtraffic::sim {
namespace {

// One step of a dotted path, and what is left after it.
struct Step {
  std::string_view key;
  std::string_view rest;  // begins with '[' when an index follows
};

std::string_view without_dot(std::string_view path) { return path.starts_with('.') ? path.substr(1) : path; }

bool is_step_end(std::string_view path, std::size_t at) {
  return at == path.size() || path[at] == '.' || path[at] == '[';
}

// The members whose key begins `path`. A key may hold dots itself ("sweep: {workload.context: ...}").
bool begins_with_key(std::string_view path, const std::string& key) {
  return !key.empty() && path.starts_with(key) && is_step_end(path, key.size());
}

Step first_step(std::string_view path) {
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  return {path.substr(0, end), without_dot(path.substr(end))};
}

// Reads "[3]" at the head of `path`; false when there is none.
bool take_index(std::string_view& path, std::size_t& index) {
  const std::size_t close = path.find(']');
  if (!path.starts_with('[') || close == std::string_view::npos || !is_step_end(path, close + 1)) {
    return false;
  }
  const auto result = std::from_chars(path.data() + 1, path.data() + close, index);
  if (result.ec != std::errc{} || result.ptr != path.data() + close) {
    return false;
  }
  path = without_dot(path.substr(close + 1));
  return true;
}

const Node* found_below(const Node& node, std::string_view path) {
  if (path.empty()) {
    return &node;
  }
  if (node.is_list()) {
    std::size_t index = 0;
    return take_index(path, index) && index < node.items().size() ? found_below(node.items()[index], path) : nullptr;
  }
  for (const Node::Member& member : node.members()) {
    if (begins_with_key(path, member.key)) {
      if (const Node* found = found_below(member.value, without_dot(path.substr(member.key.size())))) {
        return found;
      }
    }
  }
  return nullptr;
}

// The longest existing key at the head of `path`, else its first segment.
Step step_into(const Node& node, std::string_view path) {
  Step step = first_step(path);
  for (const Node::Member& member : node.members()) {
    if (member.key.size() > step.key.size() && begins_with_key(path, member.key)) {
      step = {path.substr(0, member.key.size()), without_dot(path.substr(member.key.size()))};
    }
  }
  return step;
}

}  // namespace

Node Node::scalar(std::string text, Mark mark, bool quoted) {
  Node node;
  node.kind_ = Kind::scalar;
  node.quoted_ = quoted;
  node.text_ = std::move(text);
  node.mark_ = std::move(mark);
  return node;
}

Node Node::list(std::vector<Node> items, Mark mark) {
  Node node;
  node.kind_ = Kind::list;
  node.items_ = std::move(items);
  node.mark_ = std::move(mark);
  return node;
}

Node Node::map(std::vector<Member> members, Mark mark) {
  Node node;
  node.kind_ = Kind::map;
  node.members_ = std::move(members);
  node.mark_ = std::move(mark);
  return node;
}

const Node* Node::find(std::string_view key) const {
  const auto found = std::ranges::find(members_, key, &Member::key);
  return found == members_.end() ? nullptr : &found->value;
}

const Node* Node::find_path(std::string_view dotted) const { return found_below(*this, dotted); }

void Node::set(std::string_view key, Node value, Mark key_mark) {
  if (!is_map()) {
    *this = map({}, mark_);
  }
  const auto found = std::ranges::find(members_, key, &Member::key);
  if (found == members_.end()) {
    members_.push_back({std::string(key), std::move(key_mark), std::move(value)});
    return;
  }
  found->key_mark = std::move(key_mark);
  found->value = std::move(value);
}

void Node::remove(std::string_view key) {
  std::erase_if(members_, [&](const Member& member) { return member.key == key; });
}

void Node::set_path(std::string_view dotted, Node value) {
  Node* at = this;
  std::string_view path = dotted;
  while (!path.empty()) {
    if (path.starts_with('[')) {
      std::size_t index = 0;
      if (!take_index(path, index) || index >= at->items_.size()) {
        throw std::out_of_range(fmt::format("'{}' names a list item that does not exist", dotted));
      }
      at = &at->items_[index];
      continue;
    }
    const Step step = step_into(*at, path);
    if (at->find(step.key) == nullptr) {
      at->set(step.key, Node{}, value.mark());
    }
    at = &std::ranges::find(at->members_, step.key, &Member::key)->value;
    path = step.rest;
  }
  *at = std::move(value);
}

Node merged(const Node& base, const Node& over) {
  if (!base.is_map() || !over.is_map()) {
    return over;
  }
  Node result = Node::map(base.members(), over.mark().file ? over.mark() : base.mark());
  for (const Node::Member& member : over.members()) {
    const Node* below = base.find(member.key);
    result.set(member.key, below ? merged(*below, member.value) : member.value, member.key_mark);
  }
  return result;
}

}  // namespace kvtraffic::sim
