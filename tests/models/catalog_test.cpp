// Every shipped model, format and weight set: parameters as published, a source for each number, formats that fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/lower/weights.hpp"
#include "models/spec/weight_set.hpp"
#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

struct Published {
  std::string model;
  double computed_total, computed_active;    // billions, from the configurations by hand (the reference's figures)
  double published_total, published_active;  // as the authors state them
  double total_digit, active_digit;          // half a unit of the last digit that they state
};

// Active ones leave out the embedding, of which a token looks up one row. V2-Lite's 2.45B was published as 2.4B: cut
// off, not rounded.
const std::vector<Published> figures{
    {"deepseek-67b", 67.42, 66.59, 67, 67, 0.5, 0.5},          {"deepseek-v2", 235.74, 20.85, 236, 21, 0.5, 0.5},
    {"deepseek-v2-lite", 15.71, 2.45, 15.7, 2.4, 0.05, 0.1},   {"deepseek-v3", 671.0, 36.6, 671, 37, 0.5, 0.5},
    {"deepseek-v3.1", 671.0, 36.6, 671, 37, 0.5, 0.5},         {"deepseek-v3.2", 671.9, 37.5, 671, 37, 0.5, 0.5},
    {"deepseek-v4-flash", 284.33, 13.27, 284, 13, 0.5, 0.5},   {"deepseek-v4-pro", 1573.0, 48.85, 1600, 49, 50, 0.5},
    {"deepseek-v4.1-flash", 551.88, 16.13, 552, 16, 0.5, 0.5}, {"gpt3-175b", 174.56, 174.56, 175, 175, 0.5, 0.5},
    {"llama-3.1-70b", 70.55, 69.50, 70.6, 70.6, 0.05, 0.05},   {"llama-3.1-405b", 405.85, 403.75, 405, 405, 0.5, 0.5},
    {"qwen3-235b-a22b", 235.09, 21.57, 235, 22, 0.5, 0.5},
};

TEST(Parameters, OfEveryModelAreTheComputedAndThePublishedOnes) {
  for (const Published& f : figures) {
    const ParameterCount count = count_parameters(model(f.model));
    const double total = static_cast<double>(count.total) / 1e9, active = static_cast<double>(count.active) / 1e9;
    EXPECT_NEAR(total, f.computed_total, 0.01 * f.computed_total) << f.model;
    EXPECT_NEAR(active, f.computed_active, 0.01 * f.computed_active) << f.model;
    EXPECT_NEAR(total, f.published_total, std::max(0.02 * f.published_total, f.total_digit)) << f.model;
    EXPECT_NEAR(active, f.published_active, std::max(0.02 * f.published_active, f.active_digit)) << f.model;
  }
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

// The reference's figures: projections of queries, keys, values and output; no compressor, no indexer. Norms are left
// out here (2,048 parameters in V2, 4,096 in V3 by their own shapes at most).
TEST(Parameters, OfOneLayersAttention) {
  EXPECT_NEAR(static_cast<double>(attention_parameters("deepseek-v2", 1)), 149'225'472, 5000);
  EXPECT_NEAR(static_cast<double>(attention_parameters("deepseek-v3", 1)), 187'105'280, 5000);
  EXPECT_NEAR(static_cast<double>(attention_parameters("deepseek-v4-flash", 5)), 106'954'752, 5000);
  EXPECT_NEAR(static_cast<double>(attention_parameters("deepseek-v4-pro", 5)), 299'892'736, 5000);
  EXPECT_NEAR(static_cast<double>(attention_parameters("deepseek-v4.1-flash", 5)), 126'615'552, 5000);
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
  EXPECT_EQ(one_expert("deepseek-v4-pro", true), 35'094'528);        // FP4 and a byte per 32
  EXPECT_EQ(one_expert("deepseek-v4-flash", true), 13'369'344);
}

TEST(Parameters, OfDraftLayersAreCountedApart) {
  const auto count = [](const std::string& name, std::int64_t draft) {
    return count_parameters(model(name, "", draft));
  };
  EXPECT_EQ(count("deepseek-v3", 1).total, count("deepseek-v3", 0).total);
  EXPECT_NEAR(static_cast<double>(count("deepseek-v3", 1).draft), 11.5e9, 0.01 * 11.5e9);  // of the weights' readme
  EXPECT_NEAR(static_cast<double>(count("deepseek-v4-flash", 1).draft), 6.6e9, 0.01 * 6.6e9);
  EXPECT_NEAR(static_cast<double>(count("deepseek-v4-pro", 1).draft), 25.8e9, 0.01 * 25.8e9);
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
