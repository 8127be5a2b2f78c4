// A tree of configuration text with the place of every key and value. Untyped: only a Table (table.hpp) gives meaning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/config/diagnostics.hpp"
#include "sim/config/source.hpp"

namespace kvtraffic::sim {

class Node {
 public:
  enum class Kind { null, scalar, list, map };
  struct Member;

  Node() = default;  // null, nowhere
  [[nodiscard]] static Node scalar(std::string text, Mark mark = {}, bool quoted = false);
  [[nodiscard]] static Node list(std::vector<Node> items, Mark mark = {});
  [[nodiscard]] static Node map(std::vector<Member> members, Mark mark = {});

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_null() const { return kind_ == Kind::null; }
  [[nodiscard]] bool is_scalar() const { return kind_ == Kind::scalar; }
  [[nodiscard]] bool is_list() const { return kind_ == Kind::list; }
  [[nodiscard]] bool is_map() const { return kind_ == Kind::map; }
  [[nodiscard]] bool quoted() const { return quoted_; }
  [[nodiscard]] const std::string& text() const { return text_; }                // of a scalar; "" otherwise
  [[nodiscard]] const std::vector<Node>& items() const { return items_; }        // of a list
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }  // of a map, in file order
  [[nodiscard]] const Mark& mark() const { return mark_; }

  [[nodiscard]] const Node* find(std::string_view key) const;          // nullptr when absent or not a map
  [[nodiscard]] const Node* find_path(std::string_view dotted) const;  // "workload.context", "layers[2].kind"

  // Sets a member, replacing one of the same name. A node that is not a map becomes one.
  void set(std::string_view key, Node value, Mark key_mark = {});
  void remove(std::string_view key);
  // Sets a nested value, making maps on the way. "a.b.c" only; a list index on the way must exist.
  void set_path(std::string_view dotted, Node value);

 private:
  Kind kind_ = Kind::null;
  bool quoted_ = false;
  std::string text_;
  std::vector<Node> items_;
  std::vector<Member> members_;
  Mark mark_;
};

struct Node::Member {
  std::string key;
  Mark key_mark;
  Node value;
};

// `over` laid on `base`: maps merge key by key, everything else is replaced. Marks stay with their values.
[[nodiscard]] Node merged(const Node& base, const Node& over);

// YAML text that reads back as the same tree (block style; short leaf maps and lists in flow style).
[[nodiscard]] std::string to_yaml(const Node& node);

}  // namespace kvtraffic::sim
