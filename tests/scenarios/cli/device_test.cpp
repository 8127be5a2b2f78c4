// `device` as a user runs it: its document, its page, settings, command files, and what is said of mistakes.
// Leaves out whether cycles are right (tests/hardware/hbm, tests/scenarios/device/crosscheck_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

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

using Words = std::vector<std::string>;

Outcome device(Words words, const std::string& input = "") {
  words.insert(words.begin(), "device");
  return run_program(words, input);
}

json device_json(Words words, const std::string& input = "") {
  words.insert(words.end(), {"--format", "json"});
  const Outcome outcome = device(words, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return json::parse(outcome.out);
}

// One channel at 32 B a nanosecond, two data buses.
const Words small{"xhbm2", "--pattern", "stream", "--size", "1MiB"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// ---- the document ----

TEST(Device, TellsEveryFieldOfItsDocument) {
  const json document = device_json(small);
  EXPECT_EQ(document.at("schema"), "kvtraffic.device/1");
  EXPECT_EQ(document.at("device"), "xhbm2");
  for (const char* field :
       {"requests", "bytes", "cycles", "row_hits", "row_misses", "row_conflicts", "activates", "precharges",
        "refreshes", "reads", "writes", "forwarded", "coalesced", "simulated_requests"}) {
    EXPECT_TRUE(document.at(field).is_number_integer()) << field;
  }
  for (const char* field : {"clock_hz", "seconds", "bandwidth_bytes_per_second", "peak_bytes_per_second",
                            "peak_fraction", "mean_latency_seconds", "p99_latency_seconds", "host_seconds"}) {
    EXPECT_TRUE(document.at(field).is_number()) << field;
  }
  for (const char* field : {"activate", "read", "write", "refresh", "background", "total"}) {
    EXPECT_TRUE(document.at("energy_joules").at(field).is_number()) << field;
  }
}

TEST(Device, ItsNumbersBelongTogether) {
  const json document = device_json(small);
  const double bytes = document.at("bytes"), seconds = document.at("seconds");
  EXPECT_EQ(document.at("bytes"), 1 << 20);
  EXPECT_EQ(document.at("requests"), (1 << 20) / 32);
  EXPECT_EQ(document.at("reads"), document.at("requests"));
  EXPECT_NEAR(document.at("cycles").get<double>() / document.at("clock_hz").get<double>(), seconds, 1e-9);
  EXPECT_NEAR(document.at("bandwidth_bytes_per_second").get<double>(), bytes / seconds, 1);
  EXPECT_DOUBLE_EQ(document.at("peak_bytes_per_second").get<double>(), 32e9);
  EXPECT_NEAR(document.at("peak_fraction").get<double>(), bytes / seconds / 32e9, 1e-9);
  EXPECT_NEAR(document.at("picojoules_per_bit").get<double>(),
              document.at("energy_joules").at("total").get<double>() * 1e12 / (8 * bytes), 1e-9);
  const std::int64_t rows = document.at("row_hits").get<std::int64_t>() +
                            document.at("row_misses").get<std::int64_t>() +
                            document.at("row_conflicts").get<std::int64_t>();
  EXPECT_EQ(rows, document.at("requests"));
}

TEST(Device, TheSharesOfTimeAddUpToOne) {
  const std::set<std::string> causes{"data_bus", "tCCDL",       "tFAW",  "row_cycle", "turnaround",
                                     "refresh",  "command_bus", "queue", "feed"};
  for (const char* pattern : {"stream", "mix:0.5", "gather:64x656/4096", "chase"}) {
    const json shares =
        device_json({"hbm3-h100", "--stacks", "1", "--pattern", pattern, "--size", "1MB"}).at("bound_by");
    double sum = 0;
    std::set<std::string> names;
    for (const auto& [name, share] : shares.items()) {
      sum += share.get<double>();
      names.insert(name);
    }
    EXPECT_EQ(names, causes);
    EXPECT_NEAR(sum, 1, 1e-9) << pattern;
  }
}

TEST(Device, WithoutStatedEnergyTellsNone) {
  const json document = device_json({"xhbm3", "--pattern", "stream", "--size", "64kB"});
  EXPECT_TRUE(document.at("energy_joules").is_null());
  EXPECT_TRUE(document.at("picojoules_per_bit").is_null());
}

TEST(Device, ResultsDoNotDependOnThreadsNorExactness) {
  const Words run{"hbm3-h100", "--stacks", "1", "--pattern", "stream", "--size", "8MB", "--set", "map=map-B"};
  json first = device_json(with(run, {"--jobs", "1"}));
  for (const Words& more : {Words{"--jobs", "3"}, Words{"--exact", "--jobs", "2"}}) {
    json other = device_json(with(run, more));
    for (json* document : {&first, &other}) {
      document->erase("host_seconds");
      document->erase("simulated_requests");
    }
    EXPECT_EQ(other, first);
  }
}

TEST(Device, ASeedChangesDraws) {
  const Words run{"xhbm2", "--pattern", "random:64", "--size", "256kB"};
  const json first = device_json(run);
  EXPECT_EQ(device_json(with(run, {"--seed", "1"})).at("cycles"), first.at("cycles"));
  EXPECT_NE(device_json(with(run, {"--seed", "2"})).at("cycles"), first.at("cycles"));
}

// ---- parts ----

TEST(Device, TakesThePartOfADeviceOrANodeAndSaysSo) {
  for (const char* name : {"h200-sxm", "8x-h200-sxm"}) {
    EXPECT_EQ(device_json({name, "--pattern", "stream", "--size", "64kB"}).at("device"), "hbm3e-h200");
    EXPECT_THAT(device({name, "--pattern", "stream", "--size", "64kB"}).out,
                StartsWith("hbm3e-h200, the memory of " + std::string(name)));
  }
}

TEST(Device, TakesAFile) {
  const Folder folder;
  folder.write("mine.yaml", "extends: xhbm2\nname: mine\nmap: map-B\n");
  const json document = device_json({folder.path("mine.yaml"), "--pattern", "stream", "--size", "1MiB"});
  EXPECT_EQ(document.at("device"), "mine");
  EXPECT_EQ(document.at("cycles"), device_json(with(small, {"--set", "map=map-B"})).at("cycles"));
}

TEST(Device, SettingsReachThePart) {
  const std::int64_t refreshes = device_json(small).at("refreshes");
  EXPECT_GT(refreshes, 0);
  EXPECT_EQ(device_json(with(small, {"--set", "controller.refresh=none"})).at("refreshes"), 0);
  EXPECT_GT(device_json(with(small, {"--set", "timing.tRFCab=700ns"})).at("cycles"), device_json(small).at("cycles"));
  const Words one{"hbm3-h100", "--pattern", "stream", "--size", "64kB", "--stacks", "1"};
  EXPECT_NEAR(device_json(one).at("peak_bytes_per_second").get<double>(), 16 * 2 * 32 / (2 * 0.764e-9), 1e3);
  const json channel = device_json(with(one, {"--set", "geometry.channels=1"}));
  EXPECT_NEAR(channel.at("peak_bytes_per_second").get<double>(), 2 * 32 / (2 * 0.764e-9), 1e3);
}

TEST(Device, TheLastSettingWinsOverStacks) {
  const json document = device_json({"hbm3-h100", "--pattern", "stream", "--size", "64kB", "--stacks", "1", "--set",
                                     "geometry.stacks=2", "--set", "geometry.stacks=3"});
  EXPECT_NEAR(document.at("peak_bytes_per_second").get<double>(), 3 * 16 * 2 * 32 / (2 * 0.764e-9), 1e3);
}

// ---- requests ----

TEST(Device, TheUsualSizeIsThatOfTheHelp) {
  EXPECT_EQ(device_json({"xhbm2", "--pattern", "stream"}).at("bytes"), 64 << 20);
  EXPECT_EQ(device_json({"hbm3-h100", "--stacks", "1", "--pattern", "trace:gather288_1"}).at("requests"), 4608);
}

TEST(Device, AChaseWaitsForEachAnswerUnlessToldOtherwise) {
  const Words chase{"xhbm2", "--pattern", "chase", "--size", "32kB"};
  EXPECT_EQ(device_json(chase).at("cycles"), device_json(with(chase, {"--feed", "one-at-a-time"})).at("cycles"));
  EXPECT_GT(device_json(chase).at("cycles"), device_json(with(chase, {"--feed", "saturated"})).at("cycles"));
}

TEST(Device, ARateBelowThePeakIsWhatComesOut) {
  const json document = device_json(with(small, {"--feed", "rate:8GB/s"}));
  EXPECT_NEAR(document.at("bandwidth_bytes_per_second").get<double>(), 8e9, 0.01 * 8e9);
}

TEST(Device, ReadsATraceFromAFileOrStandardInput) {
  const std::string trace = "LD 0x0\nLD 0x20\nST 0x40\n";
  const Folder folder;
  folder.write("t.txt", trace);
  for (const json& document :
       {device_json({"xhbm2", "--trace", "-"}, trace), device_json({"xhbm2", "--trace", folder.path("t.txt")})}) {
    EXPECT_EQ(document.at("reads"), 2);
    EXPECT_EQ(document.at("writes"), 1);
    EXPECT_EQ(document.at("bytes"), 96);
  }
}

TEST(Device, WrapsWhereAskedTo) {
  const std::string beyond = "LD 0x80000000\n";  // the capacity is 2 GiB
  EXPECT_EQ(device({"xhbm2", "--trace", "-"}, beyond).code, 3);
  EXPECT_EQ(device_json({"xhbm2", "--trace", "-", "--wrap"}, beyond).at("requests"), 1);
}

// ---- mistakes ----

TEST(Device, ABadCommandLineExitsWithTwo) {
  const std::vector<Words> mistakes{{},
                                    {"xhbm2"},
                                    {"nothing", "--pattern", "stream"},
                                    {"kioxia-cm7", "--pattern", "stream"},
                                    {"rtx-4090", "--pattern", "stream"},
                                    {"xhbm2", "--pattern", "stram"},
                                    {"xhbm2", "--pattern", "stream", "--trace", "-"},
                                    {"xhbm2", "--pattern", "stream", "--size", "64"},
                                    {"xhbm2", "--pattern", "stream", "--size", "0B"},
                                    {"xhbm2", "--pattern", "stream", "--size", "3GB"},
                                    {"xhbm2", "--trace", "-", "--size", "3MB"},
                                    {"xhbm2", "--pattern", "stream", "--feed", "fast"},
                                    {"xhbm2", "--pattern", "stream", "--feed", "rate:400"},
                                    {"xhbm2", "--pattern", "stream", "--feed", "rate:0GB/s"},
                                    {"xhbm2", "--pattern", "stream", "--seed", "-1"},
                                    {"xhbm2", "--pattern", "stream", "--stacks", "0"},
                                    {"xhbm2", "--pattern", "stream", "--format", "xml"},
                                    {"xhbm2", "--pattern", "stream", "--commands", "-", "--format", "json"},
                                    {"xhbm2", "--crosscheck"},
                                    {"--crosscheck", "--pattern", "stream"}};
  for (const Words& words : mistakes) {
    const Outcome outcome = device(words);
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(words);
    EXPECT_EQ(outcome.out, "") << testing::PrintToString(words);
    EXPECT_THAT(outcome.err, StartsWith("kvtraffic: ")) << testing::PrintToString(words);
  }
}

TEST(Device, NamesWhatWasMeant) {
  EXPECT_THAT(device({"hbm3e-h20", "--pattern", "stream"}).err, HasSubstr("did you mean 'hbm3e-h200'?"));
  EXPECT_THAT(device({"xhbm2", "--pattern", "stram"}).err, HasSubstr("did you mean 'stream'?"));
  EXPECT_THAT(device({"xhbm2", "--pattern", "stream", "--feed", "satrated"}).err,
              HasSubstr("did you mean 'saturated'?"));
  EXPECT_THAT(device({"xhbm2", "--pattern", "stream", "--size", "3GB"}).err, HasSubstr("--wrap does so"));
}

TEST(Device, BadSettingsAreToldTogetherWithPlaceAndExitCodeThree) {
  const Outcome outcome = device(with(small, {"--set", "timing.tFWA=12ns", "--set", "map=i26", "--set",
                                              "controller.read_queue=many", "--set", "nothing"}));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("<--set>:1:"), HasSubstr("timing.tFWA: unknown key"), HasSubstr("did you mean 'tFAW'?"),
                    HasSubstr("controller.read_queue"), HasSubstr("'nothing' sets nothing")));
}

