// Arbitrary bytes as a trace: they may be refused, never crash, hang or leave the memory's addresses.
// The first byte chooses the options, the second how many bytes a read gives; plain and packed data are told apart
// inside.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "hardware/hbm/trace.hpp"

namespace {

using namespace kvtraffic::hardware::hbm;

class Bytes final : public ByteReader {
 public:
  Bytes(std::span<const std::uint8_t> bytes, std::size_t piece) : left_(bytes), piece_(piece) {}

  [[nodiscard]] std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), left_.size(), piece_});
    std::copy_n(left_.begin(), count, into.begin());
    left_ = left_.subspan(count);
    return count;
  }

 private:
  std::span<const std::uint8_t> left_;
  std::size_t piece_;
};

void read_all(TransactionSource& source, const TraceOptions& options) {
  constexpr std::size_t most = 1U << 20U;  // a line may ask for 2^58 transactions
  std::vector<Transaction> block(1000);
  for (std::size_t total = 0; total < most;) {
    const std::size_t count = source.read(block);
    for (const Transaction& one : std::span(block).first(count)) {
      if (one.address >= options.capacity || one.address % options.granule != 0) std::abort();
    }
    if (count < block.size()) return;
    total += count;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  TraceOptions options;
  options.granule = std::uint64_t{1} << (data[0] & 7U);
  options.capacity = 3 * 1024 * options.granule;
  options.wrap = (data[0] & 8U) != 0;
  const std::size_t piece = data[1] == 0 ? size : data[1];
  try {
    const auto source = read_trace(std::make_unique<Bytes>(std::span(data, size).subspan(2), piece), "fuzz", options);
    read_all(*source, options);
  } catch (const TraceError&) {
    return 0;
  }
  return 0;
}
