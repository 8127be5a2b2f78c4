// The grammar of `workload.scope`: a table for each kind of kernel, and the numbers of one read into a BareKernel.
// Leaves out whether a layer or an operation exists: only the model knows.
#include "scenarios/spec/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace kvtraffic::scenarios {
namespace {

using models::BareKernel;
using sim::Diagnostics;
using sim::Field;
using sim::Node;
using sim::Table;
using sim::Type;
using sim::View;
using Kind = BareKernel::Kind;

constexpr double most = 1e9;
constexpr double most_kernels = 1e4;    // each becomes a vertex
constexpr double most_experts = 65536;  // each is counted by itself
constexpr std::array<std::string_view, 4> precisions{"fp4", "fp8", "bf16", "fp32"};

constexpr Field count(std::string_view name, std::string_view help, std::string_view fallback = "", double max = most) {
  return {.name = name,
          .type = Type::tokens,
          .help = help,
          .required = fallback.empty(),
          .fallback = fallback,
          .min = 1,
          .max = max};
}
constexpr Field number(std::string_view name, std::string_view help, std::string_view fallback, double max) {
  return {.name = name, .type = Type::number, .help = help, .fallback = fallback, .min = 0, .max = max};
}
constexpr Field precision_field{.name = "precision",
                                .type = Type::choice,
                                .help = "Of the arithmetic; inputs are stored so.",
                                .fallback = "bf16",
                                .choices = precisions};
constexpr Field weight_bits =
    number("weight_bits", "Bits of a weight with its share of scales; 0: as precision.", "0", 64);
constexpr Field entry_bytes =
    number("entry_bytes", "Bytes of an entry; 0: its width in the kernel's precision.", "0", 1e6);
constexpr Field spread = number("spread", "Tokens of an expert lie within mean x (1 -+ spread), evenly.", "0", 1);
constexpr Field queries = count("queries", "Tokens of a request.", "1");

constexpr std::array gemm_fields{count("m", "Output rows."), count("n", "Output columns."),
                                 count("k", "Inner dimension."), precision_field, weight_bits};
constexpr std::array grouped_fields{count("experts", "Experts on the device.", "", most_experts),
                                    count("tokens", "Tokens, all experts together."),
                                    count("top_k", "Experts on the device that a token goes to.", "1"),
                                    count("n", "Output columns."),
                                    count("k", "Inner dimension."),
                                    precision_field,
                                    weight_bits,
                                    spread};
constexpr std::array moe_fields{count("experts", "Experts on the device.", "", most_experts),
                                count("tokens", "Tokens, all experts together."),
                                count("top_k", "Experts on the device that a token goes to.", "1"),
                                count("hidden", "Hidden size."),
                                count("width", "Intermediate width of an expert on the device."),
                                precision_field,
                                weight_bits,
                                spread};
constexpr std::array attention_fields{count("batch", "Requests."),
                                      count("context", "Entries that a request reads."),
                                      count("heads", "Query heads on the device."),
                                      count("key_width", "Values of a key."),
                                      count("value_width", "Values of an output."),
                                      queries,
                                      precision_field,
                                      entry_bytes};
constexpr std::array gather_fields{count("batch", "Requests."), count("entries", "Entries of a request."),
                                   count("entry_bytes", "Bytes of an entry.")};
constexpr std::array scan_fields{count("batch", "Requests."),
                                 count("keys", "Index keys of a request."),
                                 count("heads", "Index heads."),
                                 count("width", "Values of a key."),
                                 queries,
                                 precision_field,
                                 entry_bytes};
constexpr std::array topk_fields{count("batch", "Rows."), count("keys", "Scores of a row."),
                                 count("picked", "Entries that are kept.")};
constexpr std::array elementwise_fields{count("tokens", "Tokens."),
                                        count("values", "Values of a token and stream."),
                                        count("reads", "Streams read.", "1"),
                                        count("writes", "Streams written.", "1"),
                                        count("kernels", "Kernels that share the bytes.", "1", most_kernels),
                                        precision_field};

struct KernelGrammar {
  Kind kind;
  Table table;
};
constexpr std::array grammars{
    KernelGrammar{Kind::gemm, {.name = "gemm", .help = "A matrix multiplication.", .fields = gemm_fields}},
    KernelGrammar{Kind::grouped_gemm,
                  {.name = "grouped_gemm", .help = "One for each expert.", .fields = grouped_fields}},
    KernelGrammar{Kind::moe, {.name = "moe", .help = "Both grouped ones of experts.", .fields = moe_fields}},
    KernelGrammar{Kind::attention,
                  {.name = "attention", .help = "Decode attention on shared entries.", .fields = attention_fields}},
    KernelGrammar{Kind::gather, {.name = "gather", .help = "Entries picked by a list.", .fields = gather_fields}},
    KernelGrammar{Kind::scan, {.name = "scan", .help = "Index logits.", .fields = scan_fields}},
    KernelGrammar{Kind::topk, {.name = "topk", .help = "Selection of the best scores.", .fields = topk_fields}},
    KernelGrammar{Kind::elementwise,
                  {.name = "elementwise", .help = "Streams in and out.", .fields = elementwise_fields}}};

constexpr Field kernel_of(const Table& table) {
  return {.name = table.name, .type = Type::map, .help = table.help, .table = &table};
}
constexpr std::array<Field, grammars.size()> kernel_fields = [] {
  std::array<Field, grammars.size()> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = kernel_of(grammars[i].table);
  return fields;
}();
constexpr std::array<std::string_view, grammars.size()> kernel_names = [] {
  std::array<std::string_view, grammars.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = grammars[i].table.name;
  return names;
}();
constexpr std::array only_one{sim::Exclusive{kernel_names, true}};
constexpr Table kernel_table{.name = "kernel",
                             .help = "One kernel on one device, with no model around it.",
                             .fields = kernel_fields,
                             .exclusive = only_one};
constexpr std::array<std::string_view, 2> parts{"attention", "feed_forward"};
constexpr std::array scope_fields{
    Field{.name = "layer", .type = Type::integer, .help = "Only this layer, counted from 0.", .min = 0, .max = 1e4},
    Field{.name = "operation", .type = Type::text, .help = "Only the operation of this name."},
    Field{.name = "part",
          .type = Type::choice,
          .help = "Only what an engine's module of a layer runs, without norm, residual and all-reduce.",
          .choices = parts},
    Field{.name = "kernel", .type = Type::map, .help = kernel_table.help, .table = &kernel_table}};
constexpr Table scope_table{
    .name = "scope", .help = "A part of the step, or a kernel by itself.", .fields = scope_fields};

constexpr std::array<double, sim::precision_count> bits{4, 8, 16, 32};

std::int64_t pick(const View& view, std::initializer_list<std::string_view> names, const Table& table) {
  for (const std::string_view name : names) {
    for (const Field& field : table.fields) {
      if (field.name == name) return view.integer(name);
    }
  }
  return 1;
}

bool knows(const Table& table, std::string_view name) {
  return std::ranges::any_of(table.fields, [&](const Field& field) { return field.name == name; });
}

double number_in(const View& view, const Table& table, std::string_view name) {
  return knows(table, name) ? view.number(name) : 0;
}

BareKernel read_kernel(const View& view, const KernelGrammar& grammar) {
  const Table& table = grammar.table;
  const auto of = [&](std::initializer_list<std::string_view> names) { return pick(view, names, table); };
  BareKernel kernel;
  kernel.kind = grammar.kind;
  if (knows(table, "precision")) kernel.precision = *sim::precision_named(view.text("precision"));
  kernel.rows = sim::checked_multiply(of({"m", "tokens", "batch"}), of({"top_k"}));
  kernel.columns = of({"n", "width"});
  kernel.depth = of({"k", "hidden"});
  kernel.experts = of({"experts"});
  kernel.keys = of({"context", "keys", "entries"});
  kernel.heads = of({"heads"});
  kernel.key_width = of({"key_width", "width"});
  kernel.value_width = of({"value_width"});
  kernel.queries = of({"queries"});
  kernel.picked = of({"picked"});
  kernel.values = of({"values"});
  kernel.reads = of({"reads"});
  kernel.writes = of({"writes"});
  kernel.kernels = of({"kernels"});
  kernel.spread = number_in(view, table, "spread");
  const double own = bits[static_cast<std::size_t>(kernel.precision)];
  kernel.weight_bits = number_in(view, table, "weight_bits");
  if (kernel.weight_bits <= 0) kernel.weight_bits = own;
  kernel.entry_bytes =
      grammar.kind == Kind::gather ? static_cast<double>(of({"entry_bytes"})) : number_in(view, table, "entry_bytes");
  if (kernel.entry_bytes <= 0) kernel.entry_bytes = static_cast<double>(kernel.key_width) * own / 8;
  return kernel;
}

}  // namespace

