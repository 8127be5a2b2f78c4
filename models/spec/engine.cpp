// The table of an engine file and its reading into a KernelPlan.
#include "models/spec/engine.hpp"

#include <algorithm>

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

// ---- kernel classes ----

constexpr std::string_view any_precision[] = {"any", "fp4", "fp8", "bf16", "fp32"};

constexpr Field time(std::string_view name, std::string_view help) {
  return {.name = name, .type = Type::duration, .help = help, .fallback = "0 us", .min = 0};
}
constexpr Field count(std::string_view name, std::string_view help, std::string_view fallback, double min) {
  return {.name = name, .type = Type::integer, .help = help, .fallback = fallback, .min = min, .max = 1e6};
}
constexpr Field factor(std::string_view name, std::string_view help, double max) {
  return {.name = name, .type = Type::number, .help = help, .fallback = "0", .min = 0, .max = max};
}
constexpr Field class_fields[] = {
    {.name = "kernel",
     .type = Type::choice,
     .help = "The kind of operation that these kernels carry out.",
     .required = true,
     .choices = sim::operation_kind_names},
    {.name = "architecture",
     .type = Type::choice,
     .help = "The devices it runs on so.",
     .required = true,
     .choices = sim::architecture_names},
    {.name = "precision",
     .type = Type::choice,
     .help = "Of most of its arithmetic.",
     .fallback = "any",
     .choices = any_precision},
    {.name = "batched",
     .type = Type::flag,
     .help = "Matrix multiplication: of many matrices beside one another, such as one for each head.",
     .fallback = "false"},
    count("picked", "Top-k: of kernels that keep so many entries; 0: any.", "0", 0),
    {.name = "layers",
     .type = Type::list,
     .help = "Kinds of attention of the layers it counts in; absent: any, and kernels by themselves."},
    {.name = "library", .type = Type::text, .help = "Where its kernels come from."},
    time("start", "Fixed cost before its first load, beyond the device's launch gap and start."),
    time("bubble", "Of each tile: prologue and epilogue, which no other tile hides."),
    time("soft", "Of each block: what neither tensor units nor memory hide."),
    {.name = "prefill_soft",
     .type = Type::duration,
     .help = "The same in prefill, whose kernels are others; absent: as `soft`.",
     .min = 0},
    time("piece", "Of each request, or part of one, that a thread block works on."),
    time("combine", "Of each split, in the kernel that adds the parts up."),
    time("group", "Of each expert on the device, with or without tokens."),
    {.name = "load_rate",
     .type = Type::bandwidth,
     .help = "Most that one multiprocessor loads; absent: the device's rate.",
     .min = 1e6},
    factor("efficiency", "Share of the peak that this class sustains, where the device states less.", 1),
    factor("exposed", "Passes over its activations at the memory's rate that nothing overlaps.", 1000),
    count("heads", "Block of attention: query heads; 0: the plan's tile.", "0", 0),
    count("keys", "Keys of a block, or entries of a top-k block; 0: the plan's tile.", "0", 0),
    count("passes", "Top-k: passes over the scores.", "1", 1),
    count("blocks", "Top-k: thread blocks of a row, where those of all rows run at once; otherwise one.", "1", 1),
    {.name = "padded",
     .type = Type::flag,
     .help = "Attention works on a whole selection, however few entries there are.",
     .fallback = "false"},
    time("slow", "Top-k: more time for rows of a length that takes another branch."),
    count("slow_from", "Top-k: shortest of those rows, in scores.", "0", 0),
    count("slow_below", "Top-k: the length from which rows take the first branch again.", "0", 0),
    factor(
        "panels",
        "Matrix multiplication: of the operand panels that tiles load again, the share that L2 delivers; neighbouring "
        "SMs that ask together are served once.",
        1),
    time("outside",
         "Matrix multiplication: least time of loads 128 values deep if all rows of a tile lay outside of the matrix; "
         "less in proportion."),
    factor("refetch",
           "Matrix multiplication: of a panel of weights that lies in memory, the share that a second tile of rows "
           "fetches once more.",
           1),
    {.name = "casts",
     .type = Type::flag,
     .help = "Matrix multiplication: a kernel before it casts its input to the precision of its arithmetic.",
     .fallback = "false"},
    {.name = "split",
     .type = Type::choice,
     .help = "How the library hands out parts.",
     .fallback = "even",
     .choices = sim::split_rule_names},
};
constexpr Table kernel_class{.name = "kernel_class",
                             .help = "What a class of kernels costs beyond bytes and arithmetic.",
                             .fields = class_fields,
                             .sourced = true};

constexpr std::string_view modules[] = {"attention", "feed_forward"};
constexpr Field small_fields[] = {
    {.name = "module", .type = Type::choice, .help = "Part of the layer.", .required = true, .choices = modules},
    {.name = "layers", .type = Type::text, .help = "Kind of attention of the layers; absent: any."},
    {.name = "kernels", .type = Type::integer, .help = "How many.", .required = true, .min = 0, .max = 1000}};
