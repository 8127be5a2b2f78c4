// Choosing a format, and output that fails.
// Leaves out what the formats write.
#include "reports/writer.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "sim/config/io_error.hpp"
#include "tests/reports/sample.hpp"

namespace kvtraffic::reports::testing {
namespace {

constexpr Format all_formats[] = {Format::table, Format::json, Format::jsonl, Format::csv, Format::md};

void write_all(Writer& writer) {
  writer.begin(sample_head());
  writer.point(sample_point());
  writer.end();
}

TEST(Writer, StreamThatFailedIsAnError) {
  for (const Format format : all_formats) {
    std::ostringstream out;
    out.setstate(std::ios::badbit);
    EXPECT_THROW(write_all(*make_writer(format, {}, out)), sim::IoError) << static_cast<int>(format);
  }
}

// A disk that is full: takes everything into its buffer and fails when it is flushed.
class FullDisk : public std::stringbuf {
  int sync() override { return -1; }
};

TEST(Writer, StreamThatFailsAtTheLastFlushIsAnError) {
  for (const Format format : all_formats) {
    FullDisk disk;
    std::ostream out(&disk);
    EXPECT_THROW(write_all(*make_writer(format, {}, out)), sim::IoError) << static_cast<int>(format);
  }
}

TEST(Writer, StreamingFormatsWriteEachPointAtOnce) {
  for (const Format format : {Format::json, Format::jsonl, Format::csv}) {
    std::ostringstream out;
    const auto writer = make_writer(format, {}, out);
    writer->begin(sample_head());
    const std::size_t before = out.str().size();
    writer->point(sample_point());
    EXPECT_GT(out.str().size(), before + 500) << static_cast<int>(format);
  }
}

}  // namespace
}  // namespace kvtraffic::reports::testing
