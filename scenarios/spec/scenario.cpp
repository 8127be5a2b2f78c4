// The scenario's fields as one table, and a checked map read into a Scenario.
// Leaves out what the referenced entries hold; their own rooms check that.
#include "scenarios/spec/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "scenarios/spec/locality.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Field;
using sim::Node;
using sim::Table;
using sim::Type;
using sim::View;

constexpr double most_sequences = 1e9;
constexpr double most_positions = 1e9;
constexpr double most_devices = 1e6;
constexpr double most_layers = 10000;
constexpr double most_seed = 1e15;
constexpr double most_skew = 10;

constexpr std::array<std::string_view, 3> fidelities{"cycle", "flow", "roofline"};
constexpr std::array<std::string_view, 2> capacities{"enforce", "ignore"};
constexpr std::array<std::string_view, 3> places{"host", "device", "remote"};
constexpr std::array<std::string_view, 2> phases{"decode", "prefill"};
constexpr std::array<std::string_view, 2> positions{"exact", "mean"};
constexpr std::array<std::string_view, 4> caches{"cold", "warm", "dirty", "steady"};
constexpr std::array<std::string_view, 2> replays{"bounded", "full"};
constexpr std::array<std::string_view, 2> source_layers{"projection", "full"};

constexpr Field ranks(std::string_view name, std::string_view help) {
  return {.name = name, .type = Type::integer, .help = help, .min = 1, .max = most_devices};
}

constexpr std::array parallel_fields{
    ranks("tensor", "Ranks that divide each layer; tensor x data = devices."),
    ranks("data", "Ranks that divide the batch; tensor x data = devices."),
    ranks("expert", "Ranks that divide the routed experts; divides devices. Dense models ignore it."),
};
constexpr Table parallel_table{
    .name = "parallel",
    .help =
        "How the model is divided over the devices. What is left out is derived: mixture-of-experts models decode with "
        "data = expert = devices, dense models with tensor = devices.",
    .fields = parallel_fields};

constexpr std::array placement_fields{
    Field{.name = "engram",
          .type = Type::choice,
          .help = "Where Engram lookup tables lie; remote: in the memory of another node, behind the link.",
          .fallback = "host",
          .choices = places},
    Field{.name = "host_experts",
          .type = Type::ratio,
          .help = "Share of each layer's routed experts whose weights lie in host memory: whole experts, rounded down.",
          .fallback = "0%",
          .min = 0,
          .max = 1},
    Field{.name = "host_layers",
          .type = Type::integer,
          .help = "So many of the last main layers have all their weights in host memory.",
          .fallback = "0",
          .min = 0,
          .max = most_layers},
};
constexpr Table placement_table{
    .name = "placement",
    .help = "Where tensors lie that need not be in device memory. With unified memory the host is the device.",
    .fields = placement_fields};

constexpr std::array<std::string_view, 2> switches{"on", "off"};

constexpr Field mechanism(std::string_view name, std::string_view help) {
  return {.name = name, .type = Type::choice, .help = help, .fallback = "on", .choices = switches};
}

constexpr std::array ablate_fields{
    mechanism("l2", "Off: L2 holds nothing between two accesses."),
    mechanism("launch", "Off: kernels are launched and start in no time."),
    mechanism("refresh", "Cycle only. Off: DRAM is never refreshed."),
    mechanism("dram_commands", "Cycle only. Off: DRAM serves every mix at the device's measured stream rate."),
    mechanism("gather", "Cycle only. Off: gathered entries lie one after another in DRAM."),
};
constexpr Table ablate_table{
    .name = "ablate",
    .help = "Mechanisms to leave out of the simulation, to see what they cost. Bytes asked for stay the same.",
    .fields = ablate_fields};

constexpr std::array routing_fields{
    Field{.name = "seed",
          .type = Type::integer,
          .help = "Equal seeds are equal draws.",
          .fallback = "1",
          .min = 0,
          .max = most_seed},
    Field{.name = "skew",
          .type = Type::number,
          .help = "The i-th most popular expert of a layer is chosen in proportion to i^-skew; 0: all alike.",
          .fallback = "0",
          .min = 0,
          .max = most_skew},
};
constexpr Table routing_table{
    .name = "routing",
    .help = "Draws the experts of each token, all different, and who is popular in each layer.",
    .fields = routing_fields};
