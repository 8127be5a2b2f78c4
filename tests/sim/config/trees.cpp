// Reading, comparing and making trees for the configuration tests.
// Leaves out the tests.
#include "tests/sim/config/trees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/config/yaml.hpp"

namespace kvtraffic::sim::testing {
namespace {

rc::Gen<std::string> random_text() {
  const auto awkward = rc::gen::element<std::string>(
      "", " ", "null", "~", "Null", "NULL", "true", "yes", "1e3", "0x10", "-", "- a", "?", "? a", ":", "a: b", "a:b",
      "a:", "#", "a #b", "a#b", "'", "\"", "it's", "\\", " leading", "trailing ", "a\nb", "\n", "a\n", "\ta", "a\tb",
      "[", "]", "{a}", "a, b", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "<<", "=", "---", "...", "...a", "--- a",
      "é", "日本", "\xF0\x9F\x98\x80", "\xC2\x85", "\xE2\x80\xA8", "\xEF\xBB\xBF", "\x01", "\x7f", "4.8 TB/s", "128K",
      "12:30", "http://a.b/c?d=e", "~/file", "a  b", "-1", "+1", ".5", "./a", "1_000", "2024-01-01", "a\\nb", "\r",
      "a\r\nb");
  const auto noise = rc::gen::container<std::string>(
      rc::gen::element(' ', 'a', 'Z', '0', ':', '#', '-', '\'', '"', '\\', ',', '[', ']', '{', '}', '\n', '\t', '&',
                       '*', '!', '|', '>', '%', '@', '?', '.', '=', '<', '~', '/'));
  return rc::gen::oneOf(awkward, noise);
}

rc::Gen<Node> random_leaf() {
  return rc::gen::map(rc::gen::tuple(random_text(), rc::gen::inRange(0, 8), rc::gen::arbitrary<bool>()),
                      [](const std::tuple<std::string, int, bool>& parts) {
                        const auto& [text, kind, quoted] = parts;
                        return kind == 0 ? Node{} : Node::scalar(text, {}, quoted);
                      });
}

rc::Gen<Node> random_node(int depth);

rc::Gen<Node> random_list(int depth) {
  return rc::gen::map(rc::gen::resize(4, rc::gen::container<std::vector<Node>>(random_node(depth))),
                      [](std::vector<Node> items) { return Node::list(std::move(items)); });
}

rc::Gen<Node> random_map_of(int depth) {
  const auto members =
      rc::gen::container<std::vector<std::pair<std::string, Node>>>(rc::gen::pair(random_text(), random_node(depth)));
  return rc::gen::map(rc::gen::resize(4, members), [](std::vector<std::pair<std::string, Node>> pairs) {
    Node map = Node::map({});
    for (auto& [key, value] : pairs) {
      map.set(key, std::move(value));
    }
    return map;
  });
}

rc::Gen<Node> random_node(int depth) {
  if (depth == 0) {
    return random_leaf();
  }
  return rc::gen::oneOf(random_leaf(), random_list(depth - 1), random_map_of(depth - 1));
}

}  // namespace

Node read_or_fail(std::string text) {
  Diagnostics diagnostics;
  Node node = read_yaml(std::move(text), "s.yaml", diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
  return node;
}

std::string faults_of_text(std::string text) {
  Diagnostics diagnostics;
  (void)read_yaml(std::move(text), "s.yaml", diagnostics);
  return diagnostics.render();
}

std::string faults_against(std::string text, const Table& table) {
  Diagnostics diagnostics;
  check(read_or_fail(std::move(text)), table, diagnostics);
  return diagnostics.render();
}

bool same_tree(const Node& a, const Node& b) {
  const auto same_member = [](const Node::Member& x, const Node::Member& y) {
    return x.key == y.key && same_tree(x.value, y.value);
  };
  return a.kind() == b.kind() && a.text() == b.text() && std::ranges::equal(a.items(), b.items(), same_tree) &&
         std::ranges::equal(a.members(), b.members(), same_member);
}

rc::Gen<Node> random_map() { return random_map_of(3); }

}  // namespace kvtraffic::sim::testing