TEST(Device, ABadTraceExitsWithThreeAndItsPlace) {
  const Outcome outcome = device({"xhbm2", "--trace", "-"}, "LD 0x0\nXX\n");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("<stdin>:2: error: "));
  EXPECT_EQ(device({"xhbm2", "--trace", "-"}, "").code, 3);
}

TEST(Device, AFileThatIsNotThereExitsWithFive) {
  EXPECT_EQ(device({"xhbm2", "--trace", "./no-such-trace"}).code, 5);
  EXPECT_EQ(device({"./no-such-part.yaml", "--pattern", "stream"}).code, 5);
  EXPECT_EQ(device({"/", "--pattern", "stream"}).code, 5);
}

TEST(Device, AnInterruptExitsWith130) {
  const std::string run = std::string(KVTRAFFIC_BINARY) + " device hbm3-h100 --pattern random:64 --size 60GB";
  for (const std::string more : {"", " --commands /dev/null"}) {
    const int status =
        std::system(("timeout --preserve-status -s INT 0.5 " + run + more + " > /dev/null 2>&1").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 130) << more;
  }
}

// ---- commands ----

TEST(CommandFile, HasALineForEveryCommand) {
  const Folder folder;
  const json document = device_json(with(small, {"--commands", folder.path("c.txt")}));
  std::istringstream lines(test::contents(folder.path("c.txt")));
  std::map<std::string, std::int64_t> counts;
  std::int64_t last = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::int64_t tick = 0;
    std::string command, word;
    int fields = 2;
    words >> tick >> command;
    while (words >> word) ++fields;
    EXPECT_EQ(fields, 9) << line;
    EXPECT_GE(tick, last) << line;  // of a single channel
    last = tick;
    ++counts[command];
  }
  EXPECT_EQ(counts["RD"], document.at("reads"));
  EXPECT_EQ(counts["ACT"], document.at("activates"));
  EXPECT_EQ(counts["PRE"] + counts["PREA"], document.at("precharges"));
  EXPECT_EQ(counts["REFab"], document.at("refreshes"));
}

