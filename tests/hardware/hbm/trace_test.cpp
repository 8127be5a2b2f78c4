// Trace files: what each format means, how files are packed, and what a bad one is told.
#include "hardware/hbm/trace.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sim/config/io_error.hpp"
#include "tests/hardware/hbm/source_tools.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

using namespace std::string_literals;

const TraceOptions kSmall{.granule = 32, .capacity = 4096, .wrap = false, .patience = std::chrono::milliseconds(50)};

// Gives at most `piece` bytes at a time, as a pipe may.
class Text final : public ByteReader {
 public:
  Text(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
  [[nodiscard]] std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), piece_, text_.size() - given_});
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(given_), count, into.begin());
    given_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t given_ = 0;
  std::size_t piece_;
};

std::vector<Transaction> read_text(const std::string& text, const TraceOptions& options = kSmall,
                                   std::size_t piece = 1U << 20U) {
  return all_of(*read_trace(std::make_unique<Text>(text, piece), "t", options));
}

std::string fault_of(const std::string& text, const TraceOptions& options = kSmall, std::size_t piece = 1U << 20U) {
  try {
    (void)read_text(text, options, piece);
  } catch (const TraceError& fault) {
    return fault.what();
  }
  return "";
}

std::string gzip(const std::string& text) {
  std::string packed(text.size() + 1000, '\0');
  z_stream stream{};
  (void)deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "kvtraffic-trace-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

 private:
  std::string path_;
};

std::string io_fault_of(const std::string& path) {
  try {
    (void)all_of(*open_trace(path, kSmall));
  } catch (const sim::IoError& fault) {
    return fault.what();
  }
  return "";
}

const std::vector<Transaction> kReadThenWrite = {{64, false}, {96, true}};

TEST(Trace, ReadsLoadsAndStores) { EXPECT_EQ(read_text("LD 0x40\nST 96\n"), kReadThenWrite); }

TEST(Trace, ReadsDramsim3) { EXPECT_EQ(read_text("0x40 READ 0\n0X60 WRITE 0\n"), kReadThenWrite); }

TEST(Trace, ReadsRangesAsTheTransactionsThatTheyTouch) {
  EXPECT_EQ(read_text("R 64 32\nW 0x60 0x20\n"), kReadThenWrite);
  // Bytes 60 to 129 touch the transactions at 32, 64, 96 and 128.
  EXPECT_EQ(addresses_of(read_text("R 60 70\n")), (std::vector<std::uint64_t>{32, 64, 96, 128}));
}

TEST(Trace, TakesAnAddressInsideATransaction) {
  EXPECT_EQ(addresses_of(read_text("LD 33\nLD 63\nLD 64\n")), (std::vector<std::uint64_t>{32, 32, 64}));
  EXPECT_EQ(addresses_of(read_text("LD 0x7f\n", {.granule = 64, .capacity = 4096})), std::vector<std::uint64_t>{64});
}

TEST(Trace, SkipsCommentsBlankLinesAndBlanks) {
  EXPECT_EQ(read_text("# made by hand\n\n  \t\n  LD\t 0x40  \n#\n # more\nST 96"), kReadThenWrite);
  EXPECT_EQ(read_text("\xEF\xBB\xBFLD 0x40\r\n\r\nST 96\r"), kReadThenWrite);
}

TEST(Trace, AgreesHoweverBytesArrive) {
  const std::string text = "# head\nLD 0x40\r\nST 96";
  for (const std::string& packed : {text, gzip(text), zstd(text), gzip("LD 0x40\n") + gzip("ST 96\n"),
                                    zstd("LD 0x40\n") + zstd("") + zstd("ST 96\n")}) {
    for (std::size_t piece = 1; piece < 12; ++piece) EXPECT_EQ(read_text(packed, kSmall, piece), kReadThenWrite);
  }
}

