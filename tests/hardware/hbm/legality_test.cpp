// Every command of every pattern, part, map, feed and policy is one that a device allows, by the checker's own reading.
// Leaves out whether the schedule is a good one (controller_test.cpp, closed_forms_test.cpp).
#include <gtest/gtest.h>

#include <memory>

#include "hardware/hbm/split_mix.hpp"
#include "tests/hardware/hbm/legality_checker.hpp"
#include "tests/hardware/hbm/parts.hpp"
#include "tests/hardware/spec/entries.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::int64_t KiB = 1024;

struct Case {
  std::string pattern = "stream";
  std::int64_t size = 256 * KiB;
  Feed feed = Feed::saturated;
};

// Runs the pattern with a checker on each channel, and expects no violation and an answer for every request.
void expect_legal(const Part& part, const Case& one) {
  std::vector<std::unique_ptr<LegalityChecker>> checkers;
  RunSettings settings;
  settings.feed = one.feed;
  settings.rate = sim::Bandwidth::per_second(part.peak().per_second() / 3);
  settings.listen = [&](int) { return checkers.emplace_back(std::make_unique<LegalityChecker>(part)).get(); };
  const MemoryResult result = run_pattern(part, one.pattern, one.size, settings);
  std::uint64_t answers = 0;
  for (const auto& checker : checkers) {
    checker->finish(result.ticks);
    for (const std::string& violation : checker->violations()) ADD_FAILURE() << one.pattern << ": " << violation;
    answers += checker->answers();
  }
  EXPECT_EQ(answers, result.requests) << one.pattern;
  EXPECT_GE(result.bytes.count(), one.size) << one.pattern;
}

const std::vector<std::string> patterns{"stream",
                                        "stream:write",
                                        "streams:16",
                                        "streams:7:write",
                                        "random:32",
                                        "random:64:write",
                                        "random:1024",
                                        "gather:64x656/4096",
                                        "gather:16x288/512:write",
                                        "scan:132",
                                        "scan:132:write",
                                        "mix:0.9",
                                        "mix:0.5",
                                        "mix:0.1",
                                        "chase"};

class LegalityOfEveryPart : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Legality, LegalityOfEveryPart, testing::ValuesIn(part_names()),
                         [](const auto& name) { return test_name(name.param); });

TEST_P(LegalityOfEveryPart, ServesEveryPatternLegally) {
  for (const std::string& pattern : patterns) expect_legal(channel_of(GetParam()), {.pattern = pattern});
}

TEST_P(LegalityOfEveryPart, RefreshesAllBanksInTime) {
  Part part = channel_of(GetParam());
  part.controller.refresh = Refresh::all_bank;
  for (const char* pattern : {"stream", "random:32", "mix:0.5"}) expect_legal(part, {.pattern = pattern});
}

TEST_P(LegalityOfEveryPart, RefreshesBankByBankInTime) {
  Part part = channel_of(GetParam());
  part.controller.refresh = Refresh::per_bank;
  for (const char* pattern : {"stream:write", "random:32", "random:64:write", "mix:0.5"}) {
    expect_legal(part, {.pattern = pattern, .size = 512 * KiB});
  }
}

TEST_P(LegalityOfEveryPart, IsLegalOnAllItsChannels) {
  Part part = part_named(GetParam());
  part.geometry.stacks = 1;
  expect_legal(part, {.pattern = "stream", .size = 1024 * KiB});
  expect_legal(part, {.pattern = "mix:0.7", .size = 1024 * KiB});
}

class LegalityOfEveryMap : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Legality, LegalityOfEveryMap, testing::ValuesIn(map_names()),
                         [](const auto& name) { return test_name(name.param); });

TEST_P(LegalityOfEveryMap, IsServedLegally) {
  for (const char* name : {"xhbm2", "hbm3-h100"}) {
    Part part = channel_of(name);
    part.map = GetParam();
    for (const char* pattern : {"stream", "random:64", "gather:64x656/4096", "mix:0.5"}) {
      expect_legal(part, {.pattern = pattern, .size = 128 * KiB});
    }
  }
}

TEST(Legality, HoldsInEveryFeed) {
  for (const Feed feed : {Feed::saturated, Feed::in_order, Feed::one_at_a_time, Feed::rate}) {
    for (const char* pattern : {"stream", "random:64", "mix:0.8", "chase"}) {
      Part part = part_named("hbm3-h100");
      part.geometry.stacks = 1;
      part.geometry.channels = 2;
      expect_legal(part, {.pattern = pattern, .size = 64 * KiB, .feed = feed});
    }
  }
}

TEST(Legality, HoldsUnderEveryPolicyOfRefreshAndPage) {
  for (const Refresh refresh : {Refresh::none, Refresh::all_bank, Refresh::per_bank}) {
    for (const int postponed : {0, 1, 8}) {
      for (const Page page : {Page::open, Page::closed, Page::timeout}) {
        Part part = channel_of("hbm3-h100");
        part.controller.refresh = refresh;
        part.controller.postponed = postponed;
        part.controller.page = page;
        part.controller.page_timeout = clocks_long(part, 50);
        for (const char* pattern : {"stream", "random:64", "mix:0.6"}) expect_legal(part, {.pattern = pattern});
      }
    }
  }
}

