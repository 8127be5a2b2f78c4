// The program as a user meets it: exit codes, what goes to which stream, standard input, overrides, parallel runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/scenarios/support.hpp"

namespace kvtraffic::scenarios {
namespace {

using nlohmann::json;
using test::Folder;
using test::Outcome;
using test::run_program;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string small =
    "model: deepseek-v4.1-flash\n"
    "hardware: 8x-h200-sxm\n"
    "fidelity: roofline\n"
    "workload: {phase: decode, batch: 8, context: 4K}\n";

Outcome run_text(const std::string& scenario, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"run", "-"});
  return run_program(arguments, scenario);
}

json run_json(const std::string& scenario, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const Outcome outcome = run_text(scenario, arguments);
  EXPECT_EQ(outcome.err, "");
  return json::parse(outcome.out);
}

// ---- exit codes ----

TEST(ExitCode, IsZeroWhenAllPointsAreDone) { EXPECT_EQ(run_text(small).code, 0); }

TEST(ExitCode, IsOneWhenAPointIsInfeasible) {
  const Outcome outcome = run_text(small, {"--set", "workload.batch=1000000", "--format", "json"});
  EXPECT_EQ(outcome.code, 1);
  const json point = json::parse(outcome.out)["points"][0];
  EXPECT_EQ(point["status"], "infeasible");
  EXPECT_FALSE(point["reason"].is_null());
  EXPECT_FALSE(point["storage"].is_null());
  EXPECT_FALSE(point["traffic"]["logical"].empty());
  EXPECT_TRUE(point["time"].is_null());
  EXPECT_TRUE(point["throughput"].is_null());
}

TEST(ExitCode, IsTwoForABadCommandLine) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"rnu", "x"},
                                             {"run"},
                                             {"run", "a", "b"},
                                             {"run", "-", "--jobs", "0"},
                                             {"run", "-", "--jobs", "x"},
                                             {"run", "-", "--format", "xml"},
                                             {"run", "-", "--fidelity", "fast"},
                                             {"run", "-", "--fidelity", ""},
                                             {"explain", "-", "storage.nothing"},
                                             {"explain", "-", "points[7].time.seconds"},
                                             {"list", "modles"},
                                             {"show", "nothing"},
                                             {"show", "model", "h200-sxm"},
                                             {"schema", "thing"},
                                             {"run", "-", "--max-points", "0"},
                                             {"run", "-", "--set"}}) {
    const Outcome outcome = run_program(arguments, small);
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(arguments);
    EXPECT_EQ(outcome.out, "") << testing::PrintToString(arguments);
    EXPECT_NE(outcome.err, "") << testing::PrintToString(arguments);
  }
}

TEST(ExitCode, IsTwoForOptionsOfLaterVersions) {
  for (const char* option : {"--out", "--resume", "--shard"}) {
    const Outcome outcome = run_program({"run", "-", option, "x"}, small);
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_THAT(outcome.err, HasSubstr("unknown option '" + std::string(option) + "'"));
  }
}

TEST(ExitCode, IsThreeForABrokenScenario) {
  const Outcome outcome = run_text("model: nothing\n");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("<stdin>:1:8: error: model: no model is named 'nothing'"));
}

