// Every model in every format that knows its caches, at contexts around each edge: reads, growth and windows against
// one closed formula per family, written down here from layer counts and entry sizes alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

using sim::DataKind;

const std::vector<std::int64_t> contexts{1,    2,    3,     4,     5,     7,     127,    128,    129,
                                         255,  256,  511,   512,   513,   1023,  1024,   2047,   2048,
                                         2049, 4097, 16383, 16384, 16385, 99999, 131072, 1048576};

struct Sizes {  // bytes of an entry; family "heads": of 32 values
  std::int64_t main = 0, local = 0, index = 0;
};

// Section by section as the engines document them.
const std::map<std::string, std::map<std::string, Sizes>> formats{
    {"bf16",
     {{"heads", {64}},
      {"mla", {1152}},
      {"v3.2", {1152, 0, 256}},
      {"v4", {1024, 1024, 256}},
      {"v4.1", {1024, 1024, 256}}}},
    {"deployed",
     {{"heads", {64}}, {"mla", {1152}}, {"v3.2", {656, 0, 132}}, {"v4", {584, 584, 68}}, {"v4.1", {288, 528, 68}}}},
    {"flashmla", {{"mla", {1152}}, {"v3.2", {656, 0, 132}}, {"v4", {584, 584, 68}}, {"v4.1", {288, 528, 68}}}},
    {"sglang-hopper",
     {{"heads", {64}}, {"mla", {1152}}, {"v3.2", {656, 0, 132}}, {"v4", {584, 584, 132}}, {"v4.1", {584, 584, 132}}}},
    {"sglang-blackwell",
     {{"heads", {64}}, {"mla", {1152}}, {"v3.2", {656, 0, 132}}, {"v4", {584, 584, 68}}, {"v4.1", {288, 528, 68}}}},
    {"vllm-hopper",
     {{"heads", {64}}, {"mla", {1152}}, {"v3.2", {656, 0, 132}}, {"v4", {584, 584, 132}}, {"v4.1", {584, 584, 132}}}},
    {"vllm-blackwell",
     {{"heads", {64}}, {"mla", {1152}}, {"v3.2", {656, 0, 132}}, {"v4", {584, 584, 132}}, {"v4.1", {288, 528, 68}}}},
    {"trtllm", {{"heads", {64}}, {"mla", {1152}}, {"v4", {584, 584, 68}}, {"v4.1", {288, 528, 68}}}},
    {"atom", {{"v4", {640, 640, 132}}}},
    {"llama-cpp-f16", {{"heads", {64}}, {"mla", {1152}}, {"v4", {1024, 1024, 256}}, {"v4.1", {1024, 1024, 256}}}},
    {"llama-cpp-q8", {{"heads", {34}}, {"mla", {612}}, {"v4", {544, 544, 136}}, {"v4.1", {544, 544, 136}}}},
    {"hf-reference",
     {{"heads", {64}},
      {"mla", {1152}},
      {"v3.2", {1152, 0, 132}},
      {"v4", {1024, 1024, 256}},
      {"v4.1", {1024, 1024, 256}}}},
};

struct Bytes {
  std::int64_t main_read = 0, index_read = 0, local_read = 0, main_stored = 0, index_stored = 0, local_stored = 0;
};
using Formula = std::function<Bytes(const Sizes&, std::int64_t n)>;

// Dense attention: all that is stored is read.
Formula every_entry(std::int64_t units) {
  return [units](const Sizes& s, std::int64_t n) {
    Bytes b;
    b.main_read = b.main_stored = n * units * s.main;
    return b;
  };
}

Formula selected_tokens(std::int64_t layers, std::int64_t top_k) {
  return [=](const Sizes& s, std::int64_t n) {
    Bytes b;
    b.main_read = layers * std::min(top_k, n) * s.main;
    b.main_stored = layers * n * s.main;
    b.index_read = b.index_stored = layers * n * s.index;
    return b;
  };
}

Formula compressed(std::int64_t csa, std::int64_t hca, std::int64_t window_only, std::int64_t top_k) {
  return [=](const Sizes& s, std::int64_t n) {
    Bytes b;
    b.main_read = (csa * std::min(top_k, n / 4) + hca * (n / 128)) * s.main;
    b.main_stored = (csa * (n / 4) + hca * (n / 128)) * s.main;
    b.index_read = b.index_stored = csa * (n / 4) * s.index;
    b.local_read = (csa + hca + window_only) * std::min<std::int64_t>(128, n) * s.local;
    b.local_stored = (csa + hca + window_only) * 128 * s.local;
    return b;
  };
}