constexpr std::array<std::string_view, 1> routings{"even"};

constexpr std::array workload_fields{
    Field{.name = "phase",
          .type = Type::choice,
          .help = "One decode step, or a whole prefill.",
          .required = true,
          .choices = phases},
    Field{.name = "batch",
          .type = Type::integer,
          .help = "Sequences in the whole deployment.",
          .required = true,
          .min = 1,
          .max = most_sequences},
    Field{.name = "context",
          .type = Type::tokens,
          .help = "Decode: positions the new token attends to, itself included. Prefill: prompt length, cached part "
                  "included.",
          .required = true,
          .min = 1,
          .max = most_positions},
    Field{.name = "position",
          .type = Type::choice,
          .help = "Decode: a block that closes in this very step, or the average over the period of the layers' "
                  "ratios.",
          .fallback = "exact",
          .choices = positions},
    Field{.name = "routing",
          .type = Type::map,
          .help = "How tokens choose routed experts: even (all experts get the same, and as many as expected get any), "
                  "or drawn: {seed: 1, skew: 0.5}.",
          .fallback = "even",
          .choices = routings,
          .table = &routing_table},
    Field{.name = "scope",
          .type = Type::any,
          .help = "What is simulated: step, {layer: N, part: attention}, {operation: NAME}, or a kernel by itself: "
                  "{kernel: {gemm: "
                  "{...}}}.",
          .fallback = "step"},
    Field{.name = "cache",
          .type = Type::choice,
          .help =
              "What L2 holds at the start: a kernel by itself finds its inputs there (warm), nothing (cold) or lines "
              "that it must write back (dirty); a step what an equal step before it left (steady) or nothing (cold; of "
              "a prefill in chunks the first chunk). Absent: cold for kernels, steady for steps.",
          .choices = caches},
    Field{.name = "cached",
          .type = Type::tokens,
          .help = "Prefill: leading tokens whose cache exists already.",
          .fallback = "0",
          .min = 0,
          .max = most_positions},
    Field{.name = "replay",
          .type = Type::choice,
          .help = "Prefill of models with an encoder side: whether decoder layers run on the last window of "
                  "positions, or on all.",
          .fallback = "bounded",
          .choices = replays},
    Field{.name = "source_layer",
          .type = Type::choice,
          .help = "Prefill with bounded replay: whether the layer that writes the decoder's cache runs its "
                  "projection alone on every position, or the whole layer.",
          .fallback = "projection",
          .choices = source_layers},
    Field{.name = "chunk",
          .type = Type::tokens,
          .help = "Prefill: tokens of each sequence that are computed together; 0: the whole prompt.",
          .fallback = "0",
          .min = 0,
          .max = most_positions},
    selection_field,
    pages_field,
};
constexpr Table workload_table{
    .name = "workload", .help = "What the deployment is asked to do.", .fields = workload_fields};

constexpr Field reference(std::string_view name, std::string_view help, std::string_view fallback = "") {
  return {.name = name, .type = Type::reference, .help = help, .required = fallback.empty(), .fallback = fallback};
}