TEST(ExitCode, IsThreeForCycleWithoutADramPart) {
  const Outcome outcome = run_text(small, {"--set", "hardware=m4-max", "--fidelity", "cycle"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("'m4-max' names no DRAM part (memory.part)"));
}

TEST(ExitCode, IsThreeForCycleBehindTwoSharedCaches) {
  const Outcome outcome = run_text(small, {"--set", "hardware=mi300x", "--fidelity", "cycle"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err,
              HasSubstr("'mi300x' has 2 shared caches before its memory (l2.levels), and cycle knows one"));
}

TEST(Fidelity, GivesWayWhereCycleWasNotAskedFor) {
  const Outcome outcome =
      run_text(small, {"--set", "hardware=8x-mi300x", "--set", "fidelity=null", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto point = nlohmann::json::parse(outcome.out).at("points")[0];
  EXPECT_EQ(point["parameters"]["fidelity"], "flow");
  ASSERT_EQ(point["warnings"].size(), 1U);
  EXPECT_EQ(point["warnings"][0],
            "fidelity flow: '8x-mi300x' has 2 shared caches before its memory (l2.levels), and cycle knows one");
}

TEST(Launch, IsTheEnginesUnlessTheScenarioSaysOtherwise) {
  const auto run = [](const std::vector<std::string>& options) {
    std::vector<std::string> all{"--fidelity", "flow", "--format", "json"};
    all.insert(all.end(), options.begin(), options.end());
    const Outcome outcome = run_text(small, all);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  const auto seconds = [](const nlohmann::json& result) {
    return result["points"][0]["time"]["seconds"].get<double>();
  };
  const auto engine = run({}), graph = run({"--set", "launch=graph"}), overlapped = run({"--set", "launch=overlapped"});
  const auto slow = run({"--set", "launch=stream", "--set", "hardware.device.launch.stream_gap=50us"});
  EXPECT_EQ(engine["scenario"]["launch"], "graph");
  EXPECT_EQ(overlapped["scenario"]["launch"], "overlapped");
  EXPECT_EQ(seconds(engine), seconds(graph));
  EXPECT_LT(seconds(overlapped), seconds(graph));
  EXPECT_GT(seconds(slow), seconds(graph));
  const auto of_engine = run({"--set", "engine={extends: reference, launch: {mode: overlapped}}"});
  EXPECT_EQ(of_engine["scenario"]["launch"], "overlapped");
  EXPECT_EQ(seconds(of_engine), seconds(overlapped));
}

// The host's gap is of steps, and goes with the launches.
TEST(Launch, AHostGapIsAddedToWholeStepsOnly) {
  const auto seconds = [](const std::string& engine, const std::vector<std::string>& settings) {
    std::vector<std::string> all{"--fidelity", "flow", "--format", "json", "--set", "engine=" + engine};
    for (const std::string& setting : settings) all.insert(all.end(), {"--set", setting});
    const Outcome outcome = run_text(small, all);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["points"][0]["time"]["seconds"].get<double>();
  };
  const auto added = [&](const std::vector<std::string>& settings) {
    return seconds("{extends: reference, launch: {host_gap: 200 us}}", settings) - seconds("reference", settings);
  };
  EXPECT_NEAR(added({}), 200e-6, 1e-9);
  EXPECT_EQ(added({"workload.scope={layer: 3}"}), 0);
  EXPECT_EQ(added({"ablate.launch=off"}), 0);
}

TEST(Fidelity, AllPutsTheThreeSideBySideFromTheBoundUpwards) {
  const Outcome outcome = run_text(small, {"--fidelity", "all", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto points = nlohmann::json::parse(outcome.out).at("points");
  ASSERT_EQ(points.size(), 3U);
  const auto seconds = [&](std::size_t i) { return points[i]["time"]["seconds"].get<double>(); };
  EXPECT_EQ(points[0]["parameters"]["fidelity"], "roofline");
  EXPECT_EQ(points[2]["parameters"]["fidelity"], "cycle");
  EXPECT_LT(seconds(0), seconds(1));
  EXPECT_LT(seconds(0), seconds(2));
  EXPECT_EQ(points[1]["traffic"]["dram"], points[2]["traffic"]["dram"]);
  EXPECT_GT(points[2]["time"]["sampling_error"], 0);
  EXPECT_EQ(points[1]["time"]["sampling_error"], 0);
}

TEST(ExitCode, IsThreeForMorePointsThanAllowed) {
  const Outcome outcome = run_text(small + "sweep: {workload.batch: [1, 2, 4]}\n", {"--max-points", "2"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("sweep: has 3 points"));
}

TEST(ExitCode, IsFourForABrokenExpectationEvenWithInfeasiblePoints) {
  const Outcome outcome = run_text(small + "expect:\n  points[0].status: ok\n", {"--set", "workload.batch=1000000"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(outcome.err, "expect: points[0].status: wanted ok, found \"infeasible\"\n");
}

TEST(ExitCode, IsZeroAndSilentWhenExpectationsHold) {
  const Outcome outcome = run_text(small + "expect:\n  points[0].storage.growing_bytes_per_token: 890\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST(ExitCode, IsFiveForAFileThatIsNotThere) {
  const Outcome outcome = run_program({"run", "./no-such-file.yaml"});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_EQ(outcome.out, "");
}

TEST(ExitCode, IsFiveForAnEntryThatIsNotThere) {
  EXPECT_EQ(run_program({"show", "model", "./no-such-file.yaml"}).code, 5);
  EXPECT_EQ(run_program({"show", "model", "/"}).code, 5);
}

TEST(ExitCode, IsFiveForAFolder) { EXPECT_EQ(run_program({"run", "/"}).code, 5); }

TEST(ExitCode, IsFiveWhenTheDataAreNotThere) {
  const Folder empty;
  EXPECT_EQ(run_program({"list"}, "", "", {"KVTRAFFIC_DATA=" + empty.path()}).code, 5);
}

// ---- verbs ----

TEST(Help, NamesEveryVerbAndExitCode) {
  const Outcome outcome = run_program({"--help"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* word : {"run", "check", "list", "show", "explain", "schema", "doctor", "version", "70", "130"}) {
    EXPECT_THAT(outcome.out, HasSubstr(word));
  }
  EXPECT_THAT(run_program({"run", "--help"}).out, HasSubstr("Usage: kvtraffic run [OPTIONS] SCENARIO"));
}

TEST(Suggestion, NamesTheNearestVerbAndOption) {
  EXPECT_THAT(run_program({"rnu", "x"}).err, HasSubstr("did you mean 'run'?"));
  EXPECT_THAT(run_program({"run", "-", "--jbos", "4"}, small).err, HasSubstr("did you mean '--jobs'?"));
  EXPECT_THAT(run_program({"run", "-", "--format", "jsno"}, small).err, HasSubstr("did you mean 'json'?"));
}

TEST(Check, CountsPoints) {
  const Outcome outcome = run_program({"check", "-"}, small + "sweep: {workload.batch: [1, 2, 4]}\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "ok: 3 points\n");
}

TEST(List, GivesNameAndSummaryAsJson) {
  const json models = json::parse(run_program({"list", "models", "--format", "json"}).out);
  ASSERT_FALSE(models.empty());
  for (const json& model : models) {
    EXPECT_TRUE(model.at("name").is_string());
    EXPECT_FALSE(model.at("summary").get<std::string>().empty());
  }
}

TEST(Show, GivesParametersOfAModel) {
  const json shown = json::parse(run_program({"show", "model", "deepseek-v4.1-flash", "--format", "json"}).out);
  EXPECT_GT(shown.at("total_parameters"), shown.at("active_parameters"));
  EXPECT_GT(shown.at("active_parameters"), shown.at("active_parameters_prefill"));
  EXPECT_EQ(shown.at("growing_bytes_per_token").at("deployed"), 890);
}

TEST(Show, YamlReadsBackAsTheSameEntry) {
  const Folder folder;
  for (const std::vector<std::string>& entry : {std::vector<std::string>{"model", "deepseek-v4.1-flash"},
                                                {"hardware", "8x-h200-sxm"},
                                                {"format", "deployed"},
                                                {"engine", "reference"}}) {
    const std::string text = run_program({"show", entry[0], entry[1], "--format", "yaml"}).out;
    folder.write(entry[0] + ".yaml", text);
    const Outcome again = run_program({"show", entry[0], folder.path(entry[0] + ".yaml"), "--format", "yaml"});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out, text);
    const std::string json_of_file =
        run_program({"show", entry[0], folder.path(entry[0] + ".yaml"), "--format", "json"}).out;
    EXPECT_EQ(json_of_file, run_program({"show", entry[0], entry[1], "--format", "json"}).out);
  }
}

TEST(Show, FindsAUniqueNameWithoutItsKind) {
  EXPECT_EQ(json::parse(run_program({"show", "h200-sxm", "--format", "json"}).out).at("kind"), "hardware");
}

TEST(Schema, IsJsonForEveryKind) {
  const std::string help = run_program({"schema", "--help"}).out;
  for (const CatalogKind kind : all_kinds) {
    const std::string name(name_of(kind));
    const json schema = json::parse(run_program({"schema", name}).out);
    EXPECT_EQ(schema.at("$schema"), "http://json-schema.org/draft-07/schema#") << name;
    EXPECT_THAT(help, HasSubstr(name));
  }
}

TEST(Kinds, OfCatalogsAreAllListedAndShown) {
  const std::string doctor = run_program({"doctor"}).out;
  const Catalog catalog(KVTRAFFIC_ROOT);
  for (const CatalogKind kind : all_kinds) {
    const json listed = json::parse(run_program({"list", std::string(plural_of(kind)), "--format", "json"}).out);
    ASSERT_EQ(listed.size(), catalog.names(kind).size());
    const Outcome shown = run_program({"show", std::string(name_of(kind)), listed[0].at("name").get<std::string>()});
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_THAT(doctor, HasSubstr(std::to_string(listed.size()) + " in " + std::string(folder_of(kind))));
  }
}

TEST(Doctor, FindsThisInstallationWhole) {
  const Outcome outcome = run_program({"doctor"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

TEST(Doctor, TellsAFaultyCatalogByTheCodeOfInvalidInput) {
  const Folder data;
  data.write("models/catalog/broken.yaml", "name: broken\nlayrs: 3\n");
  const Outcome outcome = run_program({"doctor"}, "", "", {"KVTRAFFIC_DATA=" + data.path()});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("broken has faults"));
  EXPECT_THAT(outcome.err, HasSubstr("layrs: unknown key"));
}

TEST(Version, IsTextOrJson) {
  const json version = json::parse(run_program({"version", "--format", "json"}).out);
  EXPECT_EQ(run_program({"version"}).out, "kvtraffic " + version.at("version").get<std::string>() + "\n");
}

// ---- run ----

TEST(Run, FillsInEveryDefaultOfTheScenario) {
  const json scenario = run_json(small).at("scenario");
  EXPECT_EQ(scenario.at("format"), "deployed");
  EXPECT_EQ(scenario.at("engine"), "reference");
  EXPECT_EQ(scenario.at("capacity"), "enforce");
  EXPECT_EQ(scenario.at("workload").at("position"), "exact");
  EXPECT_EQ(scenario.at("workload").at("context"), 4096);
  EXPECT_EQ(scenario.at("parallel"), json({{"tensor", 1}, {"data", 8}, {"expert", 8}}));
}

TEST(Run, NamesParametersInTheirOrder) {
  const nlohmann::ordered_json document = nlohmann::ordered_json::parse(
      run_text(small + "sweep: {workload.context: [1K, 2K], reserve: [5%]}\n", {"--format", "json"}).out);
  std::vector<std::string> names;
  for (const auto& [name, value] : document["points"][0]["parameters"].items()) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("model", "hardware", "format", "engine", "fidelity", "phase", "batch",
                                          "context_tokens", "workload.context", "reserve"));
  EXPECT_EQ(document["points"][1]["parameters"]["context_tokens"], 2048);
  EXPECT_EQ(document["points"][1]["parameters"]["workload.context"], 2048);
}

TEST(Run, TellsLayersOfSinglePointsAlways) {
  EXPECT_EQ(run_json(small).at("points")[0].at("layers").size(), 40U);
  const std::string sweep = small + "sweep: {workload.batch: [1, 2]}\n";
  EXPECT_FALSE(run_json(sweep).at("points")[0].contains("layers"));
  EXPECT_EQ(run_json(sweep, {"--layers"}).at("points")[1].at("layers").size(), 40U);
}

TEST(Run, TellsOperationsWhenAsked) {
  EXPECT_FALSE(run_json(small).at("points")[0].contains("operations"));
  EXPECT_FALSE(run_json(small, {"--operations"}).at("points")[0].at("operations").empty());
}

TEST(Run, LaysTheLastSettingOverTheOthers) {
  const json document = run_json(small, {"--set", "workload.batch=2", "--set", "workload.batch=3"});
  EXPECT_EQ(document["points"][0]["parameters"]["batch"], 3);
}

TEST(Run, SettingASweptPathReplacesTheAxis) {
  const json document = run_json(small + "sweep: {workload.batch: [1, 2]}\n", {"--set", "workload.batch=3"});
  ASSERT_EQ(document["points"].size(), 1U);
  EXPECT_EQ(document["points"][0]["parameters"]["batch"], 3);
}

TEST(Run, SettingInsideASweptModelHoldsForEachModel) {
  const json document = run_json(small + "sweep: {model: [deepseek-v4-flash, deepseek-v4.1-flash]}\n",
                                 {"--set", "model.max_positions=1K"});
  ASSERT_EQ(document["points"].size(), 2U);
  for (const json& point : document["points"]) EXPECT_EQ(point["warnings"].size(), 1U);
}

TEST(Run, SweepsARequiredField) {
  const json document = run_json(
      "model: deepseek-v4.1-flash\nhardware: 8x-h200-sxm\nfidelity: roofline\nworkload: {phase: decode, context: 4K}\n"
      "sweep: {workload.batch: [8, 16]}\n");
  EXPECT_EQ(document["points"][1]["parameters"]["batch"], 16);
}

TEST(Run, WarnsBeyondTheModelsPositions) {
  const json point = run_json(small, {"--set", "workload.context=2M"})["points"][0];
  EXPECT_EQ(point["warnings"][0], "context 2,097,152 is beyond the model's 1,048,576 positions");
}

TEST(Run, IgnoresCapacityWithAWarning) {
  const json point = run_json(small, {"--set", "workload.batch=1000000", "--set", "capacity=ignore"})["points"][0];
  EXPECT_EQ(point["status"], "ok");
  EXPECT_EQ(point["warnings"].size(), 1U);
  EXPECT_GT(point["time"]["seconds"], 0);
}

TEST(Run, FailsAPointWhoseValuesDoNotFitTogetherAndGoesOn) {
  const Outcome outcome = run_text(small + "sweep: {parallel.tensor: [1, 16, 8]}\n", {"--format", "json"});
  EXPECT_EQ(outcome.code, 1);
  const json points = json::parse(outcome.out)["points"];
  EXPECT_EQ(points[0]["status"], "ok");
  EXPECT_EQ(points[1]["status"], "failed");
  EXPECT_FALSE(points[1]["reason"].is_null());
  EXPECT_EQ(points[1]["parameters"]["parallel.tensor"], 16);
  EXPECT_EQ(points[2]["status"], "ok");
}

TEST(Run, TellsOneLineAPointAsJsonLines) {
  const std::string sweep = small + "sweep: {workload.batch: [1, 2]}\n";
  const std::string lines = run_text(sweep, {"--format", "jsonl"}).out;
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
}

TEST(Run, GivesTheSameBytesForAnyNumberOfJobs) {
  const std::string sweep =
      small +
      "sweep:\n  workload.batch: {range: {from: 1, to: 40, step: 1}}\n  workload.context: {log2: {from: 1K, to: 1M}}\n"
      "  model: [deepseek-v4-flash, deepseek-v4.1-flash]\n";
  for (const char* format : {"csv", "jsonl"}) {
    const Outcome alone = run_text(sweep, {"--format", format, "--jobs", "1"});
    const Outcome together = run_text(sweep, {"--format", format, "--jobs", "8"});
    EXPECT_EQ(alone.code, together.code);
    EXPECT_GT(std::ranges::count(alone.out, '\n'), 40 * 11 * 2 - 1);
    EXPECT_TRUE(alone.out == together.out) << format;
  }
}

TEST(Run, GivesTheSameLogicalBytesInEveryFidelity) {
  const json document = run_json(small, {"--set", "sweep.fidelity=[roofline, flow]"});
  EXPECT_EQ(document["points"][0]["traffic"]["logical"], document["points"][1]["traffic"]["logical"]);
  EXPECT_EQ(document["points"][0]["traffic"]["sector"], document["points"][1]["traffic"]["sector"]);
}

TEST(DryRun, TellsPointsAndRunsNothing) {
  const Outcome outcome =
      run_text(small + "sweep: {workload.batch: {range: {from: 1, to: 12, step: 1}}}\n", {"--dry-run"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, StartsWith("12 points\n  workload.batch=1\n"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("workload.batch=10\n"), Not(HasSubstr("workload.batch=11"))));
}

TEST(Files, AreLookedUpBesideTheScenario) {
  const Folder folder;
  folder.write("deep/scenario.yaml", "model: ./mine.yaml\n" + small.substr(small.find("hardware")));
  folder.write("deep/mine.yaml", "extends: deepseek-v4.1-flash\nname: mine\n");
  const Outcome outcome = run_program({"run", "deep/scenario.yaml", "--format", "json"}, "", folder.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["points"][0]["parameters"]["model"], "mine");
}

TEST(Files, OfSettingsAreLookedUpFromWhereTheCommandRuns) {
  const Folder folder;
  folder.write("deep/scenario.yaml", small);
  folder.write("mine.yaml", "extends: deepseek-v4.1-flash\nname: mine\n");
  const Outcome outcome =
      run_program({"run", "deep/scenario.yaml", "--set", "model=./mine.yaml", "--format", "json"}, "", folder.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST(List, GivesTheGoodEntriesAndTellsTheOthers) {
  const Folder data;
  data.write("models/catalog/good.yaml", "name: good\nsummary: fine\n");
  data.write("models/catalog/torn.yaml", "name: [\n");
  data.write("models/catalog/folder.yaml/file", "");
  ASSERT_EQ(mkfifo(data.path("models/catalog/pipe.yaml").c_str(), 0600), 0);
  std::filesystem::create_symlink("loop.yaml", data.path("models/catalog/loop.yaml"));
  const Outcome outcome = run_program({"list", "models"}, "", "", {"KVTRAFFIC_DATA=" + data.path()});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("good"));
  for (const char* name : {"torn.yaml:", "folder: ", "pipe: ", "loop: "}) EXPECT_THAT(outcome.err, HasSubstr(name));
}

TEST(Doctor, ReadsTheClaims) {
  EXPECT_THAT(run_program({"doctor"}).out, testing::ContainsRegex("claims +[1-9][0-9]* in scenarios/claims\n"));
  const Folder data;
  data.write("models/catalog/none.yaml", "");
  data.write("scenarios/claims/a.yaml", "claimz: []\n");
  const Outcome outcome = run_program({"doctor"}, "", "", {"KVTRAFFIC_DATA=" + data.path()});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("0 in scenarios/claims; some have faults"));
  EXPECT_THAT(outcome.err, HasSubstr("a.yaml:1:1: error: claimz"));
}

TEST(Settings, TellsALayoutFaultInTheSetting) {
  const Outcome outcome = run_text(small, {"--set", "parallel.tensor=3"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, AllOf(StartsWith("<--set>:1:17: error: "), HasSubstr("\nparallel.tensor=3\n")));
}

TEST(Settings, RefusesASubscriptOfExpectationsAndAxes) {
  for (const char* setting : {"expect[0]=1", "sweep[0]=1"}) {
    const Outcome outcome = run_text(small, {"--set", setting});
    EXPECT_EQ(outcome.code, 3) << setting;
    EXPECT_THAT(outcome.err, HasSubstr("is no path"));
  }
}

TEST(CommandLine, EndsItsOptionsWithTwoDashes) {
  const Folder folder;
  folder.write("-s.yaml", small);
  EXPECT_EQ(run_program({"check", "--", "-s.yaml"}, "", folder.path()).code, 0);
  EXPECT_THAT(run_program({"check", "--", "-s.yaml", "-t"}, "", folder.path()).err, HasSubstr("one argument too many"));
}

}  // namespace
}  // namespace kvtraffic::scenarios