TEST(Trace, ReadsMoreThanItsBuffers) {
  std::string text;
  constexpr std::uint64_t lines = 200'000;
  for (std::uint64_t i = 0; i < lines; ++i) text += "LD " + std::to_string(i * 32) + "\n";
  const TraceOptions large{.granule = 32, .capacity = lines * 32};
  for (const std::string& packed : {text, gzip(text), zstd(text)}) {
    const auto all = read_text(packed, large, 10'007);
    ASSERT_EQ(all.size(), lines);
    for (std::uint64_t i = 0; i < lines; ++i) ASSERT_EQ(all[i].address, i * 32);
  }
}

TEST(Trace, HoldsAddressesAgainstTheCapacity) {
  EXPECT_EQ(read_text("LD 4095\n").size(), 1U);
  EXPECT_EQ(fault_of("LD 0\nLD 0x1000\n"),
            "t:2: error: 0x1000 is beyond the capacity of 4096 bytes (wrapping takes addresses modulo it)");
  EXPECT_EQ(read_text("R 4064 32\n").size(), 1U);
  EXPECT_EQ(fault_of("R 4064 33\n"),
            "t:1: error: 0x1000 is beyond the capacity of 4096 bytes (wrapping takes addresses modulo it)");
  EXPECT_NE(fault_of("LD 0xffffffffffffffff\n"), "");
}

TEST(Trace, WrapsWhereItMay) {
  TraceOptions wrapping = kSmall;
  wrapping.wrap = true;
  wrapping.capacity = 96;
  EXPECT_EQ(addresses_of(read_text("R 64 96\nR 992 32\n", wrapping)), (std::vector<std::uint64_t>{64, 0, 32, 32}));
  // 2^64 - 1 lies in the granule at 2^64 - 32, and 2^64 is 64 modulo 96.
  EXPECT_EQ(addresses_of(read_text("LD 0xffffffffffffffff\n", wrapping)), (std::vector<std::uint64_t>{32}));
}

TEST(Trace, IsOfOneFormat) {
  EXPECT_EQ(fault_of("LD 0\nR 0 32\n"),
            "t:2: error: 'R' begins a line of another format; this trace's lines are 'LD 0x40' or 'ST 0x40'");
  EXPECT_EQ(fault_of("# x\n0x0 READ 0\nST 4\n"),
            "t:3: error: 'ST' begins a line of another format; this trace's lines are '0x40 READ 0' or '0x40 WRITE 0'");
  EXPECT_EQ(fault_of("W 0 32\n0x0 READ 0\n"),
            "t:2: error: '0x0' begins a line of another format; this trace's lines are 'R 64 656' or 'W 64 32'");
}

TEST(Trace, SaysWhatIsWrongWithALine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"MOV 4", "'MOV' begins no line of a trace; lines are 'LD 0x40', '0x40 READ 0' or 'R 64 656' (or ST, WRITE, W)"},
      {"LD 0\nXX 1", "'XX' begins no line of a trace; lines are 'LD 0x40' or 'ST 0x40'"},
      {"LD", "the address is missing"},
      {"LD -5", "the address '-5' is negative"},
      {"LD 4x", "the address '4x' is no number (decimal, or hexadecimal after 0x)"},
      {"LD 0x", "the address '0x' is no number (decimal, or hexadecimal after 0x)"},
      {"LD 0x10000000000000000", "the address '0x10000000000000000' does not fit 64 bits"},
      {"LD 18446744073709551616", "the address '18446744073709551616' does not fit 64 bits"},
      {"LD 99999999999999999999999", "the address '99999999999999999999999' does not fit 64 bits"},
      {"LD 0 1", "'1' follows where the line should end"},
      {"LD 0 # x", "'# x' follows where the line should end"},
      {"R 64", "the size is missing"},
      {"R 64 0", "a range of 0 bytes"},
      {"R 18446744073709551615 2", "2 bytes from 0xffffffffffffffff end beyond 64 bits"},
      {"0x40 READ 0 1", "'1' follows where the line should end"},
      {"0x40 FETCH 0", "'FETCH' is neither READ nor WRITE"},
      {"0x40", "'' is neither READ nor WRITE"},
      {"0x40 READ", "the cycle is missing"},
      {"40 READ 0", "the address '40' lacks its 0x: in this format addresses are hexadecimal"},
      {"0x40 READ 12",
       "cycle 12: a trace's arrival times are not replayed; make them 0 and let --feed say at what rate transactions "
       "are offered"},
      {"LD \x01\xFFz", "the address '\\x01\\xffz' is no number (decimal, or hexadecimal after 0x)"},
      {"LD " + std::string(100, '7') + "z",
       "the address '" + std::string(40, '7') + "...' is no number (decimal, or hexadecimal after 0x)"},
  };
  for (const auto& [text, message] : cases) {
    const auto line = std::to_string(1 + std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(fault_of(text + "\n"), "t:" + line + ": error: " + message) << text;
    EXPECT_EQ(fault_of(text), "t:" + line + ": error: " + message) << text;
  }
}

