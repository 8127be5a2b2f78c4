// Every shipped model, format and weight set: parameters as published, a source for each number, formats that fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/lower/weights.hpp"
#include "models/spec/weight_set.hpp"
#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

// The released configurations' arithmetic, written down once more: matrices as products of their widths. Norms and
// biases are left out, as in the weight list.
struct Sum {
  std::int64_t total = 0, active = 0;
};

constexpr std::int64_t gated(std::int64_t hidden, std::int64_t width) { return 3 * hidden * width; }

// Grouped or full heads of 128 values.
constexpr std::int64_t of_heads(std::int64_t hidden, std::int64_t heads, std::int64_t kv_heads) {
  return 2 * hidden * heads * 128 + 2 * hidden * kv_heads * 128;
}

// A latent of 512 + 64 values; heads of 128 + 64 for keys and 128 for values. `rank` 0: queries in one go.
constexpr std::int64_t of_latent(std::int64_t hidden, std::int64_t heads, std::int64_t rank) {
  const std::int64_t query = rank == 0 ? hidden * heads * 192 : hidden * rank + rank * heads * 192;
  return query + hidden * (512 + 64) + 512 * heads * (128 + 128) + heads * 128 * hidden;
}

// One entry of 512 values for all heads; output in groups of 1,024 values.
constexpr std::int64_t of_shared_entry(std::int64_t hidden, std::int64_t heads, std::int64_t rank,
                                       std::int64_t groups) {
  return hidden * rank + rank * heads * 512 + hidden * 512 + heads * 512 * 1024 + groups * 1024 * hidden;
}

// Queries of `heads` x 128 values and a weight for each head.
constexpr std::int64_t indexer(std::int64_t hidden, std::int64_t rank, std::int64_t heads) {
  return rank * heads * 128 + hidden * heads;
}

constexpr std::int64_t four_streams(std::int64_t hidden) { return 2 * (4 * hidden) * (4 * 4 + 2 * 4); }  // two a layer

struct Mixture {
  std::int64_t hidden, routed, active, shared, width;
  [[nodiscard]] constexpr Sum sum() const {
    const std::int64_t router = hidden * routed, one = gated(hidden, width);
    return {router + (routed + shared) * one, router + (active + shared) * one};
  }
};

constexpr Sum of_dense(std::int64_t layers, std::int64_t attention, std::int64_t forward, std::int64_t embedding) {
  const std::int64_t all = layers * (attention + forward);
  return {all + 2 * embedding, all + embedding};
}

constexpr Sum of_mixture(std::int64_t layers, std::int64_t dense_layers, std::int64_t dense_width,
                         const Mixture& mixture, std::int64_t attention, std::int64_t vocabulary) {
  const std::int64_t always = layers * attention + dense_layers * gated(mixture.hidden, dense_width);
  const std::int64_t mixtures = layers - dense_layers, embedding = vocabulary * mixture.hidden;
  return {always + mixtures * mixture.sum().total + 2 * embedding,
          always + mixtures * mixture.sum().active + embedding};
}

// V4: of `layers`, `csa` pool main entries and index keys of two blocks, `hca` main entries of one; value and gate
// each.
constexpr Sum of_v4(std::int64_t layers, std::int64_t csa, std::int64_t hca, const Mixture& mixture,
                    std::int64_t attention, std::int64_t rank) {
  const std::int64_t h = mixture.hidden;
  Sum sum = of_mixture(layers, 0, 0, mixture, attention + four_streams(h), 129280);
  const std::int64_t compressed = csa * (2 * 2 * h * (512 + 128) + indexer(h, rank, 64)) + hca * 2 * h * 512;
  return {sum.total + compressed, sum.active + compressed};
}

// V4.1: 4 of 40 layers write caches (three pool two tokens), 8 select, 2 mix looked-up rows in.
constexpr Sum of_v41(const Mixture& mixture) {
  const std::int64_t h = mixture.hidden;
  Sum sum = of_mixture(40, 0, 0, mixture, of_shared_entry(h, 64, 1280, 8) + four_streams(h), 129280);
  const std::int64_t caches = 3 * 2 * h * 512 + h * 512 + 4 * 512 * 128;
  const std::int64_t rest = caches + 8 * indexer(h, 1280, 32) + 2 * (24 * 256) * 25600;
  return {sum.total + rest, sum.active + rest};
}

