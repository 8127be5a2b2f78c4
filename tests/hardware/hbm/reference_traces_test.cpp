// Reference traces are made again bit for bit: the digests are those of the traces that the public simulators ran.
#include "hardware/hbm/reference_traces.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/hardware/hbm/sha256.hpp"
#include "tests/hardware/hbm/source_tools.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

struct Reference {
  std::string name;
  std::uint64_t transactions;  // at 32 bytes
  std::string digest;          // of (address << 1 | write) as little-endian words: first 16 digits of the SHA-256
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> table = {
      {"stream", 2097152, "5a0c4faa7c119725"},    {"stream_rd_wr", 2097152, "3a792d80616a2fc5"},
      {"streams16", 2097152, "326217bd6c03c1d3"}, {"streams16_al", 2097152, "0ed7b0d0946a5645"},
      {"rand64", 1048576, "f0687dedc3433c8e"},    {"gather656", 688128, "a12ed1ad2238d2a6"},
      {"gather656_1", 43008, "93232e4b1092aaad"}, {"gather656_sort", 688128, "bb57f4c7e8b15657"},
      {"gather576", 589824, "5ba9805422ed28c4"},  {"gather1152", 1179648, "5d947315bb9029a9"},
      {"gather288", 294912, "3f4478afbc720c7e"},  {"gather288_1", 4608, "9fac23327b5168d1"},
      {"scan132", 540672, "16c697c265e40246"},    {"scan132_split", 655360, "a5b395fd0b39be8c"},
  };
  return table;
}

struct Digest {
  std::uint64_t transactions = 0;
  std::string text;
};

Digest digest_of(TransactionSource& source) {
  Sha256 sum;
  Digest digest;
  std::vector<Transaction> block(4099);
  for (std::size_t count = block.size(); count == block.size(); digest.transactions += count) {
    count = source.read(block);
    for (std::size_t i = 0; i < count; ++i) sum.add(block[i].address << 1U | (block[i].write ? 1U : 0U));
  }
  digest.text = sum.prefix();
  return digest;
}

std::string refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "";
}

TEST(Sha256, GivesTheDigestsOfTheStandard) {
  Sha256 none, abc;
  for (const char letter : std::string("abc")) abc.add(static_cast<std::uint8_t>(letter));
  EXPECT_EQ(none.prefix(), "e3b0c44298fc1c14");
  EXPECT_EQ(abc.prefix(), "ba7816bf8f01cfea");
}

TEST(ReferenceTraces, AreTheTracesThatTheSimulatorsRan) {
  for (const Reference& reference : references()) {
    const auto source = make_reference_trace(reference.name, 1, 1, 32);
    const Digest digest = digest_of(*source);
    EXPECT_EQ(digest.transactions, reference.transactions) << reference.name;
    EXPECT_EQ(digest.text, reference.digest) << reference.name;
    if (source->size()) {
      EXPECT_EQ(*source->size(), digest.transactions) << reference.name;
    }
  }
}

TEST(ReferenceTraces, HaveAllNamesInTheTable) {
  std::vector<std::string> names;
  for (const Reference& reference : references()) names.push_back(reference.name);
  EXPECT_EQ(reference_trace_names(), names);
}

// Digests of the same generator that made the table, at scale 1/8, seed 7 and 64 bytes.
TEST(ReferenceTraces, FollowScaleSeedAndGranule) {
  EXPECT_EQ(digest_of(*make_reference_trace("stream_rd_wr", 0.125, 7, 64)).text, "f256284ea07ae647");
  EXPECT_EQ(digest_of(*make_reference_trace("streams16", 0.125, 7, 64)).text, "94e8d5d44cdd0584");
  EXPECT_EQ(digest_of(*make_reference_trace("rand64", 0.125, 7, 64)).text, "3f6d5f2279bdf930");
  EXPECT_EQ(digest_of(*make_reference_trace("gather656_sort", 0.125, 7, 64)).text, "686d8b4f6ebdf58c");
  EXPECT_EQ(digest_of(*make_reference_trace("gather288_1", 0.125, 7, 64)).text, "352c0782adb754ac");
  EXPECT_EQ(digest_of(*make_reference_trace("scan132_split", 0.125, 7, 64)).text, "4d6ea2c872d66ccb");
}

TEST(ReferenceTraces, AskForTheirBytes) {
  EXPECT_EQ(reference_trace_bytes("streams16"), 64U << 20U);
  EXPECT_EQ(reference_trace_bytes("rand64"), (1U << 19U) * 64U);
  EXPECT_EQ(reference_trace_bytes("gather656"), 16U * 2048U * 656U);
  EXPECT_EQ(reference_trace_bytes("scan132"), 131072U * 132U);
}

TEST(ReferenceTraces, WrapWhenTheMemoryIsSmaller) {
  const AddressSpace small{.granule = 32, .capacity = 1U << 28U, .wrap = true};
  const auto far = all_of(*make_reference_trace("rand64", 0.001, 1, 32));
  const auto near = all_of(*make_reference_trace("rand64", 0.001, 1, small));
  ASSERT_EQ(far.size(), near.size());
  ASSERT_EQ(far.size(), 2U * 524U);  // int(2^19 / 1000) reads of two transactions
  for (std::size_t i = 0; i < far.size(); ++i) EXPECT_EQ(far[i].address % small.capacity, near[i].address);
}

TEST(ReferenceTraces, RefuseWhatTheyCannotMake) {
  const AddressSpace small{.granule = 32, .capacity = 1U << 20U};
  EXPECT_EQ(refusal([&] { (void)make_reference_trace("stream", 1, 1, small); }),
            "trace stream needs 67108864 bytes of addresses, beyond the capacity of 1048576 (wrapping takes addresses "
            "modulo it)");
  EXPECT_NE(refusal([] { (void)make_reference_trace("strean", 1, 1, 32); }).find("did you mean 'stream'?"),
            std::string::npos);
  EXPECT_EQ(refusal([] { (void)make_reference_trace("stream", 0, 1, 32); }),
            "trace stream at scale 0: a scale is above 0 and at most 1024");
  EXPECT_EQ(refusal([] { (void)make_reference_trace("rand64", 1e-9, 1, 32); }),
            "nothing is left of trace rand64 at scale 1e-09");
  EXPECT_NE(refusal([] { (void)make_reference_trace("stream", 1, 1, 48); }), "");
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
