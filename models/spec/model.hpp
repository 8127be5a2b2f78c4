// A model as its catalog entry declares it, layer by layer: typed and checked, with no notion of machines or of cache
// formats.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/table.hpp"
#include "sim/plan/precision.hpp"

namespace kvtraffic::models {

enum class AttentionKind { mha, gqa, mla, window, dsa, csa, hca, csa2 };
enum class LatentForm { absorbed, expanded };             // mla: what the cache holds, and so what attention works on
enum class SelectionMode { none, full, reindex, reuse };  // csa2 only: who scores, who copies

[[nodiscard]] std::string_view name_of(AttentionKind kind);
[[nodiscard]] std::string_view name_of(SelectionMode mode);  // "" for none

// One layer's attention. Widths are in values; zero where the kind has no such part.
struct Attention {
  AttentionKind kind = AttentionKind::window;
  SelectionMode mode = SelectionMode::none;
  LatentForm form = LatentForm::absorbed;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;    // mha, gqa: heads that are cached
  std::int64_t head_dim = 0;    // shared-entry kinds: width of the entry; mha, gqa: of a head
  std::int64_t rope_dim = 0;    // rotated part of a key
  std::int64_t nope_dim = 0;    // mla, dsa: unrotated part of a query head
  std::int64_t value_dim = 0;   // mla, dsa: width of a value head
  std::int64_t query_rank = 0;  // latent of the query projection; 0: projected in one go
  std::int64_t kv_rank = 0;     // mla, dsa: latent that is cached
  std::int64_t output_groups = 0;
  std::int64_t output_rank = 0;
  std::int64_t window = 0;  // positions of the sliding window
  std::int64_t ratio = 1;   // tokens per compressed entry
  bool overlap = false;     // pools the previous block too: projections and state are twice as wide
  std::int64_t top_k = 0;
  std::int64_t index_heads = 0;
  std::int64_t index_dim = 0;
  std::int64_t candidates = 0;  // reindex: most keys it scores, taken from the pool that its source layer handed on
  std::int64_t candidate_block = 1;  // keys per element of that pool

  [[nodiscard]] bool selects() const;           // has an indexer and makes a selection of its own
  [[nodiscard]] bool is_sparse() const;         // attends to a selection of the main entries
  [[nodiscard]] bool owns_cache() const;        // writes main entries
  [[nodiscard]] bool is_latent() const;         // mla, dsa
  [[nodiscard]] bool has_heads_cached() const;  // entries hold keys and values of single heads: ranks can share them
  [[nodiscard]] bool has_window() const;
  friend bool operator==(const Attention&, const Attention&) = default;
};

enum class Routing { scored, hashed };  // hashed: a table on the token's id chooses the experts

struct Experts {
  Routing routing = Routing::scored;
  std::int64_t routed = 0;
  std::int64_t active = 0;
  std::int64_t shared = 0;
  std::int64_t width = 0;
  std::int64_t groups = 1;  // group-limited routing: experts come from `groups_used` of `groups` equal groups
  std::int64_t groups_used = 1;
  friend bool operator==(const Experts&, const Experts&) = default;
};

struct EngramTables {
  std::int64_t rows = 0;  // of this layer's table
  std::int64_t rows_per_token = 0;
  std::int64_t row_values = 0;
  std::int64_t mixed_width = 0;  // values that the looked-up rows are projected to
  friend bool operator==(const EngramTables&, const EngramTables&) = default;
};

enum class Side { decoder, encoder };

struct Layer {
  Attention attention;
  Experts experts;  // routed == 0: dense
  std::int64_t dense_width = 0;
  bool gated = true;  // feed-forward with a gate: three matrices, else two
  std::optional<EngramTables> engram;
  Side side = Side::decoder;
  std::int32_t kv_source = 0;         // this layer, or the earlier one whose main cache and index keys it reads
  std::int32_t selection_source = 0;  // this layer, or the earlier one whose selection it reads
  bool hands_on_pool = false;         // a later layer scores only candidates that this one picked

  [[nodiscard]] bool same_shape(const Layer& other) const;  // equal but for the sources
};

// How a class of weights is stored: bits per value and one scale of `scale_bits` per `scale_group` values.
struct WeightFormat {
  std::int64_t bits = 16;
  std::int64_t scale_bits = 0;
  std::int64_t scale_group = 1;
  sim::Precision compute = sim::Precision::bf16;                // what the tensor units run
  [[nodiscard]] std::int64_t bytes(std::int64_t values) const;  // rounded up to whole bytes
};

// Classes of weights; each names its format.
enum class WeightClass {
  attention,
  compressor,
  indexer,
  router,
  streams,
  dense,
  expert,
  shared,
  engram,
  engram_rows,
  embedding,
  head
};
inline constexpr std::size_t weight_class_count = 12;
[[nodiscard]] std::string_view name_of(WeightClass c);

enum class StreamForm { none, standard, single_pass };

struct Streams {  // multi-stream residual (mHC)
  StreamForm form = StreamForm::none;
  std::int64_t count = 1;
};

struct Model {
  std::string name;
  std::string summary;
  std::string cache;  // family of cache entries, which formats know: "v3.2", "v4", "v4.1"
  std::int64_t hidden = 0;
  std::int64_t vocabulary = 0;
  std::int64_t max_positions = 0;
  std::vector<Layer> layers;  // main layers, then the draft layers that are switched on
  std::int64_t main_layers = 0;
  std::int64_t draft_layers = 0;  // that exist, on or off
  Streams streams;
  bool tied_embedding = false;  // the head is the embedding's matrix
  std::array<WeightFormat, weight_class_count> weights;
  std::map<std::string, sim::Provenance> provenance;
  std::map<std::string, std::string> sources;
  sim::Node resolved;

  [[nodiscard]] bool has_experts() const;
  [[nodiscard]] const WeightFormat& format(WeightClass c) const { return weights[static_cast<std::size_t>(c)]; }
  [[nodiscard]] std::int64_t position_period() const;  // least common multiple of the layers' ratios; OverflowError
};

[[nodiscard]] const sim::Table& model_table();

// Reads an entry whose `extends` has been replaced by its base. `draft` of its draft layers are switched on. All faults
// at once.
[[nodiscard]] Model read_model(const sim::Node& entry, std::int64_t draft, sim::Diagnostics& diagnostics);

// Counted from the same weight list as stored bytes and reads (models/lower).
struct ParameterCount {
  std::int64_t total = 0;           // main layers, embedding and head; without Engram tables and draft layers
  std::int64_t active = 0;          // used per decoded token (no embedding table)
  std::int64_t active_prefill = 0;  // used per prompt token: the encoder side alone where there is one
  std::int64_t engram = 0;          // rows of the lookup tables
  std::int64_t draft = 0;           // of draft layers that are switched on
};

}  // namespace kvtraffic::models