constexpr std::array scenario_fields{
    Field{.name = "name", .type = Type::text, .help = "What reports call this scenario."},
    Field{.name = "description", .type = Type::text, .help = "What the scenario asks, in a sentence or two."},
    reference("model", "A model of the catalog, a file, or {extends: NAME, ...overrides}."),
    reference("hardware", "A device or node of the catalog, a file, or {extends: NAME, ...overrides}."),
    reference("format", "The cache format set: how cached entries lie in memory.", "deployed"),
    reference("engine", "The kernel plan: how operations become kernels and tiles.", "reference"),
    Field{.name = "weights",
          .type = Type::reference,
          .help = "A weight set that stores the model's weights in other bits; absent: as released."},
    Field{.name = "fidelity",
          .type = Type::choice,
          .help = "How closely time is simulated; bytes asked for are equal in all three. Where it is left out and the "
                  "device names no DRAM part or has several shared caches (l2.levels), flow.",
          .fallback = "cycle",
          .choices = fidelities},
    Field{.name = "launch",
          .type = Type::choice,
          .help =
              "How kernels are launched: as a replayed graph, by the host on a stream, or overlapped with the kernel "
              "before (programmatic dependent launch). Absent: as the engine says; the roofline launches nothing.",
          .choices = sim::launch_mode_names},
    Field{.name = "exact",
          .type = Type::choice,
          .help = "Cycle only. On: every DRAM command of the step is simulated, and no time is derived from windows; "
                  "bytes are the same, and it takes minutes where a step moves gigabytes.",
          .fallback = "off",
          .choices = switches},
    Field{.name = "capacity",
          .type = Type::choice,
          .help = "Whether a point that does not fit into memory is infeasible, or is run with a warning.",
          .fallback = "enforce",
          .choices = capacities},
    Field{.name = "reserve",
          .type = Type::ratio,
          .help = "Share of device memory kept free for activations and the runtime.",
          .fallback = "10%",
          .min = 0,
          .max = 0.99},
    Field{.name = "draft",
          .type = Type::integer,
          .help = "Draft layers that run along.",
          .fallback = "0",
          .min = 0,
          .max = 100},
    Field{.name = "ablate", .type = Type::map, .help = ablate_table.help, .table = &ablate_table},
    Field{.name = "placement", .type = Type::map, .help = placement_table.help, .table = &placement_table},
    Field{.name = "parallel", .type = Type::map, .help = parallel_table.help, .table = &parallel_table},
    Field{
        .name = "workload", .type = Type::map, .help = workload_table.help, .required = true, .table = &workload_table},
    Field{.name = "sweep",
          .type = Type::any,
          .help = "Paths and the values they take: lists, {range: {from, to, step}}, {log2: {from, to}}, {linspace: "
                  "{from, to, "
                  "count}}, {geomspace: {from, to, count}}; `zip` ties paths. Axes multiply."},
    Field{.name = "expect",
          .type = Type::any,
          .help = "Paths of the result and what they must be: a value, {min, max}, or {value, within}."},
};
constexpr Table table{
    .name = "scenario", .help = "A question: what runs on what, at which points.", .fields = scenario_fields};

// ---- the same for kernels by themselves ----

constexpr bool is_of_steps(std::string_view name) {
  return name == "model" || name == "phase" || name == "batch" || name == "context";
}
template <std::size_t count>
constexpr std::array<Field, count> without_steps(std::array<Field, count> fields, const Table* workload = nullptr) {
  for (Field& field : fields) {
    if (is_of_steps(field.name)) field.required = false;
    if (workload != nullptr && field.name == "workload") field.table = workload;
  }
  return fields;
}
constexpr std::array kernel_workload_fields = without_steps(workload_fields);
constexpr Table kernel_workload_table{
    .name = "workload", .help = workload_table.help, .fields = kernel_workload_fields};
constexpr std::array kernel_fields = without_steps(scenario_fields, &kernel_workload_table);
constexpr Table kernel_table{.name = "scenario", .help = table.help, .fields = kernel_fields};

// ---- what is valid but not there yet, and what spans fields ----

