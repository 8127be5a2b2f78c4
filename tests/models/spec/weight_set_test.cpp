// Weight sets laid over models: what is replaced, what stays, and the bytes that come out.
#include "models/spec/weight_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/lower/weights.hpp"
#include "sim/config/yaml.hpp"
#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

Model stored_as(const std::string& base, const std::string& set) {
  sim::Diagnostics diagnostics;
  const Model m =
      read_model(with_weights(entry("catalog/" + base + ".yaml"), entry("weights/" + set + ".yaml")), 0, diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
  return m;
}

std::int64_t weight_bytes(const Model& m) {
  return lower_decode(m, format("deployed"), plan(), {}).demand.weights_per_device({});
}

TEST(WeightSet, LeavesNoScaleOfTheModelsOwnFormBehind) {
  const WeightFormat attention = stored_as("deepseek-v3", "bf16").format(WeightClass::attention);
  EXPECT_EQ(attention.bits, 16);
  EXPECT_EQ(attention.scale_bits, 0);
  EXPECT_EQ(attention.compute, sim::Precision::bf16);
}

TEST(WeightSet, LeavesClassesAloneThatItDoesNotName) {
  const Model m = stored_as("deepseek-v3", "fp4-experts");
  EXPECT_EQ(m.format(WeightClass::expert).bits, 4);
  EXPECT_EQ(m.format(WeightClass::attention).bits, 8);
  EXPECT_EQ(m.format(WeightClass::head).bits, 16);
}

TEST(WeightSet, MakesTheBytesOfItsBits) {
  const Model bf16 = stored_as("deepseek-v3", "bf16");
  EXPECT_EQ(weight_bytes(bf16), 2 * count_parameters(bf16).total);
  const Model dense = stored_as("llama-3.1-70b", "gguf-q4");
  EXPECT_EQ(weight_bytes(dense) * 2, 9 * count_parameters(dense).total / 8);  // 4.5 bits
}

TEST(WeightSet, OfTheModelsOwnFormChangesNoByte) {
  EXPECT_EQ(weight_bytes(stored_as("deepseek-v3", "fp8-block")), weight_bytes(model("deepseek-v3")));
  EXPECT_EQ(weight_bytes(stored_as("llama-3.1-70b", "bf16")), weight_bytes(model("llama-3.1-70b")));
}

TEST(WeightSet, SaysWhereItsNumbersComeFrom) {
  const Model m = stored_as("deepseek-v3", "gguf-q4");
  EXPECT_EQ(m.provenance.at("weights.expert.bits").source, "ggml");
  EXPECT_EQ(m.provenance.at("weights.router.bits").source, "llama-quant");
  EXPECT_TRUE(m.sources.contains("ggml"));
  EXPECT_TRUE(m.sources.contains("cfg-v3"));
}

TEST(WeightSet, RefusesAClassThatNoModelHas) {
  sim::Diagnostics diagnostics;
  check(sim::read_yaml("name: x\nweights: {expertz: {bits: 4}}\n", "w", diagnostics), weight_set_table(), diagnostics);
  EXPECT_THAT(diagnostics.render(), testing::AllOf(testing::HasSubstr("w:2:11: error: weights"),
                                                   testing::HasSubstr("did you mean 'expert'?")));
}

}  // namespace
}  // namespace kvtraffic::models::test
