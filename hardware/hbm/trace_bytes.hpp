// The bytes of a trace: a file, a pipe or standard input, and what gzip or zstd packed into it.
// Leaves out lines and their meaning (trace_line.hpp).
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace kvtraffic::hardware::hbm {

// Compressed data that ends early or is no such data.
class DamagedData : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ByteReader {
 public:
  ByteReader() = default;
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;
  virtual ~ByteReader() = default;

  // Fills `into`, which is not empty, from the front; zero only at the end. Throws IoError and DamagedData.
  [[nodiscard]] virtual std::size_t read(std::span<char> into) = 0;
};

// "-" is standard input. A FIFO may be opened before its writer: `patience` is how long that is waited for.
// Throws sim::IoError.
[[nodiscard]] std::unique_ptr<ByteReader> open_bytes(const std::string& path, std::chrono::milliseconds patience);

// What `packed` holds, by its first bytes and not by its name: gzip (several members too), zstd (several frames too) or
// plain. Memory stays at a few hundred KiB and the window of the data, which zstd limits to 128 MiB.
[[nodiscard]] std::unique_ptr<ByteReader> unpacked(std::unique_ptr<ByteReader> packed);

}  // namespace kvtraffic::hardware::hbm
