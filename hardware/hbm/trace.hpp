// A trace file as a transaction source: three text formats, plain or packed, read front to back in constant memory.
// Leaves out arrival times: when a transaction is offered is the feed's.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "hardware/hbm/trace_bytes.hpp"
#include "hardware/hbm/transactions.hpp"

namespace kvtraffic::hardware::hbm {

// A trace that is malformed: "FILE:LINE: error: what is wrong", with the offending text. `main` exits with 3.
class TraceError : public std::runtime_error {
 public:
  TraceError(std::string file, std::uint64_t line, const std::string& what);
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::uint64_t line() const { return line_; }

 private:
  std::string file_;
  std::uint64_t line_;
};

struct TraceOptions {
  std::uint64_t granule = 32;                // bytes of a transaction: a power of two
  std::uint64_t capacity = 0;                // a multiple of the granule; an address at or beyond it is an error,
  bool wrap = false;                         // or is taken modulo it
  std::chrono::milliseconds patience{5000};  // how long a FIFO may be without a writer
};

// The formats, one a file; numbers are decimal, or hexadecimal after 0x:
//   LD 0x40 | ST 0x40                 one transaction, that of the byte at this address (Ramulator 2)
//   0x40 READ 0 | 0x40 WRITE 0        the same (DRAMsim3); the last field, a cycle, must be 0: arrival times are not
//                                     replayed, and what cannot be honoured is refused rather than ignored
//   R 64 656 | W 64 32                address and bytes of a range: every transaction that it touches
// Blank lines and lines that begin with # are skipped, LF and CRLF end lines, the last may lack its end. A line has at
// most 4 KiB. gzip and zstd are recognised by their first bytes. "-" is standard input, "<stdin>" in messages.
//
// Throws sim::IoError for what cannot be opened or read (folders, FIFOs without a writer), std::invalid_argument for
// unsound options. Reading throws TraceError at the first bad line, at damaged packed data and for a trace without
// transactions; after that the source must not be read again.
[[nodiscard]] std::unique_ptr<TransactionSource> open_trace(const std::string& path, const TraceOptions& options);

// The same from any bytes; `name` stands for the file in messages.
[[nodiscard]] std::unique_ptr<TransactionSource> read_trace(std::unique_ptr<ByteReader> bytes, std::string name,
                                                            const TraceOptions& options);

}  // namespace kvtraffic::hardware::hbm