TEST(CommandFile, OfAFullDiskIsToldWithExitCodeFive) {
  const Outcome outcome = device(with(small, {"--commands", "/dev/full"}));
  EXPECT_EQ(outcome.code, 5);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "kvtraffic: cannot write '/dev/full': No space left on device\n");
}

// Requests are read 65,536 at a time; those of the faulty chunk are never asked for.
TEST(CommandFile, KeepsWholeLinesOfWhatWasDoneBeforeAFaultOfTheTrace) {
  constexpr int chunk = 65'536, queue = 32;
  std::string trace;
  for (int i = 0; i <= chunk; ++i) trace += "LD 0x0\n";
  const Folder folder;
  const Words run{"xhbm2", "--trace", "-", "--set", "controller.read_queue=32", "--commands", folder.path("c.txt")};
  const Outcome outcome = device(run, trace + "XX\n");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, StartsWith("<stdin>:65538: error: "));
  const std::string commands = test::contents(folder.path("c.txt"));
  EXPECT_EQ(commands.back(), '\n');
  std::istringstream words(commands);
  const auto reads = std::count(std::istream_iterator<std::string>(words), {}, "RD");
  EXPECT_GE(reads, chunk - queue);  // the last ones wait in the channel
  EXPECT_LE(reads, chunk);
}