constexpr Table small_kernels{.name = "small_kernels",
                              .help = "Kernels of a layer that no operation of the algorithm stands for.",
                              .fields = small_fields,
                              .sourced = true};

constexpr Field launch_fields[] = {
    {.name = "mode",
     .type = Type::choice,
     .help =
         "graph: a replayed graph. stream: the host launches each kernel, at the device's launch.stream_gap. "
         "overlapped: as graph, but launch and start of a kernel that waits for one kernel alone overlap that one's "
         "last tiles (programmatic dependent launch).",
     .fallback = "graph",
     .choices = sim::launch_mode_names},
    time("host_gap", "Of the host, between two steps."),
};
constexpr Table launch{
    .name = "launch", .help = "How kernels come to the device.", .fields = launch_fields, .sourced = true};

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
    {.name = "launch", .type = Type::map, .help = launch.help, .table = &launch},
    {.name = "in_order",
     .type = Type::flag,
     .help = "Kernels run one after another, whether one needs the other's data or not.",
     .fallback = "false"},
    {.name = "beside", .type = Type::list, .help = "Operations on a second stream, which wait for their data alone."},
    {.name = "folded",
     .type = Type::list,
     .help = "Operations that are done in the kernel before or after them: bytes and arithmetic, but no launch."},
    {.name = "as_stored",
     .type = Type::flag,
     .help = "Dense latent attention multiplies in the width that its cache is stored in.",
     .fallback = "false"},
    {.name = "small",
     .type = Type::list,
     .help = "Kernels of a layer that no operation stands for; of those that fit the first counts.",
     .table = &small_kernels,
     .item = Type::map},
    {.name = "kernels",
     .type = Type::list,
     .help = "Kernel classes; of those that fit a kernel the first counts.",
     .table = &kernel_class,
     .item = Type::map},
};
constexpr Table engine{.name = "engine",
                       .help = "How an engine cuts operations into kernels and tiles.",
                       .fields = engine_fields,
                       .sourced = true};

sim::Pattern pattern_named(const std::string& name) {
  return name == "stream" ? sim::Pattern::stream : sim::Pattern::gather;
}

template <class Names>
std::size_t place_of(const Names& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  return found == std::end(names) ? 0 : static_cast<std::size_t>(found - std::begin(names));
}

sim::KernelClass read_class(const sim::View& view) {
  sim::KernelClass result;
  result.kind = static_cast<sim::OperationKind>(place_of(sim::operation_kind_names, view.text("kernel")));
  result.architecture = static_cast<sim::Architecture>(place_of(sim::architecture_names, view.text("architecture")));
  result.precision = sim::precision_named(view.text("precision"));
  result.batched = view.flag("batched");
  result.picked = view.integer("picked");
  result.layers = view.texts("layers");
  result.start = view.duration("start");
  result.bubble = view.duration("bubble");
  result.soft = view.duration("soft");
  if (view.has("prefill_soft")) result.prefill_soft = view.duration("prefill_soft");
  result.piece = view.duration("piece");
  result.combine = view.duration("combine");
  result.group = view.duration("group");
  if (view.has("load_rate")) result.load_rate = view.bandwidth("load_rate");
  result.efficiency = view.number("efficiency");
  result.exposed = view.number("exposed");
  result.heads = view.integer("heads");
  result.keys = view.integer("keys");
  result.passes = view.integer("passes");
  result.blocks = view.integer("blocks");
  result.panels = view.number("panels");
  result.outside = view.duration("outside");
  result.refetch = view.number("refetch");
  result.casts = view.flag("casts");
  result.padded = view.flag("padded");
  result.slow = view.duration("slow");
  result.slow_from = view.integer("slow_from");
  result.slow_below = view.integer("slow_below");
  result.split = static_cast<sim::SplitRule>(place_of(sim::split_rule_names, view.text("split")));
  return result;
}

// Fusion, order and the kernels that no operation stands for.
void read_layers(const sim::View& root, sim::KernelPlan& plan) {
  plan.launch = sim::launch_mode_named(root.map("launch").text("mode"));
  plan.host_gap = root.map("launch").duration("host_gap");
  plan.in_order = root.flag("in_order");
  plan.as_stored = root.flag("as_stored");
  plan.beside = root.texts("beside");
  plan.folded = root.texts("folded");
  for (const sim::View& view : root.maps("small")) {
    const auto module = static_cast<sim::Module>(place_of(sim::module_names, view.text("module")));
    plan.small.push_back({module, view.text("layers"), view.integer("kernels")});
  }
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
  read_layers(root, plan);
  for (const sim::View& view : root.maps("kernels")) plan.classes.push_back(read_class(view));
  result.resolved = entry;
  result.provenance = provenance_of(entry, engine);
  for (const auto& member : root.node("sources").members()) result.sources[member.key] = member.value.text();
  return result;
}

}  // namespace kvtraffic::models