constexpr Mixture v2{5120, 160, 6, 2, 1536}, v2_lite{2048, 64, 6, 2, 1408}, v3{7168, 256, 8, 1, 2048};
constexpr Mixture v4_flash{4096, 256, 6, 1, 2048}, v4_pro{7168, 384, 6, 1, 3072}, v41{5120, 384, 6, 1, 2304};
constexpr std::int64_t v3_attention = of_latent(7168, 128, 1536);
constexpr std::int64_t gpt3_embedding = 50257 * 12288;  // which is the head, too

struct Published {
  std::string model;
  Sum computed;
  double published_total, published_active;  // billions, as the authors state them
  double total_digit, active_digit;          // half a unit of the last digit that they state
};

// Active ones leave out the embedding, of which a token looks up one row. V2-Lite's 2.45B was published as 2.4B: cut
// off, not rounded.
const std::vector<Published> figures{
    {"deepseek-67b", of_dense(95, of_heads(8192, 64, 8), gated(8192, 22016), 102400 * 8192), 67, 67, 0.5, 0.5},
    {"deepseek-v2", of_mixture(60, 1, 12288, v2, of_latent(5120, 128, 1536), 102400), 236, 21, 0.5, 0.5},
    {"deepseek-v2-lite", of_mixture(27, 1, 10944, v2_lite, of_latent(2048, 16, 0), 102400), 15.7, 2.4, 0.05, 0.1},
    {"deepseek-v3", of_mixture(61, 3, 18432, v3, v3_attention, 129280), 671, 37, 0.5, 0.5},
    {"deepseek-v3.1", of_mixture(61, 3, 18432, v3, v3_attention, 129280), 671, 37, 0.5, 0.5},
    {"deepseek-v3.2",
     of_mixture(61, 3, 18432, v3, v3_attention + 7168 * 128 + indexer(7168, 1536, 64), 129280),  // and an index key
     671, 37, 0.5, 0.5},
    {"deepseek-v4-flash", of_v4(43, 21, 20, v4_flash, of_shared_entry(4096, 64, 1024, 8), 1024), 284, 13, 0.5, 0.5},
    {"deepseek-v4-pro", of_v4(61, 30, 31, v4_pro, of_shared_entry(7168, 128, 1536, 16), 1536), 1600, 49, 50, 0.5},
    {"deepseek-v4.1-flash", of_v41(v41), 552, 16, 0.5, 0.5},
    {"gpt3-175b",
     {96 * (of_heads(12288, 96, 96) + 2 * 12288 * 49152) + gpt3_embedding,
      96 * (of_heads(12288, 96, 96) + 2 * 12288 * 49152) + gpt3_embedding},
     175,
     175,
     0.5,
     0.5},
    {"llama-3.1-70b", of_dense(80, of_heads(8192, 64, 8), gated(8192, 28672), 128256 * 8192), 70.6, 70.6, 0.05, 0.05},
    {"llama-3.1-405b", of_dense(126, of_heads(16384, 128, 8), gated(16384, 53248), 128256L * 16384), 405, 405, 0.5,
     0.5},
    {"qwen3-235b-a22b", of_mixture(94, 0, 0, {4096, 128, 8, 0, 1536}, of_heads(4096, 64, 4), 151936), 235, 22, 0.5,
     0.5},
};

TEST(Parameters, OfEveryModelAreTheComputedAndThePublishedOnes) {
  for (const Published& f : figures) {
    const ParameterCount count = count_parameters(model(f.model));
    const double total = static_cast<double>(count.total) / 1e9, active = static_cast<double>(count.active) / 1e9;
    EXPECT_EQ(count.total, f.computed.total) << f.model;
    EXPECT_EQ(count.active, f.computed.active) << f.model;
    EXPECT_NEAR(total, f.published_total, std::max(0.02 * f.published_total, f.total_digit)) << f.model;
    EXPECT_NEAR(active, f.published_active, std::max(0.02 * f.published_active, f.active_digit)) << f.model;
  }
}