TEST(CommandFile, OnStandardOutputHasThePageBehindItAsAComment) {
  const Outcome outcome = device({"xhbm2", "--pattern", "stream", "--size", "64B", "--commands", "-"});
  EXPECT_EQ(outcome.code, 0);
  std::istringstream lines(outcome.out);
  std::vector<std::string> commands;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) commands.push_back(line);
  }
  ASSERT_EQ(commands.size(), 3U);  // two transactions of one row
  EXPECT_THAT(commands[0], HasSubstr(" ACT 0 0 0 0 0 0 -"));
  EXPECT_THAT(commands[1], HasSubstr(" RD 0 0 0 0 0 0 0"));
  EXPECT_THAT(commands[2], HasSubstr(" RD 0 0 0 0 0 0 1"));
  EXPECT_THAT(outcome.out, HasSubstr("# xhbm2: "));
}

// ---- the page ----

TEST(CommandFile, IsNeverTheTraceAndKeepsAnOlderFileUntilTheFirstCommand) {
  const Folder folder;
  folder.write("t.txt", "R 0 64\n");
  folder.write("bad.txt", "X 0 64\n");
  folder.write("old.txt", "precious\n");
  const Outcome same = device({"hbm3-h100", "--trace", folder.path("t.txt"), "--commands", folder.path("t.txt")});
  EXPECT_EQ(same.code, 2);
  EXPECT_EQ(test::contents(folder.path("t.txt")), "R 0 64\n");
  const Outcome bad = device({"hbm3-h100", "--trace", folder.path("bad.txt"), "--commands", folder.path("old.txt")});
  EXPECT_EQ(bad.code, 3);
  EXPECT_EQ(test::contents(folder.path("old.txt")), "precious\n");
  const Outcome good = device({"hbm3-h100", "--trace", folder.path("t.txt"), "--commands", folder.path("old.txt")});
  EXPECT_EQ(good.code, 0);
  EXPECT_THAT(test::contents(folder.path("old.txt")), testing::Not(HasSubstr("precious")));
}

