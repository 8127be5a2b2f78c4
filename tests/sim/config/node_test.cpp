// The tree: finding, setting, laying one on another, and writing it as YAML.
// Leaves out what reading refuses (yaml_test.cpp).
#include "sim/config/node.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "sim/config/yaml.hpp"
#include "tests/sim/config/trees.hpp"

namespace kvtraffic::sim {
namespace {

using testing::random_map;
using testing::read_or_fail;
using testing::same_tree;

std::string text_at(const Node& node, std::string_view path) {
  const Node* found = node.find_path(path);
  return found == nullptr ? "(absent)" : found->text();
}

TEST(Node, FindsByDottedPath) {
  const Node node = read_or_fail("a: {b: {c: 1}}\nlayers: [{kind: x}, {kind: y, sizes: [7, 8]}]\n");
  EXPECT_EQ(text_at(node, "a.b.c"), "1");
  EXPECT_EQ(text_at(node, "layers[1].kind"), "y");
  EXPECT_EQ(text_at(node, "layers[1].sizes[0]"), "7");
  EXPECT_EQ(node.find_path(""), &node);
  for (const char* path : {"a.x", "layers[2]", "layers[1].kind.deeper", "layers[x]", "layers[-1]", "layers[1", "a[0]",
                           "layers[1]kind", "layers.kind"}) {
    EXPECT_EQ(text_at(node, path), "(absent)") << path;
  }
}

TEST(Node, FindsKeysThatHoldDots) {
  const Node node = read_or_fail("sweep: {workload.context: {log2: 3}, workload: 5}\n");
  EXPECT_EQ(text_at(node, "sweep.workload.context.log2"), "3");
  EXPECT_EQ(text_at(node, "sweep.workload"), "5");
}

TEST(Node, SetPathMakesTheMapsOnTheWay) {
  Node node = read_or_fail("hardware: h200-sxm\nlayers: [{kind: x}]\n");
  node.set_path("workload.batch", Node::scalar("64"));
  node.set_path("hardware.extends", Node::scalar("h200-sxm"));
  node.set_path("layers[0].kind", Node::scalar("y"));
  EXPECT_EQ(text_at(node, "workload.batch"), "64");
  EXPECT_EQ(text_at(node, "hardware.extends"), "h200-sxm");
  EXPECT_EQ(text_at(node, "layers[0].kind"), "y");
}

TEST(Node, SetPathKeepsToAnExistingKeyWithDots) {
  Node node = read_or_fail("sweep: {workload.context: [1]}\n");
  node.set_path("sweep.workload.context", Node::scalar("2"));
  EXPECT_EQ(node.find("sweep")->members().size(), 1U);
  EXPECT_EQ(text_at(node, "sweep.workload.context"), "2");
}

TEST(Node, SetPathNeedsTheListItem) {
  Node node = read_or_fail("layers: [{kind: x}]\n");
  EXPECT_THROW(node.set_path("layers[1].kind", Node::scalar("y")), std::out_of_range);
}

TEST(Node, RemoveTakesOneMemberAway) {
  Node node = read_or_fail("a: 1\nb: 2\n");
  node.remove("a");
  node.remove("never there");
  ASSERT_EQ(node.members().size(), 1U);
  EXPECT_EQ(node.members()[0].key, "b");
}

TEST(Node, MergingReplacesAllButMaps) {
  const Node base = read_or_fail("a: {x: 1, y: 2}\nlist: [1, 2]\nkept: k\n");
  const Node over = read_or_fail("a: {y: 3}\nlist: [9]\nnew: n\n");
  const Node expected = read_or_fail("a: {x: 1, y: 3}\nlist: [9]\nkept: k\nnew: n\n");
  EXPECT_TRUE(same_tree(merged(base, over), expected));
}

TEST(Node, MergingKeepsMarks) {
  Diagnostics diagnostics;
  const Node base = read_yaml("a: 1\nb: 2\n", "base.yaml", diagnostics);
  const Node over = read_yaml("b: 3\n", "over.yaml", diagnostics);
  const Node both = merged(base, over);
  EXPECT_EQ(both.find("a")->mark().file->name, "base.yaml");
  EXPECT_EQ(both.find("b")->mark().file->name, "over.yaml");
}

TEST(ToYaml, WritesBlocksAndShortLeavesOnOneLine) {
  const std::string text =
      "name: decode-128k\n"
      "parallel: {tensor: 8, data: 1}\n"
      "workload:\n"
      "  batch: 64\n"
      "  scope: {layer: 20}\n"
      "layers:\n"
      "  - {kind: csa, count: 3}\n"
      "  - kind: hca\n"
      "    sizes: [1, 2]\n"
      "    nothing: null\n"
      "  -\n"
      "    - [a]\n"
      "    - - b: {}\n"
      "        c: []\n"
      "      - \"4: 5\"\n";
  const Node node = read_or_fail(text);
  EXPECT_EQ(to_yaml(node),
            "name: decode-128k\n"
            "parallel: {tensor: 8, data: 1}\n"
            "workload:\n"
            "  batch: 64\n"
            "  scope: {layer: 20}\n"
            "layers:\n"
            "  - {kind: csa, count: 3}\n"
            "  - kind: hca\n"
            "    sizes: [1, 2]\n"
            "    nothing: null\n"
            "  - - [a]\n"
            "    - - b: {}\n"
            "        c: []\n"
            "      - \"4: 5\"\n");
}

TEST(ToYaml, QuotesWhatWouldBeReadOtherwise) {
  Node node = Node::map({});
  node.set("a", Node::scalar("null"));
  node.set("b", Node::scalar(""));
  node.set("<<", Node::scalar("x # y"));
  node.set("c", Node::scalar("line\nbreak\x1b"));
  EXPECT_EQ(to_yaml(node), "a: \"null\"\nb: \"\"\n\"<<\": \"x # y\"\nc: \"line\\nbreak\\x1b\"\n");
}

TEST(ToYaml, WritesKeysTooLongForASimpleKey) {
  Node node = Node::map({});
  node.set(std::string(3000, 'k'), read_or_fail("a: {b: {c: 1}}"));
  EXPECT_TRUE(same_tree(read_or_fail(to_yaml(node)), node));
}

RC_GTEST_PROP(ToYaml, ReadsBackAsTheSameTree, ()) {
  const Node node = *random_map();
  const std::string text = to_yaml(node);
  Diagnostics diagnostics;
  const Node back = read_yaml(text, "s.yaml", diagnostics);
  if (!diagnostics.all().empty() || !same_tree(node, back)) {
    RC_FAIL(text + diagnostics.render() + to_yaml(back));
  }
}

RC_GTEST_PROP(ToYaml, IsItsOwnFixedPoint, ()) {
  const std::string once = to_yaml(*random_map());
  RC_ASSERT(to_yaml(read_or_fail(once)) == once);
}

}  // namespace
}  // namespace kvtraffic::sim