// A prompt token passes the 20 layers of the encoder side, and of layer 20 what makes the shared cache; no head.
TEST(Parameters, OfAPromptTokenAreThoseOfTheEncoderSide) {
  constexpr std::int64_t h = 5120;
  const std::int64_t layers = 20 * (of_shared_entry(h, 64, 1280, 8) + four_streams(h) + v41.sum().active);
  const std::int64_t caches = 3 * (2 * h * 512 + 512 * 128 + indexer(h, 1280, 32));
  const std::int64_t projection = h * 512 + 512 * 128;
  EXPECT_EQ(count_parameters(model("deepseek-v4.1-flash")).active_prefill,  // published as 8B
            layers + caches + 2 * (24 * 256) * 25600 + projection);
}

TEST(Parameters, AreStatedHereForEveryModelThatExists) {
  std::vector<std::string> stated{"mha-v2"};  // hypothetical: nobody published a size
  for (const Published& f : figures) stated.push_back(f.model);
  EXPECT_THAT(stated, testing::UnorderedElementsAreArray(names_in("catalog")));
}

std::int64_t attention_parameters(const std::string& name, std::size_t layer) {
  const Model m = model(name);
  std::int64_t sum = 0;
  for (const Weight& w : attention_weights(m, m.layers[layer].attention)) {
    if (w.type == WeightClass::attention) sum += w.values();
  }
  return sum;
}

// Projections of queries, keys, values and output; no compressor, no indexer.
TEST(Parameters, OfOneLayersAttention) {
  EXPECT_EQ(attention_parameters("deepseek-v2", 1), of_latent(5120, 128, 1536));                  // 149.2M
  EXPECT_EQ(attention_parameters("deepseek-v3", 1), v3_attention);                                // 187.1M
  EXPECT_EQ(attention_parameters("deepseek-v4-flash", 5), of_shared_entry(4096, 64, 1024, 8));    // 107.0M
  EXPECT_EQ(attention_parameters("deepseek-v4-pro", 5), of_shared_entry(7168, 128, 1536, 16));    // 299.9M
  EXPECT_EQ(attention_parameters("deepseek-v4.1-flash", 5), of_shared_entry(5120, 64, 1280, 8));  // 126.6M
}

std::int64_t one_expert(const std::string& name, bool bytes) {
  const Model m = model(name);
  std::int64_t sum = 0;
  for (const Weight& w : feed_forward_weights(m, m.layers[static_cast<std::size_t>(m.main_layers) - 1])) {
    if (w.type == WeightClass::expert) sum += bytes ? m.format(w.type).bytes(w.values()) : w.values();
  }
  return sum;
}

TEST(Parameters, OfOneExpert) {
  EXPECT_EQ(one_expert("deepseek-v2", false), 3 * 5120 * 1536);      // 23,592,960
  EXPECT_EQ(one_expert("deepseek-v3", false), 3 * 7168 * 2048);      // 44,040,192
  EXPECT_EQ(one_expert("deepseek-v4-pro", false), 3 * 7168 * 3072);  // 66,060,288
  // FP4 and a byte per 32 values: 35,094,528 and 13,369,344
  EXPECT_EQ(one_expert("deepseek-v4-pro", true), gated(7168, 3072) / 2 + gated(7168, 3072) / 32);
  EXPECT_EQ(one_expert("deepseek-v4-flash", true), gated(4096, 2048) / 2 + gated(4096, 2048) / 32);
}