TEST(Trace, LimitsALine) {
  const std::string longest = "LD 64" + std::string(4096 - 5, ' ');
  EXPECT_EQ(read_text(longest + "\n" + longest).size(), 2U);
  EXPECT_EQ(fault_of(longest + " \n"),
            "t:1: error: a line longer than 4096 bytes: 'LD 64" + std::string(35, ' ') + "...'");
  EXPECT_NE(fault_of("LD 64\n#" + std::string(10'000'000, 'x'), kSmall, 1000).find("t:2: error: a line longer"),
            std::string::npos);
}

TEST(Trace, KnowsABinaryOne) {
  const std::string message =
      "t:1: error: a binary trace; text formats are 'LD 0x40', '0x40 READ 0' and 'R 64 656', plain or packed with gzip "
      "or "
      "zstd";
  const std::string words = "\x80\0\0\0\0\0\0\0\xC1\0\0\0\0\0\0\0"s;
  EXPECT_EQ(fault_of(words), message);
  EXPECT_EQ(fault_of(std::string(8, '\0') + words), message);
  EXPECT_EQ(fault_of("\x40\n\0\0\0\0\0\0"s), message);
  EXPECT_EQ(fault_of(gzip(words)), message);
  EXPECT_EQ(fault_of(std::string(100'000, '\0')), message);
  EXPECT_EQ(fault_of("LD 0\nLD 0\0\n"s).substr(0, 26), "t:2: error: a binary trace");
}

TEST(Trace, WithoutTransactionsIsAnError) {
  EXPECT_EQ(fault_of(""), "t:1: error: the trace has no transactions");
  EXPECT_EQ(fault_of("# one\n# two\n"), "t:2: error: the trace has no transactions");
  EXPECT_EQ(fault_of(gzip("")), "t:1: error: the trace has no transactions");
  EXPECT_EQ(fault_of(zstd("")), "t:1: error: the trace has no transactions");
}

TEST(Trace, NoticesPackedDataThatEndsEarly) {
  const std::string text = "LD 0x40\nST 0x60\n";
  for (const auto& [packed, format] : {std::pair{gzip(text), "gzip"}, std::pair{zstd(text), "zstd"}}) {
    for (std::size_t size = 4; size < packed.size(); ++size) {
      const std::string fault = fault_of(packed.substr(0, size));
      EXPECT_NE(fault.find("the "s + format + " data ends early"), std::string::npos) << size << ": " << fault;
    }
  }
  EXPECT_EQ(fault_of("\x1F\x8B"), "t:1: error: the gzip data ends early");
}

TEST(Trace, NoticesDamagedPackedData) {
  std::string packed = gzip("LD 0x40\nST 0x60\n");
  packed[packed.size() - 5] = static_cast<char>(packed[packed.size() - 5] ^ 1);  // of the checksum
  EXPECT_EQ(fault_of(packed), "t:3: error: the gzip data is damaged: incorrect data check");
  EXPECT_EQ(fault_of(gzip("LD 0x40\n") + "LD 0x60\n"), "t:2: error: the gzip data is damaged: incorrect header check");
  EXPECT_EQ(fault_of(zstd("LD 0x40\n") + "LD 0x60\n"),
            "t:2: error: the zstd data is damaged: Unknown frame descriptor");
}

TEST(Trace, ErrorKnowsFileAndLine) {
  try {
    (void)read_text("LD 0\n\nLD x\n");
    FAIL() << "a bad line was read";
  } catch (const TraceError& fault) {
    EXPECT_EQ(fault.file(), "t");
    EXPECT_EQ(fault.line(), 3U);
  }
}

TEST(Trace, OptionsMustBeSound) {
  EXPECT_THROW((void)read_text("LD 0\n", {.granule = 48, .capacity = 4800}), std::invalid_argument);
  EXPECT_THROW((void)read_text("LD 0\n", {.granule = 32, .capacity = 100}), std::invalid_argument);
  EXPECT_THROW((void)read_text("LD 0\n", {.granule = 32, .capacity = 0}), std::invalid_argument);
}

TEST(OpenTrace, ReadsFilesWhateverTheirNames) {
  const Folder folder;
  const std::string text = "LD 0x40\nST 0x60\n";
  EXPECT_EQ(all_of(*open_trace(folder.file("a.gz", text), kSmall)), kReadThenWrite);
  EXPECT_EQ(all_of(*open_trace(folder.file("b.txt", gzip(text)), kSmall)), kReadThenWrite);
  EXPECT_EQ(all_of(*open_trace(folder.file("c", zstd(text)), kSmall)), kReadThenWrite);
}

TEST(OpenTrace, SaysWhyAFileCannotBeRead) {
  const Folder folder;
  const std::string missing = folder.file("missing");
  EXPECT_EQ(io_fault_of("no-such-trace"), "cannot open 'no-such-trace': No such file or directory");
  EXPECT_EQ(io_fault_of("/"), "cannot read '/': it is a folder");
  EXPECT_NE(io_fault_of(missing), "");
}

TEST(OpenTrace, WaitsForTheWriterOfAFifo) {
  const Folder folder;
  const std::string fifo = folder.file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_NE(io_fault_of(fifo).find("it is a FIFO that nothing writes to"), std::string::npos);
  std::thread writer([&] {
    std::ofstream out(fifo);
    out << "LD 0x40\n" << std::flush;
    std::this_thread::sleep_for(2 * kSmall.patience);  // open, but silent
    out << "ST 0x60\n";
  });
  TraceOptions patient = kSmall;
  patient.patience = std::chrono::seconds(60);
  const auto all = all_of(*open_trace(fifo, patient));
  writer.join();
  EXPECT_EQ(all, kReadThenWrite);
}

TEST(OpenTrace, LetsAWriterTakeItsTime) {
  const Folder folder;
  const std::string fifo = folder.file("slow");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int both = ::open(fifo.c_str(), O_RDWR);  // a writer that is there, and silent longer than patience lasts
  std::thread writer([&] {
    std::this_thread::sleep_for(4 * kSmall.patience);
    EXPECT_EQ(::write(both, "LD 0x40\nST 0x60\n", 16), 16);
    ::close(both);
  });
  const auto source = open_trace(fifo, kSmall);
  const auto all = all_of(*source);
  writer.join();
  EXPECT_EQ(all, kReadThenWrite);
}

RC_GTEST_PROP(Trace, NeverFallsOverAnyText, ()) {
  const auto piece =
      rc::gen::element<std::string>("LD", "ST", " ", "\n", "0x40", "READ", "WRITE", "R", "W", "0", "64", "-1", "#",
                                    "\r\n", "\t", "x", std::string(1, '\0'), "\x1F\x8B", "18446744073709551615");
  const auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
  std::string text;
  for (const std::string& part : pieces) text += part;
  TraceOptions wrapping = kSmall;
  wrapping.wrap = *rc::gen::arbitrary<bool>();
  const std::size_t size = *rc::gen::inRange<std::size_t>(1, 9);
  std::vector<Transaction> block(100);
  try {
    const auto source = read_trace(std::make_unique<Text>(text, size), "t", wrapping);
    for (int blocks = 0; blocks < 100 && source->read(block) == block.size(); ++blocks) {
    }
  } catch (const TraceError&) {
    return;
  }
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
