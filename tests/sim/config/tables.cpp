// The tables of the configuration tests.
// Leaves out the tests.
#include "tests/sim/config/tables.hpp"

namespace kvtraffic::sim::testing {
namespace {

constexpr std::string_view kFidelities[] = {"cycle", "flow", "roofline"};
constexpr std::string_view kBudgetOrCount[] = {"budget", "count"};

constexpr Field kWorkloadFields[] = {
    {.name = "batch",
     .type = Type::integer,
     .help = "sequences in the whole deployment",
     .required = true,
     .min = 1,
     .max = 4096},
    {.name = "context", .type = Type::tokens, .required = true, .min = 1},
    {.name = "share", .type = Type::ratio, .fallback = "93%", .min = 0, .max = 1},
};
constexpr Table kWorkload = {.name = "workload", .help = "what is asked", .fields = kWorkloadFields};

constexpr Field kOptionFields[] = {
    {.name = "window", .type = Type::tokens, .fallback = "1K"},
    {.name = "exact", .type = Type::flag, .fallback = "false"},
};
constexpr Table kOptions = {.name = "options", .help = "", .fields = kOptionFields};

constexpr Field kLayerFields[] = {
    {.name = "kind", .type = Type::name, .required = true},
    {.name = "count", .type = Type::integer, .fallback = "1", .min = 1},
    {.name = "page", .type = Type::bytes, .min = 1},
};
constexpr Table kLayer = {.name = "layer", .help = "", .fields = kLayerFields};

constexpr Field kScenarioFields[] = {
    {.name = "name", .type = Type::name},
    {.name = "fidelity", .type = Type::choice, .help = "how exact", .fallback = "cycle", .choices = kFidelities},
    {.name = "workload", .type = Type::map, .help = "the work", .required = true, .table = &kWorkload},
    {.name = "options", .type = Type::map, .table = &kOptions},
    {.name = "layers", .type = Type::list, .table = &kLayer, .item = Type::map},
    {.name = "tags", .type = Type::list, .fallback = "[plain, 'two words']", .item = Type::text},
    {.name = "limits", .type = Type::dictionary, .item = Type::bandwidth},
    {.name = "budget", .type = Type::bytes, .fallback = "64 GiB"},
    {.name = "count", .type = Type::integer, .fallback = "7"},
    {.name = "timeout", .type = Type::number, .min = 1e-300},
};
constexpr Exclusive kScenarioExclusive[] = {{.names = kBudgetOrCount}};
constexpr Table kScenario = {
    .name = "scenario", .help = "a question", .fields = kScenarioFields, .exclusive = kScenarioExclusive};

constexpr Field kEveryFields[] = {
    {.name = "text", .type = Type::text},
    {.name = "name", .type = Type::name},
    {.name = "flag", .type = Type::flag},
    {.name = "integer", .type = Type::integer},
    {.name = "number", .type = Type::number},
    {.name = "tokens", .type = Type::tokens},
    {.name = "bytes", .type = Type::bytes},
    {.name = "duration", .type = Type::duration},
    {.name = "bandwidth", .type = Type::bandwidth},
    {.name = "frequency", .type = Type::frequency},
    {.name = "flop_rate", .type = Type::flop_rate},
    {.name = "ratio", .type = Type::ratio},
    {.name = "choice", .type = Type::choice, .choices = kFidelities},
    {.name = "map", .type = Type::map, .table = &kOptions},
    {.name = "list", .type = Type::list, .item = Type::integer},
    {.name = "dictionary", .type = Type::dictionary, .item = Type::integer},
    {.name = "reference", .type = Type::reference},
    {.name = "any", .type = Type::any},
};
constexpr Table kEvery = {.name = "every", .help = "", .fields = kEveryFields};

constexpr Field kMemoryFields[] = {
    {.name = "bandwidth", .type = Type::bandwidth, .required = true},
    {.name = "ports", .type = Type::list, .item = Type::integer},
};
constexpr Table kMemory = {.name = "memory", .help = "", .fields = kMemoryFields};
constexpr Field kPartFields[] = {
    {.name = "capacity", .type = Type::bytes},
    {.name = "memory", .type = Type::map, .table = &kMemory},
    {.name = "modes", .type = Type::dictionary, .table = &kMemory, .item = Type::map},
    {.name = "sources", .type = Type::dictionary, .item = Type::text},
};
constexpr Table kPart = {.name = "part", .help = "", .fields = kPartFields, .sourced = true};

constexpr std::string_view kWords[] = {"even"};
constexpr Field kWordFields[] = {
    {.name = "routing", .type = Type::map, .fallback = "even", .choices = kWords, .table = &kOptions},
};
constexpr Table kWord = {.name = "worded", .help = "", .fields = kWordFields};

extern const Table kTree;  // declared ahead: its fields name it
constexpr Field kTreeFields[] = {
    {.name = "size", .type = Type::integer, .fallback = "1"},
    {.name = "child", .type = Type::map, .table = &kTree},
};
constexpr Table kTree = {.name = "tree", .help = "", .fields = kTreeFields};

}  // namespace

const Table& scenario_table() { return kScenario; }
const Table& every_type_table() { return kEvery; }
const Table& part_table() { return kPart; }
const Table& tree_table() { return kTree; }
const Table& worded_table() { return kWord; }

}  // namespace kvtraffic::sim::testing