TEST(Legality, HoldsWhereTrafficIsThinAndRowsTimeOut) {
  for (const int postponed : {0, 4}) {
    for (const Refresh refresh : {Refresh::all_bank, Refresh::per_bank}) {
      Part part = channel_of("hbm3e-h200");
      part.controller.refresh = refresh;
      part.controller.postponed = postponed;
      part.controller.page = Page::timeout;
      part.controller.page_timeout = clocks_long(part, 20);
      for (const char* pattern : {"random:64", "mix:0.5"}) {
        expect_legal(part, {.pattern = pattern, .size = 32 * KiB, .feed = Feed::rate});
        expect_legal(part, {.pattern = pattern, .size = 32 * KiB, .feed = Feed::one_at_a_time});
      }
    }
  }
}

TEST(Legality, HoldsAtEveryQueueSize) {
  for (const int reads : {1, 2, 7, 128}) {
    for (const int writes : {1, 5, 64}) {
      Part part = channel_of("hbm3-h100");
      part.controller.read_queue = reads;
      part.controller.write_queue = writes;
      for (const char* pattern : {"stream:write", "random:32", "mix:0.5"}) {
        expect_legal(part, {.pattern = pattern, .size = 64 * KiB});
      }
    }
  }
}

// Random requests to few banks and rows, so that hits, conflicts, forwarding and merging all happen.
void random_traffic(std::uint64_t seed) {
  SplitMix64 random(seed_of("legality", seed));
  const std::vector<std::string> names = part_names();
  Part part = channel_of(names[random.below(names.size())]);
  ControllerSettings& settings = part.controller;
  settings.refresh = static_cast<Refresh>(random.below(3));
  settings.page = static_cast<Page>(random.below(3));
  settings.page_timeout = clocks_long(part, static_cast<std::int64_t>(1 + random.below(200)));
  settings.postponed = static_cast<int>(random.below(9));
  settings.read_queue = static_cast<int>(1 + random.below(100));
  settings.write_queue = static_cast<int>(1 + random.below(100));
  settings.starvation = clocks_long(part, static_cast<std::int64_t>(random.below(2) * random.below(2000)));
  settings.write_age = clocks_long(part, static_cast<std::int64_t>(random.below(2) * random.below(2000)));
  const ControllerPlan plan(part);
  LegalityChecker checker(part);
  Controller controller(plan, &checker);
  const std::uint64_t rows = 1 + random.below(4);
  const std::uint64_t banks = 1 + random.below(static_cast<std::uint64_t>(part.geometry.banks_of_pseudo_channel()));
  const std::uint64_t pause = random.below(2) * random.below(60);
  std::uint64_t asked = 0;
  for (int i = 0; i < 6000; ++i) {
    const Place place{.row = static_cast<std::uint32_t>(random.below(rows)),
                      .pseudo_channel = static_cast<std::uint8_t>(random.below(2)),
                      .bank = static_cast<std::uint8_t>(random.below(banks)),
                      .column = static_cast<std::uint16_t>(random.below(32))};
    const Kind kind = random.below(3) == 0 ? Kind::write : Kind::read;
    if (pause != 0) {
      const Tick until = controller.now() + static_cast<Tick>(random.below(pause));
      while (controller.next() <= until) controller.advance(controller.next());
    }
    while (!controller.offer({.place = place, .kind = kind, .asked = controller.now()}, controller.now())) {
      controller.advance(controller.next());
    }
    ++asked;
  }
  while (!controller.idle()) controller.advance(controller.next());
  checker.finish(controller.now());
  for (const std::string& violation : checker.violations()) ADD_FAILURE() << "seed " << seed << ": " << violation;
  EXPECT_EQ(checker.answers(), asked) << "seed " << seed;
}

TEST(Legality, HoldsOnRandomTrafficUnderRandomSettings) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) random_traffic(seed);
}

// ---- the checker itself ----

std::vector<Recorded> real_commands(const Part& part, const char* pattern) {
  Recorder recorder;
  RunSettings settings;
  settings.listen = [&](int) { return &recorder; };
  (void)run_pattern(part, pattern, 128 * KiB, settings);
  return recorder.commands;
}

std::size_t violations(const Part& part, const std::vector<Recorded>& commands) {
  LegalityChecker checker(part);
  for (const Recorded& one : commands) {
    checker.command(one.tick, one.command, {one.pseudo_channel, one.bank}, one.row, one.column);
  }
  return checker.violations().size();
}

