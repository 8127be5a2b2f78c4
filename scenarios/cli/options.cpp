// The command line: verbs, options, help, and what is said when one is mistyped.
// The only file that knows CLI11; its exit codes and wording stay inside.
#include "scenarios/cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "sim/config/diagnostics.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

constexpr std::string_view about =
    "kvtraffic simulates the memory traffic of large-language-model inference: how many bytes move, through which "
    "memory,\n"
    "how long a step takes and what limits it.";
constexpr std::string_view exit_codes =
    "Results go to standard output, everything else to standard error.\n"
    "Exit codes: 0 done; 1 some points infeasible or failed; 2 bad command line; 3 invalid scenario, catalog or\n"
    "            trace; 4 an `expect:` limit, a claim's verdict or a cross-check broken; 5 input or output; 70 a fault "
    "of\n"
    "            the program; 130 interrupted, by SIGINT, SIGTERM or SIGHUP.\n\n"
    "Try:  kvtraffic list scenarios\n"
    "      kvtraffic run SCENARIO\n"
    "      kvtraffic run SCENARIO --set workload.batch=64 --format json";

const std::map<std::string, reports::Format> run_formats{{"table", reports::Format::table},
                                                         {"json", reports::Format::json},
                                                         {"jsonl", reports::Format::jsonl},
                                                         {"csv", reports::Format::csv},
                                                         {"md", reports::Format::md}};
const std::map<std::string, reports::Format> claim_formats{
    {"table", reports::Format::table}, {"json", reports::Format::json}, {"md", reports::Format::md}};
const std::map<std::string, reports::Format> device_formats{{"table", reports::Format::table},
                                                            {"json", reports::Format::json}};
const std::map<std::string, reports::Format> measured_formats{
    {"table", reports::Format::table}, {"json", reports::Format::json}, {"csv", reports::Format::csv}};
const std::map<std::string, Listing> listings{
    {"table", Listing::table}, {"json", Listing::json}, {"yaml", Listing::yaml}};
const std::map<std::string, bool> version_formats{{"text", false}, {"json", true}};
const std::map<std::string, When> whens{{"auto", When::automatic}, {"always", When::always}, {"never", When::never}};
// Kinds by their names, singular and plural.
std::map<std::string, CatalogKind> kinds_by_name() {
  std::map<std::string, CatalogKind> kinds;
  for (const CatalogKind kind : all_kinds) {
    kinds.emplace(name_of(kind), kind);
    kinds.emplace(plural_of(kind), kind);
  }
  return kinds;
}

std::string kind_words(std::string_view (*word)(CatalogKind)) {
  std::vector<std::string_view> words;
  for (const CatalogKind kind : all_kinds) words.push_back(word(kind));
  return fmt::format("{}", fmt::join(words, ", "));
}

// What `list` and `show` know: the catalogs, and the ledger of claims.
std::string listed_words() { return kind_words(plural_of) + ", claims"; }

// The arguments as texts and numbers, before their names are looked up.
struct Texts {
  std::optional<std::string> fidelity;
  std::string format = "table", version_format = "text", color = "auto", progress = "auto", kind, name, path;
};

template <class Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& table) {
  std::vector<std::string> names;
  for (const auto& [name, value] : table) names.push_back(name);
  return names;
}

std::string suggestion(const std::string& given, const std::vector<std::string>& known) {
  const std::string nearest = sim::nearest_name(given, known);
  return nearest.empty() ? "" : fmt::format("\n  did you mean '{}'?", nearest);
}

[[noreturn]] void refuse(const std::string& what, const std::string& verb = "") {
  const std::string command = verb.empty() ? "kvtraffic" : "kvtraffic " + verb;
  throw UsageError(fmt::format("kvtraffic: {}\n  {} --help tells more", what, command));
}

template <class Value>
Value looked_up(const std::map<std::string, Value>& table, const std::string& option, const std::string& given,
                const std::string& verb) {
  const auto found = table.find(given);
  if (found != table.end()) return found->second;
  const std::vector<std::string> known = names_of(table);
  refuse(fmt::format("{}: {} is not one of {}{}", option, sim::in_quotes(given), fmt::join(known, ", "),
                     suggestion(given, known)),
         verb);
}

