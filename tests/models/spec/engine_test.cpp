// What an engine file must say.
#include "models/spec/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

TEST(ReadEngine, EveryTileIsStated) {
  for (const std::string path :
       {"gemm.rows", "gemm.columns", "gemm.depth", "attention.heads", "attention.keys", "attention.prefill_rows",
        "attention.prefill_queries", "scan.keys", "scan.prefill_rows", "stream.bytes"}) {
    const std::size_t dot = path.find('.');
    const std::string group = path.substr(0, dot), tile = path.substr(dot + 1);
    sim::Node file = entry("engines/reference.yaml");
    sim::Node without = *file.find(group);
    without.remove(tile);
    file.set(group, without);
    sim::Diagnostics diagnostics;
    (void)read_engine(file, diagnostics);
    EXPECT_THAT(diagnostics.render(), testing::HasSubstr("missing key '" + tile + "'")) << path;
  }
}

TEST(ReadEngine, EveryShippedOneStatesThem) {
  for (const std::string& name : names_in("engines")) {
    sim::Diagnostics diagnostics;
    (void)read_engine(entry("engines/" + name + ".yaml"), diagnostics);
    EXPECT_EQ(diagnostics.render(), "") << name;
  }
}

}  // namespace
}  // namespace kvtraffic::models::test