// Moves single commands earlier, to where a rule or a bus has just let them go; every such move must be found.
TEST(Checker, FindsACommandThatComesATickEarly) {
  const Part part = channel_of("xhbm3");
  std::array<int, command_count> moved{};
  for (const char* pattern : {"random:32", "mix:0.5", "stream", "gather:64x656/4096"}) {
    const std::vector<Recorded> commands = real_commands(part, pattern);
    ASSERT_EQ(violations(part, commands), 0U);
    NaiveRules rules(part);
    for (std::size_t i = 0; i < commands.size() && i < 4000; ++i) {
      const Recorded& one = commands[i];
      const BankAddress at{one.pseudo_channel, one.bank};
      if (rules.earliest(one.command, at).tick == one.tick && moved.at(static_cast<std::size_t>(one.command)) < 12) {
        std::vector<Recorded> early(commands.begin(), commands.begin() + static_cast<std::ptrdiff_t>(i + 1));
        --early.back().tick;
        EXPECT_GT(violations(part, early), 0U) << testing::PrintToString(one);
        ++moved.at(static_cast<std::size_t>(one.command));
      }
      rules.record({one.tick, one.command, at});
    }
  }
  for (const Command command : {Command::activate, Command::precharge, Command::read, Command::write}) {
    EXPECT_GT(moved.at(static_cast<std::size_t>(command)), 2) << name_of(command);
  }
}

struct Wrong {
  std::string name;
  std::vector<Recorded> commands;
};

TEST(Checker, FindsEveryKindOfViolation) {
  using enum Command;
  Part part = channel_of("xhbm3");
  part.controller.refresh = Refresh::all_bank;
  const Tick interval = half_clocks(part, {Timing::tREFI});
  const std::vector<Wrong> all{
      {"ACT to an open bank", {{1, activate, 0, 0, 3}, {1001, activate, 0, 0, 4}}},
      {"RD of a closed bank", {{1, read, 0, 0, 3}}},
      {"RD of another row", {{1, activate, 0, 0, 3}, {1001, read, 0, 0, 4}}},
      {"WR behind auto-precharge", {{1, activate, 0, 0, 3}, {1001, read_auto, 0, 0, 3}, {2001, write, 0, 0, 3}}},
      {"PRE of a closed bank", {{1, precharge, 0, 0, 0}}},
      {"RD on a falling edge", {{1, activate, 0, 0, 3}, {1002, read, 0, 0, 3}}},
      {"ACT on a falling edge", {{2, activate, 0, 0, 3}}},
      {"row beyond the bank", {{1, activate, 0, 0, 16384}}},
      {"REFab too early", {{interval - 1, refresh_all, 0, 0, 0}}},
      {"REFab with an open bank", {{1, activate, 0, 0, 3}, {interval + 1, refresh_all, 0, 0, 0}}},
      {"REFab too late", {{2 * interval + 1, refresh_all, 0, 0, 0}}},
      {"REFpb where all banks are to be refreshed", {{interval + 1, refresh_bank, 0, 0, 0}}},
      {"tRCDRD", {{1, activate, 0, 0, 3}, {1 + 2 * 31 - 1, read, 0, 0, 3}}},
      {"tRRDS", {{1, activate, 0, 0, 3}, {1 + 2 * 4 - 2, activate, 0, 4, 3}}},
      {"row bus of the other pseudo-channel", {{1, activate, 0, 0, 3}, {3, activate, 1, 0, 3}}},
  };
  for (const Wrong& wrong : all) EXPECT_GT(violations(part, wrong.commands), 0U) << wrong.name;
}

TEST(Checker, FindsABankThatIsRefreshedTwiceInARound) {
  Part part = channel_of("xhbm3");
  part.controller.refresh = Refresh::per_bank;
  const Tick interval = half_clocks(part, {Timing::tREFIpb});
  const auto stream = [&](int second) {
    return std::vector<Recorded>{{interval + 1, Command::refresh_bank, 0, 0, 0, 0},
                                 {2 * interval + 1, Command::refresh_bank, 0, second, 0, 0}};
  };
  EXPECT_EQ(violations(part, stream(1)), 0U);
  EXPECT_GT(violations(part, stream(0)), 0U);
}

TEST(Checker, FindsARefreshThatNeverCame) {
  Part part = channel_of("xhbm3");
  LegalityChecker checker(part);
  const Tick interval = half_clocks(part, {Timing::tREFI});
  checker.finish(interval + checker.refresh_slack());
  EXPECT_TRUE(checker.violations().empty());
  checker.finish(interval + checker.refresh_slack() + 1);
  EXPECT_FALSE(checker.violations().empty());
}

TEST(Checker, FindsAnAnswerWithoutData) {
  const Part part = channel_of("xhbm3");
  LegalityChecker checker(part);
  checker.command(1, Command::activate, {0, 0}, 3, 0);
  checker.command(101, Command::read, {0, 0}, 3, 0);
  checker.answered(0, Kind::read, 0, 101 + half_clocks(part, {Timing::tCL, Timing::tBL}));
  EXPECT_TRUE(checker.violations().empty());
  checker.answered(0, Kind::read, 0, 101 + half_clocks(part, {Timing::tCL, Timing::tBL}) - 1);
  EXPECT_FALSE(checker.violations().empty());
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
