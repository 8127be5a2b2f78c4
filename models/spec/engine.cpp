// The table of an engine file and its reading into a KernelPlan.
#include "models/spec/engine.hpp"

#include "sim/config/sources.hpp"

namespace kvtraffic::models {
namespace {

using sim::Field;
using sim::Table;
using sim::Type;

constexpr std::string_view patterns[] = {"gather", "stream"};

constexpr Field tile(std::string_view name, std::string_view help) {
  return {.name = name, .type = Type::integer, .help = help, .required = true, .min = 1, .max = 1e6};
}
constexpr Field tiles(std::string_view name, const Table& table) {
  return {.name = name, .type = Type::map, .help = table.help, .required = true, .table = &table};
}
constexpr Field gemm_fields[] = {tile("rows", "Output rows of a tile."), tile("columns", "Output columns of a tile."),
                                 tile("depth", "Least inner dimension of a split-K part.")};
constexpr Table gemm{.name = "gemm_tile", .help = "Tile of a matrix multiplication.", .fields = gemm_fields};
constexpr Field attention_fields[] = {tile("heads", "Query heads of a tile."),
                                      tile("keys", "Least entries of a split-KV part."),
                                      tile("prefill_rows", "Prefill, keys of each head: query rows of a tile."),
                                      tile("prefill_queries", "Prefill, one entry for all heads: tokens of a tile.")};
constexpr Table attention{.name = "attention_tile", .help = "Tile of attention.", .fields = attention_fields};
constexpr Field scan_fields[] = {tile("keys", "Index keys of a tile."),
                                 tile("prefill_rows", "Prefill: query rows, tokens x index heads, of a tile.")};
constexpr Table scan{.name = "scan_tile", .help = "Tile of an index scan.", .fields = scan_fields};
constexpr Field stream_fields[] = {
    {.name = "bytes", .type = Type::bytes, .help = "Bytes of a tile.", .required = true, .min = 32, .max = 1e9}};
constexpr Table stream{.name = "stream_tile", .help = "Tile of everything else.", .fields = stream_fields};

constexpr Field engine_fields[] = {
    {.name = "name", .type = Type::text, .help = "Name in catalogs and results.", .required = true},
    {.name = "summary", .type = Type::text, .help = "One line for lists."},
    {.name = "sources", .type = Type::dictionary, .help = "Addresses of the sources that numbers name."},
    {.name = "local_reads",
     .type = Type::choice,
     .help = "How attention reads window entries: by an index list, or in order.",
     .fallback = "gather",
     .choices = patterns},
    {.name = "dense_reads",
     .type = Type::choice,
     .help = "How attention reads when it takes every entry.",
     .fallback = "stream",
     .choices = patterns},
    {.name = "activation_bits",
     .type = Type::integer,
     .help = "Bits of activations between kernels.",
     .fallback = "16",
     .min = 4,
     .max = 64},
    {.name = "score_bits",
     .type = Type::integer,
     .help = "Bits of an index score.",
     .fallback = "32",
     .min = 8,
     .max = 64},
    tiles("gemm", gemm),
    tiles("attention", attention),
    tiles("scan", scan),
    tiles("stream", stream),
};
constexpr Table engine{.name = "engine",
                       .help = "How an engine cuts operations into kernels and tiles.",
                       .fields = engine_fields,
                       .sourced = true};

sim::Pattern pattern_named(const std::string& name) {
  return name == "stream" ? sim::Pattern::stream : sim::Pattern::gather;
}

}  // namespace

const sim::Table& engine_table() { return engine; }

Engine read_engine(const sim::Node& entry, sim::Diagnostics& diagnostics) {
  check(entry, engine, diagnostics);
  check_sources(entry, engine, diagnostics);
  const sim::View root(entry, engine);
  Engine result;
  sim::KernelPlan& plan = result.plan;
  plan.name = root.text("name");
  plan.summary = root.text("summary");
  plan.local_reads = pattern_named(root.text("local_reads"));
  plan.dense_reads = pattern_named(root.text("dense_reads"));
  plan.activation_bits = root.integer("activation_bits");
  plan.score_bits = root.integer("score_bits");
  plan.gemm_rows = root.map("gemm").integer("rows");
  plan.gemm_columns = root.map("gemm").integer("columns");
  plan.gemm_depth = root.map("gemm").integer("depth");
  plan.attention_heads = root.map("attention").integer("heads");
  plan.attention_keys = root.map("attention").integer("keys");
  plan.prefill_rows = root.map("attention").integer("prefill_rows");
  plan.prefill_queries = root.map("attention").integer("prefill_queries");
  plan.scan_keys = root.map("scan").integer("keys");
  plan.scan_rows = root.map("scan").integer("prefill_rows");
  plan.stream_bytes = root.map("stream").bytes("bytes").count();
  result.resolved = entry;
  result.provenance = provenance_of(entry, engine);
  for (const auto& member : root.node("sources").members()) result.sources[member.key] = member.value.text();
  return result;
}

}  // namespace kvtraffic::models
