// Patterns: what each asks for, in which order, and what it refuses.
#include "hardware/hbm/patterns.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "hardware/hbm/reference_traces.hpp"
#include "hardware/hbm/split_mix.hpp"
#include "tests/hardware/hbm/source_tools.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::uint64_t kMiB = 1U << 20U;

struct Wanted {
  std::string pattern;
  std::int64_t size = 0;
  std::uint64_t granule = 32;
  std::uint64_t capacity = 16 * kMiB;
  bool wrap = false;
  std::uint64_t seed = 1;
};

std::unique_ptr<TransactionSource> source_of(const Wanted& wanted) {
  return make_source(parse_pattern(wanted.pattern), sim::Bytes::of(wanted.size), wanted.seed, wanted.granule,
                     wanted.capacity, wanted.wrap);
}

std::vector<Transaction> made(const Wanted& wanted) { return all_of(*source_of(wanted)); }

std::string refusal(const Wanted& wanted) {
  try {
    (void)made(wanted);
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "";
}

std::string parse_refusal(std::string_view text) {
  try {
    (void)parse_pattern(text);
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "";
}

TEST(SplitMix64, GivesTheNumbersOfItsAuthors) {
  SplitMix64 random(1234567);  // the published check values for this seed
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(SplitMix64, DrawsEveryNumberBelowEquallyOften) {
  SplitMix64 random(1);
  std::map<std::uint64_t, int> seen;
  for (int i = 0; i < 60000; ++i) ++seen[random.below(6)];
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [value, times] : seen) EXPECT_NEAR(times, 10000, 500) << value;  // five standard deviations
}

TEST(Stream, WalksUpAndRoundsUpToATransaction) {
  EXPECT_EQ(made({"stream", 100}), (std::vector<Transaction>{{0, false}, {32, false}, {64, false}, {96, false}}));
  EXPECT_EQ(made({"stream:write", 33, 32}), (std::vector<Transaction>{{0, true}, {32, true}}));
}

TEST(Stream, WrapsWhereItMay) {
  EXPECT_EQ(addresses_of(made({"stream", 6 * 32, 32, 4 * 32, true})),
            (std::vector<std::uint64_t>{0, 32, 64, 96, 0, 32}));
  EXPECT_EQ(
      refusal({"stream", 6 * 32, 32, 4 * 32}),
      "pattern stream needs 192 bytes of addresses, beyond the capacity of 128 (wrapping takes addresses modulo it)");
  EXPECT_EQ(refusal({"stream", 4 * 32, 32, 4 * 32}), "");
}

TEST(Streams, TakeTurnsFromBasesInTheirOwnShares) {
  const auto all = made({"streams:4", 4 * 256, 32, 4 * kMiB});
  ASSERT_EQ(all.size(), 4U * 256U / 32U);
  std::vector<std::uint64_t> bases;
  for (std::size_t stream = 0; stream < 4; ++stream) bases.push_back(all[2 * stream].address);
  for (std::size_t stream = 0; stream < 4; ++stream) {
    EXPECT_EQ(bases[stream] / kMiB, stream);
    EXPECT_EQ(bases[stream] % 4096, 0U);
    for (std::uint64_t turn = 0; turn < 4; ++turn) {
      const std::size_t at = 8 * turn + 2 * stream;
      EXPECT_EQ(all[at].address, bases[stream] + 64 * turn);
      EXPECT_EQ(all[at + 1].address, bases[stream] + 64 * turn + 32);
    }
  }
}

TEST(Streams, ShareTheBytesAndStopInsideARound) {
  EXPECT_EQ(made({"streams:3:write", 5 * 64, 64}).size(), 5U);
  EXPECT_TRUE(made({"streams:3:write", 64, 64}).front().write);
}

TEST(Streams, MustHaveRoom) {
  EXPECT_EQ(refusal({"streams:4", 4 * 4096, 32, 4 * 4096}), "");
  EXPECT_EQ(refusal({"streams:4", 4 * 4096 + 64, 32, 4 * 4096}),
            "pattern streams:4: streams of 4160 bytes overlap when 4 of them share a capacity of 16384 bytes");
  EXPECT_EQ(refusal({"streams:5", 64, 32, 4 * 4096}),
            "pattern streams:5: 16384 bytes have no room for so many streams");
  EXPECT_EQ(made({"streams:4", 8 * 4096, 32, 4 * 4096, true}).size(), 8U * 4096U / 32U);
}

TEST(Random, ReadsAlignedBlocksAnywhere) {
  const auto all = made({"random:128", 1000 * 128, 32, kMiB});
  ASSERT_EQ(all.size(), 4000U);
  std::set<std::uint64_t> halves;
  for (std::size_t i = 0; i < all.size(); i += 4) {
    EXPECT_EQ(all[i].address % 128, 0U);
    for (std::size_t k = 1; k < 4; ++k) EXPECT_EQ(all[i + k].address, all[i].address + 32 * k);
    halves.insert(all[i].address / (kMiB / 2));
  }
  EXPECT_EQ(halves.size(), 2U);
}

TEST(Random, FollowsTheSeedOfItsKind) {
  SplitMix64 random(seed_of("random", 9));
  const auto all = made({.pattern = "random:64", .size = 64 * 20, .granule = 64, .capacity = kMiB, .seed = 9});
  for (const Transaction& one : all) EXPECT_EQ(one.address, random.below(kMiB / 64) * 64);
}

TEST(Random, HasNoBlockBeyondTheCapacity) {
  EXPECT_EQ(refusal({"random:256", 64, 32, 128}),
            "pattern random:256: a block of 256 bytes exceeds the capacity of 128");
}

TEST(Gather, ChoosesDistinctEntriesInARegionOfItsOwnEachRound) {
  const std::uint64_t region = 1000 * 96;
  const auto all = made({"gather:50x96/1000", 3 * 50 * 96, 32, 2 * region + 32 * 100});  // two regions and a bit
  ASSERT_EQ(all.size(), 3U * 50U * 3U);
  for (std::size_t round = 0; round < 3; ++round) {
    std::set<std::uint64_t> entries;
    for (std::size_t i = 0; i < 50; ++i) {
      const std::uint64_t address = all[(round * 50 + i) * 3].address;
      EXPECT_EQ(address / region, round % 2);
      EXPECT_EQ(address % 96, 0U);
      entries.insert(address);
    }
    EXPECT_EQ(entries.size(), 50U);
  }
}

TEST(Gather, StopsInsideARoundAndMayChooseAll) {
  EXPECT_EQ(made({"gather:50x32/1000", 70 * 32, 32}).size(), 70U);
  const auto all = addresses_of(made({"gather:64x32/64:write", 64 * 32, 32}));
  EXPECT_EQ(std::set<std::uint64_t>(all.begin(), all.end()).size(), 64U);
}

TEST(Gather, PaysForEveryGranuleThatAnEntryTouches) {
  // Entry e of 48 bytes begins at 48e: in the middle of a granule when e is odd, so both kinds touch two.
  EXPECT_EQ(made({"gather:10x48/10", 480, 32}).size(), 20U);
  EXPECT_EQ(source_of({"gather:10x48/10", 480, 32})->size(), std::nullopt);
}

TEST(Gather, MustFitAndBePossible) {
  EXPECT_EQ(refusal({"gather:1x656/131072", 656, 32, kMiB}),
            "pattern gather:1x656/131072 needs 85983232 bytes of addresses, beyond the capacity of 1048576 (wrapping "
            "takes addresses modulo it)");
  EXPECT_EQ(parse_refusal("gather:11x32/10"),
            "pattern 'gather:11x32/10': 11 distinct entries cannot be chosen from 10");
}

TEST(Scan, TakesEveryTransactionOnce) {
  // Three whole entries reach 300 bytes: 396 bytes, 13 transactions.
  const auto all = addresses_of(made({"scan:132", 300}));
  ASSERT_EQ(all.size(), (3U * 132U + 31U) / 32U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], 32 * i);
}

TEST(Mix, WalksTwoArraysInTheGivenShare) {
  const auto all = made({"mix:0.75", 8 * static_cast<std::int64_t>(kMiB) / 2, 64, 16 * kMiB});
  std::uint64_t reads = 0, writes = 0;
  for (const Transaction& one : all) {
    EXPECT_EQ(one.address, one.write ? 8 * kMiB + 64 * writes : 64 * reads);
    ++(one.write ? writes : reads);
  }
  EXPECT_EQ(reads + writes, 4 * kMiB / 64);
  EXPECT_NEAR(static_cast<double>(reads) / static_cast<double>(all.size()), 0.75, 0.01);
}

TEST(Mix, KnowsItsEnds) {
  for (const Transaction& one : made({"mix:1", 4096, 64})) EXPECT_FALSE(one.write);
  for (const Transaction& one : made({"mix:0", 4096, 64})) EXPECT_TRUE(one.write);
  EXPECT_EQ(
      refusal({"mix:0.5", 1024, 64, 1024}),
      "pattern mix:0.5: 1024 bytes may exceed an array of 512, half the capacity (wrapping begins an array again)");
  for (const Transaction& one : made({"mix:0.5", 65536, 64, 1024, true})) EXPECT_EQ(one.address >= 512, one.write);
}

TEST(Mix, DrawsAsTheReferenceTraceDoes) {
  SplitMix64 random(seed_of("mix", 1));
  for (const Transaction& one : made({"mix:0.90", 64 * 500, 64})) EXPECT_EQ(one.write, random.below(10) == 0);
}

TEST(Chase, JumpsBetweenSingleTransactions) {
  SplitMix64 random(seed_of("chase", 1));
  const auto all = made({"chase", 32 * 100, 32, kMiB});
  ASSERT_EQ(all.size(), 100U);
  for (const Transaction& one : all) EXPECT_EQ(one, (Transaction{random.below(kMiB / 32) * 32, false}));
}

TEST(TracePattern, IsTheReferenceTraceAtTheScaleOfTheSize) {
  const std::uint64_t capacity = std::uint64_t{1} << 34U;
  EXPECT_EQ(made({"trace:gather288_1", 0, 32, capacity}), all_of(*make_reference_trace("gather288_1", 1, 1, 32)));
  EXPECT_EQ(made({"trace:rand64", 4 * static_cast<std::int64_t>(kMiB), 32, capacity}),
            all_of(*make_reference_trace("rand64", 0.125, 1, 32)));
}

TEST(Patterns, RegularityAndSizeAreTrue) {
  const std::vector<Wanted> wanted = {{"stream", 5000},         {"stream", 5000, 32, 1024, true},
                                      {"streams:3", 64 * 500},  {"streams:5:write", 64 * 77, 64},
                                      {"streams:2", 8192, 256}, {"scan:132", 5000},
                                      {"random:64", 640},       {"random:48", 480},
                                      {"mix:0.5", 6400},        {"chase", 1000},
                                      {"random:16", 160},       {"gather:4x576/10", 5760}};
  int regular = 0, sized = 0;
  for (const Wanted& one : wanted) {
    const auto source = source_of(one);
    const auto size = source->size();
    const auto regularity = source->regularity();
    const auto all = all_of(*source);
    sized += size ? 1 : 0;
    EXPECT_EQ(size.value_or(all.size()), all.size()) << one.pattern;
    if (!regularity) continue;
    ++regular;
    ASSERT_LT(regularity->transactions, all.size()) << one.pattern;
    for (std::size_t i = 0; i + regularity->transactions < all.size(); ++i) {
      const Transaction& later = all[i + regularity->transactions];
      ASSERT_EQ(later, (Transaction{all[i].address + regularity->shift, all[i].write})) << one.pattern << " at " << i;
    }
  }
  EXPECT_EQ(regular, 6);                                  // streams and scans
  EXPECT_EQ(sized, static_cast<int>(wanted.size()) - 1);  // all but random:48, whose blocks touch two or one
}

TEST(Patterns, LinearStreamIsTheSource) {
  for (const Wanted& one : {Wanted{"stream", 5001}, Wanted{"scan:132", 5000}, Wanted{"scan:48:write", 1000, 64}}) {
    const auto linear = linear_stream(parse_pattern(one.pattern), sim::Bytes::of(one.size), one.granule);
    ASSERT_TRUE(linear) << one.pattern;
    const auto all = made(one);
    ASSERT_EQ(all.size(), linear->count) << one.pattern;
    EXPECT_EQ(all.front(), (Transaction{linear->first, linear->write}));
    EXPECT_EQ(all.back(), (Transaction{linear->first + (linear->count - 1) * one.granule, linear->write}));
  }
  EXPECT_FALSE(linear_stream(parse_pattern("chase"), sim::Bytes::of(4096), 32));
}

TEST(Patterns, NeedASize) {
  EXPECT_EQ(refusal({"stream", 0}), "pattern stream: a size above zero is needed");
  EXPECT_EQ(refusal({"chase", -1}), "pattern chase: a size above zero is needed");
}

RC_GTEST_PROP(Patterns, StayInsideTheCapacity, ()) {
  const auto text = *rc::gen::element<std::string>("stream", "streams:3", "random:48", "gather:7x100/50", "scan:132",
                                                   "mix:0.3", "chase", "streams:2:write", "gather:50x33/50:write");
  const std::uint64_t granule = std::uint64_t{1} << *rc::gen::inRange(4U, 9U);
  const std::uint64_t capacity = granule * *rc::gen::inRange<std::uint64_t>(9000 / granule + 1, 100000 / granule + 2);
  const std::int64_t size = *rc::gen::inRange<std::int64_t>(1, 50000);
  std::vector<Transaction> all;
  try {
    all = made({text, size, granule, capacity, *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<std::uint64_t>()});
  } catch (const std::invalid_argument&) {
    return;
  }
  RC_ASSERT(all.size() * granule >= static_cast<std::uint64_t>(size));
  for (const Transaction& one : all) RC_ASSERT(one.address % granule == 0U && one.address < capacity);
}

TEST(ParsePattern, ReadsEveryForm) {
  const Pattern gather = parse_pattern("gather:2048x656/131072:write");
  EXPECT_EQ(gather.kind, PatternKind::gather);
  EXPECT_EQ(gather.count, 2048U);
  EXPECT_EQ(gather.entry, 656U);
  EXPECT_EQ(gather.total, 131072U);
  EXPECT_TRUE(gather.write);
  EXPECT_EQ(parse_pattern("streams:16").count, 16U);
  EXPECT_EQ(parse_pattern("random:64").entry, 64U);
  EXPECT_EQ(parse_pattern("scan:132").entry, 132U);
  EXPECT_EQ(parse_pattern("chase").kind, PatternKind::chase);
  EXPECT_EQ(parse_pattern("trace:stream").trace, "stream");
  for (const auto& [share, reads, turns] : std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t>>{
           {"0.9", 9, 10}, {"0.50", 1, 2}, {"1", 1, 1}, {".25", 1, 4}, {"0", 0, 1}, {"1.0", 1, 1}}) {
    const Pattern mix = parse_pattern("mix:" + share);
    EXPECT_EQ(mix.reads, reads) << share;
    EXPECT_EQ(mix.turns, turns) << share;
  }
}

TEST(ParsePattern, NamesTheFormsAndTheNearestName) {
  EXPECT_EQ(parse_refusal("strem"),
            "'strem' is no pattern; there are stream[:write], streams:16[:write], random:64[:write], "
            "gather:2048x656/131072[:write], scan:132[:write], mix:0.9, chase, trace:NAME; did you mean 'stream'?");
  EXPECT_EQ(parse_refusal("").substr(0, 16), "'' is no pattern");
}

TEST(ParsePattern, SaysWhatIsWrongWithAParameter) {
  EXPECT_EQ(parse_refusal("streams"), "pattern 'streams': it needs a parameter, such as streams:16");
  EXPECT_EQ(parse_refusal("random:"), "pattern 'random:': it needs a parameter, such as random:64");
  EXPECT_EQ(parse_refusal("stream:64"), "pattern 'stream:64': stream has no parameter but :write");
  EXPECT_EQ(parse_refusal("mix:0.9:write"), "pattern 'mix:0.9:write': mix has no :write");
  EXPECT_EQ(parse_refusal("streams:0"), "pattern 'streams:0': the number of streams is at least 1");
  EXPECT_EQ(parse_refusal("streams:-4"), "pattern 'streams:-4': '-4' is no whole number for the number of streams");
  EXPECT_EQ(parse_refusal("random:64B"), "pattern 'random:64B': '64B' is no whole number for the bytes of a block");
  EXPECT_EQ(parse_refusal("streams:99999999999999999999"),
            "pattern 'streams:99999999999999999999': the number of streams is at most 65536");
  EXPECT_EQ(parse_refusal("gather:64"),
            "pattern 'gather:64': a gather is gather:CHOSENxBYTES/ENTRIES, such as gather:2048x656/131072");
  EXPECT_EQ(parse_refusal("mix:1.5"), "pattern 'mix:1.5': a share of reads is at most 1");
  EXPECT_NE(parse_refusal("mix:-0.5"), "");
  EXPECT_NE(parse_refusal("mix:."), "");
  EXPECT_NE(parse_refusal("gather:1x4611686018427387904/2"), "");
  EXPECT_NE(parse_refusal("trace:stram").find("did you mean 'stream'?"), std::string::npos);
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