TEST(Parameters, OfDraftLayersAreCountedApart) {
  const auto count = [](const std::string& name, std::int64_t draft) {
    return count_parameters(model(name, "", draft));
  };
  EXPECT_EQ(count("deepseek-v3", 1).total, count("deepseek-v3", 0).total);
  EXPECT_NEAR(static_cast<double>(count("deepseek-v3", 1).draft), 11.5e9, 0.01 * 11.5e9);  // of the weights' readme
  EXPECT_EQ(count("deepseek-v4-flash", 1).draft,                                           // a window alone, 6.6B
            of_shared_entry(4096, 64, 1024, 8) + four_streams(4096) + v4_flash.sum().total);
  EXPECT_EQ(count("deepseek-v4-pro", 1).draft,  // 25.8B
            of_shared_entry(7168, 128, 1536, 16) + four_streams(7168) + v4_pro.sum().total);
}

TEST(Routing, IsByTokenInTheFirstThreeLayersOfV4) {
  for (const std::string name : {"deepseek-v4-flash", "deepseek-v4-pro"}) {
    const Model m = model(name);
    for (std::size_t i = 0; i < m.layers.size(); ++i) {
      EXPECT_EQ(m.layers[i].experts.routing, i < 3 ? Routing::hashed : Routing::scored) << name << " layer " << i;
    }
  }
}

TEST(Layers, OfV4FollowTheReleasedRatios) {
  const Model flash = model("deepseek-v4-flash"), pro = model("deepseek-v4-pro");
  ASSERT_EQ(flash.main_layers, 43);
  ASSERT_EQ(pro.main_layers, 61);
  for (std::size_t i = 0; i < 43; ++i) {  // 0, 0, then 4 and 128 by turns
    EXPECT_EQ(flash.layers[i].attention.ratio, i < 2 ? 1 : i % 2 == 0 ? 4 : 128) << i;
  }
  for (std::size_t i = 0; i < 61; ++i) EXPECT_EQ(pro.layers[i].attention.ratio, i >= 2 && i % 2 == 0 ? 4 : 128) << i;
}

TEST(Groups, AreThoseOfTheReleasedModels) {
  const auto groups = [](const std::string& name) {
    const Model m = model(name);
    const Experts& e = m.layers.back().experts;
    return std::pair(e.groups, e.groups_used);
  };
  EXPECT_EQ(groups("deepseek-v2"), std::pair(8L, 3L));
  EXPECT_EQ(groups("deepseek-v3"), std::pair(8L, 4L));
  EXPECT_EQ(groups("deepseek-v3.1"), std::pair(8L, 4L));
  EXPECT_EQ(groups("deepseek-v2-lite"), std::pair(1L, 1L));
}

void expect_sources(const std::string& file, const std::map<std::string, sim::Provenance>& provenance,
                    const std::map<std::string, std::string>& sources, const std::string& below) {
  for (const auto& [path, from] : provenance) {
    if (path == "name" || path == "summary" || path == "cache" || path.rfind("sources.", 0) == 0) continue;
    if (path.rfind(below, 0) != 0) continue;
    EXPECT_TRUE(sources.contains(from.source)) << file << " " << path << " '" << from.source << "'";
    EXPECT_FALSE(from.certainty.empty()) << file << " " << path;
  }
}

TEST(Catalogs, EveryNumberHasASource) {
  for (const std::string& name : names_in("catalog")) {
    const Model m = model(name);
    EXPECT_EQ(m.name, name);
    expect_sources(name, m.provenance, m.sources, "");
  }
  for (const std::string& name : names_in("formats")) {
    const CacheFormat f = format(name);
    EXPECT_EQ(f.name, name);
    EXPECT_FALSE(f.summary.empty());
    expect_sources(name, f.provenance, f.sources, "families.");
  }
}

// Laid over a model, a weight set brings its sources along.
TEST(Catalogs, EveryNumberOfAWeightSetHasASource) {
  for (const std::string& name : names_in("weights")) {
    sim::Diagnostics diagnostics;
    const sim::Node set = entry("weights/" + name + ".yaml");
    check(set, weight_set_table(), diagnostics);
    for (const std::string& base : names_in("catalog")) {
      const Model m = read_model(with_weights(entry("catalog/" + base + ".yaml"), set), 0, diagnostics);
      expect_sources(base + " with " + name, m.provenance, m.sources, "");
    }
    EXPECT_EQ(diagnostics.render(), "");
  }
}

}  // namespace
}  // namespace kvtraffic::models::test