// Cycle's mechanisms have nothing to act on elsewhere; a switch without effect would be taken for a result.
void check_ablation(const View& view, Diagnostics& diagnostics) {
  const View ablate = view.map("ablate");
  const std::string fidelity = view.text("fidelity");
  const auto refuse = [&](std::string_view field) {
    if (ablate.text(field) != "off") return;
    diagnostics.error(ablate.mark(field), fmt::format("ablate.{}", field),
                      fmt::format("has no effect with fidelity {}", fidelity), "on, or no such key");
  };
  if (fidelity == "cycle" && view.text("exact") == "on" && ablate.text("dram_commands") == "off") {
    diagnostics.error(view.mark("exact"), "exact", "has no effect without DRAM commands (ablate.dram_commands: off)",
                      "off, or no such key");
  }
  if (fidelity == "cycle") return;
  if (view.text("exact") == "on") {
    diagnostics.error(view.mark("exact"), "exact", fmt::format("has no effect with fidelity {}", fidelity),
                      "off, or no such key");
  }
  for (const std::string_view field : {"refresh", "dram_commands", "gather"}) refuse(field);
  if (fidelity == "flow") return;
  for (const std::string_view field : {"l2", "launch"}) refuse(field);
}

// A kernel by itself states its own counts.
void check_kernel(const View& view, const Scope& scope, Diagnostics& diagnostics) {
  const View workload = view.map("workload");
  if (!scope.kernel) {
    const std::string cache = workload.has("cache") ? workload.text("cache") : "steady";
    if (cache != "warm" && cache != "dirty") return;
    diagnostics.error(workload.mark("cache"), "workload.cache",
                      fmt::format("{} is for a kernel by itself; a step finds what a step left, or nothing", cache),
                      "steady or cold, or no such key");
    return;
  }
  for (const std::string_view field : {"batch", "context"}) {
    if (!workload.has(field)) continue;
    diagnostics.error(workload.mark(field), fmt::format("workload.{}", field), "the kernel of the scope states it",
                      "no such key");
  }
  if (workload.node("routing").is_map()) {
    diagnostics.error(workload.mark("routing"), "workload.routing", "the kernel of the scope states its tokens' spread",
                      "even, or no such key");
  }
  if (workload.text("cache") == "steady") {
    diagnostics.error(workload.mark("cache"), "workload.cache", "a kernel by itself has no step before it",
                      "cold, warm or dirty");
  }
}

void check_prefill_only(const View& workload, Diagnostics& diagnostics) {
  const auto refuse = [&](std::string_view field, std::string_view expected) {
    diagnostics.error(workload.mark(field), fmt::format("workload.{}", field),
                      "is for prefill only; this scenario decodes", std::string(expected));
  };
  for (const std::string_view field : {"cached", "chunk"}) {
    if (workload.has(field) && workload.integer(field) != 0) refuse(field, "0, or no such key");
  }
  if (workload.has("replay") && workload.text("replay") == "full") refuse("replay", "bounded, or no such key");
  if (workload.has("source_layer") && workload.text("source_layer") == "full") {
    refuse("source_layer", "projection, or no such key");
  }
}

void check_phase(const View& workload, Diagnostics& diagnostics) {
  if (workload.text("phase") != "prefill") return check_prefill_only(workload, diagnostics);
  if (workload.has("position") && workload.text("position") == "mean") {
    diagnostics.error(workload.mark("position"), "workload.position", "mean is for decode only; this scenario prefills",
                      "exact, or no such key");
  }
  if (workload.has("replay") && workload.text("replay") == "full" && workload.has("source_layer") &&
      workload.text("source_layer") == "projection") {
    diagnostics.error(workload.mark("source_layer"), "workload.source_layer",
                      "with replay: full every layer runs whole on every position", "full, or no such key");
  }
}

// ---- typed values ----

Node reference_of(const View& view, std::string_view field) {
  const Node& written = view.node(field);
  return written.is_null() ? Node::scalar(view.text(field)) : written;
}

Fidelity fidelity_named(std::string_view name) {
  if (name == "cycle") return Fidelity::cycle;
  return name == "roofline" ? Fidelity::roofline : Fidelity::flow;
}

std::optional<std::int64_t> asked(const View& parallel, std::string_view field) {
  if (!parallel.has(field)) return std::nullopt;
  return parallel.integer(field);
}

sim::Place place_named(std::string_view name) {
  if (name == "device") return sim::Place::device;
  return name == "remote" ? sim::Place::remote : sim::Place::host;
}

sim::Placement placement_of(const View& placement) {
  return {place_named(placement.text("engram")), placement.number("host_experts"), placement.integer("host_layers")};
}