TEST(Device, ThePageKeepsToAHundredColumns) {
  const Outcome outcome = device({"hbm3e-h200", "--pattern", "mix:0.9", "--size", "1MB", "--set",
                                  "controller.refresh=all-bank", "--set", "controller.write_queue=96"});
  EXPECT_EQ(outcome.code, 0);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  EXPECT_THAT(outcome.out, HasSubstr("with controller.refresh=all-bank, controller.write_queue=96"));
  EXPECT_THAT(outcome.out, HasSubstr("data_bus"));
}

TEST(Device, TheLargestShareComesFirst) {
  const std::string page = device(small).out;
  const std::string table = page.substr(page.find("What the data buses did"));
  EXPECT_LT(table.find("data_bus"), table.find("command_bus"));
}

// As printed, but for the cross-check, which takes half a minute.
TEST(Device, TheCommandsOfTheReadmeWork) {
  const std::string program = "./kvtraffic device";
  std::istringstream readme(test::contents(std::string(KVTRAFFIC_ROOT) + "/README.md"));
  int commands = 0;
  for (std::string line; std::getline(readme, line);) {
    const std::size_t at = line.find(program);
    if (!line.starts_with("    ") || at == std::string::npos) continue;
    line.replace(at, std::string("./kvtraffic").size(), KVTRAFFIC_BINARY);
    EXPECT_EQ(std::system((line + " > /dev/null").c_str()), 0) << line;
    ++commands;
  }
  EXPECT_EQ(commands, 3);
}

TEST(Device, HelpTellsItsOptions) {
  const Outcome outcome = run_program({"device", "--help"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* word : {"--pattern", "--size", "--trace", "--feed", "--seed", "--wrap", "--stacks", "--set",
                           "--exact", "--jobs", "--commands", "--crosscheck", "--format", "gather:", "rate:400GB/s"}) {
    EXPECT_THAT(outcome.out, HasSubstr(word));
  }
}

}  // namespace
}  // namespace kvtraffic::scenarios