bool is_kernel_scope(const Node& scope) { return scope.find("kernel") != nullptr; }

Scope read_scope(const Node& scope, const sim::Mark& mark, Diagnostics& diagnostics) {
  Scope result;
  result.mark = mark;
  if (scope.is_null() || (scope.is_scalar() && scope.text() == "step")) return result;
  if (!scope.is_map()) {
    diagnostics.error(mark, "workload.scope", "is no part of a step",
                      "step, {layer: N, part: attention}, {operation: NAME} or {kernel: {...}}");
    return result;
  }
  Diagnostics faults;
  check(scope, scope_table, faults, "workload.scope");
  diagnostics.append(faults);
  if (faults.has_errors()) return result;
  const View view(scope, scope_table);
  if (view.has("layer")) result.part.layer = static_cast<std::int32_t>(view.integer("layer"));
  if (view.has("operation")) result.part.operation = view.text("operation");
  if (view.has("part")) {
    result.part.module = view.text("part") == "attention" ? sim::Module::attention : sim::Module::feed_forward;
  }
  if (!view.has("kernel")) return result;
  const View kernels = view.map("kernel");
  for (const KernelGrammar& grammar : grammars) {
    if (kernels.has(grammar.table.name)) result.kernel = read_kernel(kernels.map(grammar.table.name), grammar);
  }
  if (result.part.is_whole()) return result;
  diagnostics.error(mark, "workload.scope", "a kernel by itself is part of no layer",
                    "kernel, or layer, part and operation");
  return result;
}

}  // namespace kvtraffic::scenarios