hardware::Mechanisms mechanisms_of(const View& ablate) {
  const auto on = [&](std::string_view field) { return ablate.text(field) != "off"; };
  return {.l2 = on("l2"),
          .launch = on("launch"),
          .refresh = on("refresh"),
          .dram_commands = on("dram_commands"),
          .gather = on("gather")};
}

void read_workload(const View& workload, Scenario& scenario) {
  scenario.phase = workload.text("phase") == "prefill" ? Phase::prefill : Phase::decode;
  scenario.batch = workload.integer("batch");
  scenario.context = workload.integer("context");
  const View routing = workload.map("routing");
  scenario.routing = {.is_drawn = workload.node("routing").is_map(),
                      .seed = static_cast<std::uint64_t>(routing.integer("seed")),
                      .skew = routing.number("skew")};
  scenario.routing_mark = workload.mark("routing");
  scenario.position = workload.text("position") == "mean" ? Position::mean : Position::exact;
  scenario.cached = workload.integer("cached");
  scenario.chunk = workload.integer("chunk");
  scenario.starts_cold = workload.text("cache") == "cold";
  scenario.bounded_replay = workload.text("replay") != "full";
  scenario.source_in_full = workload.text("source_layer") == "full";
  scenario.locality = locality_of(workload);
  for (const std::string_view field : {"replay", "source_layer"}) {
    if (workload.has(field) && workload.text(field) == "full") scenario.encoder_option = workload.mark(field);
  }
}

// A kernel runs at one point: its own counts are that point's.
void become_kernel(Scenario& scenario, std::string_view cache) {
  using Start = models::BareKernel::Start;
  scenario.scope.kernel->start = cache == "warm" ? Start::warm : cache == "dirty" ? Start::dirty : Start::cold;
  scenario.phase = Phase::decode;
  scenario.batch = scenario.scope.kernel->rows;
  scenario.context = scenario.scope.kernel->keys;
}

}  // namespace

const Table& scenario_table() { return table; }

const Table& table_for(const Node& scenario) {
  const Node* scope = scenario.find_path("workload.scope");
  return scope != nullptr && is_kernel_scope(*scope) ? kernel_table : table;
}

Scenario read_scenario(const Node& node, Diagnostics& diagnostics) {
  const View view(node, table);
  Scenario scenario;
  scenario.model = reference_of(view, "model");
  scenario.hardware = reference_of(view, "hardware");
  scenario.format = reference_of(view, "format");
  scenario.engine = reference_of(view, "engine");
  scenario.weights = view.node("weights");
  scenario.fidelity = fidelity_named(view.text("fidelity"));
  scenario.enforce_capacity = view.text("capacity") != "ignore";
  scenario.reserve = view.number("reserve");
  scenario.draft = std::max<std::int64_t>(view.integer("draft"), 0);  // a refused value must not be used
  scenario.placement = placement_of(view.map("placement"));
  scenario.placement_mark = view.mark("placement");
  const View parallel = view.map("parallel");
  scenario.parallel = {asked(parallel, "tensor"), asked(parallel, "data"), asked(parallel, "expert")};
  read_workload(view.map("workload"), scenario);
  scenario.fidelity_is_asked = view.has("fidelity");
  scenario.fidelity_mark = view.mark("fidelity");
  scenario.mechanisms = mechanisms_of(view.map("ablate"));
  if (view.has("launch")) scenario.launch = sim::launch_mode_named(view.text("launch"));
  scenario.exact = view.text("exact") == "on";
  check_ablation(view, diagnostics);
  check_locality(view.map("workload"), view.text("fidelity"), diagnostics);
  check_phase(view.map("workload"), diagnostics);
  scenario.scope = read_scope(view.map("workload").node("scope"), view.map("workload").mark("scope"), diagnostics);
  check_kernel(view, scenario.scope, diagnostics);
  if (scenario.scope.kernel) become_kernel(scenario, view.map("workload").text("cache"));
  return scenario;
}

}  // namespace kvtraffic::scenarios