class Parser {
 public:
  Parser() : app_(std::string(about), "kvtraffic") {
    app_.footer(std::string(exit_codes));
    app_.require_subcommand(0, 1);
    app_.set_help_flag("-h,--help", "Print this and exit");
    app_.add_flag("--version", wants_version_, "Print the version and exit");
    app_.allow_extras();
    add_run();
    add_check();
    add_catalog_verbs();
    add_explain();
    add_claims();
    add_device();
    add_measured();
    add_small_verbs();
  }

  Command parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::RequiredError&) {
      refuse_leftovers();  // a mistyped option explains more than what is missing because of it
      return command();    // says which argument is missing
    } catch (const CLI::ParseError& outcome) {
      if (outcome.get_exit_code() == 0) return HelpArguments{help_text()};
      refuse(lower_first(outcome.what()), verb());
    }
    refuse_leftovers();
    if (wants_version_) return VersionArguments{};
    if (verb().empty()) throw UsageError(app_.help());
    return command();
  }

 private:
  CLI::App* add_verb(const std::string& name, const std::string& help) {
    CLI::App* verb = app_.add_subcommand(name, help);
    verb->allow_extras();  // they are told in our own words
    verb->set_help_flag("-h,--help", "Print this and exit");
    return verb;
  }

  void add_scenario(CLI::App* verb) {
    verb->add_option("SCENARIO", scenario_.file,
                     "A file, - for standard input, or a name of `kvtraffic list scenarios`")
        ->required()
        ->type_name("");
    verb->add_option("--set", scenario_.settings,
                     "path=value: overrides the scenario; may be repeated, the last one wins")
        ->allow_extra_args(false)
        ->type_name("PATH=VALUE");
    verb->add_option("--fidelity", texts_.fidelity,
                     "cycle, flow, roofline, or all to see them side by side; like --set fidelity=...")
        ->type_name("F");
    verb->add_flag("--exact", exact_, "Simulate every DRAM command, derive no time from windows; like --set exact=on");
  }

  void add_run() {
    CLI::App* verb = add_verb("run", "Run a scenario and tell the results");
    add_scenario(verb);
    verb->add_option("--jobs", run_.jobs, "Points evaluated at a time [number of cores]; results do not depend on it")
        ->check(CLI::Range(1, 1024))
        ->type_name("N");
    verb->add_option("--max-points", run_.max_points, "Refuse a sweep with more points than this [1000000]")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
        ->type_name("N");
    verb->add_flag("--dry-run", run_.dry_run, "Tell how many points there are and the first of them; run nothing");
    verb->add_flag("--layers", run_.layers, "Tell each layer");
    verb->add_flag("--operations", run_.operations, "Tell each operation");
    verb->add_option(
            "--timeline", run_.timeline,
            "Write the one point as a Chrome trace, which Perfetto opens: operations as slices; counters of DRAM, link "
            "and host traffic in GB/s over all devices, and of hbm, l2, compute, link and host in percent of "
            "their peak on the fullest device. A file: standard output has the results")
        ->type_name("FILE");
    verb->add_option("--timeline-window", run_.window, "Only what runs between two times, such as 0us:500us")
        ->type_name("FROM:TO");
    verb->add_option("--format", texts_.format, "table, json, jsonl, csv or md [table]")->type_name("FORMAT");
    verb->add_option("--color", texts_.color, "auto, always or never [auto: on a terminal]")->type_name("WHEN");
    verb->add_option("--progress", texts_.progress, "auto, always or never [auto: on a terminal]")->type_name("WHEN");
  }

  void add_check() { add_scenario(add_verb("check", "Check a scenario without running it")); }

  void add_explain() {
    CLI::App* verb = add_verb("explain",
                              "Tell where a number comes from: formula, inputs with their sources, arithmetic; "
                              "explain claim:ID does so for a published figure of `kvtraffic claims`");
    add_scenario(verb);
    verb->add_option("PATH", texts_.path, "Which number, such as storage.growing_bytes_per_token")->type_name("");
  }

  void add_claims() {
    CLI::App* verb = add_verb("claims", "Audit published figures: which of them the engine reproduces, and how");
    verb->add_option("ID", claims_.ids, "Claims to audit [all]; a single one is told with its arithmetic")
        ->type_name("");
    verb->add_flag("--explain", claims_.explain, "Tell each claim's definition with its arithmetic");
    verb->add_option("--format", texts_.format, "table, json or md [table]")->type_name("FORMAT");
  }

  void add_device() {
    CLI::App* verb = add_verb("device",
                              "Drive one memory part alone, by a pattern or a trace, and tell how long it takes and "
                              "what bound it");
    verb->add_option("PART", device_.part,
                     "A name of `kvtraffic list memories`, a file, or a device or node whose memory is taken")
        ->type_name("");
    add_requests(verb);
    verb->add_option("--stacks", device_.stacks, "Stacks; like --set geometry.stacks=N")
        ->check(CLI::Range(1, 64))
        ->type_name("N");
    verb->add_option("--set", device_.settings,
                     "path=value: overrides the part's file (controller.refresh=all-bank, map=i1K, timing.tFAW=12ns); "
                     "may be repeated, the last one wins")
        ->allow_extra_args(false)
        ->type_name("PATH=VALUE");
    verb->add_flag("--exact", device_.exact,
                   "Simulate every command: no channel stands for another, repetitions of a stream are not skipped "
                   "(results are the same)");
    verb->add_option("--jobs", device_.jobs, "Threads [number of cores]; results do not depend on it")
        ->check(CLI::Range(1, 1024))
        ->type_name("N");
    verb->add_option("--commands", device_.commands,
                     "Write every DRAM command into this file, - for standard output; exact and on one thread")
        ->type_name("FILE");
    verb->add_flag("--crosscheck", device_.crosscheck,
                   "Instead of all that: run the recorded runs of public simulators and compare cycles; 4 when one "
                   "differs by more than its tolerance");
    verb->add_option("--format", texts_.format, "table or json [table]")->type_name("FORMAT");
    verb->add_option("--color", texts_.color, "auto, always or never [auto: on a terminal]")->type_name("WHEN");
  }

  void add_requests(CLI::App* verb) {
    verb->add_option("--pattern", device_.pattern,
                     "stream, streams:N, random:BYTES, gather:KxBYTES/ENTRIES, scan:BYTES (these with :write for "
                     "writes), mix:SHARE-OF-READS, chase or trace:NAME")
        ->type_name("P");
    verb->add_option("--size", device_.size, "Bytes that a pattern asks for, with a unit [64MiB; trace: all of it]")
        ->type_name("S");
    verb->add_option(
            "--trace", device_.trace,
            "A trace instead of a pattern, - for standard input: lines 'LD 0x40', '0x40 READ 0' or 'R 64 656', "
            "plain or packed with gzip or zstd")
        ->type_name("FILE");
    verb->add_option("--feed", device_.feed,
                     "saturated, in-order, one-at-a-time or rate:400GB/s [saturated; one-at-a-time for chase]")
        ->type_name("FEED");
    verb->add_option("--seed", device_.seed, "Of patterns that draw random numbers [1]")->type_name("N");
    verb->add_flag("--wrap", device_.wrap, "Take addresses beyond the capacity modulo it instead of refusing them");
  }

  void add_measured() {
    CLI::App* verb = add_verb("measured", "Hold simulated kernels against published timings of them");
    verb->add_option("--family", measured_.families, "Only rows of this family, such as KMLAD; may be repeated")
        ->allow_extra_args(false)
        ->type_name("F");
    verb->add_option("--leave-out", measured_.left_out, "No rows of this hardware; may be repeated")
        ->allow_extra_args(false)
        ->type_name("NAME");
    verb->add_flag(
        "--hold-out", measured_.hold_out,
        "Leave out each device in turn: all constants of engines whose source are the rows are fitted again on the "
        "rows of the other devices, in flow. Not fitted again: tiles, split rules, numbers of kernels, top-k passes, "
        "and devices");
    verb->add_option("--engine", measured_.engine, "This engine in place of the rows' own")->type_name("NAME");
    verb->add_option("--fidelity", texts_.fidelity, "cycle, flow or roofline [cycle where the memory part is known]")
        ->type_name("F");
    verb->add_option("--format", texts_.format, "table, json or csv [table]")->type_name("FORMAT");
  }

  void add_catalog_verbs() {
    CLI::App* list = add_verb("list", "List " + listed_words());
    list->add_option("KIND", texts_.kind, listed_words() + " [all]")->type_name("");
    CLI::App* show = add_verb("show", "Show one entry of a catalog, with what it extends filled in");
    show->add_option("KIND", texts_.kind, listed_words() + "; may be left out when one kind alone knows NAME")
        ->type_name("");
    show->add_option("NAME", texts_.name, "A name of `kvtraffic list`, or a file")->required()->type_name("");
    for (CLI::App* verb : {list, show}) {
      verb->add_option("--format", texts_.format, "table, json or yaml [table]")->type_name("FORMAT");
    }
  }

  void add_small_verbs() {
    add_verb("schema", "Print the JSON Schema of a kind of file")
        ->add_option("KIND", texts_.kind, kind_words(name_of) + " [scenario]")
        ->type_name("");
    add_verb("doctor", "Tell whether this installation is whole");
    add_verb("version", "Print the version")
        ->add_option("--format", texts_.version_format, "text or json [text]")
        ->type_name("FORMAT");
  }

  [[nodiscard]] std::string verb() const {
    const auto chosen = app_.get_subcommands();
    return chosen.empty() ? "" : chosen.front()->get_name();
  }

  [[nodiscard]] std::string help_text() const {
    const auto chosen = app_.get_subcommands();
    return chosen.empty() ? app_.help() : chosen.front()->help("kvtraffic");
  }

  static std::string lower_first(std::string text) {
    if (!text.empty()) text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
    return text;
  }

  [[nodiscard]] std::vector<std::string> verbs() const {
    std::vector<std::string> names;
    for (const CLI::App* one : app_.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(one->get_name());
    return names;
  }

  static std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
  }

  // Behind "--", which the library leaves over too, nothing is an option.
  struct Leftovers {
    std::vector<std::string> options, arguments;

    void add(const std::vector<std::string>& left) {
      bool has_ended = false;
      for (const std::string& text : left) {
        const bool is_option = !has_ended && text.size() > 1 && text.starts_with('-');
        if (is_option && text == "--") {
          has_ended = true;
        } else {
          (is_option ? options : arguments).push_back(text);
        }
      }
    }
  };

  // What the library could not place: a mistyped verb or option, or one argument too many.
  void refuse_leftovers() const {
    const auto chosen = app_.get_subcommands();
    const CLI::App& where = chosen.empty() ? app_ : *chosen.front();
    Leftovers left;
    left.add(app_.remaining());
    if (!chosen.empty()) left.add(where.remaining());
    if (!left.options.empty()) {
      const std::string name = left.options.front().substr(0, left.options.front().find('='));
      refuse(fmt::format("unknown option {}{}", sim::in_quotes(name), suggestion(name, options_of(where))), verb());
    }
    if (left.arguments.empty()) return;
    const std::string& first = left.arguments.front();
    if (chosen.empty()) {
      refuse(fmt::format("unknown command {}; known are {}{}", sim::in_quotes(first), fmt::join(verbs(), ", "),
                         suggestion(first, verbs())));
    }
    refuse(fmt::format("one argument too many: {}", sim::in_quotes(first)), verb());
  }

  [[nodiscard]] ScenarioArguments scenario() const {
    ScenarioArguments result = scenario_;
    if (result.file.empty()) refuse("which scenario? A file, - for standard input, or a name of the library", verb());
    if (exact_) result.settings.emplace_back("exact=on");
    if (const auto chosen = fidelity(true)) {
      result.settings.push_back(*chosen == "all" ? "sweep.fidelity=[roofline, flow, cycle]" : "fidelity=" + *chosen);
    }
    return result;
  }

  [[nodiscard]] std::optional<std::string> fidelity(bool or_all = false) const {
    if (!texts_.fidelity) return std::nullopt;
    std::map<std::string, bool> known{{"cycle", true}, {"flow", true}, {"roofline", true}};
    if (or_all) known["all"] = true;
    static_cast<void>(looked_up(known, "--fidelity", *texts_.fidelity, verb()));
    return texts_.fidelity;
  }

  [[nodiscard]] Command run() const {
    RunArguments result = run_;
    result.scenario = scenario();
    result.format = looked_up(run_formats, "--format", texts_.format, "run");
    result.color = looked_up(whens, "--color", texts_.color, "run");
    result.progress = looked_up(whens, "--progress", texts_.progress, "run");
    return result;
  }

  [[nodiscard]] Command list() const {
    ListArguments result{std::nullopt, looked_up(listings, "--format", texts_.format, "list"), is_claims(texts_.kind)};
    if (!result.claims && !texts_.kind.empty()) result.kind = kind_named(texts_.kind);
    return result;
  }

  // One argument alone is the name, whichever of the two the library takes it for.
  [[nodiscard]] Command show() const {
    if (is_claims(texts_.kind) && !texts_.name.empty()) {
      return ClaimsArguments{{texts_.name}, looked_up(claim_formats, "--format", texts_.format, "show")};
    }
    const bool is_alone = texts_.name.empty() || texts_.kind.empty();
    ShowArguments result{std::nullopt, is_alone ? texts_.kind + texts_.name : texts_.name,
                         looked_up(listings, "--format", texts_.format, "show")};
    if (result.name.empty()) refuse("which entry? A kind and a name of `kvtraffic list`", "show");
    if (!is_alone) result.kind = kind_named(texts_.kind);
    return result;
  }

  static bool is_claims(std::string_view kind) { return kind == "claim" || kind == "claims"; }

  [[nodiscard]] CatalogKind kind_named(const std::string& given) const {
    const std::map<std::string, CatalogKind> kinds = kinds_by_name();
    const auto found = kinds.find(given);
    if (found != kinds.end()) return found->second;
    refuse(fmt::format("no kind is named {}; known are {}{}", sim::in_quotes(given), listed_words(),
                       suggestion(given, names_of(kinds))),
           verb());
  }

  [[nodiscard]] Command claims() const {
    ClaimsArguments result = claims_;
    result.format = looked_up(claim_formats, "--format", texts_.format, "claims");
    return result;
  }

  [[nodiscard]] Command device() const {
    DeviceArguments result = device_;
    result.format = looked_up(device_formats, "--format", texts_.format, "device");
    result.color = looked_up(whens, "--color", texts_.color, "device");
    const bool has_requests = !result.pattern.empty() || !result.trace.empty();
    if (result.crosscheck) {
      const bool has_more = !result.size.empty() || !result.feed.empty() || result.wrap || result.exact ||
                            result.stacks != 0 || result.seed != 1;
      if (!result.part.empty() || has_requests || has_more || !result.settings.empty() || !result.commands.empty()) {
        refuse("--crosscheck takes no part, requests or settings: its rows have their own", "device");
      }
      return result;
    }
    if (result.part.empty()) refuse("which part? A name of `kvtraffic list memories`, a file or a device", "device");
    if (result.pattern.empty() == result.trace.empty()) refuse("say either --pattern or --trace", "device");
    if (result.seed < 0) refuse("--seed: a number of 0 or more is needed", "device");
    if (!result.trace.empty() && result.seed != 1) refuse("--seed is for patterns: a trace draws nothing", "device");
    if (!result.trace.empty() && !result.size.empty())
      refuse("--size is for patterns: a trace is read whole", "device");
    if (result.commands == "-" && result.format == reports::Format::json) {
      refuse("--commands - and --format json would share standard output: name a file", "device");
    }
    return result;
  }

  [[nodiscard]] Command measured() const {
    MeasuredArguments result = measured_;
    result.fidelity = fidelity().value_or("");
    result.format = looked_up(measured_formats, "--format", texts_.format, "measured");
    return result;
  }

  [[nodiscard]] Command command() const {
    const std::string chosen = verb();
    if (chosen == "run") return run();
    if (chosen == "check") return CheckArguments{scenario()};
    if (chosen == "explain") return ExplainArguments{scenario(), texts_.path};
    if (chosen == "claims") return claims();
    if (chosen == "device") return device();
    if (chosen == "measured") return measured();
    if (chosen == "list") return list();
    if (chosen == "show") return show();
    if (chosen == "schema") return texts_.kind.empty() ? SchemaArguments{} : SchemaArguments{kind_named(texts_.kind)};
    if (chosen == "doctor") return DoctorArguments{};
    return VersionArguments{looked_up(version_formats, "--format", texts_.version_format, "version")};
  }

  CLI::App app_;
  ScenarioArguments scenario_;
  RunArguments run_;
  ClaimsArguments claims_;
  DeviceArguments device_;
  MeasuredArguments measured_;
  Texts texts_;
  bool exact_ = false;
  bool wants_version_ = false;
};

}  // namespace

Command parse_command_line(int argc, const char* const* argv) { return Parser().parse(argc, argv); }

}  // namespace kvtraffic::scenarios
