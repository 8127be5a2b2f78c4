// The tables of a model file: every field with its type, range, default and help. Leaves out what fields mean together
// (read_model.cpp).
#include "models/spec/model.hpp"

namespace kvtraffic::models {
namespace {

using sim::Field;
using sim::Table;
using sim::Type;

constexpr std::string_view kinds[] = {"mha", "gqa", "mla", "window", "dsa", "csa", "hca", "csa2"};
constexpr std::string_view latent_forms[] = {"absorbed", "expanded"};
constexpr std::string_view routings[] = {"scored", "hashed"};
constexpr std::string_view modes[] = {"full", "reindex", "reuse"};
constexpr std::string_view sides[] = {"encoder", "decoder"};
constexpr std::string_view forms[] = {"none", "standard", "single-pass"};
constexpr std::string_view precisions[] = {"fp4", "fp8", "bf16", "fp32"};

constexpr Field width(std::string_view name, std::string_view help) {
  return {.name = name, .type = Type::integer, .help = help, .min = 1, .max = 1e6};
}

constexpr Field attention_fields[] = {
    {.name = "kind",
     .type = Type::choice,
     .help = "How this layer attends: heads of its own (mha) or shared ones (gqa), a latent (mla), a latent with "
             "selection (dsa), a "
             "sliding window alone, V4's csa or hca, V4.1's csa2.",
     .choices = kinds},
    {.name = "mode",
     .type = Type::choice,
     .help = "csa2: full layers write caches and select, reindex layers select again, reuse layers copy a selection.",
     .choices = modes},
    {.name = "form",
     .type = Type::choice,
     .help = "mla: the cache holds the latent (absorbed), or keys and values of every head (expanded).",
     .fallback = "absorbed",
     .choices = latent_forms},
    width("heads", "Query heads."),
    width("kv_heads", "gqa: key and value heads."),
    width("head_dim", "mha, gqa: width of a head; shared-entry kinds: width of the entry, rotated part included."),
    width("rope_dim", "Rotated part of a key."),
    width("nope_dim", "mla, dsa: unrotated part of a query head."),
    width("value_dim", "mla, dsa: width of a value head."),
    width("query_rank", "Latent width of the query projection; absent: projected in one go."),
    width("kv_rank", "mla, dsa: width of the latent."),
    width("output_groups", "Groups of the first output projection."),
    width("output_rank", "Width of one group's output."),
    {.name = "window",
     .type = Type::tokens,
     .help = "Positions of the sliding window, the token's own included.",
     .min = 1,
     .max = 1e9},
    {.name = "ratio", .type = Type::integer, .help = "Tokens per compressed entry.", .min = 1, .max = 1e6},
    {.name = "overlap",
     .type = Type::flag,
     .help = "An entry pools the block before its own too.",
     .fallback = "false"},
    {.name = "top_k", .type = Type::tokens, .help = "Entries that a query selects.", .min = 1, .max = 1e9},
    width("index_heads", "Heads of the indexer."),
    width("index_dim", "Width of an index key."),
    {.name = "candidates",
     .type = Type::tokens,
     .help = "reindex: most keys that are scored, from the pool of the source layer.",
     .min = 1,
     .max = 1e9},
    {.name = "candidate_block",
     .type = Type::integer,
     .help = "Keys per element of the candidate pool.",
     .fallback = "1",
     .min = 1,
     .max = 1e6},
};
constexpr Table attention{
    .name = "attention", .help = "Widths and selection of one layer's attention.", .fields = attention_fields};

constexpr Field expert_fields[] = {
    width("routed", "Routed experts of the layer."),
    width("active", "Routed experts that a token uses."),
    {.name = "shared",
     .type = Type::integer,
     .help = "Experts that every token uses.",
     .fallback = "0",
     .min = 0,
     .max = 1e6},
    width("width", "Inner width of one expert."),
    {.name = "routing",
     .type = Type::choice,
     .help = "Experts are chosen by the router's scores, or by a table on the token's id (the scores then only weigh "
             "them).",
     .fallback = "scored",
     .choices = routings},
    {.name = "groups",
     .type = Type::integer,
     .help = "Groups of experts; a token's come from groups_used of them.",
     .fallback = "1",
     .min = 1,
     .max = 1e6},
    {.name = "groups_used",
     .type = Type::integer,
     .help = "Groups that a token may use.",
     .fallback = "1",
     .min = 1,
     .max = 1e6},
};
constexpr Table experts{.name = "experts", .help = "The mixture of experts.", .fields = expert_fields};

constexpr Field stream_fields[] = {
    {.name = "count",
     .type = Type::integer,
     .help = "Parallel residual streams.",
     .fallback = "1",
     .min = 1,
     .max = 64},
    {.name = "form",
     .type = Type::choice,
     .help = "standard moves (4n+4)d values per sub-block, single-pass (2n+2)d.",
     .fallback = "none",
     .choices = forms},
};
constexpr Table streams{.name = "streams", .help = "Multi-stream residual (mHC).", .fields = stream_fields};

constexpr Field engram_fields[] = {
    {.name = "rows",
     .type = Type::integer,
     .help = "Rows of the layer's lookup table; a layer that gives it has one.",
     .min = 1,
     .max = 1e12},
    width("rows_per_token", "Rows that a token looks up."),
    width("row_values", "Values in a row."),
    width("mixed_width", "Width that the looked-up rows are projected to."),
};
constexpr Table engram{.name = "engram", .help = "Hash-indexed lookup tables.", .fields = engram_fields};

constexpr Field weight_fields[] = {
    {.name = "bits", .type = Type::integer, .help = "Bits per value.", .fallback = "16", .min = 1, .max = 64},
    {.name = "scale_bits",
     .type = Type::integer,
     .help = "Bits per scale; 0: none.",
     .fallback = "0",
     .min = 0,
     .max = 64},
    {.name = "scale_group",
     .type = Type::integer,
     .help = "Values that share a scale.",
     .fallback = "1",
     .min = 1,
     .max = 1e9},
    {.name = "compute",
     .type = Type::choice,
     .help = "What the tensor units run.",
     .fallback = "bf16",
     .choices = precisions},
};
constexpr Table weight{.name = "weight_format", .help = "How a class of weights is stored.", .fields = weight_fields};

constexpr Field weight_class(std::string_view name, std::string_view help) {
  return {.name = name, .type = Type::map, .help = help, .table = &weight};
}
constexpr Field weights_fields[] = {
    weight_class("attention", "Query, key/value and output projections."),
    weight_class("compressor", "Compressors, projections of index keys, and the indexer's head weights."),
    weight_class("indexer", "Query projection of the indexer."),
    weight_class("router", "Expert router."),
    weight_class("streams", "Mixing of the residual streams."),
    weight_class("dense", "Dense feed-forward layers."),
    weight_class("expert", "Routed experts."),
    weight_class("shared", "Shared experts."),
    weight_class("engram", "Mixing of looked-up Engram rows."),
    weight_class("engram_rows", "Rows of the Engram tables."),
    weight_class("embedding", "Token embedding."),
    weight_class("head", "Output head."),
};
constexpr Table weights{.name = "weights",
                        .help = "Storage format of each class of weights; BF16 where nothing is said.",
                        .fields = weights_fields};

extern const Table layer;

constexpr Field layer_attention{
    .name = "attention", .type = Type::map, .help = "Attention; laid on the model's own.", .table = &attention};
constexpr Field layer_experts{
    .name = "experts", .type = Type::map, .help = "Experts; laid on the model's own.", .table = &experts};
constexpr Field layer_dense{.name = "dense_width",
                            .type = Type::integer,
                            .help = "Inner width of a dense feed-forward layer, in place of experts.",
                            .min = 1,
                            .max = 1e9};
constexpr Field layer_engram{
    .name = "engram", .type = Type::map, .help = "Lookup table of this layer.", .table = &engram};
constexpr Field layer_side{.name = "side",
                           .type = Type::choice,
                           .help = "Which half of a causal encoder-decoder the layer belongs to.",
                           .choices = sides};

constexpr Field layer_fields[] = {
    {.name = "repeat",
     .type = Type::integer,
     .help = "How often this entry stands in a row.",
     .fallback = "1",
     .min = 1,
     .max = 10000},
    {.name = "layers",
     .type = Type::list,
     .help = "Layers that are repeated together, in place of one.",
     .table = &layer,
     .item = Type::map},
    layer_attention,
    layer_experts,
    layer_dense,
    layer_engram,
    layer_side,
};
const Table layer{.name = "layer", .help = "A layer, or several in a row.", .fields = layer_fields};

constexpr Field change_fields[] = {
    {.name = "layers",
     .type = Type::list,
     .help = "Layer numbers, from 0.",
     .required = true,
     .min = 0,
     .max = 10000,
     .item = Type::integer},
    layer_attention,
    layer_experts,
    layer_dense,
    layer_engram,
    layer_side,
};
constexpr Table change{
    .name = "change", .help = "Fields laid on single layers after repetition.", .fields = change_fields};

constexpr Field model_fields[] = {
    {.name = "name", .type = Type::text, .help = "Name in catalogs and results.", .required = true},
    {.name = "summary", .type = Type::text, .help = "One line for lists."},
    {.name = "sources", .type = Type::dictionary, .help = "Addresses of the sources that numbers name."},
    {.name = "cache", .type = Type::name, .help = "Family of cache entries, which formats know.", .required = true},
    {.name = "hidden",
     .type = Type::integer,
     .help = "Width of the residual stream.",
     .required = true,
     .min = 1,
     .max = 1e6},
    {.name = "vocabulary",
     .type = Type::integer,
     .help = "Tokens in the vocabulary.",
     .required = true,
     .min = 1,
     .max = 1e9},
    {.name = "max_positions",
     .type = Type::tokens,
     .help = "Longest context the model is made for.",
     .required = true,
     .min = 1,
     .max = 1e12},
    {.name = "attention",
     .type = Type::map,
     .help = "Attention of all layers, unless a layer says otherwise.",
     .table = &attention},
    {.name = "experts",
     .type = Type::map,
     .help = "Experts of all layers, unless a layer is dense.",
     .table = &experts},
    {.name = "gated",
     .type = Type::flag,
     .help = "Feed-forward has a gate: three matrices, else two.",
     .fallback = "true"},
    {.name = "tied_embedding",
     .type = Type::flag,
     .help = "The output head is the embedding's matrix.",
     .fallback = "false"},
    {.name = "streams", .type = Type::map, .help = "Multi-stream residual (mHC).", .table = &streams},
    {.name = "engram",
     .type = Type::map,
     .help = "Shape of the Engram lookups of layers that have a table.",
     .table = &engram},
    {.name = "layers",
     .type = Type::list,
     .help = "The layers in order.",
     .required = true,
     .table = &layer,
     .item = Type::map},
    {.name = "changes",
     .type = Type::list,
     .help = "Changes to single layers, applied in order.",
     .table = &change,
     .item = Type::map},
    {.name = "draft",
     .type = Type::list,
     .help = "Draft layers (multi-token prediction); off unless a scenario asks for them.",
     .table = &layer,
     .item = Type::map},
    {.name = "weights", .type = Type::map, .help = "Storage format of the weights.", .table = &weights},
};
constexpr Table model{
    .name = "model", .help = "A model, declared layer by layer.", .fields = model_fields, .sourced = true};

}  // namespace

const sim::Table& model_table() { return model; }

}  // namespace kvtraffic::models