Bytes shared_caches(const Sizes& s, std::int64_t n) {
  const std::int64_t half = n / 2;
  Bytes b;
  b.main_read = (18 * std::min<std::int64_t>(512, half) + 20 * std::min<std::int64_t>(512, n)) * s.main;
  b.main_stored = (3 * half + n) * s.main;
  b.index_read = (3 * half + n + 4 * std::min<std::int64_t>(n, 16384)) * s.index;
  b.index_stored = (3 * half + n) * s.index;
  b.local_read = 40 * std::min<std::int64_t>(128, n) * s.local;
  b.local_stored = 40 * 128 * s.local;
  return b;
}

// Keys and values of `kv_heads` heads, 128 wide, in units of 32 values.
Formula of_heads(std::int64_t layers, std::int64_t kv_heads) { return every_entry(layers * kv_heads * 2 * 128 / 32); }

struct Shape {
  std::string family;
  Formula formula;
};

const std::map<std::string, Shape> shapes{
    {"deepseek-67b", {"heads", of_heads(95, 8)}},
    {"mha-v2", {"heads", of_heads(60, 128)}},
    {"llama-3.1-70b", {"heads", of_heads(80, 8)}},
    {"llama-3.1-405b", {"heads", of_heads(126, 8)}},
    {"gpt3-175b", {"heads", of_heads(96, 96)}},
    {"qwen3-235b-a22b", {"heads", of_heads(94, 4)}},
    {"deepseek-v2", {"mla", every_entry(60)}},
    {"deepseek-v2-lite", {"mla", every_entry(27)}},
    {"deepseek-v3", {"mla", every_entry(61)}},
    {"deepseek-v3.1", {"mla", every_entry(61)}},
    {"deepseek-v3.2", {"v3.2", selected_tokens(61, 2048)}},
    {"deepseek-v4-flash", {"v4", compressed(21, 20, 2, 512)}},
    {"deepseek-v4-pro", {"v4", compressed(30, 31, 0, 1024)}},
    {"deepseek-v4.1-flash", {"v4.1", shared_caches}},
};

void expect_formula(const Case& c, const Sizes& sizes, const Formula& formula) {
  const auto stored = [&](std::int64_t n, DataKind kind) { return c.lowered.demand.stored_per_request(n, kind); };
  for (const std::int64_t n : contexts) {
    SCOPED_TRACE(c.model.name + " in " + c.format.name + " at " + std::to_string(n));
    const Bytes expected = formula(sizes, n);
    EXPECT_EQ(c.logical(DataKind::kv_main, 1, n).read, expected.main_read);
    EXPECT_EQ(c.logical(DataKind::index_key, 1, n).read, expected.index_read);
    EXPECT_EQ(c.logical(DataKind::kv_local, 1, n).read, expected.local_read);
    EXPECT_EQ(stored(n, DataKind::kv_main), expected.main_stored);
    EXPECT_EQ(stored(n, DataKind::index_key), expected.index_stored);
    EXPECT_EQ(stored(n, DataKind::kv_local), expected.local_stored);
  }
}

TEST(EveryPair, FollowsItsFamilysFormula) {
  for (const auto& [format_name, families] : formats) {
    for (const auto& [model_name, shape] : shapes) {
      const auto sizes = families.find(shape.family);
      if (sizes != families.end()) expect_formula(Case(model_name, format_name), sizes->second, shape.formula);
    }
  }
}

TEST(EveryPair, ThatIsNotKnownIsRefusedWithTheFamiliesThatAre) {
  for (const auto& [format_name, families] : formats) {
    for (const auto& [model_name, shape] : shapes) {
      sim::Diagnostics diagnostics;
      check_family(format(format_name), model(model_name), {}, diagnostics);
      if (families.contains(shape.family)) {
        EXPECT_EQ(diagnostics.render(), "");
      } else {
        EXPECT_THAT(diagnostics.render(), testing::HasSubstr("does not know the caches of '" + model_name + "'"));
        EXPECT_THAT(diagnostics.render(), testing::HasSubstr("one of its families: "));
      }
    }
  }
}

// So that no new file or family escapes the formulas.
TEST(EveryPair, IsAllThereIs) {
  std::vector<std::string> known_models, known_formats;
  for (const auto& [name, shape] : shapes) known_models.push_back(name);
  for (const auto& [name, families] : formats) {
    known_formats.push_back(name);
    std::vector<std::string> known;
    for (const auto& [family, sizes] : families) known.push_back(family);
    EXPECT_THAT(format(name).families(), testing::UnorderedElementsAreArray(known)) << name;
  }
  EXPECT_THAT(names_in("catalog"), testing::UnorderedElementsAreArray(known_models));
  EXPECT_THAT(names_in("formats"), testing::UnorderedElementsAreArray(known_formats));
}

}  // namespace
}  // namespace kvtraffic::models::test
