// Finding entries: names, files, chains of `extends`, devices of nodes, and everything that can go wrong on the way.
#include "scenarios/spec/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Node;
using test::Folder;
using test::messages;
using test::yaml;
using testing::ElementsAre;
using testing::HasSubstr;

class CatalogTest : public testing::Test {
 protected:
  CatalogTest() {
    folder_.write("models/catalog/base.yaml", "name: base\nhidden: 8\nattention: {heads: 4, top_k: 512}\n");
    folder_.write("models/catalog/child.yaml", "extends: base\nname: child\nattention: {top_k: 256}\n");
    folder_.write("models/catalog/loop-a.yaml", "extends: loop-b\n");
    folder_.write("models/catalog/loop-b.yaml", "extends: loop-a\n");
    folder_.write("hardware/catalog/part.yaml", "name: part\nmemory: {capacity: 1 GB, latency: 9 ns}\n");
    folder_.write("hardware/catalog/other.yaml", "name: other\nl2: {capacity: 2 MB}\n");
    folder_.write("hardware/catalog/4x-part.yaml", "name: 4x-part\ndevice: part\ncount: 4\n");
  }

  Node resolve(CatalogKind kind, const Node& reference, const std::string& beside = "") {
    return Catalog(folder_.path()).resolve(kind, reference, beside, faults_);
  }
  Node model(const std::string& reference, const std::string& beside = "") {
    return resolve(CatalogKind::model, yaml(reference), beside);
  }
  Node hardware(const std::string& reference) { return resolve(CatalogKind::hardware, yaml(reference)); }
  static std::string at(const Node& node, const std::string& path) {
    const Node* found = node.find_path(path);
    return found == nullptr ? "nothing" : found->text();
  }

  Folder folder_;
  sim::Diagnostics faults_;
};

TEST_F(CatalogTest, ListsNamesInOrder) {
  EXPECT_THAT(Catalog(folder_.path()).names(CatalogKind::hardware), ElementsAre("4x-part", "other", "part"));
  EXPECT_THAT(Catalog(folder_.path()).names(CatalogKind::engine), ElementsAre());
}

TEST_F(CatalogTest, ResolvesAName) { EXPECT_EQ(at(model("base"), "hidden"), "8"); }

TEST_F(CatalogTest, LaysAnEntryOnWhatItExtends) {
  const Node child = model("child");
  EXPECT_EQ(at(child, "name"), "child");
  EXPECT_EQ(at(child, "hidden"), "8");
  EXPECT_EQ(at(child, "attention.heads"), "4");
  EXPECT_EQ(at(child, "attention.top_k"), "256");
  EXPECT_EQ(at(child, "extends"), "nothing");
}

TEST_F(CatalogTest, NamesAChangedEntryAfterItsBase) {
  EXPECT_EQ(at(model("{extends: base, hidden: 16}"), "name"), "base-changed");
  EXPECT_EQ(at(model("{extends: base, hidden: 16, name: mine}"), "name"), "mine");
  EXPECT_EQ(at(model("{extends: base}"), "name"), "base");
}

TEST_F(CatalogTest, LooksUpFilesBesideTheFileThatNamesThem) {
  folder_.write("mine/grandchild.yaml", "extends: ./parts/parent.yaml\nhidden: 3\n");
  folder_.write("mine/parts/parent.yaml", "extends: child\nname: parent\nhidden: 2\n");
  const Node node = model("./grandchild.yaml", folder_.path("mine"));
  EXPECT_EQ(messages(faults_).size(), 0U);
  EXPECT_EQ(at(node, "hidden"), "3");
  EXPECT_EQ(at(node, "attention.top_k"), "256");
  EXPECT_EQ(at(node, "name"), "parent-changed");
}

TEST_F(CatalogTest, PrintsACycleAsAChain) {
  static_cast<void>(model("loop-a"));
  EXPECT_THAT(messages(faults_), ElementsAre("extends: extends itself: loop-a -> loop-b -> loop-a"));
}

TEST_F(CatalogTest, FindsAFileThatExtendsItselfUnderAnotherSpelling) {
  folder_.write("self.yaml", "extends: ./x/../self.yaml\n");
  folder_.write("x/y", "");
  static_cast<void>(model("./self.yaml", folder_.path()));
  ASSERT_EQ(faults_.all().size(), 1U);
  EXPECT_THAT(faults_.all()[0].message, HasSubstr("extends itself"));
}

TEST_F(CatalogTest, SuggestsTheNearestName) {
  static_cast<void>(model("basse"));
  ASSERT_EQ(faults_.all().size(), 1U);
  EXPECT_EQ(faults_.all()[0].message, "no model is named 'basse'");
  EXPECT_EQ(faults_.all()[0].nearest, "base");
  EXPECT_THAT(faults_.all()[0].expected, HasSubstr("base, child, loop-a, loop-b"));
}

TEST_F(CatalogTest, TellsUnreadableFilesAtTheReference) {
  static_cast<void>(model("./missing.yaml", folder_.path()));
  static_cast<void>(model("./models/", folder_.path()));
  ASSERT_EQ(faults_.all().size(), 2U);
  EXPECT_EQ(faults_.all()[0].where.file->name, "test.yaml");
  EXPECT_THAT(faults_.all()[0].message, HasSubstr("No such file"));
  EXPECT_THAT(faults_.all()[1].message, HasSubstr("it is a folder"));
}

TEST_F(CatalogTest, RefusesAFileThatIsNoMap) {
  folder_.write("list.yaml", "[1, 2]\n");
  static_cast<void>(model("./list.yaml", folder_.path()));
  EXPECT_THAT(messages(faults_), ElementsAre("expected a map"));
}

TEST_F(CatalogTest, PutsTheDeviceOfANodeInPlace) {
  const Node node = hardware("4x-part");
  EXPECT_EQ(at(node, "count"), "4");
  EXPECT_EQ(at(node, "device.memory.capacity"), "1 GB");
}

TEST_F(CatalogTest, ChangesTheDeviceOfANode) {
  const Node node = hardware("{extends: 4x-part, device: {memory: {capacity: 3 GB}}}");
  EXPECT_EQ(at(node, "device.memory.capacity"), "3 GB");
  EXPECT_EQ(at(node, "device.memory.latency"), "9 ns");
  EXPECT_EQ(at(node, "name"), "4x-part-changed");
}

TEST_F(CatalogTest, ReplacesTheDeviceOfANode) {
  for (const std::string device : {"other", "{extends: other, name: another}"}) {
    const Node node = hardware("{extends: 4x-part, device: " + device + "}");
    EXPECT_EQ(at(node, "device.l2.capacity"), "2 MB") << device;
    EXPECT_EQ(at(node, "device.memory"), "nothing") << device;
    EXPECT_EQ(at(node, "count"), "4") << device;
  }
}

TEST_F(CatalogTest, TellsAnUnknownDeviceOfANode) {
  static_cast<void>(hardware("{extends: 4x-part, device: prat}"));
  EXPECT_THAT(messages(faults_), ElementsAre("hardware.device: no hardware is named 'prat'"));
}

TEST_F(CatalogTest, RefusesAListAsReference) {
  static_cast<void>(model("[base]"));
  EXPECT_THAT(messages(faults_), ElementsAre("model: expected a name, a file, or a map that extends one"));
}

}  // namespace
}  // namespace kvtraffic::scenarios
